"""Options and extra JSON of one API on a tool choice, a response format and reasoning settings."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import ReasoningOptions, Request, ResponseFormat, Tool, ToolChoice, openai_chat, user
from promptwire.errors import NoPlace
from tests.notes import refused

OWN = {"openai_chat": {"odd": 1}}
NODES: dict[str, Any] = {
    "a choice": ("tool_choice", ToolChoice("required", vendor=OWN)),
    "a choice of parallel alone": ("tool_choice", ToolChoice(parallel=False, vendor=OWN)),
    "a format that is an object": ("response_format", ResponseFormat("text", vendor=OWN)),
    "reasoning in keys of the body": ("reasoning", ReasoningOptions(effort="low", vendor=OWN)),
}


@pytest.mark.parametrize("name", NODES)
def test_an_unknown_option_is_dropped_alone(name: str) -> None:
    field, node = NODES[name]
    request = Request("gpt-5", [user("Hi")], tools=[Tool("f")], **{field: node})
    without = openai_chat.build(request.replace(**{field: node.replace(vendor=None)})).body
    with pytest.raises(NoPlace, match=r"vendor\.openai_chat\.odd"):
        openai_chat.build(request)
    built = openai_chat.build(request, policies="lenient")
    assert built.body == without
    assert [(note.action, note.path, note.field) for note in built.notes] == [
        ("dropped", field, "vendor.openai_chat.odd")
    ]


def test_extra_json_is_merged_into_a_format() -> None:
    form = ResponseFormat("text", extra={"openai_chat": {"odd": {"a": 1}}, "xai_chat": {"b": 2}})
    built = openai_chat.build(Request("gpt-4o", [user("Hi")], response_format=form))
    assert built.body["response_format"] == {"type": "text", "odd": {"a": 1}}
    assert [str(note).partition(":")[0] for note in built.notes] == [
        "added response_format.extra",
        "dropped response_format.extra.xai_chat",
    ]


def test_extra_json_has_no_place_in_a_word() -> None:
    request = Request("gpt-4o", [user("Hi")], tools=[Tool("f")], tool_choice=ToolChoice("auto", extra=OWN))
    with refused(NoPlace, "tool_choice.extra.openai_chat"):
        openai_chat.build(request)
