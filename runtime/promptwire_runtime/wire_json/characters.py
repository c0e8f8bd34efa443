"""Half characters: JSON may escape one of the two UTF-16 units of an emoji alone, and UTF-8 has no bytes for it."""

from __future__ import annotations

import re
from marshal import dumps
from typing import Any

from .codec import decode
from .copies import MOST_LEVELS
from .kinds import is_list, is_object

REPLACEMENT = "\ufffd"
"""The character that replaces half a surrogate pair."""
_UNITS = "utf-16-le"
# how UTF-8 would encode half a character
_HALF = re.compile(b"\xed[\xa0-\xbf]")


def whole_text(text: str) -> str:
    """Return a text without half characters: two halves side by side are joined, and any other becomes U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(_UNITS, "surrogatepass").decode(_UNITS, "replace")
    return text


def begins_character(text: str) -> bool:
    """Return whether a text ends with the first half of a character."""
    return "\ud800" <= text[-1:] <= "\udbff"


def has_halves(value: Any) -> bool:
    """Return whether a JSON value may hold a half character, in a text or a key."""
    try:
        data = dumps(value)
    except ValueError:  # it has no place for a value, or is too deep
        return True
    return b"\xed" in data and _HALF.search(data) is not None


def whole_json(value: Any) -> tuple[Any, list[str]]:
    """Return a JSON value without half characters, and the paths of the texts that held one without its other half."""
    replaced: list[str] = []
    return (_whole(value, "", replaced, MOST_LEVELS) if has_halves(value) else value), replaced


def whole_value_of(text: str) -> Any:
    """Parse JSON whose texts may escape half a character. Raises ValueError or RecursionError if it is not JSON."""
    value = decode(text)
    return whole_json(value)[0] if "\\u" in text else value


def _whole(value: Any, path: str, replaced: list[str], levels: int) -> Any:
    if type(value) is str:
        text = whole_text(value)
        if text.count(REPLACEMENT) > value.count(REPLACEMENT):
            replaced.append(path)
        return text
    if is_object(value) and levels:
        return {
            _whole(key, path, replaced, levels): _whole(
                inner, f"{path}.{key}" if path else str(key), replaced, levels - 1
            )
            for key, inner in value.items()
        }
    if is_list(value) and levels:
        return [_whole(inner, f"{path}[{n}]", replaced, levels - 1) for n, inner in enumerate(value)]
    return value
