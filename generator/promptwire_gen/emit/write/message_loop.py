"""The loop over all messages: plain ones at once, any other part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ...model.neutral import MESSAGE
from ...model.wire import WireModel
from ..text_shapes import bare_text_shape, text_type
from .neighbours import WATCHES_END, Glance, meetings
from .plain_messages import PlainMessages


@dataclass(frozen=True)
class MessageLoop:
    """The function `write_messages`."""

    wire: WireModel
    plain: PlainMessages

    @cached_property
    def beside(self) -> Mapping[str, list[Glance]]:
        """Return role -> the checks of a message that follows another."""
        return meetings(self.wire)

    @property
    def usual(self) -> bool:
        """Return whether some messages are written at once."""
        plain = self.plain
        return bool(plain.texts or plain.result or plain.calls or plain.shown)

    @property
    def watches_ends(self) -> bool:
        """Return whether a message may require a check of the end of the message before it."""
        return any(glance.watch == WATCHES_END for rows in self.beside.values() for glance in rows)

    @property
    def writes_ahead(self) -> bool:
        """Return whether a plain result is written before it is known whether it joins the results before it."""
        return self.wire.merges and self.plain.result is not None

    @property
    def spoken(self) -> dict[str, str]:
        """Return the roles that have another word on the wire, in reverse order of the spec.

        Empty if tool results have messages of their own.
        """
        merged = self._has_pass("merge_neighbours")
        words = {role: shape.wire_role for role, shape in self.wire.messages.items()}
        return {role: word for role, word in reversed(words.items()) if merged and word != role}

    @property
    def results_apart(self) -> bool:
        """Return whether tool results have messages of their own."""
        return self._has_pass("merge_speakers")

    @property
    def fields(self) -> list[str]:
        """Fields of a message that its shape writes; a message with one of them is never merged."""
        shapes = [message.shape for message in self.wire.messages.values()]
        names = {hole.path[0] for shape in shapes for hole in shape.written_holes}
        return sorted(names & MESSAGE.fields.keys())

    @property
    def text_type(self) -> str:
        """The type of an element that is text."""
        bare = bare_text_shape(self.wire, "user")
        return text_type(bare) if bare is not None else "text"

    @property
    def speaker(self) -> str:
        """The wire's role of the assistant, whose calls the next turn answers."""
        assistant = self.wire.messages.get("assistant")
        return assistant.wire_role if assistant is not None else "assistant"

    def _has_pass(self, name: str) -> bool:
        return any(step.name == name for step in self.wire.passes)
