"""The sections about clients, SDK types and batch services, which no request depends on."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from .citing import Cited
from .fields import (
    BAD_VALUE,
    Header,
    Line,
    Many,
    Name,
    OneOrMany,
    Pattern,
    Prose,
    Strict,
    Word,
    check_text,
    flag,
    is_list,
    is_object,
    listed,
    maybe,
    named,
    refuse,
)


def _as_places(value: Any) -> Any:
    """Accept a list of names for parameters that are named like the keys of the body."""
    if not is_list(value):
        return value
    if not all(isinstance(name, str) for name in value):
        raise refuse(BAD_VALUE, "must be a list of names alone")
    return {name: name for name in value}


def _as_headers(value: Any) -> Any:
    """Accept one argument for all headers."""
    return {"*": value} if isinstance(value, str) else value


def _as_call(value: Any) -> Any:
    """Accept the name of a method for a call without options."""
    return value if is_object(value) else {"call": value}


Argument: TypeAlias = Annotated[
    str,
    *check_text(
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
    str, *check_text(r"/[^\s\x00-\x1f]*", "the end of a URL that begins with /: /v1/messages")
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


_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_NAMES = rf"{_NAME}(?:\.{_NAME})*"

TypeName: TypeAlias = Annotated[
    str, *check_text(f"{_NAMES}:{_NAMES}", "module:Class, or module:Class.method for its parameters")
]
Operation: TypeAlias = Annotated[
    str, *check_text(rf"[a-z][a-z0-9-]*:{_NAME}", "service:Operation of AWS: bedrock-runtime:Converse")
]


class Sdk(Strict):
    """The types of one SDK, which `gen verify` compares with the shapes."""

    version: Line | None = maybe("The package and version that was last read; that of clients by default.")
    types: Annotated[tuple[TypeName, ...], Many, OneOrMany] = listed(
        "The type of the body, module:Class, or several; module:Class.method where parameters are its keys."
    )
    operations: Annotated[tuple[Operation, ...], Many, OneOrMany] = listed(
        "Operations of AWS whose input is the body: bedrock-runtime:Converse."
    )
    excluded: dict[Line, Prose] = named(
        "Fields of the types that no body has, headers for one: the path that gen verify prints to the reason."
    )
    omitted: dict[Line, Prose] = named(
        "Fields of the API that the shapes leave out: the path that gen verify prints to the reason."
    )


LinePiece: TypeAlias = Literal["$id", "$method", "$path", "$body"]
Positive: TypeAlias = Annotated[int, Field(strict=True, gt=0)]


class BatchSpec(Strict):
    """One service that runs requests of this API in batches: its line, its file and its limits."""

    line: dict[Name, LinePiece] = Field(
        description="One request of a batch: keys to $id, $method, $path, $body."
    )
    when: dict[Word, Line] = named("The settings with which this service is meant; without any it always is.")
    path: Line | None = maybe("For $path: the path that every line states, if it is not that of the URL.")
    wraps: Name | None = maybe(
        "A file is one JSON object with the list of requests under this key, not JSON lines."
    )
    omits: Annotated[tuple[Name, ...], Many] = listed("The keys of the body that a line leaves out.")
    id_in: Line | None = maybe(
        "Where the id stands inside the body, if a line has no key for it: labels.my_id."
    )
    ids: Pattern | None = maybe("What an id must match.")
    id_length: Positive | None = maybe("How long an id may be.")
    model: Literal["line", "file"] = Field(
        default="line",
        description="line: each line has a model of its own; file: all lines of a file have one.",
    )
    min_requests: Positive | None = maybe("How many requests a file must have at least.")
    max_requests: Positive | None = maybe("How many requests a file may have.")
    max_bytes: Positive | None = maybe("How large a file may be, in bytes.")
    source: Cited = Field(description="Who states this.")

    def list_facts(self) -> dict[str, Any]:
        """Return the fields that are given, in their order."""
        stated = self.model_dump(exclude_defaults=True)
        words = {key: word.removeprefix("$") for key, word in self.line.items()}
        return {**stated, "line": words}
