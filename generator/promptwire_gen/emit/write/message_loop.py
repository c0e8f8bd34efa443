"""The loop over all messages: plain ones at once, any other part by part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ...model.neutral import MESSAGE
from ...model.wire import WireModel
from ..conditions import conditional, equals
from ..python import Expression, literal, name
from ..text_shapes import bare_text_shape, text_type
from .neighbours import WATCHES_END, Meeting, meetings
from .plain_messages import PlainMessages


@dataclass(frozen=True, slots=True)
class MessageLoopTurns:
    """The settings by which neighbouring messages of one role are merged.

    now      the speaker's role: the wire's own, or the neutral one if tool results have messages of their own
    fields   fields of a message that its shape writes; a message with one of them is never merged
    opened   the arguments of `open_last` after the list and the context
    speaker  the wire's role of the assistant, whose calls the next turn answers
    """

    now: Expression
    fields: tuple[str, ...]
    opened: tuple[Expression, ...]
    speaker: Expression


@dataclass(frozen=True, slots=True)
class MessageLoop:
    """`write_messages`.

    source   the messages, as a pass arranged them
    beside   what the rules look at for the messages that meet
    shown    what becomes of texts and images that `Writers.media` writes at once
    pairs    where the result of a call must stand: `later`, in the next `turn` or messages; empty where none is asked
    """

    source: Expression
    beside: tuple[Meeting, ...]
    pairs: str
    turns: MessageLoopTurns | None
    plain: PlainMessages
    shown: Expression | None
    name: str = "write_messages"
    macro: ClassVar[str] = "message_loop"

    @property
    def watches_ends(self) -> bool:
        """Return whether a message may require a check of the end of the message before it."""
        return any(watch == WATCHES_END for meeting in self.beside for _, watch in meeting.tests)

    @property
    def writes_ahead(self) -> bool:
        """Return whether a plain result is written before it is known whether it joins the results before it."""
        return self.turns is not None and self.plain.result is not None


def message_loop(model: WireModel, plain: PlainMessages) -> MessageLoop:
    """Prepare the loop of one wire."""
    source = name("messages")
    if _has_pass(model, "merge_speakers"):
        source = Expression("results_apart(messages, build, build.check_node)")
    turns = _turns(model) if model.merges else None
    # texts and images are written by the writer table, so a dialect that differs there inherits the loop
    shown = None if plain.shown is None else plain.shown.item
    return MessageLoop(source, meetings(model), model.pairs, turns, replace(plain, shown=None), shown)


def _turns(model: WireModel) -> MessageLoopTurns:
    now = name("role")
    if _has_pass(model, "merge_neighbours"):
        for role, shape in model.messages.items():
            if shape.wire_role != role:
                now = conditional(equals(name("role"), literal(role)), literal(shape.wire_role), now)
    shapes = [message.shape for message in model.messages.values()]
    names = {hole.path[0] for shape in shapes for hole in shape.written_holes}
    bare = bare_text_shape(model, "user")
    key = model.content_key("user")
    opened = [literal(text_type(bare) if bare is not None else "text")]
    opened += [literal(key)] if key != "content" else []
    assistant = model.messages.get("assistant")
    speaker = literal(assistant.wire_role if assistant is not None else "assistant")
    return MessageLoopTurns(now, tuple(sorted(names & MESSAGE.fields.keys())), tuple(opened), speaker)


def _has_pass(model: WireModel, name: str) -> bool:
    return any(step.name == name for step in model.passes)
