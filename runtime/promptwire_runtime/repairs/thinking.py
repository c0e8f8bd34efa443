"""Thinking that an API did not write itself, and the proofs that it requires with calls of other models."""

from __future__ import annotations

from ..model.parts import Compaction, Reasoning, Text
from ..typed import TYPE_CHECKING
from .changes import EditLog, because, identities, with_changed_parts

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Message, Request
    from .edits import Edit, RepairContext

_PAYLOADS = ("signature", "encrypted", "redacted")


def repair_thinking(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request without rejected thinking, and without proofs that another API signed.

    Under `thinking="as_text"`, thinking that can be read becomes marked text of the assistant. A compaction that nobody
    else can read is dropped only where meaning may be lost, because it stands for the messages before it.
    """
    log = EditLog(context, "thinking")
    if context.policies.thinking == "error":
        return request, ()
    why = {id(node): because(error) for node, error in context.nodes(request)}
    keeps = context.policies.thinking == "as_text"
    # thinking in several texts, of which the API takes one
    several = identities(
        node for node, error in context.nodes(request) if error.field in ("summary", "texts")
    )

    def change(part: Part, _message: Message) -> Part | tuple[Part, ...]:
        if id(part) not in why:
            return part
        if not isinstance(part, (Reasoning, Compaction)):
            return _without_proofs(part, why[id(part)], log)
        text = _text_of(part)
        if id(part) in several and isinstance(part, Reasoning) and text:
            return _as_one_text(part, text, log)
        if text and (keeps or isinstance(part, Compaction)):
            log.add("replaced", part, _word(part), f"{context.wire.title} does not accept it; sent as text")
            word = "summary" if isinstance(part, Compaction) else "thinking"
            made: Part = log.made(part, Text(f"<{word}>\n{text}\n</{word}>"))
            return made
        if isinstance(part, Compaction) and context.policies.loss != "note":
            # it stands for all messages before it
            return part
        log.add("dropped", part, _word(part), why[id(part)])
        return ()

    return log.result(request, with_changed_parts(request, log, change))


def _as_one_text(part: Reasoning, text: str, log: EditLog) -> Part:
    """Return thinking with one text in place of several. What its text says already, its summary need not."""
    action = "dropped" if part.text else "replaced"
    for field in ("texts", "summary"):
        if getattr(part, field) is not None:
            log.add(action, part, field, f"{log.context.wire.title} accepts one text")
    whole: Part = log.changed(part, text=text, texts=None, summary=None)
    return whole


def _without_proofs(part: Part, why: str, log: EditLog) -> Part:
    """Return a part without signatures and encrypted payloads."""
    given = [name for name in _PAYLOADS if getattr(part, name, None) is not None]
    if not given:
        return part
    for name in given:
        log.add("dropped", part, name, why)
    nothing: dict[str, Any] = dict.fromkeys(given)
    whole: Part = log.changed(part, **nothing)
    return whole


def _text_of(part: Reasoning | Compaction) -> str:
    """Return the readable text of thinking or of a summary."""
    if isinstance(part, Compaction):
        return part.text or ""
    return part.text or "\n\n".join((*(part.texts or ()), *(part.summary or ())))


def _word(part: Reasoning | Compaction) -> str:
    return "compaction" if isinstance(part, Compaction) else "reasoning"
