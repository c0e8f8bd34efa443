"""Lenient readers of JSON values: a value of another type than expected reads as None and stays in the memory."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from .kinds import class_of, is_list, is_mapping, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def wrapped(body: Any, outer: str, *inner: str) -> Any:
    """Move the messages of a built body into the object that holds them, behind the other keys of this object."""
    moved = {key: body.pop(key) for key in inner if key in body}
    if moved:
        others = body.get(outer)
        body[outer] = {**(others if is_object(others) else {}), **moved}
    return body


def unwrapped(body: dict[str, Any], outer: str, *inner: str) -> dict[str, Any]:
    """Return a body with its messages outside the object that holds them, which keeps all its other keys."""
    holder = body.get(outer)
    if not is_object(holder) or inner[0] not in holder:
        return body
    moved = {key: holder[key] for key in inner if key in holder}
    rest = {key: value for key, value in holder.items() if key not in moved}
    others = {key: value for key, value in body.items() if key != outer}
    return {**others, **({outer: rest} if rest else {}), **moved}


EMPTY: dict[str, Any] = {}
# every whole number below it is a float of its own
_EXACT = 2**53


def as_str(value: Any) -> str | None:
    """Read text."""
    return value if type(value) is str else None


def as_int(value: Any, least: int | None = None) -> int | None:
    """Read an integer, `40.0` too, if it is not less than the least that a field takes; a bool is none."""
    if type(value) is float and value.is_integer() and abs(value) < _EXACT:
        value = int(value)
    return value if type(value) is int and (least is None or value >= least) else None


def as_number(value: Any) -> float | None:
    """Return an integer or a float unchanged; None for anything else."""
    return value if (type(value) is float or type(value) is int) and value - value == 0 else None


def as_bool(value: Any) -> bool | None:
    """Read true or false."""
    return value if type(value) is bool else None


def as_strings(value: Any) -> tuple[str, ...] | None:
    """Read a list of texts; a list that holds anything else reads as None."""
    if not is_list(value) or not all(type(item) is str for item in value):
        return None
    return tuple(value)


def as_object(value: Any) -> dict[str, Any]:
    """Read an object; anything else reads as an empty one."""
    return value if is_object(value) else EMPTY


def as_list(value: Any) -> Any:
    """Read an object as the only element of a list; anything else as it is."""
    return [value] if is_object(value) else value


def as_free(value: Any) -> dict[str, Any] | None:
    """Read free JSON: any object, by reference."""
    return value if is_object(value) else None


def may_be_object(value: Any) -> bool:
    """Return whether a value is an object, or missing."""
    return value is None or is_object(value)


def as_text_object(value: Any) -> dict[str, str] | None:
    """Read an object that holds nothing but texts, by reference."""
    return value if is_object(value) and all(type(text) is str for text in value.values()) else None


def as_number_object(value: Any) -> dict[str, float] | None:
    """Read an object that holds nothing but numbers, by reference."""
    return value if is_object(value) and None not in map(as_number, value.values()) else None


def where_constant(value: Any, constants: Mapping[str, Any]) -> dict[str, Any]:
    """Read an object that must hold these constants; otherwise an empty one."""
    item = as_object(value)
    for key, constant in constants.items():
        inner = item.get(key)
        if type(inner) is not type(constant) or inner != constant:
            return EMPTY
    return item


def rest_of(item: Mapping[str, Any], named: frozenset[str]) -> dict[str, Any] | None:
    """Read all keys that the shape does not name; None when there are none."""
    return {key: value for key, value in item.items() if key not in named} or None


def keys_of(item: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any] | None:
    """Read the keys with these names; None when there are none."""
    return {key: value for key, value in item.items() if key in names} or None


_GLOBS: dict[str, Callable[[str], bool]] = {}


def plain_text(value: Any) -> Any:
    """Return text as plain `str`, so that an enum member is its value; anything else unchanged."""
    return str.__str__(value) if isinstance(value, str) and type(value) is not str else value


def setting_value(value: Any) -> Any:
    """Return a setting as builds store it: text as plain `str`, a list as a tuple."""
    if type(value) is str:
        return value
    several = issubclass(class_of(value), (list, tuple))
    return tuple([plain_text(text) for text in value]) if several else plain_text(value)


def fits(value: Any, glob: str) -> bool:
    """Return whether text matches one of the patterns between `|`, in which `*` matches any text."""
    if not isinstance(value, str):
        return False
    matches = _GLOBS.get(glob)
    if matches is None:
        matches = _GLOBS[glob] = _matcher(glob)
    return matches(value)


def _matcher(glob: str) -> Callable[[str], bool]:
    if "*" not in glob:
        return frozenset(glob.split("|")).__contains__
    start = glob.removesuffix("*")
    if "*" not in start and "|" not in start:
        return lambda value: value.startswith(start)
    import re

    from promptwire_text.words import pattern_of

    fullmatch = re.compile(pattern_of(glob), re.DOTALL).fullmatch
    return lambda value: fullmatch(value) is not None


def bare_text(content: list[Any], kind: str | tuple[str, dict[str, Any]]) -> Any:
    """Collapse a list of one text element that carries nothing else into its text.

    `kind` is the `type` beside its `text`, or the key of the text and the constants beside it.
    """
    if len(content) == 1:
        element = content[0]
        if is_object(element) and len(element) == 2 and element.get("type") == kind and "text" in element:
            return element["text"]
        if type(kind) is tuple and is_object(element) and kind[0] in element:
            text = element[kind[0]]
            return text if element == {**kind[1], kind[0]: text} else content
    return content or ""


def fill_lists(content: list[Any], kind: str, key: str) -> None:
    """Put an empty list under a key that the elements of a type lack."""
    for element in content:
        if is_object(element) and element.get("type") == kind:
            element.setdefault(key, [])


def joined_text(content: Any) -> Any:
    """Join texts by a blank line; content that holds anything else stays as it is."""
    if is_list(content) and all(type(text) is str for text in content):
        return "\n\n".join(content)
    return content


def parted(value: Any, texts: tuple[str, ...]) -> tuple[str, ...] | None:
    """Split text around fixed pieces (first and last anchor it); None unless every hole gets some text."""
    if type(value) is not str or not value.startswith(texts[0]):
        return None
    pieces: list[str] = []
    start = len(texts[0])
    for text in texts[1:-1]:
        end = value.find(text, start)
        if end <= start:
            return None
        pieces.append(value[start:end])
        start = end + len(text)
    end = len(value) - len(texts[-1])
    if end <= start or not value.endswith(texts[-1]):
        return None
    return (*pieces, value[start:end])


def has_constant(item: Mapping[str, Any], key: str, constant: Any) -> bool:
    """Return whether a key holds exactly this constant (`True` is not `1`)."""
    inner = item.get(key)
    return type(inner) is type(constant) and bool(inner == constant)


def texts_of(value: Any, *path: str) -> tuple[str, ...] | None:
    """Read one text from each element of a list: the element itself, or the text at a path of keys."""
    if not is_list(value):
        return None
    rows: list[Any] = value
    for key in path:
        rows = [as_object(element).get(key) for element in rows]
    return tuple(rows) if all(type(text) is str for text in rows) else None


def first_value(value: Any, key: str) -> Any:
    """Look a key up in the first element of a list of objects."""
    return as_object(value[0]).get(key) if is_list(value) and value else None


def one_of(value: Any, count: int, index: int) -> Any:
    """Return one element of a list of exactly this length; None for any other."""
    return value[index] if is_list(value) and len(value) == count else None


def first_of(*values: Any) -> Any:
    """Return the first value that is not None."""
    for value in values:
        if value is not None:
            return value
    return None


def vendor_of(wire: Any, values: Mapping[str, Any]) -> dict[str, dict[str, Any]] | None:
    """Collect a wire's own options; None when there are none."""
    options = {key: value for key, value in values.items() if value is not None}
    return {wire.name: options} if options else None


# in the patch of a table, in place of a row: the parent's row of this key is removed
REMOVED: Any = object()


def patched(value: Any, patch: Any) -> Any:
    """Return a field of a table after a merge patch: rows of a mapping are merged, any other value is replaced."""
    if not is_mapping(value) or not is_mapping(patch):
        return patch
    rows = {**value, **{key: patched(value.get(key), row) for key, row in patch.items()}}
    return {key: row for key, row in rows.items() if row is not REMOVED}
