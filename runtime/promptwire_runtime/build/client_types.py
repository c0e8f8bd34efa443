"""What a client's own types make of arguments: asked where these leave out what they do not know without a word."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import ClientError
from ..wire_json.kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def lost(types: str, arguments: Mapping[str, Any], client: str, wire: str) -> str:
    """Name the first place of the arguments that does not come back from a type (`module:Class`); empty where all does.

    Raises ClientError where the client is not installed, or its types refuse the arguments.
    """
    module, _, name = types.partition(":")
    try:
        model: Any = getattr(import_module(module), name)
    except ImportError:
        why = f"what it can send is asked of its own types: install {client}"
        raise ClientError(why, wire=wire, client=client) from None
    try:
        made = model.model_validate(dict(arguments)).model_dump(mode="json", by_alias=True)
    except ValueError as error:
        raise ClientError(f"the types of {client} refuse it: {error}", wire=wire, client=client) from error
    return next(_missing(dict(arguments), made, ""), "")


def _missing(given: Any, made: Any, path: str) -> Iterator[str]:
    """Give the places of JSON that another one has not, or has otherwise."""
    if is_object(given) and is_object(made):
        for key, value in given.items():
            place = f"{path}.{key}" if path else key
            if key in made:
                yield from _missing(value, made[key], place)
            elif value is not None:
                yield place
    elif is_list(given) and is_list(made) and len(given) == len(made):
        for index, (value, other) in enumerate(zip(given, made, strict=True)):
            yield from _missing(value, other, f"{path}[{index}]")
    elif given != made:
        yield path
