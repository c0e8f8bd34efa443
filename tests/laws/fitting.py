"""Conversations as applications have them, of parts and options that a wire takes; each was first tried alone.

What goes together is still up to the wire, so that a drawn request may be refused now and then.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from promptwire import (
    Audio,
    Document,
    Image,
    Instruction,
    Json,
    Message,
    Options,
    Part,
    Reasoning,
    ReasoningOptions,
    Request,
    RequestError,
    ResponseFormat,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)
from promptwire.parts import Refusal, SearchResult, Upload, Video
from promptwire.plugins import Provenance
from tests.laws.specimens import base, has_limit, least_options
from tests.laws.traces import address, module
from tests.strategies import base64_texts, json_objects, names, texts

_TYPES = {
    Image: ("image/png", "image/jpeg", "image/webp", "image/tiff"),
    Document: ("application/pdf", "text/plain", "text/csv"),
    Audio: ("audio/wav", "audio/mpeg", "audio/ogg", "audio/flac"),
    Video: ("video/mp4", "video/webm"),
}
_MEDIA: list[Any] = [
    *(cls(data="aGk=", media_type=kind) for cls, kinds in _TYPES.items() for kind in kinds),
    *(Image(url="https://example.org/a.png", detail=word) for word in ("low", "original", "ultra")),
    *(cls(**{source: f"{source}_1"}) for cls in _TYPES for source in ("file_id", "uri")),
]
HI = Message("user", (Text("hi"),))
SCHEMA = {"type": "object"}


def takes(wire: str, **given: Any) -> bool:
    """Return whether a wire takes the smallest request with these fields, strictly."""
    try:
        module(wire).build(base(wire, **given), settings=address(wire))
    except RequestError:
        return False
    return True


@dataclass(frozen=True)
class _Drawing:
    """The strategies from which a conversation of one wire is drawn."""

    turns: SearchStrategy[Any]
    calls: SearchStrategy[Any]
    results: SearchStrategy[Any]
    tools: SearchStrategy[Any]
    choices: SearchStrategy[Any]
    options: SearchStrategy[Any]
    fields: SearchStrategy[Any]


@cache
def fitting(wire: str) -> SearchStrategy[Request]:
    """Requests as applications have them: turns, tool calls with their results, common options."""
    said = st.lists(_said(wire), min_size=1, max_size=2, unique_by=type)
    asked = st.lists(_asked(wire), min_size=1, max_size=3)
    calls = st.lists(
        st.tuples(names(), names(), _arguments()), unique_by=lambda call: call[0], max_size=_most_calls(wire)
    )
    return _conversations(
        _Drawing(
            turns=st.lists(st.tuples(asked, st.none() | said), min_size=1, max_size=3),
            calls=st.tuples(st.lists(_plain_texts(), max_size=1), calls),
            results=st.lists(_returned(wire), min_size=3, max_size=3),
            tools=st.lists(_tools(wire), max_size=2, unique_by=lambda tool: tool.name),
            choices=_choices(wire),
            options=_options(wire),
            fields=_fields(wire),
        )
    )


@st.composite
def _conversations(draw: st.DrawFn, of: _Drawing) -> Request:
    messages: list[Message] = []
    for asked, said in draw(of.turns):
        messages.append(Message("user", tuple(asked)))
        messages.extend([Message("assistant", tuple(said))] if said else [])
    before, calls = draw(of.calls)
    if calls:
        results = zip(calls, draw(of.results), strict=False)
        messages.append(Message("assistant", (*before, *[ToolCall(*call) for call in calls])))
        messages.append(Message("tool", tuple([ToolResult(call[0], (text,)) for call, text in results])))
    tools = draw(of.tools)
    choice = draw(of.choices) if tools else None
    if choice is not None and choice.mode == "named":
        choice = ToolChoice("named", name=tools[-1].name)
    return Request(
        "m",
        tuple(messages),
        tools=tuple(tools) or None,
        tool_choice=choice,
        options=Options(**draw(of.options)),
        **draw(of.fields),
    )


def _filled() -> SearchStrategy[str]:
    return texts().filter(lambda text: bool(text.strip()))


@cache
def _plain_texts() -> SearchStrategy[Text]:
    return st.builds(Text, _filled())


def _asked(wire: str) -> SearchStrategy[Part]:
    """Texts, and the images and documents that a user may send."""
    data = base64_texts()
    kind = "application/pdf"
    drawn: list[tuple[Part, SearchStrategy[Part]]] = [
        (Image(url="https://example.org/a.png"), st.just(Image(url="https://example.org/a.png"))),
        (
            Image(data="aGk=", media_type="image/png"),
            st.builds(Image, data=data, media_type=st.just("image/png")),
        ),
        (
            Document(data="aGk=", media_type=kind),
            st.builds(Document, data=data, media_type=st.just(kind)),
        ),
        (
            Document(data="aGk=", media_type=kind, filename="a.pdf"),
            st.builds(Document, data=data, media_type=st.just(kind), filename=st.just("a.pdf")),
        ),
        *[(one, st.just(one)) for one in _MEDIA],
    ]
    taken = [each for one, each in drawn if takes(wire, messages=(Message("user", (Text("hi"), one)),))]
    return st.one_of([_plain_texts(), *taken])


def _returned(wire: str) -> SearchStrategy[Part]:
    """Texts, and whatever else a tool may give back."""
    held: list[Part] = [
        *_MEDIA,
        Document(text="x"),
        Document(parts=(Text("x"), _MEDIA[0])),
        SearchResult("https://example.org", "t", (Text("x"),)),
        Upload("file_1"),
        Json({"a": 1}),
    ]
    call = Message("assistant", (ToolCall("call_1", "f", {}),))

    def is_taken(part: Part) -> bool:
        return takes(wire, messages=(HI, call, Message("tool", (ToolResult("call_1", (part,)),))))

    return st.one_of([_plain_texts(), _plain_texts(), *[st.just(part) for part in held if is_taken(part)]])


def _said(wire: str) -> SearchStrategy[Part]:
    """Texts, refusals and thoughts of the assistant."""
    drawn: list[tuple[Part, SearchStrategy[Part]]] = [
        (Refusal("no"), st.builds(Refusal, _filled())),
        (Reasoning(text="so"), st.builds(Reasoning, text=_filled())),
        (
            Reasoning(text="so", signature="aGk=", provenance=Provenance(wire)),
            st.builds(
                Reasoning, text=_filled(), signature=base64_texts(), provenance=st.just(Provenance(wire))
            ),
        ),
    ]
    taken = [each for one, each in drawn if takes(wire, messages=(HI, Message("assistant", (one,)), HI))]
    return st.one_of([_plain_texts(), _plain_texts(), *taken])


def _arguments() -> SearchStrategy[Any]:
    return json_objects() | st.sampled_from(('{"city": "Oslo"}', "{}", '{ "a":1e2 }'))


def _most_calls(wire: str) -> int:
    """Calls that one message may hold, at most three are tried; a wire without tools has none."""

    def answered(count: int) -> bool:
        calls = tuple([ToolCall(f"call_{n}", "f", {}) for n in range(count)])
        results = tuple([ToolResult(f"call_{n}", (Text("ok"),)) for n in range(count)])
        return takes(wire, messages=(HI, Message("assistant", calls), Message("tool", results)))

    return max([count for count in (1, 2, 3) if answered(count)], default=0)


def _tools(wire: str) -> SearchStrategy[Tool]:
    strict = [each for each in (True, False) if takes(wire, tools=(Tool("f", "d", SCHEMA, strict=each),))]
    return st.builds(Tool, names(), _filled(), json_objects(), strict=st.sampled_from((None, *strict)))


def _choices(wire: str) -> SearchStrategy[ToolChoice | None]:
    choices = [*map(ToolChoice, ("auto", "none", "required")), ToolChoice("named", name="f")]
    tools = (Tool("f", "d", SCHEMA),)
    taken = [each for each in choices if takes(wire, tools=tools, tool_choice=each)]
    return st.sampled_from((None, None, *taken))


def _options(wire: str) -> SearchStrategy[dict[str, Any]]:
    known: dict[str, tuple[Any, SearchStrategy[Any]]] = {
        "temperature": (0.5, st.floats(0, 1)),
        "top_p": (0.5, st.floats(0, 1)),
        "stop": (("a", "b", "c"), st.lists(_filled(), min_size=1, max_size=3).map(tuple)),
        "seed": (7, st.integers(0, 99)),
    }
    taken = {
        name: each
        for name, (one, each) in known.items()
        if takes(wire, options=replace(least_options(wire), **{name: one}))
    }
    needed = {"max_tokens": st.integers(1, 9000)} if has_limit(wire) else {}
    return st.fixed_dictionaries(needed, optional=taken)


def _fields(wire: str) -> SearchStrategy[dict[str, Any]]:
    formats = [ResponseFormat("json_schema", SCHEMA, name) for name in (None, "answer")]
    layers = st.lists(st.builds(Instruction, _filled()), min_size=1, max_size=3).map(tuple)
    efforts = [ReasoningOptions(effort=effort) for effort in ("low", "medium", "high")]
    known: dict[str, tuple[Iterable[Any], SearchStrategy[Any]]] = {
        "instructions": (("Be terse.",), _filled() | layers),
        "metadata": (({"a": "b"},), st.dictionaries(names(), texts(), max_size=2)),
        "user_id": (("user",), names()),
        "stream": ((True,), st.booleans()),
    }
    taken = {
        name: each
        for name, (tried, each) in known.items()
        if all(takes(wire, **{name: one}) for one in tried)
    }
    named = {each.name for each in formats if takes(wire, response_format=each)}
    if named:
        name = st.one_of([names() if each else st.none() for each in sorted(named, key=str)])
        taken["response_format"] = st.builds(ResponseFormat, st.just("json_schema"), json_objects(), name)
    reasoning = [each for each in efforts if takes(wire, reasoning=each)]
    return st.fixed_dictionaries(
        {}, optional=taken | ({"reasoning": st.sampled_from(reasoning)} if reasoning else {})
    )
