"""Azure's Responses bodies have OpenAI's own type, and OpenAI's SDK sends the same requests to Azure."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.conformance.azure_echo import azure_echo, in_the_plain_clients_words
from tests.conformance.sdk_echo import Sent, without_noise
from tests.conformance.strict_types import problems
from tests.examples import Example, of_wire

_EXAMPLES: Final = of_wire("azure_openai_responses")


@pytest.mark.parametrize("example", _EXAMPLES, ids=str)
def test_openais_types_accept_the_body(example: Example) -> None:
    assert problems("openai_responses", example.build().body) == []


@pytest.mark.parametrize("example", _EXAMPLES, ids=str)
def test_the_sdk_sends_what_the_build_states(example: Example) -> None:
    given: dict[str, Any] = {"api_key": "k", **(example.settings or {})}
    if "ad_token" in given:
        del given["api_key"]
    built = example.build(**given)
    stated = {"accept": "application/json", **without_noise(built.headers)}
    sent = azure_echo("responses", built.body, given)
    if "/openai/v1/" in built.url:
        stated = in_the_plain_clients_words(stated)
    assert sent == Sent(method=built.method, url=built.url, headers=stated, body=built.body)


def test_both_clients_are_asked() -> None:
    assert {"/openai/v1/" in example.build().url for example in _EXAMPLES} == {True, False}
