"""What constructors look at: values that may not fit, words that do not exist, sources of which there is one."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import class_of
from .records import fields_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    # name of a field, whether it may be None, and whether a value fits at once
    _Checks = tuple[tuple[str, bool, Callable[[Any], bool]], ...]


def has_other(kind: type, *several: Iterable[Any]) -> bool:
    """Tell whether any of these is not of a class."""
    return any(type(value) is not kind for values in several for value in values)


def is_map_of(kind: type, value: Any) -> bool:
    """Tell whether a value is a dict of text to values of this class."""
    return class_of(value) is dict and not has_other(str, value) and not has_other(kind, value.values())


def has_odd(values: Iterable[Any]) -> bool:
    """Tell whether any of these may be no number of JSON; a difference of infinities is none."""
    return has_other(float, [value for value in values if type(value) is not int]) or any(
        value - value != 0 for value in values
    )


def check_field(cls: type, name: str, value: object, least: int | None = None) -> None:
    """Refuse a value or number that a field does not take. Raises InvalidRequest."""
    from .type_errors import check_type

    check_type(cls, name, value)
    if least is not None and isinstance(value, int) and value < least:
        raise InvalidRequest(f"{cls.__name__}: {name} is {value}: no API takes less than {least}", field=name)


def _is_text(value: Any) -> bool:
    return class_of(value) is str


def _is_number(value: Any) -> bool:
    return (class_of(value) is float or class_of(value) is int) and value - value == 0


def _is_object(value: Any) -> bool:
    return class_of(value) is dict


# by annotation, None aside: whether a value fits at once
_FITS: dict[str, Callable[[Any], bool]] = {
    "str": _is_text,
    "int": lambda value: class_of(value) is int,
    "float": _is_number,
    "bool": lambda value: value is True or value is False,
    "JsonObject": _is_object,
    "Mapping[str, str]": lambda value: is_map_of(str, value),
    "PerWire": lambda value: is_map_of(dict, value),
}
_CHECKED: dict[type, _Checks] = {}


def check_record(record: object, state: Mapping[str, Any]) -> None:
    """Refuse scalars and mappings that the fields of a record do not take. Raises InvalidRequest."""
    cls = type(record)
    checks = _CHECKED.get(cls)
    if checks is None:
        checks = _CHECKED[cls] = _checks(cls)
    for name, nullable, fits in checks:
        value = state[name]
        if not (fits(value) or (nullable and value is None)):
            check_field(cls, name, value)


def _checks(cls: type) -> _Checks:
    rows = [
        (field.name, field.annotation.removesuffix(" | None"), field.annotation)
        for field in fields_of(cls)
        if field.init
    ]
    return tuple([(name, bare != word, _FITS[bare]) for name, bare, word in rows if bare in _FITS])


def unknown_word(field: str, word: str, what: str, words: tuple[str, ...]) -> InvalidRequest:
    """Make the error of a word that does not exist."""
    from promptwire_text.near_words import nearest

    near = nearest(word, words)
    hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(words)}"
    return InvalidRequest(f'"{word}" is not a {what}: {hint}', field=field)


def not_one_source(cls: str, **sources: object) -> InvalidRequest:
    """Make the error of a part that has no source, or several."""
    names = " and ".join([name for name, value in sources.items() if value is not None]) or "none"
    return InvalidRequest(f"{cls} takes exactly one of {', '.join(sources)}: found {names}")


def check_start(start: object) -> None:
    """Refuse a place before the first message. Raises InvalidRequest."""
    if class_of(start) is int and isinstance(start, int) and start < 0:
        why = f"Continuation: start is the index of a message: 0 or more, not {start}"
        raise InvalidRequest(why, field="continuation.start")
