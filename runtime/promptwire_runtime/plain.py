"""Which nodes carry nothing optional: the one fact that lets builders take their short path."""

from __future__ import annotations

from .errors import InvalidRequest
from .nodes import fields
from .typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

# provenance says where a node came from; no wire writes it
_UNWRITTEN = frozenset({"provenance"})
# bytes are a list of numbers, and sets have no order
_NO_LISTS: tuple[type[Any], ...] = (bytes, bytearray, set, frozenset)
_NONE: frozenset[str] = frozenset()
# a class may name fields that builders look at in any case
LOOKED_AT = "LOOKED_AT"
# characters of an id or name that builders need not look at
MOST_USUAL = 64
_TABLE: dict[type, tuple[Callable[[Any], object], object]] = {}


def _inspect(cls: type) -> tuple[Callable[[Any], object], object]:
    from operator import attrgetter

    looked_at: frozenset[str] = getattr(cls, LOOKED_AT, _NONE)
    left_out = _UNWRITTEN | looked_at
    names = [f.name for f in fields(cls) if f.init and f.default is None and f.name not in left_out]
    entry = (attrgetter(*names), (None,) * len(names) if len(names) > 1 else None)
    _TABLE[cls] = entry
    return entry


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
    from difflib import get_close_matches

    near = get_close_matches(role, roles, n=1, cutoff=0.7)
    hint = f'did you mean "{near[0]}"?' if near else f"use one of {', '.join(roles)}"
    return InvalidRequest(f'"{role}" is not a {what}: {hint}', field="role")


def is_plain(node: object) -> bool:
    """Tell whether every optional field of a dataclass (default None, provenance aside) is absent."""
    cls = type(node)
    getter, absent = _TABLE.get(cls) or _inspect(cls)
    return getter(node) == absent


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


def settle(node: object) -> None:
    """Set the `plain` flag of a frozen node that was just made."""
    object.__setattr__(node, "plain", is_plain(node))
