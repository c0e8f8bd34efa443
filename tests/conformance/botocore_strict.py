"""AWS's own description of the Converse API, read strictly, and what its SDK sends: two witnesses.

botocore ships the service model that all AWS SDKs are made from. Its own validator looks at names, required
members and lower bounds only; `problems` also checks enums, patterns, upper bounds, base64 and that a union
holds one member. `echo` lets botocore's client serialise and sign a call, and catches the request.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from unittest import mock

import botocore.loaders
import botocore.session
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.model import ListShape, MapShape, OperationModel, Shape, StructureShape

MODEL: Final = "modelId"


@cache
def _operation(stream: bool) -> OperationModel:
    service = botocore.session.Session().get_service_model("bedrock-runtime")
    return service.operation_model("ConverseStream" if stream else "Converse")


def problems(model: str, body: Mapping[str, Any], *, stream: bool = False) -> list[str]:
    """Return what the service model rejects in a model id and a body of plain JSON, one line per finding.

    Bytes stand as base64 text, as they do on the wire.
    """
    shape = _operation(stream).input_shape
    given = {MODEL: model, **body}
    repeated = [f"{MODEL}: stands in the URL, not in the body"] if MODEL in body else []
    return [*repeated, *_check(shape, given, "")]


def _check(shape: Shape, value: Any, path: str) -> Iterator[str]:
    form = _FORMS.get(shape.type_name)
    if form is None:
        raise TypeError(f"no rule for {shape.type_name}")
    if getattr(shape, "is_document_type", False):
        yield from () if _is_json(value) else (f"{path}: is not JSON",)
    elif type(value) not in form:
        yield f"{path or 'body'}: {type(value).__name__} is not {shape.type_name}"
    elif isinstance(shape, StructureShape):
        yield from _check_structure(shape, value, path)
    elif isinstance(shape, ListShape):
        yield from _check_bounds(shape, len(value), path)
        for index, item in enumerate(value):
            yield from _check(shape.member, item, f"{path}[{index}]")
    elif isinstance(shape, MapShape):
        yield from _check_bounds(shape, len(value), path)
        for key, item in value.items():
            yield from _check(shape.key, key, f"{path}.{key} (key)")
            yield from _check(shape.value, item, f"{path}.{key}")
    else:
        yield from _check_scalar(shape, value, path)


def _check_structure(shape: StructureShape, value: Any, path: str) -> Iterator[str]:
    members: Mapping[str, Shape] = shape.members
    for key, item in value.items():
        inside = f"{path}.{key}" if path else key
        if key in members:
            yield from _check(members[key], item, inside)
        else:
            yield f"{inside}: unknown key of {shape.name}"
    for key in shape.required_members:
        if key not in value:
            yield f"{path}.{key}: missing, {shape.name} requires it"
    if shape.is_tagged_union and len(value) != 1:
        yield f"{path}: {len(value)} members, {shape.name} holds exactly one"


def _check_scalar(shape: Shape, value: Any, path: str) -> Iterator[str]:
    if shape.type_name == "blob":
        try:
            yield from _check_bounds(shape, len(base64.b64decode(value, validate=True)), path)
        except binascii.Error:
            yield f"{path}: is not base64"
        return
    yield from _check_bounds(shape, len(value) if type(value) is str else value, path)
    options = shape.metadata.get("enum")
    if options and value not in options:
        yield f"{path}: {value!r} is none of {', '.join(options)}"
    pattern = shape.metadata.get("pattern")
    if pattern and re.fullmatch(pattern, value) is None:
        yield f"{path}: {value!r} does not match the pattern of {shape.name}"


def _check_bounds(shape: Shape, size: float, path: str) -> Iterator[str]:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if least is not None and size < least:
        yield f"{path}: {size} is less than {least}"
    if most is not None and size > most:
        yield f"{path}: {size} is more than {most}"


def _is_json(value: object) -> bool:
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError):
        return False


_FORMS: Final[Mapping[str, tuple[type, ...]]] = {
    "structure": (dict,),
    "list": (list,),
    "map": (dict,),
    "string": (str,),
    "blob": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "float": (int, float),
}


# each session would read the descriptions of all services anew
_LOADER: Final = botocore.loaders.create_loader()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request as botocore sent it; the body is parsed from its JSON."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: dict[str, Any]


def echo(
    model: str,
    body: Mapping[str, Any],
    *,
    stream: bool = False,
    region: str = "us-east-1",
    endpoint: str | None = None,
    token: str | None = None,
) -> Sent:
    """Make the call of botocore's client that stands for a body, and return the request it sends.

    A token is sent as a bearer token; without one the request is signed with made-up keys.
    """
    caught: list[AWSPreparedRequest] = []

    def answer(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        caught.append(request)
        return AWSResponse(request.url, 200, {}, _Nothing())

    parameters = _with_bytes(_operation(stream).input_shape, dict(body))
    secrets = {"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": "test"}
    given = secrets if token is None else {"AWS_BEARER_TOKEN_BEDROCK": token}
    with mock.patch.dict(os.environ, {**given, "AWS_EC2_METADATA_DISABLED": "true"}, clear=True):
        session = botocore.session.Session()
        session.register_component("data_loader", _LOADER)
        client = session.create_client(
            "bedrock-runtime",
            region_name=region,
            endpoint_url=endpoint,
            config=Config(retries={"max_attempts": 0}),
        )
        operation = "ConverseStream" if stream else "Converse"
        client.meta.events.register(f"before-send.bedrock-runtime.{operation}", answer)
        call: Callable[..., object] = client.converse_stream if stream else client.converse
        call(modelId=model, **parameters)
    (request,) = caught
    headers = {
        name.lower(): value.decode() if isinstance(value, bytes) else str(value)
        for name, value in request.headers.items()
    }
    return Sent(
        method=request.method, url=request.url, headers=headers, body=json.loads(request.body or b"{}")
    )


class _Nothing:
    """The raw side of an empty answer."""

    def stream(self, *_: object, **__: object) -> Iterator[bytes]:
        yield b"{}"

    def read(self, *_: object) -> bytes:
        return b""


def _with_bytes(shape: Shape, value: Any) -> Any:
    """Turn base64 text into the bytes that a caller of the SDK gives."""
    if getattr(shape, "is_document_type", False):
        return value
    if isinstance(shape, StructureShape):
        return {key: _with_bytes(shape.members[key], item) for key, item in value.items()}
    if isinstance(shape, ListShape):
        return [_with_bytes(shape.member, item) for item in value]
    return base64.b64decode(value) if shape.type_name == "blob" else value
