"""Repairs that send parts as text, or without what only another API can read: foreign parts, citations, thinking."""

from __future__ import annotations

from ..build.shape_filters import write_json
from ..errors import InvalidRequest
from ..model.parts import (
    RESULTS,
    Audio,
    Compaction,
    Document,
    HostedCall,
    HostedResult,
    Json,
    Opaque,
    Reasoning,
    Refusal,
    SearchResult,
    Text,
    ToolReference,
)
from ..model.request import Message
from ..nodes.records import replace
from ..reporting.spec_words import kind_of
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_mapping
from .changes import EditLog, because, first_sent, with_changed_parts
from .registry import repair

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Request

_READABLE = ("text/", "application/json", "application/xml", "application/x-yaml", "application/yaml")


@repair(
    "foreign_parts",
    refused="part *.part *.error_part references.unknown tool.image tool.document tool.audio tool.video tool.*.data "
    "tool.*.media_type* tool.*.url tool.*.uri tool.json.value* *.document.media_type* *.hosted_call.type "
    "*.hosted_result.type "
    "*.document *.audio *.refusal *.search_result *.hosted_call *.hosted_result *.opaque *.tool_reference",
    missing="hosted_call.* hosted_result.*",
    no_place="document audio refusal search_result hosted_call hosted_result opaque tool_reference",
)
@repair("foreign_parts", no_place="*.document.text *.audio.text", rank=35)
def as_text(request: Request, log: EditLog) -> Request:
    """Return the request with rejected parts as marked text; a part whose content is no text stays as it is.

    Sounds become their transcript, documents keep title and context, search results their address, calls of hosted
    tools name and arguments; the result of such a call becomes text with it. Under `foreign_parts="drop"`, the last two
    are left out.
    """
    nodes = [node for node, _ in log.asked]
    calls = {node.id for node in nodes if isinstance(node, HostedCall) and node.id}

    def change(part: Part) -> Part | tuple[Part, ...]:
        if not log.asks_for(part) and not (isinstance(part, HostedResult) and part.call_id in calls):
            return part
        convert = _TEXTS.get(type(part))
        made = None if convert is None else convert(part)
        if made is None:
            return part
        word = kind_of(part)
        if log.choice == "drop" and not isinstance(part, (Audio, Document, Refusal, Json)):
            log.add("dropped", part, word, f"{log.title} does not accept it here")
            return ()
        sent = "its transcript" if isinstance(part, Audio) else "text"
        log.add("replaced", part, word, f"{log.title} does not accept it here; sent as {sent}")
        if isinstance(part, Document) and part.citations is not None:
            log.add("dropped", part, "citations", "a text cannot be cited as a document")
        return log.texts(part, made)

    changed = with_changed_parts(request, log, change)
    # what is no result any more is said by the user
    messages = tuple([_of_user(message, log) for message in changed.messages])
    return replace(changed, messages=messages)


def _of_user(message: Message, log: EditLog) -> Message:
    """Return a message of results of which only text is left as one of the user."""
    if message.role != "tool" or not message.parts or not all(type(part) is Text for part in message.parts):
        return message
    return log.changed(message, role="user")


@repair("citations", refused="*.citations", no_place="*.citations")
def drop_citations(request: Request, log: EditLog) -> Request:
    """Return the request without rejected citations: those of texts, and the wish that a document be cited.

    The texts and the documents themselves stay.
    """

    def change(part: Part) -> Part:
        if not log.asks_for(part) or not isinstance(part, (Text, Document)):
            return part
        log.add("dropped", part, "citations", f"{log.title} has none; the {kind_of(part)} stays")
        return log.changed(part, citations=None)

    return with_changed_parts(request, log, change)


def with_lead(message: Message, lead: str, log: EditLog) -> tuple[Part, ...]:
    """Return the parts of a message whose first text begins with a lead; results of tools stay before it."""
    place = _after_results(message)
    before, after = message.parts[:place], message.parts[place:]
    if after and isinstance(after[0], Text):
        text: Part = log.changed(after[0], text=lead + after[0].text)
        return (*before, text, *after[1:])
    return (*before, log.made(message, Text(lead.rstrip())), *after)


def _after_results(message: Message) -> int:
    """Return the index after the results of tools with which a message begins."""
    parts = message.parts
    return next((at for at, part in enumerate(parts) if not isinstance(part, RESULTS)), len(parts))


@repair("foreign_parts")
def documents_as_text(request: Request, log: EditLog) -> Request:
    """Return the request with the documents of an option as marked texts before the last words of the user.

    Such a document is a text, or an object with its text and other strings, also under `data` or `source`.
    """
    given = request.vendor or {}
    options = {wire: dict(each) for wire, each in given.items()}
    texts: list[Part] = []
    for error in log.context.problems:
        _, wire, name = error.field.split(".", 2)
        try:
            texts += [log.made(request, Text(_of_option(each))) for each in _listed(options[wire].pop(name))]
        except InvalidRequest as invalid:
            place = {"wire": log.context.wire.name, "field": error.field}
            raise InvalidRequest(f"{error.field}: {invalid}", value=invalid.value, **place) from None
        why = f"{log.title} takes no such option; sent as text of the user"
        log.add("replaced", request, error.field, why)
    vendor = {wire: each for wire, each in options.items() if each or not given[wire]}
    return replace(request, vendor=vendor, messages=_before_last_words(request, tuple(texts), log))


def _listed(value: Any) -> list[Any]:
    return [*value] if type(value) in (list, tuple) else [value]


def _of_option(document: Any) -> str:
    """Return a document of an option as marked text: strings beside its text are attributes, or all of it is JSON."""
    if is_mapping(document):
        told = dict(document)
        holder = next((name for name in ("data", "source") if is_mapping(told.get(name))), None)
        inner: dict[str, Any] = {} if holder is None else dict(told.pop(holder))
        if not told.keys() & inner.keys():
            told |= inner
            if type(told.get("text")) is str and all(_is_attribute(*item) for item in told.items()):
                return marked("document", told.pop("text"), **told)
    return marked("document", write_json(document))


def _is_attribute(name: Any, value: Any) -> bool:
    return type(value) is str and type(name) is str and name.isidentifier()


def _before_last_words(request: Request, texts: tuple[Part, ...], log: EditLog) -> tuple[Message, ...]:
    """Return the messages with texts before the last words of the user that are sent."""
    messages = request.messages
    for place in range(len(messages) - 1, first_sent(request, log.context) - 1, -1):
        message = messages[place]
        start = _after_results(message)
        if message.role == "user" and start < len(message.parts):
            parts = (*message.parts[:start], *texts, *message.parts[start:])
            return (*messages[:place], log.changed(message, parts=parts), *messages[place + 1 :])
    return (*messages, log.made(request, Message("user", texts)))


def marked(word: str, text: str, /, **attributes: str | None) -> str:
    """Return text between tags that say what it is; the text cannot close them."""
    text = text.replace(f"</{word}", f"<\\/{word}")
    given = "".join(f' {name}="{_quoted(value)}"' for name, value in attributes.items() if value)
    return f"<{word}{given}>\n{text}\n</{word}>"


def _quoted(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def _of_document(part: Document) -> list[str | Part] | None:
    named = {"title": part.title, "filename": part.filename, "context": part.context}
    if part.parts is not None:
        head = ", ".join(f"{name}: {value}" for name, value in named.items() if value)
        return [f"[document {head}]" if head else "[document]", *part.parts]
    text = part.text if part.text is not None else decoded(part)
    return None if text is None else [marked("document", text, **named)]


def decoded(part: Document) -> str | None:
    """Return the text of a document that is given as data; None if it is no text."""
    if part.data is None or not (part.media_type or "").startswith(_READABLE):
        return None
    from base64 import b64decode

    try:
        return b64decode(part.data).decode("utf-8")
    except ValueError:
        return None


def _of_json(part: Json) -> list[str | Part]:
    return [write_json(part.value)]


def _of_refusal(part: Refusal) -> list[str | Part]:
    return [part.text]


def _of_search_result(part: SearchResult) -> list[str | Part]:
    return [f"[{part.title}]({part.url})", *part.parts]


def _of_reasoning(part: Reasoning) -> list[str | Part] | None:
    text = part.text or "\n\n".join(part.texts or part.summary or ())
    return [marked("thinking", text)] if text else None


def _of_hosted_call(part: HostedCall) -> list[str | Part]:
    given = {"id": part.id, "server": part.server, "status": part.status}
    what = part.arguments if part.arguments is not None else part.payload or {}
    return [marked("hosted_call", write_json(what), type=part.type, name=part.name, **given)]


def _of_hosted_result(part: HostedResult) -> list[str | Part]:
    given = {"id": part.id or part.call_id, "status": part.status, "error": "true" if part.is_error else None}
    what = part.result if part.result is not None else part.payload or {}
    return [marked("hosted_result", write_json(what), type=part.type, **given)]


def _of_reference(part: ToolReference) -> list[str | Part]:
    return [f"[tool {part.name}]"]


def _of_opaque(part: Opaque) -> list[str | Part]:
    return [marked("json", write_json(part.value), wire=part.wire)]


def _of_audio(part: Audio) -> list[str | Part] | None:
    return None if part.transcript is None else [part.transcript]


_TEXTS: dict[type, Callable[[Any], list[str | Part] | None]] = {
    Audio: _of_audio,
    Document: _of_document,
    Json: _of_json,
    Refusal: _of_refusal,
    SearchResult: _of_search_result,
    Reasoning: _of_reasoning,
    HostedCall: _of_hosted_call,
    HostedResult: _of_hosted_result,
    Opaque: _of_opaque,
    ToolReference: _of_reference,
}


_PAYLOADS = ("signature", "encrypted", "redacted")


@repair(
    "thinking",
    refused="assistant.reasoning* turn.first *part.reasoning *part.compaction assistant.compaction "
    "!assistant.reasoning.id !*.vendor.*",
    no_place="reasoning compaction *.signature *.encrypted *.redacted",
    rank=55,
)
def unthink(request: Request, log: EditLog) -> Request:
    """Return the request without rejected thinking, and without proofs that another API signed.

    Under `thinking="as_text"`, thinking that can be read becomes marked text of the assistant. A compaction that nobody
    else can read is dropped only where meaning may be lost, because it stands for the messages before it.
    """
    why = {id(node): because(error) for node, error in log.asked}
    keeps = log.choice == "as_text"
    # thinking in several texts, of which the API takes one
    several = {id(node) for node, error in log.asked if error.field in ("summary", "texts")}

    def change(part: Part) -> Part | tuple[Part, ...]:
        if id(part) not in why:
            return part
        if not isinstance(part, (Reasoning, Compaction)):
            return _without_proofs(part, why[id(part)], log)
        text = _text_of(part)
        if id(part) in several and isinstance(part, Reasoning) and text:
            return _as_one_text(part, text, log)
        if text and (keeps or isinstance(part, Compaction)):
            log.add("replaced", part, _word(part), f"{log.title} does not accept it; sent as text")
            word = "summary" if isinstance(part, Compaction) else "thinking"
            return log.made(part, Text(f"<{word}>\n{text}\n</{word}>"))
        if isinstance(part, Compaction) and log.context.policies.loss != "note":
            # it stands for all messages before it
            return part
        log.add("dropped", part, _word(part), why[id(part)])
        return ()

    return with_changed_parts(request, log, change)


def _as_one_text(part: Reasoning, text: str, log: EditLog) -> Part:
    """Return thinking with one text in place of several. What its text says already, its summary need not."""
    action = "dropped" if part.text else "replaced"
    for field in ("texts", "summary"):
        if getattr(part, field) is not None:
            log.add(action, part, field, f"{log.title} accepts one text")
    return log.changed(part, text=text, texts=None, summary=None)


def _without_proofs(part: Part, why: str, log: EditLog) -> Part:
    """Return a part without signatures and encrypted payloads."""
    given = [name for name in _PAYLOADS if getattr(part, name, None) is not None]
    if not given:
        return part
    for name in given:
        log.add("dropped", part, name, why)
    nothing: dict[str, Any] = dict.fromkeys(given)
    return log.changed(part, **nothing)


def _text_of(part: Reasoning | Compaction) -> str:
    """Return the readable text of thinking or of a summary."""
    if isinstance(part, Compaction):
        return part.text or ""
    return part.text or "\n\n".join((*(part.texts or ()), *(part.summary or ())))


def _word(part: Reasoning | Compaction) -> str:
    return "compaction" if isinstance(part, Compaction) else "reasoning"
