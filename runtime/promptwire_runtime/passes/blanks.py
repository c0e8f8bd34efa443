"""Omit blank text, for APIs that reject it: parts, messages, and layers of instructions."""

from __future__ import annotations

from ..errors import Refused
from ..model.parts import RESULTS, Text
from ..model.request import Message
from ..nodes.plain import is_blank, is_silent
from ..nodes.records import replace
from ..reporting.spec_words import spec_word
from ..reporting.unkeyed import report_unkeyed
from ..typed import TYPE_CHECKING, Callable, Iterable
from ..wire_json.kinds import is_object

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Request
    from ..reporting.report import Report

# fields of the message itself, which are written once
_WRITTEN_ONCE = ("name", "id", "status", "phase", "vendor", "extra", "kept")


def joins(previous: Message | None, message: Message, report: Report) -> bool:
    """Return whether a message is merged into the previous one, which has the same role.

    A message with vendor options, extra JSON or form memory of this wire is not merged, nor are two messages that were
    both read from this wire.
    """
    if report.policies.neighbours != "merge" or previous is None:
        return False
    wire = report.wire.name
    if not message.fast_path:
        remembered = message.kept is not None and message.kept.wire == wire
        if remembered or wire in (message.vendor or ()) or wire in (message.extra or ()):
            return False
    origin = message.provenance
    if origin is None or origin.wire != wire:
        return True
    return previous.provenance is None or previous.provenance.wire != wire


def open_last(items: list[Any], report: Report, text: str, key: str = "content") -> list[Any] | None:
    """Replace the content of the last item by a new list that may be extended, and return that list.

    Returns None if the item has keys beside role and content, or is an opaque element. `text` is the `type` of a text
    block, `key` the key of the content.
    """
    last = items[-1]
    if report.last_apart is not None:
        if last is report.last_apart[0]:
            return None
        report.last_apart = None
    if not is_object(last) or len(last) != 2 or key not in last:
        return None
    content = _blocks(last[key], text)
    items[-1] = {**last, key: content}
    return content


def note_merged(report: Report) -> None:
    """Report that consecutive messages were merged."""
    report.note(
        "merged",
        report.request,
        "messages",
        "consecutive messages of one role are sent as one message",
    )


def _blocks(content: Any, text: str) -> list[Any]:
    if isinstance(content, str):
        return [{"type": text, "text": content}] if content else []
    return list(content)


def results_apart(
    messages: tuple[Message, ...], report: Report, check: Callable[[Message], None]
) -> Iterable[Message]:
    """Return the messages with tool results and other parts separated: each such message becomes two, results first.

    Tool messages stay whole, because nothing else may stand in them. `check` is called with each message that is
    separated, while it is whole.
    """
    if report.policies.neighbours == "merge":
        for message in messages:
            # in all other plain forms, a message has either results or other parts
            if message.fast_path in ("", "parts", "worded"):
                return [piece for each in messages for piece in _pieces(each, report, check)]
    return messages


def _pieces(message: Message, report: Report, check: Callable[[Message], None]) -> tuple[Message, ...]:
    results = [part for part in message.parts if type(part) in RESULTS]
    origin = message.provenance
    # a message that was read from this wire is accepted as it is
    if (
        not results
        or message.role == "tool"
        or len(results) == len(message.parts)
        or (origin is not None and origin.wire == report.wire.name)
    ):
        return (message,)
    check(message)
    others = [part for part in message.parts if type(part) not in RESULTS]
    pieces = (
        Message("tool", results, provenance=origin),
        replace(message, parts=tuple(others)),
    )
    report.copied(message, pieces)
    report.note("moved", message, "", "its tool results are sent in a separate message")
    return pieces


def rest_of(message: Message, shared: tuple[str, ...], report: Report) -> Message:
    """Return the rest of a message after its first item, with the `shared` fields that every item gets."""
    fields: dict[str, Any] = {field: None for field in _WRITTEN_ONCE if field not in shared}
    options = {
        option: value for option, value in report.vendor(message).items() if f"vendor.{option}" in shared
    }
    fields["vendor"] = {report.wire.name: options} if options else None
    rest = replace(message, **fields)
    report.copied(message, [rest])
    if report.last_reordered is message:
        report.last_reordered = rest
    return rest


def without_item(message: Message, report: Report) -> None:
    """Report the fields of a message whose parts are all standalone items, because no item can hold them."""
    if message.name is not None:
        report.lost(message, "name")
    for field in ("id", "status", "phase"):
        if getattr(message, field) is not None:
            report.unused(message, field)
    report_unkeyed(message, report)


_BESIDE = ("cache", "signature", "citations", "logprobs")


def drops_blank(part: Text, message: Message, report: Report) -> bool:
    """Return whether a text is blank and omitted, with a note.

    Text that was read from this wire is kept, because it comes from an answer or from a request that was accepted.
    Blank text is rejected if the conversation holds nothing else, because there would be no message to send.

    Raises:
        Refused: the policy is `blank="error"`, which also applies to text that was read from this wire.
    """
    if report.policies.blank == "keep" or not is_blank(part.text):
        return False
    if _is_own(part, message, report):
        _judge_own(part, "text", message, report)
        return False
    why = _why(report, part, "text")
    if all(map(is_silent, report.request.messages)):
        report.refused("text", part.text, f"{why}, and the conversation has no other content", part)
        return False
    _report_beside(part, report)
    report.note("dropped", part, spec_word(part), why)
    return True


def drops_empty(message: Message, report: Report) -> bool:
    """Return whether a message without parts is omitted. Raises Refused under `blank="error"`, or if all are empty."""
    wire = report.wire.name
    says_more = wire in (message.vendor or ()) or wire in (message.extra or ())
    if report.policies.blank == "keep" or says_more:
        return False
    if _is_own(message, message, report):
        _judge_own(message, "parts", message, report)
        return False
    why = _why(report, message, "parts")
    if all(map(is_silent, report.request.messages)):
        report.refused("parts", None, f"{why}, and the conversation has no content", message)
        return False
    return True


def without_blank_layers(request: Request, report: Report) -> Request:
    """Return the request without blank layers of instructions, with a note for each."""
    instructions = request.instructions
    if report.policies.blank == "keep" or not instructions:
        return request
    if isinstance(instructions, str):
        if not instructions.isspace():
            return request
        report.note("dropped", request, "instructions", _why(report, request, "instructions"))
        left = None
    else:
        blank = [layer for layer in instructions if is_blank(layer.text)]
        if not blank:
            return request
        for layer in blank:
            _report_beside(layer, report)
            report.note("dropped", layer, "text", _why(report, layer, "text"))
        left = tuple([layer for layer in instructions if not is_blank(layer.text)]) or None
    changed = replace(request, instructions=left)
    report.replaced(changed)
    return changed


def _report_beside(node: Any, report: Report) -> None:
    """Report the other fields of a text that is omitted."""
    for name in _BESIDE:
        if getattr(node, name, None) is not None:
            report.lost(node, name, "its text is blank and is omitted")
    if not node.is_plain:
        report_unkeyed(node, report)


def _why(report: Report, node: object, field: str) -> str:
    """Return why blank text is omitted. Raises Refused under `blank="error"`."""
    why = _why_at_all(report)
    if report.policies.blank == "error":
        hint = f'{why}; omit it or use blank="drop"'
        report.stop(Refused, f"{field}: {hint}", node, field)
    return why


def _why_at_all(report: Report) -> str:
    # blank instructions are omitted on every API
    return f"{report.wire.title} rejects blank text" if report.wire.drops_blank else "it is blank"


def _judge_own(node: object, field: str, message: Message, report: Report) -> None:
    """Reject blank content that was read from this wire under `blank="error"`, except a last answer to be continued."""
    goes_on = message.role == "assistant" and message is report.request.messages[-1]
    if report.policies.blank == "error" and not goes_on:
        report.stop(Refused, f"{field}: {_why_at_all(report)}; omit it", node, field)


def _is_own(part: Text | Message, message: Message, report: Report) -> bool:
    origin = part.provenance or message.provenance
    return origin is not None and origin.wire == report.wire.name
