"""For every example of the wires of `sdk_echo`, the vendor's own client sends the method, URL, headers and body that our build states."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.conformance.sdk_echo import Sent, echo, without_noise
from tests.conformance.strict_types import WIRES
from tests.examples import Example, examples

ROWS: Final = [example for example in examples() if example.wire in WIRES]

_KEY: Final = "test-key"
_SDK_VERSION: Final = "2026-10-21"
# settings that are ours alone: the client speaks one version of the API
_OURS: Final = frozenset({"api_version"})


def _credential(example: Example) -> dict[str, str]:
    given = example.settings or {}
    return {} if "api_key" in given or "auth_token" in given else {"api_key": _KEY}


def _sent(example: Example) -> Sent:
    """Return what the client sends for the body with the example's settings, without its own headers."""
    given: dict[str, Any] = {"api_key": None, **example.said(), **_credential(example)}
    settings = {name: value for name, value in given.items() if name not in _OURS}
    sent = echo(example.wire, example.build().body, **settings)
    return Sent(method=sent.method, url=sent.url, headers=without_noise(sent.headers), body=sent.body)


def _stated(example: Example) -> Sent:
    """Return our build, in the client's words where these are known to differ."""
    built = example.build(**_credential(example))
    headers = {"accept": "application/json"} | without_noise(built.headers)
    if example.wire == "anthropic_messages":
        # version 2 of the SDK sends a key as a bearer token, and speaks the later version of the API
        headers["anthropic-version"] = _SDK_VERSION
        if "x-api-key" in headers:
            headers["authorization"] = f"Bearer {headers.pop('x-api-key')}"
    # the beta method of OpenAI's client says so in the URL as well
    beta = "?beta=true" if "openai-beta" in headers else ""
    return Sent(method=built.method, url=built.url + beta, headers=headers, body=built.body)


@pytest.mark.parametrize("example", ROWS, ids=str)
def test_the_sdk_sends_what_the_build_states(example: Example) -> None:
    assert _sent(example) == _stated(example)


def test_on_the_sdks_own_version_only_the_form_of_the_key_differs() -> None:
    found = [example for example in ROWS if (example.settings or {}).get("api_version") == _SDK_VERSION]
    assert found
    for example in found:
        sent, stated = _sent(example).headers, example.build(**_credential(example)).headers
        key = stated["x-api-key"]
        assert sent.items() - stated.items() == {
            ("accept", "application/json"),
            ("authorization", f"Bearer {key}"),
        }
        assert stated.items() - sent.items() == {("x-api-key", key)}
