"""What a dialect can do, by how that differs from what its parent can."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


def changed(
    parent: Mapping[str, Any],
    *,
    less: Iterable[str] = (),
    more: Iterable[str] = (),
    other: Mapping[str, Any] | None = None,
) -> Mapping[str, Any]:
    """Give the capabilities of a parent with some changes; the parent's stay as they are.

    less   paths of what goes: a word of a list (`parts.image.file_id`), or a key (`parts.upload`)
    more   paths of words that come into lists, in alphabetical order: `vendor.data_sources`
    other  path -> the value that stands there instead, or that is new: `{"continuation.mode": "resend"}`
    """
    whole: dict[str, Any] = _copied(parent)
    for path in less:
        place, word = _at(whole, path)
        if is_list(place):
            place.remove(word)
        else:
            del place[word]
    for path in more:
        words, word = _at(whole, path)
        words.append(word)
        words.sort()
    for path, value in (other or {}).items():
        place, key = _at(whole, path)
        place[key] = value
    return whole


def _at(whole: Any, path: str) -> tuple[Any, str]:
    """The list or mapping that a path leads to, and its last word."""
    *keys, last = path.split(".")
    for key in keys:
        whole = whole[key]
    return whole, last


def _copied(value: Any) -> Any:
    if is_object(value):
        return {key: _copied(inside) for key, inside in value.items()}
    return [*value] if is_list(value) else value
