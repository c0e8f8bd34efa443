"""All text of a conversation, for rules that ask whether a word stands anywhere in it."""

from __future__ import annotations

from .json_values import is_mapping
from .media import Document
from .nodes import fields, is_node
from .parts import Compaction, ItemReference, Opaque, Text
from .typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from .request import Message

# what may hold text that nobody sees here
_HIDING = (Compaction, Document, ItemReference, Opaque)
_NOT_SAID = frozenset({"data", "media_type", "provenance", "kept", "extra"})


class _Hidden(Exception):
    """A part may hold more text than is known."""


def all_text(messages: Iterable[Message]) -> str | None:
    """Give all that messages say, call, return and think, one text a line; None where a part may hold more."""
    try:
        return "\n".join([text for message in messages for text in _texts(message.parts)])
    except _Hidden:
        return None


def _texts(value: Any) -> Iterator[str]:
    if type(value) is Text:
        yield value.text
    elif isinstance(value, str):
        yield value
    elif isinstance(value, _HIDING):
        raise _Hidden
    else:
        for each in _held(value):
            yield from _texts(each)


def _held(value: Any) -> Iterable[Any]:
    if is_node(value):
        return [getattr(value, each.name) for each in fields(value) if each.name not in _NOT_SAID]
    if is_mapping(value):
        return [*value, *value.values()]
    return value if type(value) in (tuple, list) else ()
