"""Thinking that an API did not write itself, and the proofs that it requires with calls of other models."""

from __future__ import annotations

from ..model.parts import Compaction, Reasoning, Text
from ..typed import TYPE_CHECKING
from .changes import EditLog, asked_nodes, identities, with_changed_parts

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Message, Request
    from .edits import Edit, RepairContext

_PAYLOADS = ("signature", "encrypted", "redacted")


def repair_thinking(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request without rejected thinking, and without proofs that another API signed.

    Under `thinking="as_text"`, thinking that can be read becomes marked text of the assistant.
    """
    log = EditLog(context, "thinking")
    if context.policies.thinking == "error":
        return request, ()
    asked = identities(asked_nodes(request, context))
    keeps = context.policies.thinking == "as_text"

    def change(part: Part, _message: Message) -> Part | tuple[Part, ...]:
        if id(part) not in asked:
            return part
        if not isinstance(part, (Reasoning, Compaction)):
            return _without_proofs(part, log)
        text = _text_of(part)
        if text and (keeps or isinstance(part, Compaction)):
            log.add("replaced", part, _word(part), f"{context.wire.title} does not accept it; sent as text")
            word = "summary" if isinstance(part, Compaction) else "thinking"
            made: Part = log.made(part, Text(f"<{word}>\n{text}\n</{word}>"))
            return made
        log.add("dropped", part, _word(part), f"{context.wire.title} does not accept it from here")
        return ()

    return log.result(request, with_changed_parts(request, log, change))


def _without_proofs(part: Part, log: EditLog) -> Part:
    """Return a part without signatures and encrypted payloads."""
    given = [name for name in _PAYLOADS if getattr(part, name, None) is not None]
    if not given:
        return part
    for name in given:
        log.add("dropped", part, name, "another API wrote it")
    nothing: dict[str, Any] = dict.fromkeys(given)
    whole: Part = log.changed(part, **nothing)
    return whole


def _text_of(part: Reasoning | Compaction) -> str:
    """Return the readable text of thinking or of a summary."""
    if isinstance(part, Compaction):
        return part.text or ""
    return part.text or "\n\n".join(part.texts or part.summary or ())


def _word(part: Reasoning | Compaction) -> str:
    return "compaction" if isinstance(part, Compaction) else "reasoning"
