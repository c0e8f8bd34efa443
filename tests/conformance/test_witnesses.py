"""The witnesses bite: correct bodies pass, one wrong leaf anywhere is named, the SDKs send what is believed.

`bodies/accepted` holds full bodies, written by hand from the vendors' types, with the part kinds those types
state. A refused case is such a body with one edit, so that nothing but the edit can be the cause.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

import anthropic
import openai
import pytest

from tests.conformance.edits import edited
from tests.conformance.sdk_echo import Sent, echo, without_noise
from tests.conformance.strict_types import SAMPLING, problems

Body = dict[str, Any]

_BODIES: Final = Path(__file__).parent / "bodies"
_FULL: Final[dict[str, Body]] = {
    path.stem: json.loads(path.read_text("utf-8")) for path in sorted(_BODIES.glob("accepted/*.json"))
}
_SHORT: Final[dict[str, Body]] = {
    "openai_chat": {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
    "openai_responses": {"model": "m", "input": "hi"},
    "anthropic_messages": {"model": "m", "max_tokens": 8, "messages": [{"role": "user", "content": "hi"}]},
}
_ACCEPTED: Final = [
    *(pytest.param(name.removesuffix("_beta"), body, id=f"{name}-full") for name, body in _FULL.items()),
    *(pytest.param(name, body, id=f"{name}-short") for name, body in _SHORT.items()),
]

# Rows of `case`, `where` in the full body, `value` to set there (without one: the key is removed), `finding`.
_REFUSED: Final[dict[str, list[Body]]] = {
    name: json.loads((_BODIES / "refused" / f"{name}.json").read_text("utf-8")) for name in _FULL
}

_ROOT_NAMES: Final = {
    "openai_chat": "CompletionCreateParams",
    "openai_responses": "ResponseCreateParams",
    "anthropic_messages": "MessageCreateParams",
}


@pytest.mark.parametrize(("wire", "body"), _ACCEPTED)
def test_types_accept(wire: str, body: Body) -> None:
    assert problems(wire, body) == []


@pytest.mark.parametrize(
    ("name", "row"),
    [
        pytest.param(name, row, id=f"{name}-{row['case']}".replace(" ", "-"))
        for name, rows in _REFUSED.items()
        for row in rows
    ],
)
def test_types_refuse(name: str, row: Body) -> None:
    body = edited(_FULL[name], row["where"], row.get("value", ...))
    assert problems(name.removesuffix("_beta"), body) == [f"{row['where']}: {row['finding']}"]


def test_types_refuse_python_values() -> None:
    tool = {
        "type": "function",
        "function": {"name": "f", "parameters": {"enum": {"a"}, "minimum": float("nan")}},
    }
    wrong = {"stop": ("END",), "temperature": float("inf"), "logit_bias": {1: 1}, "tools": [tool]}
    assert problems("openai_chat", _SHORT["openai_chat"] | wrong) == [
        "stop: ('END',) is not str or a list or null",
        "temperature: inf is not float or null",
        "logit_bias: an object with a key that is not text is not an object or null",
        "tools[0].function.parameters.enum: {'a'} is not JSON",
        "tools[0].function.parameters.minimum: nan is not JSON",
    ]


@pytest.mark.parametrize(
    ("body", "shown"), [(None, "None"), ([], "a list"), ("hi", "'hi'"), ("long " * 9, "a long str")]
)
def test_types_refuse_what_is_no_object(body: object, shown: str) -> None:
    for wire, name in _ROOT_NAMES.items():
        assert problems(wire, body) == [f"body: {shown} is not {name}NonStreaming or {name}Streaming"]


def test_every_finding_is_told() -> None:
    body: Body = _SHORT["openai_chat"] | {
        "seed": "7",
        "top_k": 1,
        "messages": [{"role": "user", "text": "hi"}],
    }
    assert problems("openai_chat", body) == [
        "messages[0].text: unknown key of ChatCompletionUserMessageParam",
        "messages[0].content: missing, ChatCompletionUserMessageParam requires it",
        "seed: '7' is not int or null",
        "top_k: unknown key of CompletionCreateParamsNonStreaming",
    ]


def test_sampling_belongs_to_the_earlier_api_version() -> None:
    body: Body = _SHORT["anthropic_messages"] | {"temperature": 0.5, "top_p": 1, "top_k": 40}
    assert problems("anthropic_messages", body, api_version="2023-06-01") == []
    assert problems("anthropic_messages", body, api_version="2026-10-21") == [
        f"{name}: unknown key of MessageCreateParamsNonStreaming" for name in SAMPLING
    ]
    wrong = body | {"top_k": 0.5, "temperature": "hot"}
    assert problems("anthropic_messages", wrong, api_version="2023-06-01") == [
        "temperature: 'hot' is not float",
        "top_k: 0.5 is not int",
    ]


def test_plain_types_refuse_beta_fields() -> None:
    body: Body = _SHORT["anthropic_messages"] | {"thread": {"type": "create"}}
    assert problems("anthropic_messages", body, beta=True) == []
    assert problems("anthropic_messages", body, beta=False) == [
        "thread: unknown key of MessageCreateParamsNonStreaming"
    ]


@pytest.mark.parametrize(("wire", "body"), _ACCEPTED)
def test_sdk_sends_the_body_unchanged(wire: str, body: Body) -> None:
    # The order of keys alone is the SDK's own: it follows the method's signature.
    before = copy.deepcopy(body)
    assert echo(wire, body).body == before
    assert body == before


def test_openai_request() -> None:
    sent = echo(
        "openai_chat", _SHORT["openai_chat"] | {"top_k": 5}, api_key="sk-1", organization="org", project="p"
    )
    json_headers = {"accept": "application/json", "content-type": "application/json"}
    scope = {"openai-organization": "org", "openai-project": "p"}
    assert without_noise(sent.headers) == json_headers | scope | {"authorization": "Bearer sk-1"}
    assert (sent.method, sent.url) == ("POST", "https://api.openai.com/v1/chat/completions")
    assert sent.body == _SHORT["openai_chat"] | {"top_k": 5}
    assert sent.headers["user-agent"] == f"OpenAI/Python {openai.__version__}"
    elsewhere = echo("openai_responses", {"input": "hi"}, base_url="https://example.com/v1/")
    assert elsewhere.url == "https://example.com/v1/responses"


def test_anthropic_request() -> None:
    body: Body = _SHORT["anthropic_messages"] | {"temperature": 0.5, "mcp_servers": []}
    sent = echo("anthropic_messages", body, api_key="sk-1", betas=["a", "b"], workspace_id="w")
    assert Sent(
        method=sent.method, url=sent.url, headers=without_noise(sent.headers), body=sent.body
    ) == Sent(
        method="POST",
        url="https://api.anthropic.com/v1/messages",
        headers={
            "accept": "application/json",
            "content-type": "application/json",
            "authorization": "Bearer sk-1",
            "anthropic-version": "2026-10-21",
            "anthropic-beta": "a,b",
            "anthropic-workspace-id": "w",
        },
        body=body,
    )
    assert sent.headers["user-agent"] == f"Anthropic/Python {anthropic.__version__}"


def test_environment_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = [echo(wire, body) for wire, body in _SHORT.items()]
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(name, "https://example.com")
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, "other")
    assert [echo(wire, body) for wire, body in _SHORT.items()] == quiet


def test_unknown_wire_has_no_witness() -> None:
    with pytest.raises(KeyError):
        problems("unknown_wire", {})
    with pytest.raises(KeyError):
        echo("unknown_wire", {})


def test_sdk_refuses_a_call_without_its_required_field() -> None:
    with pytest.raises(TypeError, match="max_tokens"):
        echo("anthropic_messages", {"model": "m", "messages": []})
