"""JSON is read and written alike with msgspec and with the standard library: values, bytes and errors."""

from __future__ import annotations

import json
import sys
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum
from importlib.util import module_from_spec
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings, strategies as st

from promptwire import Request, ToolCall, anthropic_messages, assistant, openai_chat, tool_result, user
from tests.internals.runtime import PORTABLE, codec
from tests.searching import examples


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Share(float):
    pass


class Row(dict[str, Any]):
    pass


class Rows(list[Any]):
    pass


class Word(str, Enum):  # noqa: UP042  # as callers of Python 3.10 wrote them
    ONE = "one"


class Level(IntEnum):
    ONE = 1


class Colour(Enum):
    RED = "red"


@dataclass
class Record:
    a: int = 1


@pytest.fixture(scope="module")
def plain() -> Any:
    """The module where msgspec cannot be imported."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "msgspec.json", None)
        return _loaded()


@pytest.fixture(scope="module")
def codecs(plain: Any) -> tuple[Any, Any]:
    """The module with msgspec, and the same module where msgspec cannot be imported."""
    pytest.importorskip("msgspec")
    return _loaded(), plain


def _loaded() -> Any:
    """Load the module again, beside the one that is in use."""
    spec = codec.__spec__
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(function: Callable[[Any], Any], value: Any) -> object:
    """What a function returns, with the types of all values; or the class and the text of its error."""
    try:
        got = function(value)
    except (TypeError, ValueError, RecursionError) as error:
        return type(error), "" if isinstance(error, RecursionError) else str(error)
    return got if isinstance(got, bytes) else repr(got)


def same_ways(codecs: tuple[Any, Any], value: Any) -> None:
    fast, plain = codecs
    for name in ("encode", "encode_text"):
        assert outcome(getattr(fast, name), value) == outcome(getattr(plain, name), value)
    assert outcome(lambda each: fast.encode_text(each, sort_keys=True), value) == outcome(
        lambda each: plain.encode_text(each, sort_keys=True), value
    )


DEEP: dict[str, Any] = {}
for _ in range(99):
    DEEP = {"a": DEEP}
TOO_DEEP: Any = DEEP
for _ in range(5000):
    TOO_DEEP = [TOO_DEEP]
ITSELF: dict[str, Any] = {}
ITSELF["again"] = [ITSELF]
VALUES: list[Any] = [
    *(0, -1, 2**63, -(2**63) - 1, 2**64, 10**400, 10**4299, 10**4301, True, None),
    *(0.0, -0.0, 1e15, 1e16, 123456789012345680.0, 1e22, 1e-4, 1e-5, 1.5e-7, 5e-324, 1.7976931348623157e308),
    *(float("nan"), float("inf"), float("-inf")),
    *("", "é😀\u2028\x7f", '\x00\x1f\b\f\n\r\t"\\/', "\ud800", "\udc00\ud800", Text("a"), Number(1), Share(1.5)),
    *(Row(a=1), Rows([1]), OrderedDict(b=1, a=2), MappingProxyType({"a": 1}), (1, (2,)), {"b": 1, "a": {"d": 1, "c": 2}}),
    *(Word.ONE, Level.ONE, Colour.RED, Record(), Record, object(), 1j, ...),
    *(b"x", bytearray(b"x"), memoryview(b"x"), {1}, frozenset({1}), date(2026, 1, 1), UUID(int=1), Decimal("1.50")),
    *(DEEP, TOO_DEEP, ITSELF),
]  # fmt: skip
KEYS: list[Any] = [
    *(
        "\ud800",
        Text("k"),
        Word.ONE,
        Level.ONE,
        Number(3),
        1,
        1.5,
        1e16,
        float("nan"),
        True,
        None,
        (1,),
        b"k",
        10**4301,
    )
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_are_written_alike(codecs: tuple[Any, Any], value: Any) -> None:
    for each in (value, [value], {"a": value}, {"a": [{"b": value, "c": 1.5}, "text"]}):
        same_ways(codecs, each)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: type(key).__name__)
def test_keys_are_written_alike(codecs: tuple[Any, Any], key: Any) -> None:
    for each in ({key: 1}, {"a": [{"b": 1, key: [1.5]}]}, {key: 1, "a": 2}):
        same_ways(codecs, each)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=examples(500))
@given(value=JSON_VALUES)
def test_drawn_values_are_written_and_read_alike(codecs: tuple[Any, Any], value: Any) -> None:
    fast, plain = codecs
    same_ways(codecs, {"a": value})
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        for name in ("decode", "decode_finite", "decode_once"):
            assert outcome(getattr(fast, name), text) == outcome(getattr(plain, name), text)


TEXTS: list[str | bytes] = [
    *("-0", "1.0", "1e5", "1E5", "-0.0", "1e400", "-1e400", "1e-400", "1" * 400 + ".5", "9" * 5000, "9" * 30),
    *("NaN", "[Infinity]", '{"a": -Infinity}', "01", "1.", ".5", "+1", "tru", "", " ", "[1,]", '{"a":1,}', "[1] 2"),
    *('"\\ud800"', '"\\ude00\\ud83d"', '"\\ud83d\\ude00"', '"\\u0000"', '"\x01"', '"\x7f"', '"\t"', '"\\x"', '"\ud800"'),
    *('{"a":1,"a":2}', '{"a":1,"b":{"c":1,"c":2}}', '{"b":1,"a":2}', "\ufeff1", "\x0b1", " [ 1 , 2 ] \r\n\t", "\xa01"),
    *(b'{"a":"\xff"}', b'"\xed\xa0\x80"', '{"a":"é"}'.encode("utf-16"), b"1\x00", b"\xef\xbb\xbf1", b'"\xc3"'),
    *("{}", "{} ", ' {"a":1}', '{"a":1}\n\t', '{"a":1}\xa0', '{"a":1}x', '{"a":1}{}', '{"a":NaN}', "{", '{"a', '{"a":}'),
    *("[" * 99 + "]" * 99, "[" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000),
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_texts_are_read_without_msgspec_as_json_loads_reads_them(plain: Any, text: str | bytes) -> None:
    assert outcome(plain.decode, text) == outcome(json.loads, text)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_texts_are_read_alike(codecs: tuple[Any, Any], text: str | bytes) -> None:
    fast, plain = codecs
    assert outcome(fast.decode, text) == outcome(plain.decode, text)
    if isinstance(text, str):
        for name in ("decode_finite", "decode_once", "mended_object", "is_whole_object"):
            assert outcome(getattr(fast, name), text) == outcome(getattr(plain, name), text)


def test_msgspec_is_used_where_it_is_installed(
    codecs: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    fast, plain = codecs
    body = {
        "messages": [{"role": "user", "content": "é"}],
        "temperature": 0.5,
        "tools": [{"type": ["string", "null"]}],
    }
    text = plain.encode(body)

    def never(_: object) -> Any:
        raise AssertionError

    monkeypatch.setattr(fast, "_write", never)
    monkeypatch.setattr(fast, "loads", never)
    assert fast.encode(body) == text == json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    assert fast.decode(text) == body


@pytest.mark.parametrize("api", [openai_chat, anthropic_messages], ids=lambda api: api.WIRE.name)
@pytest.mark.parametrize("share", [1e16, 1e-5, 2**70, "\u2028"])
def test_bytes_of_a_build_are_those_of_the_standard_library(api: Any, share: object) -> None:
    call = ToolCall("c1", "f", {"share": share})
    built = api.build(
        Request("m", [user("hi"), assistant(call), tool_result(call, "done")]), policies=PORTABLE
    )
    expected = json.dumps(built.body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    assert built.json() == expected.encode()
