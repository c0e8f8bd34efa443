"""Strategies for the laws: requests that fit, damaged bodies, and how long to look.

`LAWS_DEEP=50` draws fifty times as many examples, at random; without it the same examples are drawn each time.
"""

from __future__ import annotations

import copy
import os
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from promptwire_runtime import (
    Document,
    Image,
    Instruction,
    Message,
    Options,
    Part,
    Reasoning,
    ReasoningOptions,
    Refusal,
    Request,
    ResponseFormat,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)
from tests.strategies import base64_texts, json_objects, json_values, names, texts

_DEEP = int(os.environ.get("LAWS_DEEP", "0"))
_GENERATED_TESTS = Path(__file__).parents[2] / "generated" / "tests"


def law(examples: int) -> settings:
    """Give the settings of one law: how many examples it takes to believe it."""
    return settings(
        max_examples=examples * max(_DEEP, 1),
        deadline=None,
        derandomize=not _DEEP,
        database=None,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


# ---- requests that most wires take


@st.composite
def fitting(draw: st.DrawFn, wire: str) -> Request:
    """Draw a conversation as applications have it: turns, tool calls with their results, common options."""
    messages: list[Message] = []
    calls = draw(st.lists(names(), unique=True, max_size=3))
    asked = _user_parts(wire)
    for _ in range(draw(st.integers(1, 3))):
        messages.append(Message("user", tuple(draw(st.lists(asked, min_size=1, max_size=3)))))
        if draw(st.booleans()):
            messages.append(
                Message(
                    "assistant", tuple(draw(st.lists(_said(wire), min_size=1, max_size=2, unique_by=type)))
                )
            )
    if calls:
        made = [ToolCall(call, draw(names()), draw(_arguments())) for call in calls]
        messages.append(Message("assistant", (*draw(st.lists(_plain_texts(), max_size=1)), *made)))
        messages.append(Message("tool", tuple([ToolResult(call, (draw(_plain_texts()),)) for call in calls])))
    tools = draw(st.lists(_tools(), max_size=2, unique_by=lambda tool: tool.name))
    return Request(
        "m",
        tuple(messages),
        instructions=draw(_optional(_instructions())),
        tools=tuple(tools) or None,
        options=draw(_options(wire)),
        tool_choice=draw(_optional(_choices(tools))) if tools else None,
        response_format=draw(_optional(_formats(wire))),
        reasoning=draw(_optional(_efforts())),
        metadata=draw(_optional(st.dictionaries(names(), texts(), max_size=2))) if "openai" in wire else None,
        user_id=draw(_optional(names())),
        stream=draw(_optional(st.booleans())),
    )


def _optional(drawn: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.none() | st.none() | drawn


def _filled() -> SearchStrategy[str]:
    return texts().filter(lambda text: bool(text.strip()))


def _plain_texts() -> SearchStrategy[Text]:
    return st.builds(Text, _filled())


def _user_parts(wire: str) -> SearchStrategy[Part]:
    image = st.builds(Image, url=st.just("https://example.org/a.png")) | st.builds(
        Image, data=base64_texts(), media_type=st.just("image/png")
    )
    name = st.just("a.pdf" if "openai" in wire else None)
    kind = st.just("application/pdf")
    return _plain_texts() | image | st.builds(Document, data=base64_texts(), media_type=kind, filename=name)


def _said(wire: str) -> SearchStrategy[Part]:
    thinking = st.builds(Reasoning, text=_filled(), signature=base64_texts())
    own: SearchStrategy[Part] = st.builds(Refusal, _filled()) if "openai" in wire else thinking
    return _plain_texts() | _plain_texts() | own


def _arguments() -> SearchStrategy[Any]:
    return json_objects() | st.sampled_from(('{"city": "Oslo"}', "{}", '{ "a":1e2 }'))


def _tools() -> SearchStrategy[Tool]:
    return st.builds(Tool, names(), _filled(), json_objects(), strict=st.none() | st.booleans())


def _choices(tools: list[Tool]) -> SearchStrategy[ToolChoice]:
    words = st.sampled_from(("auto", "none", "required")).map(ToolChoice)
    return words | st.sampled_from(tools).map(lambda tool: ToolChoice("named", name=tool.name))


def _formats(wire: str) -> SearchStrategy[ResponseFormat]:
    name = names() if "openai" in wire else st.none()
    return st.builds(ResponseFormat, st.just("json_schema"), json_objects(), name)


def _efforts() -> SearchStrategy[ReasoningOptions]:
    return st.sampled_from(("low", "medium", "high")).map(lambda effort: ReasoningOptions(effort=effort))


def _instructions() -> SearchStrategy[Any]:
    return _filled() | st.lists(st.builds(Instruction, _filled()), min_size=1, max_size=3).map(tuple)


@st.composite
def _options(draw: st.DrawFn, wire: str) -> Options:
    stop = st.lists(_filled(), min_size=1, max_size=3).map(tuple)
    return Options(
        max_tokens=draw(st.integers(1, 9000)),
        temperature=draw(_optional(st.floats(0, 1))),
        top_p=draw(_optional(st.floats(0, 1))),
        stop=draw(_optional(stop)) if wire != "openai_responses" else None,
        seed=draw(_optional(st.integers(0, 99))) if wire == "openai_chat" else None,
    )


# ---- bodies, damaged


@cache
def example_bodies(wire: str) -> tuple[dict[str, Any], ...]:
    """Give the bodies that the spec of a wire shows."""
    path = _GENERATED_TESTS / f"test_{wire}.py"
    spec = spec_from_file_location(f"examples_of_{wire}", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return tuple([row["body"] for row in module.BODIES])


@st.composite
def damaged(draw: st.DrawFn, wire: str) -> dict[str, Any]:
    """Draw a body of the spec's examples and damage it in a few places."""
    body: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(example_bodies(wire))))
    for _ in range(draw(st.integers(1, 4))):
        spots = list(_spots(body))
        if spots:
            _damage(draw, *draw(st.sampled_from(spots)))
    return body


def _spots(node: Any) -> Any:
    """Give every (container, key) inside a JSON value."""
    if isinstance(node, (dict, list)):
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            yield node, key
            yield from _spots(node[key])


def _damage(draw: st.DrawFn, holder: Any, key: Any) -> None:
    old = holder[key]
    way = draw(st.integers(0, 8))
    if way == 0:
        del holder[key]
    elif way == 1:
        holder[key] = draw(st.sampled_from((None, "", [], {}, 0, 1, True, False, 0.5, "text")))
    elif way == 2:
        holder[key] = draw(json_values())
    elif way == 3:
        holder[key] = [old]
    elif way == 4:
        holder[key] = {"type": "text", "text": old}
    elif way == 5 and isinstance(holder, list):
        holder.insert(draw(st.integers(0, len(holder))), copy.deepcopy(old))
    elif way == 6 and isinstance(old, dict):
        old[draw(names())] = draw(json_values())
    elif way == 7 and isinstance(holder, dict):
        holder[
            draw(names() | st.sampled_from(("role", "content", "type", "id", "name", "cache_control")))
        ] = old
    else:
        holder[key] = draw(json_values())
