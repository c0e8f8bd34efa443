"""Digests at cache marks: they stay while the prompt up to the mark stays, and change with anything in it."""

from __future__ import annotations

from typing import Any

import pytest

import promptwire
from promptwire import Cache, Instruction, Options, Request, Text, Tool, assistant, user
from promptwire.results import CachePrefix

SCHEMA = {
    "type": "object",
    "properties": {"cache_control": {"type": "string"}, "cachePoint": {"type": "string"}},
}
TOOL = Tool("weather", "The weather now.", SCHEMA, cache=Cache())
REQUEST = Request(
    "m",
    [user(Text("def f(): pass", cache=Cache()), "Is it well named?")],
    instructions=[Instruction("Two spaces.", cache=Cache()), "Today is Monday."],
    tools=[TOOL],
    options=Options(max_tokens=9),
)
WIRES = {
    "anthropic_messages": ["tools[0]", "system[0]", "messages[0].content[0]"],
    "bedrock_converse": ["toolConfig.tools[1]", "system[1]", "messages[0].content[1]"],
    "openrouter_chat": ["tools[0]", "messages[0].content[0]", "messages[1].content[0]"],
}
wires = pytest.mark.parametrize("name", WIRES)


def prefixes(name: str, **changes: Any) -> tuple[CachePrefix, ...]:
    """Build the request with some fields changed."""
    return promptwire.wire(name).build(REQUEST.replace(**changes)).prefixes


def shared(name: str, **changes: Any) -> int:
    """Return how many prefixes a changed request still has, from the first on."""
    pairs = zip(prefixes(name), prefixes(name, **changes), strict=False)
    same = [one.digest == other.digest for one, other in pairs]
    return next((place for place, equal in enumerate(same) if not equal), len(same))


@wires
def test_each_mark_has_a_prefix_in_the_order_of_the_prompt(name: str) -> None:
    found = prefixes(name)
    assert [prefix.path for prefix in found] == WIRES[name]
    assert [prefix.bytes for prefix in found] == sorted({prefix.bytes for prefix in found})


@wires
@pytest.mark.parametrize(
    ("same", "changes"),
    [
        (3, {"messages": (*REQUEST.messages, assistant("No."), user(Text("Why?", cache=Cache())))}),
        (3, {"options": Options(max_tokens=8), "stream": True}),
        (3, {"messages": [user(Text("def f(): pass", cache=Cache(ttl="5m")), "Is it well named?")]}),
        (2, {"messages": [user(Text("def g(): pass", cache=Cache()), "Is it well named?")]}),
        (1, {"instructions": [Instruction("One space.", cache=Cache()), "Today is Monday."]}),
        (2, {"instructions": [Instruction("Two spaces.", cache=Cache()), "Today is Tuesday."]}),
        (0, {"tools": [TOOL.replace(description="The weather.")]}),
        (0, {"model": "n"}),
    ],
)
def test_a_digest_changes_with_anything_before_its_mark(
    name: str, same: int, changes: dict[str, Any]
) -> None:
    assert shared(name, **changes) == same


def test_a_mark_on_the_whole_body_ends_everything() -> None:
    whole = promptwire.anthropic_messages.build(REQUEST.replace(cache=Cache())).prefixes
    assert [prefix.path for prefix in whole] == [*WIRES["anthropic_messages"], ""]


def test_an_api_without_marks_has_no_prefixes() -> None:
    request = Request("gemini-2.5-flash", [user("hi")])
    assert promptwire.gemini_generate.build(request).prefixes == ()


@wires
def test_a_mark_that_moves_on_leaves_the_prefix_as_it_was(name: str) -> None:
    """A text alone in its message is bare text without its mark, which the API reads as the same."""
    first = REQUEST.replace(messages=[user(Text("def f(): pass", cache=Cache()))])
    second = first.replace(
        messages=[user("def f(): pass"), assistant("No."), user(Text("Why?", cache=Cache()))]
    )
    third = first.replace(
        messages=[
            user("def f(): pass"),
            assistant("No."),
            user(Text("Why?", cache=Cache())),
            assistant("So."),
            user(Text("Go.", cache=Cache())),
        ]
    )
    found = [
        [prefix.digest for prefix in promptwire.wire(name).build(one).prefixes]
        for one in (first, second, third)
    ]
    # tools and instructions in each; then the message with the mark
    assert found[1][-1] == found[2][-2]
    both = second.replace(messages=[*first.messages, *second.messages[1:]])
    assert [prefix.digest for prefix in promptwire.wire(name).build(both).prefixes][-2:] == [
        found[0][-1],
        found[1][-1],
    ]
