"""Form memory: how JSON that was read differs from what a fresh build writes, whole; and which of its leaves nobody holds."""

from __future__ import annotations

from typing import Any

import pytest

import promptwire
from promptwire import Text
from promptwire.plugins import Form, Kept
from tests.internals.runtime import Comparison, MemoryWords, Swap, kept_leaves, names_only, restore, same

WIRE = "openai_chat"
NODE = Text("hi")
WORDS = MemoryWords(
    keys=frozenset({"a", "b", "type", "text", "old", "new"}),
    constants=frozenset({"word", "text", True}),
    aliases=frozenset({("old", "new")}),
    echoes=frozenset({("said", "text"), ("said", "signature"), ("heard", "signature")}),
)
COMPARISON = Comparison(WORDS, NODE, WIRE)

# what a fresh build writes, what was read, and what is remembered
FORMS: dict[str, tuple[dict[str, Any], dict[str, Any], Form | None]] = {
    "equal": ({"a": 1}, {"a": 1}, None),
    "equal, in another order": ({"a": 1, "b": {"x": 1, "y": 2}}, {"b": {"y": 2, "x": 1}, "a": 1}, None),
    "an unknown key": ({"a": 1}, {"a": 1, "odd": 2}, Form(added={"odd": 2})),
    "an unknown key that is empty": ({}, {"odd": None}, Form(added={"odd": None})),
    "a known key that is null": ({"a": 1}, {"a": 1, "b": None}, Form(swapped=(Swap({}, {"b": None}),))),
    "a known key that is empty": ({}, {"a": "", "b": []}, Form(swapped=(Swap({}, {"a": "", "b": []}),))),
    "a known key with a word": ({}, {"a": "word", "b": True}, Form(swapped=(Swap({}, {"a": "word", "b": True}),))),
    "a known key with another word": ({}, {"a": "words", "b": 1}, Form(added={"a": "words", "b": 1})),
    "an unknown key with a word": ({}, {"odd": "word"}, Form(added={"odd": "word"})),
    "a key left out": ({"a": 1, "b": 2}, {"a": 1}, Form(swapped=(Swap({"b": 2}, {}),))),
    "another name": ({"a": 1, "b": 2}, {"a": 1, "mine": 2}, Form(names={"b": ("mine",)})),
    "two other names": ({"a": 1, "b": 1}, {"x": 1, "y": 1}, Form(names={"a": ("x",), "b": ("y",)})),
    "another name of nothing": ({"a": ""}, {"mine": ""}, Form(added={"mine": ""}, swapped=(Swap({"a": ""}, {}),))),
    "another name and type": ({"a": 1}, {"mine": True}, Form(added={"mine": True}, swapped=(Swap({"a": 1}, {}),))),
    "other keys for known values": (
        {"a": {"x": 1, "y": [2, 3]}, "b": 7},
        {"old": [1, 2], "new": 3, "b": 7, "odd": 4},
        Form(swapped=(Swap({"a": {"x": 1, "y": [2, 3]}}, {"old": [1, 2], "new": 3}),), added={"odd": 4}),
    ),
    "other keys for known values and more": (
        {"a": [1, 2]},
        {"old": [1, 2, 3]},
        Form(added={"old": [1, 2, 3]}, swapped=(Swap({"a": [1, 2]}, {}),)),
    ),
    "other keys with one value twice": (
        {"a": [1, 2]},
        {"old": {"x": 1, "y": 1}},
        Form(added={"old": {"x": 1, "y": 1}}, swapped=(Swap({"a": [1, 2]}, {}),)),
    ),
    "said twice": ({"new": 5}, {"new": 5, "old": 5}, Form(names={"new": ("new", "old")})),
    "said twice, but not the same": ({"new": 5}, {"new": 5, "old": 6}, Form(added={"old": 6})),
    "said twice, but not here": ({"a": 5}, {"a": 5, "old": 5}, Form(added={"old": 5})),
    "the node says it": ({}, {"said": "hi"}, Form(swapped=(Swap({}, {"said": "hi"}, field="text"),))),
    "the node says something else": ({}, {"said": "ho"}, Form(added={"said": "ho"})),
    "another field of the node": ({}, {"heard": "hi"}, Form(added={"heard": "hi"})),
    "a list for bare text": (
        {"a": "hi"},
        {"a": [{"type": "text", "text": "hi"}]},
        Form(listed={"a": ({"type": "text"}, "text")}),
    ),
    "a list for bare text, under its type": (
        {"a": "hi"},
        {"a": [{"type": "hi"}]},
        Form(swapped=(Swap({"a": "hi"}, {"a": [{"type": "hi"}]}),)),
    ),
    "a list for bare text, with more": (
        {"a": "hi"},
        {"a": [{"text": "hi", "odd": 1}]},
        Form(swapped=(Swap({"a": "hi"}, {"a": [{"text": "hi", "odd": 1}]}, (1,)),)),
    ),
    "two elements for bare text": (
        {"a": "hi"},
        {"a": [{"text": "hi"}, {"text": ""}]},
        Form(swapped=(Swap({"a": "hi"}, {"a": [{"text": "hi"}, {"text": ""}]}),)),
    ),
    "a list of text for bare text": ({"a": "hi"}, {"a": ["hi"]}, Form(swapped=(Swap({"a": "hi"}, {"a": ["hi"]}),))),
    "a list of other text": (
        {"a": "hi"},
        {"a": [{"text": "ho"}]},
        Form(swapped=(Swap({"a": "hi"}, {"a": [{"text": "ho"}]}, ("ho",)),)),
    ),
    "another value": ({"a": 1}, {"a": 2}, Form(swapped=(Swap({"a": 1}, {"a": 2}, (2,)),))),
    "another type": ({"a": 1}, {"a": "1"}, Form(swapped=(Swap({"a": 1}, {"a": "1"}, ("1",)),))),
    "a whole number with a point": ({"a": 1}, {"a": 1.0}, Form(swapped=(Swap({"a": 1}, {"a": 1.0}),))),
    "base64 of the alphabet for URLs": ({"a": "+/8="}, {"a": "-_8"}, Form(swapped=(Swap({"a": "+/8="}, {"a": "-_8"}),))),
    "a word for a value": ({"a": 1}, {"a": "word"}, Form(swapped=(Swap({"a": 1}, {"a": "word"}),))),
    "an object inside": (
        {"a": {"x": 1}, "b": 1},
        {"a": {"x": 1, "odd": 2}, "b": 1},
        Form(inside={"a": Form(added={"odd": 2})}),
    ),
    "an object in an object": (
        {"a": {"x": {"y": 1}}},
        {"a": {"x": {"z": 1}}},
        Form(inside={"a": Form(inside={"x": Form(names={"y": ("z",)})})}),
    ),
    "elements inside": (
        {"a": [{"x": 1}, {"x": 1}, {"x": 1}]},
        {"a": [{"x": 1}, {"x": 2}, {"odd": 3, "x": 1}]},
        Form(inside={"a": {1: Form(swapped=(Swap({"x": 1}, {"x": 2}, (2,)),)), 2: Form(added={"odd": 3})}}),
    ),
    "a list of another length": (
        {"a": [{"x": 1}]},
        {"a": [{"x": 1}, {"x": 1}]},
        Form(swapped=(Swap({"a": [{"x": 1}]}, {"a": [{"x": 1}, {"x": 1}]}, (1,)),)),
    ),
    "a list of what is no object": (
        {"a": [{"x": 1}, 2]},
        {"a": [{"x": 3}, 4]},
        Form(swapped=(Swap({"a": [{"x": 1}, 2]}, {"a": [{"x": 3}, 4]}, (4, 3)),)),
    ),
    "a list for an object": ({"a": [{"x": 1}]}, {"a": [2]}, Form(swapped=(Swap({"a": [{"x": 1}]}, {"a": [2]}, (2,)),))),
    "an object in a list": ({"a": [2]}, {"a": [{"x": 1}]}, Form(swapped=(Swap({"a": [2]}, {"a": [{"x": 1}]}, (1,)),))),
    "a list for a number": ({"a": 1}, {"a": [2]}, Form(swapped=(Swap({"a": 1}, {"a": [2]}, (2,)),))),
    "a number for a list": ({"a": [1]}, {"a": 2}, Form(swapped=(Swap({"a": [1]}, {"a": 2}, (2,)),))),
    "an object for bare text": ({"a": "hi"}, {"a": {"text": "hi"}}, Form(swapped=(Swap({"a": "hi"}, {"a": {"text": "hi"}}),))),
    "a list of a word for bare text": (
        {"a": "hi"},
        {"a": [{"text": "word"}]},
        Form(swapped=(Swap({"a": "hi"}, {"a": [{"text": "word"}]}),)),
    ),
    "an empty value under the other name": (
        {"new": ""},
        {"old": ""},
        Form(swapped=(Swap({"new": ""}, {}), Swap({}, {"old": ""}))),
    ),
    "an object for a list": ({"a": [1]}, {"a": {"x": 1}}, Form(swapped=(Swap({"a": [1]}, {"a": {"x": 1}}),))),
}  # fmt: skip


@pytest.mark.parametrize("case", FORMS)
def test_what_is_remembered_of_an_object(case: str) -> None:
    fresh, read, form = FORMS[case]
    found = COMPARISON.compare(fresh, read)
    assert found == form
    assert same(restore(fresh, form or Form(), NODE, WIRE), read)


@pytest.mark.parametrize(
    ("value", "held", "missing"),
    [
        ([1, 1, 2], [1, 2], [1]),
        ([1, 1], [1, 1, 1], []),
        ([1, 1, 1], [1, 1], [1]),
        ({"a": True, "b": 1}, {"x": 1}, []),
        ({"a": False}, {}, [False]),
        ([1.5], [1], [1.5]),
        ([1.0, "-_8"], [1, "+/8="], []),
        ([None, "", [], {}, "word", "words"], [], ["words"]),
        ("x", {"a": ["x"]}, []),
    ],
)
def test_leaves_that_nothing_holds(value: Any, held: Any, missing: list[Any]) -> None:
    assert COMPARISON.list_unread(value, held) == missing


@pytest.mark.parametrize(
    ("form", "leaves"),
    [
        (None, []),
        (Form(swapped=(Swap({"c": 1}, {}), Swap({}, {"a": None})), names={"a": ("b",), "e": ("e", "d")}), []),
        (Form(added={"a": 1, "b": [2, {"c": 3}]}), [1, 2, 3]),
        (Form(swapped=(Swap({"a": 1}, {"a": 2}, (2, 4)), Swap({"b": 1}, {"b": "word"}))), [2, 4]),
        (Form(inside={"a": Form(added={"x": 5}), "b": {0: Form(added={"x": 6}), 3: Form()}}), [5, 6]),
        (Form(added={"a": 1}, inside={"a": Form(inside={"b": {1: Form(added={"x": 7})}})}), [1, 7]),
    ],
)
def test_leaves_that_only_a_memory_holds(form: Form | None, leaves: list[Any]) -> None:
    assert sorted(kept_leaves(Kept(WIRE, form))) == leaves


TWICE = Form(names={"new": ("new", "old")})
ECHO = Form(swapped=(Swap({}, {"said": "hi"}, field="text"),))


@pytest.mark.parametrize(
    ("form", "named"),
    [
        (None, None),
        (Form(added={"a": 1}), None),
        (TWICE, TWICE),
        (ECHO, ECHO),
        (
            Form(added={"a": 1}, names={"new": ("new", "old")}, swapped=ECHO.swapped),
            Form(names=TWICE.names, swapped=ECHO.swapped),
        ),
        (Form(inside={"a": ECHO, "b": Form(added={"x": 1})}), Form(inside={"a": ECHO})),
        (
            Form(inside={"a": {0: Form(added={"x": 1}), 2: TWICE}, "b": {0: Form()}}),
            Form(inside={"a": {2: TWICE}}),
        ),
    ],
)
def test_names_without_values(form: Form | None, named: Form | None) -> None:
    assert names_only(form) == named


ODD_BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "a result that is an empty list, on chat": ("openai_chat", {"model": "m", "messages": [{"role": "tool", "tool_call_id": "c", "content": []}]}),
    "a result that is an empty list, on Responses": ("openai_responses", {"model": "m", "input": [{"type": "function_call_output", "call_id": "c", "output": []}]}),
    "a result that is an empty list, on Messages": ("anthropic_messages", {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": []}]}]}),
    "a setting that no header may hold": ("anthropic_bedrock", {"anthropic_version": "bedrock-2023-05-31", "user_profile_id": "a\n", "anthropic_beta": ["b\0", "c"], "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}),
    "instructions that are a list, where texts are joined": ("cloudflare_run", {"messages": [{"role": "system", "content": [{"type": "text", "text": "Be terse."}, {"type": "text", "text": "It is Monday."}]}, {"role": "user", "content": "Hi"}]}),
    "a schema as text with a number that JSON lacks": ("bedrock_converse", {"outputConfig": {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": {"schema": '{"a": NaN}', "name": "colour"}}}}, "messages": [{"role": "user", "content": [{"text": "Hi"}]}]}),
    "a budget with a decimal point": ("anthropic_messages", {"model": "m", "max_tokens": 4096, "thinking": {"type": "enabled", "budget_tokens": 2048.0}, "messages": [{"role": "user", "content": "Hi"}]}),
}  # fmt: skip


@pytest.mark.parametrize(("wire", "body"), ODD_BODIES.values(), ids=ODD_BODIES)
def test_odd_bodies_come_back(wire: str, body: dict[str, Any]) -> None:
    module = promptwire.wire(wire)
    reading = module.read(body)
    assert reading.understood + reading.kept == reading.leaves
    assert same(module.build(reading.request, policies="verbatim").body, body)


def test_a_budget_with_a_decimal_point_is_an_int() -> None:
    thinking = ODD_BODIES["a budget with a decimal point"][1]
    reasoning = promptwire.anthropic_messages.read(thinking).request.reasoning
    assert reasoning is not None
    assert repr(reasoning.budget) == "2048"
