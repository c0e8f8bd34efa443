"""Reading flat lists: which items form one Message."""

from __future__ import annotations

from typing import Any, cast

from ..model.parts import Opaque, Part
from ..model.request import Message
from ..model.wire_memory import Provenance
from ..nodes.node import changed


class _Turn:
    __slots__ = ("closed", "message", "parts", "role")

    def __init__(
        self, role: str, message: Message | None, parts: list[Part], *, closed: bool = False
    ) -> None:
        self.role = role
        self.message = message
        self.parts = parts
        self.closed = closed

    def finish(self, origin: Provenance) -> Message:
        if self.message is None:
            return Message(self.role, tuple(self.parts), provenance=origin)
        if len(self.parts) == len(self.message.parts):
            return self.message
        return cast("Message", changed(self.message, parts=tuple(self.parts)))


class Turns:
    """Collects items: consecutive standalone items of one role form one Message.

    A message item of the assistant joins the open turn only when that turn holds standalone items and no
    message item yet; every other message item opens a new Message.
    """

    def __init__(self, origin: Provenance, *, group: bool) -> None:
        """Start with no turn; `group` is true on wires whose items stand alone."""
        self._origin = origin
        self._group = group
        # a message that nothing has joined stands as it is
        self._turns: list[_Turn | Message] = []
        self._joined = False

    def message(self, message: Message) -> None:
        """Add a message item."""
        last = self._turns[-1] if self._group and self._turns else None
        if (
            type(last) is _Turn
            and message.role == "assistant" == last.role
            and message.parts
            and last.message is None
            and not last.closed
        ):
            last.message = message
            last.parts.extend(message.parts)
        else:
            self._turns.append(message)

    def alone(self, role: str, part: Part | None) -> bool:
        """Add an item that is a part of its own; False where it is none."""
        if part is None:
            return False
        self._joined = True
        last = self._turns[-1] if self._turns else None
        if isinstance(last, Message) and role == "assistant" == last.role:
            last = self._turns[-1] = _Turn(role, last, list(last.parts))
        if (
            type(last) is _Turn
            and last.role == role
            and not last.closed
            and (last.message is None or role == "assistant")
        ):
            last.parts.append(part)
        else:
            self._turns.append(_Turn(role, None, [part]))
        return True

    def unknown(self, part: Opaque) -> None:
        """Add an item that no shape knows."""
        self._joined = True
        self._turns.append(_Turn("user", None, [part], closed=True))

    def finish(self) -> tuple[Message, ...]:
        """Return the messages."""
        if not self._joined:
            messages: Any = self._turns
            return tuple(messages)
        return tuple(
            [turn if isinstance(turn, Message) else turn.finish(self._origin) for turn in self._turns]
        )
