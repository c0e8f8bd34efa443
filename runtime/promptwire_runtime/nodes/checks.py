"""The checks of constructors: types of values, known words, exactly one source."""

from __future__ import annotations

from ..errors import InvalidRequest, PolicyError
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import class_of
from .record_fields import fields_of, shown
from .records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    _Checks = tuple[tuple[str, bool, Callable[[Any], bool]], ...]

# bytes are a list of numbers, and sets have no order
_NO_LISTS: tuple[type[Any], ...] = (bytes, bytearray, set, frozenset)


def as_tuple(value: Any, what: str) -> tuple[Any, ...]:
    """Convert a list to a tuple. A text is not a list of its letters, and a mapping is not a list of its keys."""
    if class_of(value) is tuple:
        known: tuple[Any, ...] = value
        return known
    if isinstance(value, str):
        raise InvalidRequest(f"{what} are a list, not one text")
    if isinstance(value, _NO_LISTS) or hasattr(value, "keys"):
        raise InvalidRequest(f"{what} are a list, in order, not {type(value).__name__}")
    try:
        return tuple(value)
    except TypeError:
        raise InvalidRequest(f"{what} are a list, not {type(value).__name__}") from None


def as_tools(value: Any, what: str, tool: Callable[..., Any]) -> tuple[Any, ...]:
    """Turn a list of tools into a tuple; a plain function is the tool that it declares, which `tool` makes."""
    tools = as_tuple(value, what)
    if not any(map(callable, tools)):
        return tools
    from ..schemas.of_types import tool_of

    return tuple([tool(**tool_of(item)) if callable(item) else item for item in tools])


def as_schema(value: Any, strict: Any) -> Any:
    """Turn a class that declares data, such as a pydantic model, into its JSON Schema; leave all else as it is.

    Its objects have the declared keys alone; a strict one requires them all, for APIs refuse it otherwise.
    """
    if not isinstance(value, type):
        return value
    from ..schemas.of_types import close_schema, schema_of_class

    return close_schema(schema_of_class(value), requires_all=strict is True)


def as_format(value: type[Any], made: Callable[..., Any]) -> Any:
    """Turn a class that declares data into the strict format of an answer, which `made` builds, under its name."""
    import re

    return made("json_schema", value, re.sub(r"[^A-Za-z0-9_-]+", "_", value.__name__).strip("_"), strict=True)


def as_texts(value: Any, what: str) -> tuple[str, ...]:
    """Turn one text, or a list of texts, into a tuple."""
    texts: tuple[Any, ...] = (value,) if isinstance(value, str) else as_tuple(value, what)
    for text in texts:
        if not isinstance(text, str):
            raise InvalidRequest(f"{what} are texts, not {type(text).__name__}")
    return texts


def as_names(value: Any, what: str) -> tuple[str, ...]:
    """Turn a list of texts into a tuple."""
    return as_texts(as_tuple(value, what), what)


def as_parts(value: Any, part: type[Any], text: Callable[[str], Any]) -> tuple[Any, ...]:
    """Turn text, one part, or a mix of both into a tuple of parts; `part` is their class, `text` makes one of text."""
    if isinstance(value, str):
        return (text(value),)
    if isinstance(value, part):
        return (value,)
    if not hasattr(value, "__iter__"):
        raise _no_part(value)
    parts = tuple([text(item) if isinstance(item, str) else item for item in as_tuple(value, "parts")])
    for item in parts:
        if not isinstance(item, part):
            raise _no_part(item)
    return parts


def _no_part(item: object) -> InvalidRequest:
    """Return the error for a value that is not a part. JSON values such as numbers are parts of their own kind."""
    return InvalidRequest(
        f"a part is text or a Part, not {type(item).__name__}; write Json(value) for another JSON value"
    )


def as_messages(value: Any, message: type[Any]) -> tuple[Any, ...]:
    """Turn one message, or a list of messages, into a tuple."""
    return (value,) if isinstance(value, message) else as_tuple(value, "messages")


def as_instructions(value: Any, layer: type[Any]) -> str | tuple[Any, ...]:
    """Turn a layer, or a mix of layers and texts, into a tuple of layers.

    Subclasses of str and tuple are kept: instructions that a pipeline wrote remember the request's own layers.
    """
    if isinstance(value, str):
        return value
    if issubclass(class_of(value), tuple) and not any(issubclass(kind, str) for kind in map(class_of, value)):
        layers: tuple[Any, ...] = value
        return layers
    if isinstance(value, layer):
        return (value,)
    return tuple([layer(item) if isinstance(item, str) else item for item in as_tuple(value, "instructions")])


_NO_LEAST: Mapping[str, int] = {}


def is_map_of(kind: type, value: Any) -> bool:
    """Return whether a value is a dict of text to values of this class."""
    if class_of(value) is not dict:
        return False
    for key, item in value.items():  # noqa: SIM110  # a generator takes several times as long
        if class_of(key) is not str or class_of(item) is not kind:
            return False
    return True


def is_number(value: Any) -> bool:
    """Return whether a value is certainly a JSON number, which excludes infinities and NaN."""
    return class_of(value) is int or (class_of(value) is float and value - value == 0)


def has_odd(values: Iterable[Any]) -> bool:
    """Return whether one of these may not be a JSON number."""
    return not all(map(is_number, values))


def check_field(cls: type, name: str, value: object, least: int | None = None) -> None:
    """Refuse a value or number that a field does not take. Raises InvalidRequest."""
    from .type_errors import check_type

    check_type(cls, name, value)
    if least is not None and isinstance(value, int) and value < least:
        raise InvalidRequest(
            f"{cls.__name__}: {name} is {shown(value)}: no API takes less than {least}", field=name
        )


# by annotation, None aside: whether a value fits at once
_FITS: dict[str, Callable[[Any], bool]] = {
    "str": lambda value: class_of(value) is str,
    "int": lambda value: class_of(value) is int,
    "float": is_number,
    "bool": lambda value: class_of(value) is bool,
    "JsonObject": lambda value: class_of(value) is dict,
    "JsonObject | str": lambda value: class_of(value) is dict or class_of(value) is str,
    "Mapping[str, float]": lambda value: class_of(value) is dict and not has_odd(value.values()),
    "Mapping[str, str]": lambda value: is_map_of(str, value),
    "PerWire": lambda value: is_map_of(dict, value),
}
_CHECKED: dict[type, _Checks] = {}
_TESTS: dict[type, dict[str, Callable[[Any], bool]]] = {}


def check_fields(cls: type, values: Mapping[str, Any], least: Mapping[str, int] = _NO_LEAST) -> None:
    """Refuse the first value that its field does not take. Raises InvalidRequest.

    Args:
        cls: the class of the node or record that is made.
        values: name of a field to its value.
        least: name of a field to the least number that it takes.
    """
    for name, nullable, fits in _CHECKED.get(cls) or _checks(cls):
        value = values[name]
        if name in least or not (fits(value) or (nullable and value is None)):
            check_field(cls, name, value, least.get(name))


class CheckedRecord(Record):
    """Base of standard dataclasses whose constructor checks the types of their fields."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """Check the types of the fields. Raises InvalidRequest."""
        check_fields(type(self), vars(self))


def check_given(node: object, cls: type, names: Iterable[str]) -> None:
    """Reject the first of these fields with a value that it does not accept. Raises InvalidRequest."""
    tests = _TESTS.get(cls) or _tests(cls)
    for name in names:
        if name in tests:
            value = getattr(node, name)
            if not tests[name](value):
                check_field(cls, name, value)


def _tests(cls: type) -> dict[str, Callable[[Any], bool]]:
    _TESTS[cls] = {name: fits for name, _, fits in _checks(cls)}
    return _TESTS[cls]


def _checks(cls: type) -> _Checks:
    rows = [
        (field.name, field.annotation.removesuffix(" | None"), field.annotation)
        for field in fields_of(cls)
        if field.init
    ]
    _CHECKED[cls] = tuple([(name, bare != word, _FITS[bare]) for name, bare, word in rows if bare in _FITS])
    return _CHECKED[cls]


def check_choices(policies: object, choices: Mapping[str, Iterable[object]]) -> None:
    """Raise PolicyError for the first policy whose value is not one of its choices."""
    for name, words in choices.items():
        if (value := getattr(policies, name)) not in words:
            listed = ", ".join([str(word) for word in words if word is not None])
            raise PolicyError(f'{name}="{value}": use one of {listed}')


def unknown_word(field: str, word: str, what: str, words: tuple[str, ...]) -> InvalidRequest:
    """Return the error for an unknown word."""
    from promptwire_text.words import nearest

    near = nearest(word, words)
    hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(words)}"
    return InvalidRequest(f'"{word}" is not a {what}: {hint}', field=field)


def not_one_source(cls: str, values: Mapping[str, object], sources: Iterable[str]) -> InvalidRequest:
    """Return the error for a part with no source, or several."""
    names = " and ".join([name for name in sources if values[name] is not None]) or "none"
    return InvalidRequest(f"{cls} takes exactly one of {', '.join(sources)}: found {names}")


def check_start(start: object) -> None:
    """Refuse a place before the first message. Raises InvalidRequest."""
    if class_of(start) is int and isinstance(start, int) and start < 0:
        why = f"Continuation: start is the index of a message: 0 or more, not {shown(start)}"
        raise InvalidRequest(why, field="continuation.start")
