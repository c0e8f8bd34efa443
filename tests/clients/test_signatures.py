"""The arguments that specs name are those of the installed SDKs: what is missing or gone is named."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterator
from typing import Any, Final

import botocore.session
import pytest
from botocore.model import ListShape, Shape, StructureShape
from cohere.base_client import BaseCohere
from cohere.v2.client import V2Client
from google.genai import types

import promptwire
from tests.answers import module
from tests.clients.sdks import client_of
from tests.internals.runtime import ClientMethod, VendorClient

ROWS: Final = [
    (wire, name, call)
    for wire in promptwire.WIRES
    if module(wire).WIRE.clients is not None
    for name, client in module(wire).WIRE.clients().items()
    for call in client.calls
]
# arguments that say how a request is sent
SENDING: Final = {
    "openai": {"extra_body", "extra_headers", "extra_query", "timeout"},
    # two are headers
    "anthropic": {"extra_body", "extra_headers", "extra_query", "timeout", "user_profile_id", "workspace_id"},
    "mistralai": {"http_headers", "retries", "server_url", "timeout_ms"},
    # one is a header
    "cohere": {"accepts", "request_options"},
}
_COHERE: Final[dict[str, type]] = {"cohere_chat": V2Client, "cohere_v1": BaseCohere}
# what stands in the wire that has its own words for an API
FEWER: Final = {"aptix_responses"}


def table(wire: str, name: str) -> VendorClient:
    """Return what a client takes for a wire."""
    client: VendorClient = module(wire).WIRE.clients()[name]
    return client


def parameters(wire: str, name: str, method: str) -> set[str]:
    """Name what the method of an installed client takes."""
    if name == "boto3":
        return set(_operation(method).members)
    # the client's own methods take any arguments, to refuse some of them; the classes that it is made of name them
    client = _COHERE[wire] if name == "cohere" else client_of(name, wire, "http://127.0.0.1")
    return set(inspect.signature(operator.attrgetter(method)(client)).parameters) - {"self"}


def _operation(method: str) -> StructureShape:
    service: Any = botocore.session.Session().get_service_model("bedrock-runtime")
    shape: StructureShape = service.operation_model(
        "".join(word.capitalize() for word in method.split("_"))
    ).input_shape
    return shape


@pytest.mark.parametrize(("wire", "name", "call"), ROWS, ids=lambda value: getattr(value, "name", value))
def test_the_methods_have_the_arguments_that_are_named(wire: str, name: str, call: ClientMethod) -> None:
    client = table(wire, name)
    holes = {piece.split("}")[0] for piece in call.end.split("${")[1:]}
    places = {
        *(call.accepts or client.accepts).values(), *client.headers.values(), *holes,
        *(place for place in (client.extra_keys, client.query, client.body) if place),
    }  # fmt: skip
    named = {place.partition(".")[0] for place in places}
    for method in filter(None, (call.name, call.stream)):
        known = parameters(wire, name, method)
        if "body" in known and name == "google-genai":
            # the keys of the body are not named in the signature
            known |= {"agent", "input", "model", "stream"}
        assert named <= known
        if name in SENDING and wire not in FEWER:
            assert known - named <= SENDING[name]


def test_the_config_of_google_has_the_keys_that_are_named() -> None:
    takes = table("gemini_generate", "google-genai").accepts
    config = {place.removeprefix("config.") for place in takes.values()} - {"contents"}
    # what the client does by itself, or has for its own types
    own = {
        "automatic_continuation", "automatic_function_calling", "http_options", "should_return_http_response",
    }  # fmt: skip
    assert config == types.GenerateContentConfig.model_fields.keys() - own


def blobs(shape: Shape, path: str, above: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield every place of a shape that holds bytes."""
    if shape.name in above or getattr(shape, "is_document_type", False):
        return
    if isinstance(shape, StructureShape):
        for key, inside in shape.members.items():
            yield from blobs(inside, f"{path}.{key}" if path else key, above | {shape.name})
    elif isinstance(shape, ListShape):
        yield from blobs(shape.member, f"{path}[]", above)
    elif shape.type_name == "blob":
        yield path


@pytest.mark.parametrize("method", ["converse", "converse_stream"])
def test_every_place_that_holds_bytes_is_named(method: str) -> None:
    assert sorted(blobs(_operation(method), "")) == [*table("bedrock_converse", "boto3").bytes]


@pytest.mark.parametrize(("wire", "name"), sorted({row[:2] for row in ROWS}))
def test_the_version_is_the_installed_one(wire: str, name: str) -> None:
    from importlib.metadata import version

    assert table(wire, name).version == f"{name} {version(name)}"
