"""Which nodes carry nothing optional: the one fact that lets builders take their short path."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import Any
from .nodes import optional_names

# bytes are a list of numbers, and sets have no order
_NO_LISTS: tuple[type[Any], ...] = (bytes, bytearray, set, frozenset)
# characters of an id or name that builders need not look at
MOST_USUAL = 64


def as_tuple(value: Any, what: str) -> tuple[Any, ...]:
    """Turn a list into a tuple; one text is no list of its letters, nor a mapping one of its keys."""
    if isinstance(value, str):
        raise InvalidRequest(f"{what} are a list, not one text")
    if isinstance(value, _NO_LISTS) or hasattr(value, "keys"):
        raise InvalidRequest(f"{what} are a list, in order, not {type(value).__name__}")
    try:
        return tuple(value)
    except TypeError:
        raise InvalidRequest(f"{what} are a list, not {type(value).__name__}") from None


def as_texts(value: Any, what: str) -> tuple[str, ...]:
    """Turn one text, or a list of texts, into a tuple."""
    texts: tuple[Any, ...] = (value,) if isinstance(value, str) else as_tuple(value, what)
    for text in texts:
        if not isinstance(text, str):
            raise InvalidRequest(f"{what} are texts, not {type(text).__name__}")
    return texts


def unknown_role(role: str, what: str, roles: tuple[str, ...]) -> InvalidRequest:
    """Make the error of a role that does not exist."""
    from promptwire_text.near_words import nearest

    near = nearest(role, roles)
    hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(roles)}"
    return InvalidRequest(f'"{role}" is not a {what}: {hint}', field="role")


def is_plain(node: object) -> bool:
    """Tell whether every optional field of a node (default None, provenance aside) is absent."""
    return all(getattr(node, name) is None for name in optional_names(type(node)))


def is_blank(text: object) -> bool:
    """Tell whether text is empty or nothing but white space."""
    return isinstance(text, str) and (not text or text.isspace())


def is_usual_id(text: Any) -> bool:
    """Tell whether an id is 1 to 64 of the letters, digits, `_` and `-` of ASCII: nearly every API takes those."""
    if type(text) is not str or not 0 < len(text) <= MOST_USUAL or not text.isascii():
        return False
    return text.isidentifier() or text.replace("-", "a").replace("_", "a").isalnum()


def is_usual_name(text: Any) -> bool:
    """Tell whether the name of a function is a usual id that begins with no digit and no `-`."""
    return is_usual_id(text) and (text.isidentifier() or text[0].isalpha())
