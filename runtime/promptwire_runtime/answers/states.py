"""What the shapes of an answer ask of the reading and of the writing that walks them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from .answer import Candidate, Usage

if TYPE_CHECKING:
    from ..model.request import Message


class AnswerReading(Protocol):
    """The state of one reading."""

    def candidate(self, item: Any) -> Candidate:
        """Read one candidate."""
        ...

    def answered(self, item: dict[str, Any]) -> Message:
        """Read the message of an answer."""
        ...

    def answered_items(self, items: list[Any]) -> Message | None:
        """Read the items of an answer as one message."""
        ...

    def usage(self, counts: dict[str, Any]) -> Usage:
        """Read counts of tokens."""
        ...


class AnswerWriting(Protocol):
    """The state of one writing."""

    def candidate(self, candidate: Candidate) -> dict[str, Any]:
        """Write one candidate."""
        ...

    def items(self, message: Message | None) -> list[Any]:
        """Write a message: one item, or on flat wires its items."""
        ...

    def no_message(self) -> Any:
        """Write the message of an answer that says nothing; ABSENT where it has none."""
        ...

    def spelled(self, item: dict[str, Any]) -> dict[str, Any]:
        """Spell the keys of a message as an answer does."""
        ...

    def usage(self, usage: Usage) -> dict[str, Any]:
        """Write counts of tokens."""
        ...

    def options(self, node: Any) -> Mapping[str, Any]:
        """Give the known keys of this API."""
        ...

    def word(self, node: Any) -> str | None:
        """Give this wire's word for why the model stopped."""
        ...

    def lacks(self, node: Any, name: str) -> None:
        """Note a key that the API always gives, and that nothing is known for."""
        ...
