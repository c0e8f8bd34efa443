"""Values of a wrong type are named where they are given; settings that no request can be sent with are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

from promptwire import (
    Cache,
    Image,
    Instruction,
    Message,
    Options,
    ReasoningOptions,
    Request,
    Text,
    Tool,
    ToolCall,
    bedrock_converse,
    gemini_generate,
    openai_chat,
    user,
)
from promptwire.errors import InvalidRequest, MissingField, SettingError
from tests.notes import refused

NAN = float("nan")
INFINITE = float("inf")
# what a caller wrote, and what is said of it before anything is built
MISTAKEN: dict[str, tuple[Callable[[Any], object], Any, str]] = {
    "text": (Text, 5, "Text: text is an int, not str"),
    "no text": (Text, None, "Text: text is None, not str"),
    "bytes": (lambda data: Image(data=data), b"AA==", "Image: data is a bytes, not str or None"),
    "call id": (lambda name: ToolCall(name, "f"), 5, "ToolCall: id is an int, not str or None"),
    "arguments": (lambda given: ToolCall("c", "f", given), 5, "ToolCall: arguments is an int, not a mapping or str"),
    "parameters": (lambda given: Tool("f", parameters=given), "{}", "Tool: parameters is a str, not a mapping or None"),
    "max_tokens": (lambda n: Options(max_tokens=n), "3", "Options: max_tokens is a str, not int or None"),
    "half a token": (lambda n: Options(max_tokens=n), 3.5, "Options: max_tokens is a float, not int or None"),
    "true tokens": (lambda n: Options(max_tokens=n), True, "Options: max_tokens is a bool, not int or None"),
    "temperature": (lambda n: Options(temperature=n), True, "Options: temperature is a bool, not float or None"),
    "logprobs": (lambda n: Options(logprobs=n), 1, "Options: logprobs is an int, not bool or None"),
    "logit_bias": (lambda n: Options(logit_bias=n), [1], "Options: logit_bias is a list, not a mapping or None"),
    "stop": (lambda n: Options(stop=n), [1], "stop strings are texts, not int"),
    "stream": (lambda n: Request("m", (), stream=n), "yes", "Request: stream is a str, not bool or None"),
    "metadata": (lambda n: Request("m", (), metadata=n), "x", "Request: metadata is a str, not a mapping or None"),
    "effort": (lambda n: ReasoningOptions(effort=n), 3, "ReasoningOptions: effort is an int, not str or None"),
    "ttl": (lambda n: Cache(ttl=n), 300, "Cache: ttl is an int, not str or None"),
    "vendor": (lambda n: user("hi", vendor=n), 3, "Message: vendor is an int, not a mapping or None"),
    "include": (lambda n: Request("m", (), include=n), [None], "include are texts, not NoneType"),
    "role": (lambda role: Message(role, ()), "usr", '"usr" is not a role: did you mean "user"?'),
    "role of a layer": (lambda role: Instruction("x", role=role), "developr", '"developr" is not a role of a layer: did you mean "developer"?'),
    "speaker's role": (lambda role: Instruction("x", role), "user", '"user" is not a role of a layer: use one of system, developer'),
    "metadata of numbers": (lambda n: Request("m", (), metadata=n), {"a": 1}, "Request: metadata.a is an int, not str"),
    "numbered metadata": (lambda n: Request("m", (), metadata=n), {1: "a"}, "Request: a key of metadata is an int, not str"),
    "options of no wire": (lambda n: user("hi", vendor=n), {3: {}}, "Message: a key of vendor is an int, not str"),
    "options that are none": (lambda n: Text("t", extra=n), {"w": [1]}, "Text: extra.w is a list, not a mapping"),
}  # fmt: skip

# numbers of the right type that no API takes
IMPOSSIBLE: dict[str, tuple[Callable[[Any], object], Any, str]] = {
    "no number": (lambda n: Options(temperature=n), NAN, "Options: temperature: nan is not a JSON number"),
    "infinite": (lambda n: Options(top_p=n), -INFINITE, "Options: top_p: -inf is not a JSON number"),
    "odd bias": (lambda n: Options(logit_bias=n), {"5": 1, "7": NAN}, "Options: logit_bias['7']: nan is not a JSON number"),
    "max_tokens": (lambda n: Options(max_tokens=n), -5, "Options: max_tokens is -5: no API takes less than -2"),
    "n": (lambda n: Options(n=n), 0, "Options: n is 0: no API takes less than 1"),
    "top_k": (lambda n: Options(top_k=n), -2, "Options: top_k is -2: no API takes less than -1"),
    "top_logprobs": (lambda n: Options(top_logprobs=n), -3, "Options: top_logprobs is -3: no API takes less than -1"),
    "budget": (lambda n: ReasoningOptions(budget=n), -2, "ReasoningOptions: budget is -2: no API takes less than -1"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "value", "said"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_a_number_that_no_api_takes_is_refused_where_it_is_given(
    make: Callable[[Any], object], value: object, said: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        make(value)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    "options", [{"max_tokens": -1}, {"max_tokens": 0}, {"top_k": -1}, {"seed": -1}, {"temperature": 10**400}]
)
def test_a_number_that_some_server_takes_fits(options: dict[str, Any]) -> None:
    assert Options(**options).given == set(options)


ODD_BODY: dict[str, Any] = {
    "model": "m", "messages": [{"role": "user", "content": "hi"}], "max_completion_tokens": -9, "n": 0, "top_p": INFINITE,
    "temperature": NAN, "top_logprobs": -2, "logit_bias": {"5": None}, "metadata": {"a": 1},
}  # fmt: skip


def test_a_body_that_holds_what_no_request_may_is_read_and_built_again() -> None:
    reading = openai_chat.read(ODD_BODY)
    assert reading.request.options == Options()
    assert reading.kept == 7
    built = openai_chat.build(reading.request, policies="verbatim")
    # NaN is not equal to a copy of itself
    assert json.dumps(built.body, sort_keys=True) == json.dumps(ODD_BODY, sort_keys=True)


@pytest.mark.parametrize(("make", "value", "said"), MISTAKEN.values(), ids=MISTAKEN)
def test_a_value_of_another_type_is_named_where_it_is_given(
    make: Callable[[Any], object], value: object, said: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        make(value)
    assert str(refused.value) == said


OTHER_NODES: dict[str, tuple[dict[str, Any], str]] = {
    "a message of another library": (
        {"messages": [{"role": "user", "content": "hi"}]},
        "messages[0] is a dict, not Message; write Message(...), or read the whole body with the wire whose JSON it is",
    ),
    "a tool of another library": (
        {"tools": [Tool("f"), {"type": "function", "function": {"name": "g"}}]},
        "tools[1] is a dict, not Tool or CustomTool or ToolGroup or HostedTool or Opaque; write Tool(...), or read the whole"
        " body with the wire whose JSON it is",
    ),
    "a word": (
        {"tool_choice": "auto"},
        "tool_choice is a str, not ToolChoice or None; write ToolChoice(...)",
    ),
    "another node": ({"options": Text("hi")}, "options is a promptwire_runtime.model.text.Text, not Options"),
}


@pytest.mark.parametrize("policies", ["strict", "lenient"])
@pytest.mark.parametrize("case", OTHER_NODES)
def test_a_value_in_the_place_of_a_node_is_an_error_that_says_what_to_write(case: str, policies: str) -> None:
    fields, said = OTHER_NODES[case]
    given: dict[str, Any] = {"model": "m", "messages": [user("hi")], **fields}
    request = Request(**given)
    with pytest.raises(InvalidRequest) as refused:
        openai_chat.build(request, policies=policies)
    assert str(refused.value) == f"openai_chat: {said}"


class Word(str):
    """A text of a caller's own class."""

    __slots__ = ()


def test_a_subclass_fits() -> None:
    assert Text(Word("hi")) == Text("hi")
    assert Options(temperature=1, max_tokens=10**30).temperature == 1
    assert Tool("f", parameters=MappingProxyType({"type": "object"})).parameters == {"type": "object"}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"api_key": "sk-x\n"},
            "openai_chat: api_key has a control character at its end, such as a line break",
        ),
        ({"api_key": "sk\r\nx"}, "openai_chat: api_key has a control character inside, such as a line break"),
        (
            {"organization": "a\tb"},
            "openai_chat: organization has a control character inside, such as a line break",
        ),
        (
            {"base_url": "localhost:8000/v1"},
            "openai_chat: base_url='localhost:8000/v1' has no scheme; write http:// or https:// before the host",
        ),
        (
            {"base_url": "://x"},
            "openai_chat: base_url='://x' has no scheme; write http:// or https:// before the host",
        ),
    ],
)
def test_a_setting_that_no_request_can_be_sent_with_is_refused(settings: dict[str, str], said: str) -> None:
    with pytest.raises(SettingError) as refused:
        _ = openai_chat.build(Request("m", (user("hi"),)), settings=settings).url
    assert str(refused.value) == said


def test_an_error_about_an_address_names_no_credential() -> None:
    settings = {"api_key": "local", "base_url": "localhost:1"}
    with pytest.raises(SettingError, match="base_url='localhost:1' has no scheme"):
        _ = openai_chat.build(Request("m", (user("hi"),)), settings=settings).url
    with pytest.raises(SettingError, match=r"base_url='ftp://host\.example' has the scheme ftp"):
        _ = openai_chat.build(
            Request("m", (user("hi"),)), settings={"base_url": "ftp://u:sk@host.example"}
        ).url


@pytest.mark.parametrize(
    ("base_url", "trouble"),
    [
        ("https://", "has no host"),
        ("https:///v1", "has no host"),
        ("http://:80/v1", "has no host"),
        ("http://host:port", "has no host"),
        ("https:/host", "has no host"),
        ("ftp://host.example", "has the scheme ftp; use http:// or https://"),
        ("my-proto://x", "has no scheme; write http:// or https:// before the host"),
        ("//host.example", "has no scheme; write http:// or https:// before the host"),
    ],
)
def test_an_address_that_is_not_of_http_is_refused(base_url: str, trouble: str) -> None:
    with pytest.raises(SettingError) as refused:
        _ = openai_chat.build(Request("m", (user("hi"),)), settings={"base_url": base_url}).url
    assert str(refused.value).startswith(f"openai_chat: base_url='{base_url}' {trouble}")


@pytest.mark.parametrize(
    "text", ["", "..", "evil.example/", "eu west", "a?b=c", "a#b", "a\\b", "a&b", "é", "a;b", "a%2fb"]
)
def test_a_setting_inside_a_url_does_not_end_its_piece(text: str) -> None:
    built = bedrock_converse.build(Request("m", (user("hi"),)), settings={"region": text})
    with pytest.raises(SettingError, match=r"^bedrock_converse: region is part of a host name; "):
        _ = built.url
    settings = {"platform": "vertex", "project": text}
    with pytest.raises(SettingError, match=r"^gemini_generate: project is used inside the URL; "):
        _ = gemini_generate.build(Request("m", (user("hi"),)), settings=settings).url


def test_a_url_that_holds_the_model_needs_one() -> None:
    built = bedrock_converse.build(Request("", (user("hi"),)), settings={"region": "eu-west-1"})
    with refused(MissingField, "model"):
        _ = built.url


@pytest.mark.parametrize(
    "base_url",
    [
        "/v1",
        "http://localhost:8000/v1",
        "https://host.example",
        "HTTPS://[::1]:80",
        "http://[::1]",
        "http://u:p@h:1",
    ],
)
def test_an_address_is_whole_or_a_path(base_url: str) -> None:
    built = openai_chat.build(Request("m", (user("hi"),)), settings={"base_url": base_url})
    assert built.url == f"{base_url}/chat/completions"
