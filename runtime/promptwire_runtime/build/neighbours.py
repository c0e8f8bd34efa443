"""What stands behind a part in its message, as rules ask before they look closer."""

from __future__ import annotations

from itertools import pairwise

from ..reporting.spec_words import kind_of
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Message


def is_followed(part: Any, message: Message, kinds: tuple[str, ...]) -> bool:
    """Tell whether a part of one of these kinds stands right behind a part of a message."""
    parts = message.parts
    if len(parts) == 1:
        return False
    return any(first is part and kind_of(second) in kinds for first, second in pairwise(parts))
