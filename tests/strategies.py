"""Hypothesis strategies for every class of the neutral model.

Fields come from the classes themselves, so a new field is drawn at once; the tables below only say which
values are realistic, and which fields exclude each other. All values are JSON: no NaN, no lone surrogates.
With `memory=True` the nodes may also hold `kept` and `provenance`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import TypeVar, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from promptwire import (
    Audio,
    CustomTool,
    Document,
    HostedTool,
    Image,
    Instruction,
    Message,
    Part,
    Request,
    ResponseFormat,
    Tool,
    ToolChoice,
)
from promptwire.parts import Opaque, ToolGroup, Video
from promptwire.plugins import Form
from tests.internals.runtime import LAYER_ROLES, PART_KINDS, ROLES, Any

T = TypeVar("T")
MEMORY = ("kept", "provenance")
WIRES = ("openai_chat", "openai_responses", "anthropic_messages", "gemini_generate", "bedrock_converse")
SOURCES: dict[type[Part], tuple[str, ...]] = {
    Image: ("url", "data", "file_id", "uri"),
    Document: ("url", "data", "file_id", "uri", "text", "parts"),
    Audio: ("url", "data", "file_id", "uri", "id"),
    Video: ("url", "data", "file_id", "uri"),
}
PART_CLASSES: tuple[type[Part], ...] = tuple(PART_KINDS.values())
# parts that hold parts or tools and nothing else: left out at the innermost level
_HOLDING = [each for each in PART_CLASSES if {"parts", "tools"} & {f.name for f in fields(each)}]
NESTING = frozenset(each for each in _HOLDING if "parts" not in SOURCES.get(each, ()))
# optional fields without which a node is hardly worth drawing
_USUAL: dict[type, tuple[str, ...]] = {Request: ("model", "messages")}
_MOST_OPTIONAL = 4

_CHARACTERS = st.characters(codec="utf-8", exclude_categories=["Cs"])
_WORDS = (
    "weather",
    "get_weather",
    "call_1",
    "toolu_01",
    "gpt-4o",
    "claude",
    "no",
    "null",
    "1e3",
    "text",
    "role",
)


@cache
def texts() -> SearchStrategy[str]:
    """Texts as people and models write them: words, sentences, any Unicode, sometimes empty."""
    return st.sampled_from(("", "Hello!", "What is the\nweather?", "naïve 🌍")) | st.text(
        _CHARACTERS, max_size=12
    )


@cache
def names() -> SearchStrategy[str]:
    """Identifiers of tools, calls, models, files."""
    return st.sampled_from(_WORDS) | st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)


@cache
def numbers() -> SearchStrategy[float]:
    """Finite numbers, whole ones among them."""
    return st.integers(-3, 10**6) | st.floats(allow_nan=False, allow_infinity=False)


@cache
def json_values() -> SearchStrategy[Any]:
    """Any JSON value, at most a few levels deep."""
    leaves = (
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts()
    )
    return st.recursive(leaves, _containers, max_leaves=5)


def _containers(inside: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.lists(inside, max_size=3) | st.dictionaries(names(), inside, max_size=3)


@cache
def json_objects() -> SearchStrategy[dict[str, Any]]:
    """JSON objects, a schema among them."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    return st.just(schema) | st.dictionaries(names(), json_values(), max_size=3)


@cache
def per_wire() -> SearchStrategy[dict[str, dict[str, Any]]]:
    """Options by wire, as `vendor` and `extra` hold them."""
    return st.dictionaries(st.sampled_from(WIRES), json_objects(), max_size=2)


@cache
def base64_texts() -> SearchStrategy[str]:
    """Base64 text as media carry it."""
    return st.sampled_from(("aGVsbG8=", "iVBORw0KGgo=", "JVBERi0xLjQ="))


_BY_NAME: dict[str, SearchStrategy[Any]] = {
    "name": names(),
    "id": names(),
    "model": names(),
    "call_id": names(),
    "type": st.sampled_from(("web_search", "code_interpreter", "mcp")),
    "data": base64_texts(),
    "url": st.sampled_from(("https://example.org/a.png", "http://localhost/b.pdf")),
    "uri": st.sampled_from(("gs://bucket/a.mp4", "s3://bucket/b.pdf")),
    "media_type": st.sampled_from(("image/png", "application/pdf", "audio/wav", "video/mp4")),
    "wire": st.sampled_from(WIRES),
    "ttl": st.sampled_from(("5m", "1h")),
    "arguments": json_objects() | st.sampled_from(('{"city": "Oslo"}', "{broken", "")),
    "max_tokens": st.integers(1, 200_000),
    "n": st.integers(1, 8),
    "metadata": st.dictionaries(names(), texts(), max_size=3),
    "temperature": st.floats(0, 2) | st.integers(0, 2),
    "effort": st.sampled_from(("none", "minimal", "low", "medium", "high", "xhigh", "max")),
    "vendor": per_wire(),
    "extra": per_wire(),
}
_BY_FIELD: dict[tuple[type, str], SearchStrategy[Any]] = {
    (Message, "role"): st.sampled_from(ROLES),
    (Instruction, "role"): st.sampled_from(LAYER_ROLES),
    (ToolChoice, "mode"): st.sampled_from(
        ("auto", "none", "required", "named", "custom", "several", "hosted")
    ),
    (ResponseFormat, "kind"): st.sampled_from(("text", "json", "json_schema", "grammar")),
}


def parts(*, depth: int = 1, memory: bool = False) -> SearchStrategy[Part]:
    """Parts of every kind; those that hold parts hold them `depth` levels deep."""
    return _parts(depth=depth, memory=memory)


@cache
def _parts(*, depth: int, memory: bool) -> SearchStrategy[Part]:
    classes = [each for each in PART_CLASSES if depth > 0 or each not in NESTING]
    return st.one_of([instances(each, depth=depth - 1, memory=memory) for each in classes])


def tools(*, depth: int = 1, memory: bool = False) -> SearchStrategy[Any]:
    """Tools of every kind, opaque ones included; a group holds tools."""
    return _tools(depth=depth, memory=memory)


@cache
def _tools(*, depth: int, memory: bool) -> SearchStrategy[Any]:
    classes: list[type[Any]] = [Tool, CustomTool, HostedTool, Opaque, *([ToolGroup] if depth > 0 else [])]
    return st.one_of([instances(each, depth=depth - 1, memory=memory) for each in classes])


def messages(*, depth: int = 1, memory: bool = False) -> SearchStrategy[Message]:
    """Messages of every role with any parts; what fits together is up to the wires."""
    return instances(Message, depth=depth, memory=memory)


def requests(*, depth: int = 1, memory: bool = False) -> SearchStrategy[Request]:
    """Whole requests with any fields; what fits together is up to the wires."""
    return instances(Request, depth=depth, memory=memory)


def instances(cls: type[T], *, depth: int = 1, memory: bool = False) -> SearchStrategy[T]:
    """Nodes of one neutral class: required fields always, some others; parts inside nest `depth` deep."""
    known: Any = cls
    return _instances(known, depth, memory=memory)


@cache
def _instances(cls: Any, depth: int, *, memory: bool) -> SearchStrategy[Any]:
    required: dict[str, SearchStrategy[Any]] = {}
    optional: dict[str, SearchStrategy[Any]] = {}
    hints = get_type_hints(cls)
    for each in fields(cls):
        if not each.init or (each.name in MEMORY and not memory) or (each.name == "parts" and depth < 0):
            continue
        needed = each.default is MISSING and each.default_factory is MISSING
        hint = hints[each.name] if needed else _given(hints[each.name])
        drawn = _field(cls, each.name, hint, depth, memory=memory)
        (required if needed or each.name in _USUAL.get(cls, ()) else optional)[each.name] = drawn
    sources = [(name, optional.pop(name)) for name in SOURCES.get(cls, ()) if name in optional]
    if not sources:
        return _made(cls, required, optional)
    return st.one_of([_made(cls, {**required, name: drawn}, optional) for name, drawn in sources])


@st.composite
def _made(
    draw: st.DrawFn,
    cls: type[T],
    required: dict[str, SearchStrategy[Any]],
    optional: dict[str, SearchStrategy[Any]],
) -> T:
    chosen = (
        draw(st.lists(st.sampled_from(list(optional)), unique=True, max_size=_MOST_OPTIONAL))
        if optional
        else []
    )
    drawn = {**required, **{name: optional[name] for name in chosen}}
    return cls(**{name: draw(strategy) for name, strategy in drawn.items()})


def _given(hint: Any) -> Any:
    """Take None away from a hint: an optional field that is drawn has a value."""
    if get_origin(hint) not in (Union, UnionType):
        return hint
    first, *others = [each for each in get_args(hint) if each is not NoneType]
    rest: Any = first
    for each in others:
        rest = rest | each
    return rest


def _field(cls: type, name: str, hint: Any, depth: int, *, memory: bool) -> SearchStrategy[Any]:
    if name == "parts":
        return st.lists(parts(depth=depth, memory=memory), max_size=3).map(tuple)
    if name == "tools":
        return st.lists(tools(depth=depth, memory=memory), max_size=3).map(tuple)
    drawn = _BY_FIELD.get((cls, name), _BY_NAME.get(name))
    if drawn is None:
        return _of_hint(hint, depth, memory=memory)
    return drawn | st.none() if _given(hint) != hint else drawn


_OF_TYPE: dict[Any, SearchStrategy[Any]] = {
    Any: json_values(),
    NoneType: st.none(),
    str: texts(),
    bool: st.booleans(),
    int: st.integers(0, 1000) | st.just(10**30),
    float: numbers(),
}


def _of_hint(hint: Any, depth: int, *, memory: bool) -> SearchStrategy[Any]:
    if hint in _OF_TYPE:
        return _OF_TYPE[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return st.one_of([_of_hint(each, depth, memory=memory) for each in inner])
    if origin is tuple and Ellipsis in inner:
        return st.lists(_of_hint(inner[0], depth, memory=memory), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*[_of_hint(each, depth, memory=memory) for each in inner])
    if origin is Mapping:
        keys: SearchStrategy[Any] = st.integers(0, 20) if inner[0] is int else names()
        least = 1 if inner[0] is int else 0  # a memory of no element is no memory
        return st.dictionaries(keys, _of_hint(inner[1], depth, memory=memory), min_size=least, max_size=3)
    if is_dataclass(hint) and isinstance(hint, type):
        return instances(hint, depth=depth, memory=memory) if hint is not Form else _forms()
    raise TypeError(f"no strategy for {hint!r}")


@cache
def _forms() -> SearchStrategy[Form]:
    """Memories of spellings, one inside the other."""
    own = {each.name: get_type_hints(Form)[each.name] for each in fields(Form) if each.name != "inside"}
    flat = {name: _of_hint(hint, 0, memory=False) for name, hint in own.items()}
    outer = flat | {"inside": st.deferred(_insides)}
    return _made(Form, {}, outer)


def _insides() -> SearchStrategy[Any]:
    by_index = st.dictionaries(st.integers(0, 20), _forms(), min_size=1, max_size=2)
    return st.dictionaries(names(), _forms() | by_index, max_size=2)
