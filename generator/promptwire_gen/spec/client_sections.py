"""The section `clients`: how the methods of client libraries take a request of this wire."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field

from .fields import BAD_VALUE, Header, Line, Many, Name, checked_text, is_list, is_object, refused
from .sections import Strict, flag, listed, maybe, named


def _as_places(value: Any) -> Any:
    """Accept a list of names for parameters that are named like the keys of the body."""
    if not is_list(value):
        return value
    if not all(isinstance(name, str) for name in value):
        raise refused(BAD_VALUE, "must be a list of names alone")
    return {name: name for name in value}


def _as_headers(value: Any) -> Any:
    """Accept one argument for all headers."""
    return {"*": value} if isinstance(value, str) else value


def _as_call(value: Any) -> Any:
    """Accept the name of a method for a call without options."""
    return value if is_object(value) else {"call": value}


Argument: TypeAlias = Annotated[
    str,
    *checked_text(
        r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*",
        "the name of an argument, or of a key inside one: config.http_options",
    ),
]
Places: TypeAlias = Annotated[
    dict[Name, Argument],
    BeforeValidator(_as_places, json_schema_input_type=list[Name] | dict[Name, Argument]),
]
Headers: TypeAlias = Annotated[
    dict[Header, Argument],
    BeforeValidator(_as_headers, json_schema_input_type=Argument | dict[Header, Argument]),
]
UrlEnd: TypeAlias = Annotated[
    str, *checked_text(r"/[^\s\x00-\x1f]*", "the end of a URL that begins with /: /v1/messages")
]


class ClientCall(Strict):
    """One method of a client."""

    call: Name = Field(description="The method, from the client on: chat.completions.create.")
    stream: Name | None = maybe("The method for a streamed request, where it is another one.")
    accepts: Places = named("What this method takes, where it is not what the client's others take.")
    types: Name | None = maybe(
        "module:Class, of which the client makes its body: what it would lose is an error."
    )


Call: TypeAlias = Annotated[ClientCall, BeforeValidator(_as_call, json_schema_input_type=Name | ClientCall)]


class ClientSpec(Strict):
    """Mapping of a request of this wire to one client's call."""

    version: Line = Field(description="The client's package and version that this was read from.")
    calls: dict[UrlEnd, Call] = Field(
        description="End of the URL to method; ${argument} is a piece that is an argument, * one that is not."
    )
    accepts: Places = named(
        "Keys of the body that are arguments: a list, or key (generationConfig.topK) to argument (config.top_k)."
    )
    sets: Annotated[tuple[Name, ...], Many] = listed("Keys of the body that the method writes by itself.")
    required: Annotated[tuple[Name, ...], Many] = listed("Arguments without which there is no call.")
    body: Argument | None = maybe("The argument that takes the whole body as JSON text.")
    extra_keys: Argument | None = maybe("The argument that takes all other keys of the body.")
    headers: Headers = named("The argument that takes headers, or header to argument.")
    query: Argument | None = maybe("The argument that takes parameters of the URL.")
    bytes: Annotated[tuple[Name, ...], Many] = listed(
        "Where the client wants bytes and the wire has base64: messages[].content[].image.source.bytes."
    )
    adds: Annotated[tuple[Name, ...], Many] = listed(
        "Keys that the client puts into answers and the API has not: usage.total."
    )
    snake: bool = flag("Whether keys are named in `accepts` in snake_case, however the body writes them.")
