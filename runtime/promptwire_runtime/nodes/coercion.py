"""Conversion of a caller's values to a node's: text to parts, lists to tuples."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import class_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# bytes are a list of numbers, and sets have no order
_NO_LISTS: tuple[type[Any], ...] = (bytes, bytearray, set, frozenset)


def as_tuple(value: Any, what: str) -> tuple[Any, ...]:
    """Turn a list into a tuple; one text is no list of its letters, nor a mapping one of its keys."""
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
    from ..schemas.of_functions import tool_of

    return tuple([tool(**tool_of(item)) if callable(item) else item for item in tools])


def as_schema(value: Any, strict: Any) -> Any:
    """Turn a class that declares data, such as a pydantic model, into its JSON Schema; leave all else as it is.

    Its objects have the declared keys alone; a strict one requires them all, for APIs refuse it otherwise.
    """
    if not isinstance(value, type):
        return value
    from ..schemas.of_types import close_schema, schema_of_class

    return close_schema(schema_of_class(value), requires_all=strict is True)


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
    """Return the error for a value that is no part. Other JSON values, such as numbers, are parts of their own kind."""
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
