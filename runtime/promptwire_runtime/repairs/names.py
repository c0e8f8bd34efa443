"""Names of tools, speakers, formats and documents that are missing, or that an API does not accept."""

from __future__ import annotations

import re
from hashlib import sha256
from unicodedata import normalize

from ..model.options import ResponseFormat
from ..model.parts import (
    CALLS,
    RESULTS,
    CustomTool,
    Document,
    Text,
    Tool,
    ToolAddition,
    ToolGroup,
    ToolReference,
)
from ..model.request import Message
from ..nodes.plain import is_blank
from ..nodes.records import replace
from ..predicates.words import is_unlike
from ..typed import TYPE_CHECKING
from .changes import EditLog, with_changed_parts
from .registry import repair
from .texts import with_lead

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Request

_NAMED = (*CALLS, *RESULTS, ToolReference)
_TOOLS = (Tool, CustomTool)
# letters and length that all APIs accept in a name
_OTHER_LETTERS = re.compile(r"[^a-zA-Z0-9_-]")
_OTHER_LETTERS_AND_HYPHEN = re.compile(r"[^a-zA-Z0-9_]")
_LONGEST = 64
_DIGEST = 6
# what the strictest API rejects in the name of a document
_ODD_LETTERS = re.compile(r"[^A-Za-z0-9_()\[\] -]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_SEVERAL_BLANKS = re.compile(r"\s+")
_ENDING = re.compile(r"\.\w{1,5}$")
_ENDINGS = {"application/pdf": ".pdf", "text/plain": ".txt", "text/markdown": ".md", "text/html": ".html"}


@repair("tool_names", refused="tools.name", rank=25)
def drop_equal_tools(request: Request, log: EditLog) -> Request:
    """Return the request without tools that an earlier tool equals, where the API takes each name once.

    Different tools of one name are not repaired: calls would be answered by another function than the model meant.
    """
    tools: list[Any] = []
    for tool in request.tools or ():
        if log.asks_for(tool) and any(_is_same_tool(tool, other) for other in tools):
            log.add("dropped", tool, "", f"{log.title} takes each name once, and an earlier tool is the same")
        else:
            tools.append(tool)
    return request if len(tools) == len(request.tools or ()) else replace(request, tools=tuple(tools))


def _is_same_tool(tool: Any, other: Any) -> bool:
    return type(tool) is type(other) and replace(tool, kept=None) == replace(other, kept=None)


@repair(
    "tool_names", refused="tools.name tool.name custom_tool.name tool_group.name hosted_tool.name", rank=20
)
def rename_tools(request: Request, log: EditLog) -> Request:
    """Return the request with rejected names of tools made of letters, digits, `_` and `-`, 64 at most.

    An API that takes no `-` gets `_` in its place.

    The name changes in tools, calls, results, references and the tool choice. Different names stay different, and each
    edit has both, so that calls of an answer can be mapped back.
    """
    asked = [error.value for error in log.context.problems if isinstance(error.value, str)]
    pattern = log.context.wire.names
    names = {name: new for name in dict.fromkeys(asked) if (new := _accepted_name(name, pattern)) != name}
    if not names:
        return request
    why = f"{log.title} does not accept this name"
    for name, new in names.items():
        node = next((node for node, error in log.asked if error.value == name), request)
        log.add("replaced", node, "name", f"{why}; sent as {new}", given=name, sent=new)

    def change(part: Part) -> Part:
        whole: Any = part
        if isinstance(part, _NAMED) and part.name in names:
            whole = log.changed(part, name=names[part.name])
        elif isinstance(part, ToolAddition):
            tools = _renamed(part.tools, names, log)
            whole = part if tools is part.tools else log.changed(part, tools=tools)
        kept: Part = whole
        return kept

    changed = with_changed_parts(request, log, change)
    tools = request.tools if request.tools is None else _renamed(request.tools, names, log)
    choice = _chosen(request.tool_choice, names, log)
    if choice is not request.tool_choice:
        log.add("replaced", request, "tool_choice", f"{why}; it names the tools as they are sent")
    return replace(changed, tools=tools, tool_choice=choice)


def _renamed(tools: tuple[Any, ...], names: Mapping[str, str], log: EditLog) -> tuple[Any, ...]:
    made: list[Any] = []
    for tool in tools:
        changes: dict[str, Any] = {}
        if isinstance(tool, (*_TOOLS, ToolGroup)) and tool.name in names:
            changes["name"] = names[tool.name]
        if isinstance(tool, ToolGroup):
            inside = _renamed(tool.tools, names, log)
            if inside is not tool.tools:
                changes["tools"] = inside
        made.append(log.changed(tool, **changes) if changes else tool)
    return tools if all(new is old for new, old in zip(made, tools, strict=True)) else tuple(made)


def _chosen(choice: Any, names: Mapping[str, str], log: EditLog) -> Any:
    if choice is None:
        return None
    several = None if choice.names is None else tuple([names.get(name, name) for name in choice.names])
    name = names.get(choice.name, choice.name)
    return (
        choice
        if (name, several) == (choice.name, choice.names)
        else log.changed(choice, name=name, names=several)
    )


def _accepted_name(name: str, pattern: str) -> str:
    """Return a safe name; without `-` where the pattern of an API does not take the name otherwise."""
    new = safe_name(name)
    return safe_name(name, _OTHER_LETTERS_AND_HYPHEN) if pattern and is_unlike(new, pattern) else new


def safe_name(name: str, others: re.Pattern[str] = _OTHER_LETTERS) -> str:
    """Return a name of letters, digits, `_` and `-` for any name, which begins with a letter.

    Different names get different ones.
    """
    clean = others.sub("_", name)
    if clean == name and len(name) <= _LONGEST and name[:1].isalpha():
        return name
    if not clean[:1].isalpha():
        clean = f"x{clean}"
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{clean[: _LONGEST - _DIGEST - 1]}_{digest}"


@repair("speakers", refused="message.name", no_place="message.name")
def rename_speakers(request: Request, log: EditLog) -> Request:
    """Return the request with speakers' names that the API accepts, or as words at the beginning of their messages.

    Under `speakers="drop"`, a name that has no place is dropped.
    """
    problems = {id(node): error for node, error in log.asked if isinstance(node, Message)}
    messages: list[Message] = []
    for message in request.messages:
        error = problems.get(id(message))
        is_refused = error is not None and error.field.endswith(".name")
        # results have no words of a speaker to lead
        if error is None or message.name is None or (message.role == "tool" and not is_refused):
            messages.append(message)
        elif is_refused:
            new = safe_name(message.name)
            why = f"{log.title} does not accept this name; sent as {new}"
            log.add("replaced", message, "name", why, given=message.name, sent=new)
            messages.append(log.changed(message, name=new))
        elif log.choice == "drop":
            log.add("dropped", message, "name", f"{log.title} has no names of speakers")
            messages.append(log.changed(message, name=None))
        else:
            log.add("replaced", message, "name", f"{log.title} has no names of speakers; said in the text")
            parts = with_lead(message, f"{message.name}: ", log)
            messages.append(log.changed(message, name=None, parts=parts))
    return replace(request, messages=tuple(messages))


@repair(
    "document_names",
    refused="documents.repeated *.document.filename* *.document.title",
    missing="document.filename document.title",
)
def add_names(request: Request, log: EditLog) -> Request:
    """Return the request with names for documents that lack one, and with rejected names cleaned."""
    problems = {id(node): error for node, error in log.asked}
    # an API that judges names takes none with a dot
    judged = any(
        condition.path.text.endswith("document.filename")
        for rule in log.context.wire.rules
        for condition in rule.reject
    )
    taken = {
        name
        for message in request.messages
        for part in (
            *message.parts,
            *[inner for part in message.parts for inner in getattr(part, "parts", None) or ()],
        )
        for name in (getattr(part, "filename", None), getattr(part, "title", None))
    }
    count = 0

    def change(part: Part) -> Part:
        nonlocal count
        if isinstance(part, Document):
            count += 1
        error = problems.get(id(part))
        if error is None or not isinstance(part, Document):
            return part
        is_repeated = error.field == "documents.repeated"
        in_title = part.filename is None if is_repeated else error.field.endswith("title")
        field = "title" if in_title else "filename"
        given = getattr(part, field)
        made = f"document-{count}" + ("" if judged or given is not None else _ending(part))
        new = _free((_cleaned(given) if given is not None else "") or made, taken)
        verb = "replaced" if given is not None else "added"
        what = "does not accept this name" if given is not None else "requires a name"
        what = "takes each name once" if is_repeated else what
        log.add(verb, part, field, f"{log.title} {what}; sent as {new}")
        return log.changed(part, **{field: new})

    return with_changed_parts(request, log, change)


@repair("document_names", no_place="document.title document.context")
def say_titles(request: Request, log: EditLog) -> Request:
    """Return the request with titles and contexts of documents that have no place said in a text before them."""
    asked: dict[int, list[str]] = {}
    for node, error in log.asked:
        asked.setdefault(id(node), []).append(error.field)

    def change(part: Part) -> Part | tuple[Part, ...]:
        lost = asked.get(id(part))
        if not lost or not isinstance(part, Document):
            return part
        said = ", ".join(f"{name}: {getattr(part, name)}" for name in lost)
        for name in lost:
            log.add("replaced", part, name, f"{log.title} has no place for it; said in a text before")
        return (*log.texts(part, [f"[document {said}]"]), log.changed(part, **dict.fromkeys(lost)))

    return with_changed_parts(request, log, change)


@repair("document_names")
def name_documents(request: Request, log: EditLog) -> Request:
    """Return the request with a text that names the documents in each message that requires one beside them."""

    def say(message: Message) -> Message:
        named = [part for part in message.parts if isinstance(part, Document)]
        names = [part.filename or part.title or "document" for part in named]
        if not names:
            return message
        text = f"[attached: {', '.join(names)}]"
        log.add("added", message, "parts", f'{log.title} requires a text beside documents: "{text}"')
        return log.changed(message, parts=(*message.parts, log.made(message, Text(text))))

    return _with_said(request, log, say)


@repair()
def name_calls(request: Request, log: EditLog) -> Request:
    """Return the request with a text that names the calls in each message that requires one beside them."""

    def say(message: Message) -> Message:
        names = [part.name for part in message.parts if isinstance(part, CALLS)]
        if not names:
            return message
        text = f"[calls: {', '.join(names)}]"
        log.add("added", message, "parts", f'{log.title} requires a text beside calls: "{text}"')
        others = [part for part in message.parts if not (isinstance(part, Text) and is_blank(part.text))]
        return log.changed(message, parts=(log.made(message, Text(text)), *others))

    return _with_said(request, log, say)


def _with_said(request: Request, log: EditLog, say: Callable[[Message], Message]) -> Request:
    """Return the request with a text more in the messages that the problems are about."""
    messages = [
        say(message) if any(map(log.asks_for, (message, *message.parts))) else message
        for message in request.messages
    ]
    return replace(request, messages=tuple(messages))


def _ending(part: Document) -> str:
    return _ENDINGS.get(part.media_type or "", "")


def _cleaned(name: str) -> str:
    """Return a name without folders, ending and accents, of letters, digits, hyphens, brackets and single spaces."""
    base = _ACCENTS.sub("", normalize("NFKD", _ENDING.sub("", name.rpartition("/")[2] or name)))
    return _SEVERAL_BLANKS.sub(" ", _ODD_LETTERS.sub(" ", base)).strip()[:200].strip()


def _free(name: str, taken: set[Any]) -> str:
    number, new = 1, name
    while new in taken:
        number += 1
        new = f"{name}-{number}"
    taken.add(new)
    return new


@repair(
    "format_names",
    refused="response_format.name",
    missing="response_format*name",
    no_place="response_format*name",
)
def name_format(request: Request, log: EditLog) -> Request:
    """Return the request with a name for its response format: the title of the schema, or `response`."""
    known = request.response_format
    if known is None:
        return request
    schema: Any = known.schema or {}
    title = schema.get("title")
    given = known.name
    new = safe_name(given or (title if isinstance(title, str) and title else "response"))
    if new == given:
        return request
    log.add(
        "added" if given is None else "replaced", known, "name", f"{log.title} requires a name; sent as {new}"
    )
    changed: ResponseFormat = log.changed(known, name=new)
    return replace(request, response_format=changed)
