"""What stands beside a part in its message, as rules ask before they look closer."""

from __future__ import annotations

from itertools import pairwise

from ..reporting.spec_words import kind_of
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model.request import Message

_NONE: frozenset[str] = frozenset()


class Standing:
    """The kinds of parts right before and right behind each part of one message."""

    __slots__ = ("_before", "_behind", "message")

    def __init__(self, message: Message) -> None:
        self.message = message
        self._before: dict[int, set[str]] = {}
        self._behind: dict[int, set[str]] = {}
        for first, second in pairwise(message.parts):
            # the same part may stand there twice
            self._behind.setdefault(id(first), set()).add(kind_of(second))
            self._before.setdefault(id(second), set()).add(kind_of(first))

    def before(self, part: object) -> frozenset[str] | set[str]:
        """Give the kinds right before a part."""
        return self._before.get(id(part), _NONE)

    def behind(self, part: object) -> frozenset[str] | set[str]:
        """Give the kinds right behind a part."""
        return self._behind.get(id(part), _NONE)
