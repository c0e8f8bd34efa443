"""Thinking that an API did not write itself, and the proofs that it requires with calls of other models."""

from __future__ import annotations

from ..model.parts import Compaction, Reasoning, Text
from ..typed import TYPE_CHECKING
from .changes import EditLog, because, history_repair, with_changed_parts

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Request

_PAYLOADS = ("signature", "encrypted", "redacted")


@history_repair("thinking")
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
