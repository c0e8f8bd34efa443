"""Values of a wrong type are named where they are given; settings that no request can be sent with are refused."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

from promptwire import (
    Cache,
    Image,
    InvalidRequest,
    Options,
    ReasoningOptions,
    Request,
    SettingError,
    Text,
    Tool,
    ToolCall,
    openai_chat,
    user,
)

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
}  # fmt: skip


@pytest.mark.parametrize(("make", "value", "said"), MISTAKEN.values(), ids=MISTAKEN)
def test_a_value_of_another_type_is_named_where_it_is_given(
    make: Callable[[Any], object], value: object, said: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        make(value)
    assert str(refused.value) == said


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
            "openai_chat: base_url='localhost:8000/v1' has no scheme: write http:// or https:// before the host",
        ),
        (
            {"base_url": "://x"},
            "openai_chat: base_url='://x' has no scheme: write http:// or https:// before the host",
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
    with pytest.raises(SettingError, match="base_url='https:///v1' has no host"):
        _ = openai_chat.build(Request("m", (user("hi"),)), settings={"base_url": "https:///v1"}).url


@pytest.mark.parametrize(
    "base_url", ["/v1", "http://localhost:8000/v1", "https://host.example", "my-proto://x"]
)
def test_an_address_is_whole_or_a_path(base_url: str) -> None:
    built = openai_chat.build(Request("m", (user("hi"),)), settings={"base_url": base_url})
    assert built.url == f"{base_url}/chat/completions"
