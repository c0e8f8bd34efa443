"""OpenRouter's own SDK as a witness: its types keep every example body whole, and its client sends the same request.

The SDK's types are open: an unknown key is dropped, an unknown word becomes an `UnrecognizedStr`, an unknown
part an `Unknown...`. So a body is judged by what comes back out of the types, and by which classes held it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any, Final

import httpx
import pytest
from openrouter import OpenRouter
from openrouter.components import ChatRequest
from openrouter.errors import OpenRouterError
from openrouter.types import BaseModel, UnrecognizedStr

from tests.conformance.catching import catching
from tests.conformance.sdk_echo import Sent, without_noise
from tests.examples import Example, of_wire

_EXAMPLES: Final = of_wire("openrouter_chat")
_RECORDED: Final = "recorded requests with it were answered, 2026"

# Keys that SDK 1.3 drops where the spec is right: example -> paths, and why.
EXCEPTIONS: Final[dict[str, tuple[list[str], str]]] = {
    "older words about routing": (
        ["preset", "route", "transforms", "usage"],
        _RECORDED + "; route: npm's schemas",
    ),
    "a mark on a whole message": (
        ["messages[0].cache_control", "messages[1].tool_calls[0].index", "messages[3].cache_control"],
        _RECORDED,
    ),
    "what was found in a file goes back": (
        ["messages[1].annotations"],
        "OpenRouter's guide on PDF inputs: send the annotations back to skip parsing, 2026",
    ),
    "spoken answers, and a refusal": (
        ["audio"],
        "OpenRouter's guide on audio: voice and format of the answer, 2026",
    ),
    "an effort": (["reasoning.exclude"], "OpenRouter's guide on reasoning tokens, 2026"),
    "a budget": (
        ["reasoning.exclude", "reasoning.max_tokens"],
        "OpenRouter's guide on reasoning tokens, 2026",
    ),
    "reasoning as the model likes": (["reasoning.enabled"], "OpenRouter's guide on reasoning tokens, 2026"),
    "reasoning with a budget, said aloud": (
        ["reasoning.enabled", "reasoning.max_tokens"],
        "OpenRouter's guide on reasoning tokens, 2026",
    ),
    "no reasoning": (["reasoning.enabled"], "OpenRouter's guide on reasoning tokens, 2026"),
    "function tools": (["tools[2].eager_input_streaming"], _RECORDED),
    "every sampling parameter": (
        ["n", "verbosity", "web_search_options"],
        _RECORDED + "; verbosity: OpenRouter's API description of 2026-08",
    ),
}
# settings that the client takes as arguments of the call
_HEADERS: Final = {
    "referer": "http_referer",
    "app_title": "x_open_router_title",
    "app_categories": "x_open_router_categories",
    "routing_metadata": "x_open_router_metadata",
}


def lost(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Name the paths whose values are gone or different; nothing may be new."""
    if isinstance(before, dict) and isinstance(after, dict):
        assert after.keys() <= before.keys()
        for key, value in before.items():
            yield from lost(value, after.get(key), f"{path}.{key}" if path else key)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, value in enumerate(before):
            yield from lost(value, after[index], f"{path}[{index}]")
    elif before != after or isinstance(before, bool) is not isinstance(after, bool):
        yield path


def guesses(node: Any, path: str = "") -> Iterator[str]:
    """Name the places where the types did not know a word or a part."""
    if isinstance(node, UnrecognizedStr) or type(node).__name__.startswith("Unknown"):
        yield path
    elif isinstance(node, BaseModel):
        for name in type(node).model_fields:
            yield from guesses(node.__dict__[name], f"{path}.{name}" if path else name)
    elif isinstance(node, Mapping):
        for name, value in node.items():
            yield from guesses(value, f"{path}.{name}" if path else name)
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from guesses(value, f"{path}[{index}]")


# the client would make one for each of its own, and read all certificates of the system for it
_OTHER: Final = httpx.AsyncClient()


def sent(body: Mapping[str, Any], settings: Mapping[str, Any]) -> Sent:
    """Make the SDK's call for a body and catch the request; keys that the call has no argument for stay away."""
    arguments = {_HEADERS[name]: value for name, value in settings.items() if name in _HEADERS}
    if isinstance(categories := arguments.get("x_open_router_categories"), list):
        arguments["x_open_router_categories"] = ",".join(categories)
    if "session" in settings:
        arguments["http_headers"] = {"x-session-id": settings["session"]}
    with catching(httpx) as (transport, caught):
        client = OpenRouter(
            api_key="test-key", client=transport, async_client=_OTHER, server_url=settings.get("base_url")
        )
        known = inspect.signature(client.chat.send).parameters
        with pytest.raises(OpenRouterError):
            client.chat.send(**{key: value for key, value in body.items() if key in known}, **arguments)
    (request,) = caught
    return request


def _exceptions(example: Example) -> list[str]:
    return EXCEPTIONS.get(example.name, ([], ""))[0]


@pytest.mark.parametrize("example", _EXAMPLES, ids=str)
def test_the_sdks_types_keep_the_body(example: Example) -> None:
    """An exception must still be dropped, and nothing else may be, so that the list cannot rot."""
    body = example.build().body
    held = ChatRequest.model_validate(body)
    kept = held.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert sorted(lost(body, kept)) == _exceptions(example)
    assert list(guesses(held)) == []


@pytest.mark.parametrize("example", _EXAMPLES, ids=str)
def test_the_sdk_sends_what_the_build_states(example: Example) -> None:
    built = example.build(api_key="test-key")
    found = sent(built.body, example.settings or {})
    body = {"stream": False, **built.body}  # the client always says whether it streams
    assert (found.method, found.url) == (built.method, built.url)
    assert sorted(lost(body, found.body)) == _exceptions(example)
    assert {**without_noise(found.headers), "accept": "*/*"} == {
        **without_noise(built.headers),
        "accept": "*/*",
    }


def test_every_exception_is_an_example() -> None:
    assert EXCEPTIONS.keys() <= {example.name for example in _EXAMPLES}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"temprature": 1}, ["temprature"]),
        ({"messages": [{"role": "user", "content": "hi", "nam": "x"}]}, ["messages[0].nam"]),
        ({"tools": [{"type": "function", "function": {"name": "f"}, "strict": True}]}, ["tools[0].strict"]),
    ],
)
def test_the_witness_bites(change: dict[str, Any], found: list[str]) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], **change}
    kept = ChatRequest.model_validate(body).model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert list(lost(body, kept)) == found


def test_a_guess_is_told() -> None:
    part = {"type": "image", "url": "https://example.com/cat.png"}
    held = ChatRequest.model_validate(
        {"messages": [{"role": "user", "content": [part]}], "reasoning": {"effort": "utmost"}}
    )
    assert list(guesses(held)) == ["messages[0].content[0]", "reasoning.effort"]
