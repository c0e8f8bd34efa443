"""Azure's chat bodies have OpenAI's own type but for Azure's two keys, and OpenAI's SDK sends the same requests."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.conformance.azure_echo import azure_echo, in_the_plain_clients_words
from tests.conformance.sdk_echo import Sent, without_noise
from tests.conformance.strict_types import problems
from tests.examples import Example, of_wire

_EXAMPLES: Final = of_wire("azure_openai_chat")
_PARAMS: Final = "CompletionCreateParamsNonStreaming"

# Findings of OpenAI's types where the spec is right: example -> (findings, why).
EXCEPTIONS: Final[dict[str, tuple[list[str], str]]] = {
    "on your data": (
        [f"data_sources: unknown key of {_PARAMS}", f"user_security_context: unknown key of {_PARAMS}"],
        "Azure's own, in Microsoft's description of the API (dated versions and v1)",
    ),
}


@pytest.mark.parametrize("example", _EXAMPLES, ids=str)
def test_openais_types_accept_the_body(example: Example) -> None:
    """An exception must still be refused, for exactly what it names, so that the list cannot rot."""
    findings, _ = EXCEPTIONS.get(example.name, ([], ""))
    assert problems("openai_chat", example.build().body) == findings


@pytest.mark.parametrize("example", _EXAMPLES, ids=str)
def test_the_sdk_sends_what_the_build_states(example: Example) -> None:
    given: dict[str, Any] = {"api_key": "k", **(example.settings or {})}
    if "ad_token" in given:
        del given["api_key"]
    built = example.build(**given)
    stated = {"accept": "application/json", **without_noise(built.headers)}
    sent = azure_echo("chat", built.body, given)
    if "/deployments/" not in built.url:
        stated = in_the_plain_clients_words(stated)
    assert sent == Sent(method=built.method, url=built.url, headers=stated, body=built.body)


def test_every_exception_is_an_example() -> None:
    assert EXCEPTIONS.keys() <= {example.name for example in _EXAMPLES}


def test_both_clients_are_asked() -> None:
    dated = {"/deployments/" in example.build().url for example in _EXAMPLES}
    assert dated == {True, False}
