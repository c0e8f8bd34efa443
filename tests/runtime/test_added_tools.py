"""Tools that a message brings along are tools of the request: for its choice, and for the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import promptwire
from promptwire import Message, Options, Request, Tool, ToolChoice, anthropic_messages, openai_responses, user
from promptwire.errors import InvalidRequest, Refused
from promptwire.parts import ToolAddition, ToolGroup
from tests.notes import refused

OBJECT = {"type": "object"}


def adding(schema: dict[str, Any], choice: ToolChoice | None = None) -> Request:
    added = Message("system", [ToolAddition(tools=(Tool("later", parameters=schema),))])
    tools = [Tool("now", parameters=OBJECT)]
    options = Options(max_tokens=9)
    return Request("claude-opus-4-8", [user("hi"), added], tools=tools, tool_choice=choice, options=options)


def test_one_of_them_may_be_chosen() -> None:
    built = anthropic_messages.build(adding(OBJECT, ToolChoice("named", "later")))
    assert built.body["tool_choice"] == {"type": "tool", "name": "later"}
    assert {note.field for note in built.notes} == {"settings.betas"}
    with refused(Refused, "tool_choice.tool_choice.name"):
        anthropic_messages.build(adding(OBJECT, ToolChoice("named", "never")))


@pytest.mark.parametrize(
    "choice", [ToolChoice("named", "later"), ToolChoice("required"), ToolChoice(parallel=False)], ids=repr
)
def test_they_may_be_the_only_tools_beside_a_choice(choice: ToolChoice) -> None:
    request = adding(OBJECT, choice).replace(tools=None)
    assert "tool_choice" in anthropic_messages.build(request).body
    developer = [request.messages[0], request.messages[1].replace(role="developer")]
    built = openai_responses.build(
        request.replace(model="gpt-5.5", messages=developer, options=Options(max_tokens=16))
    )
    assert not {"tool_choice", "parallel_tool_calls"}.isdisjoint(built.body)


def test_a_choice_among_them_names_one_of_them() -> None:
    request = adding(OBJECT, ToolChoice("named", "never")).replace(tools=None)
    with refused(Refused, "tool_choice.tool_choice.name"):
        anthropic_messages.build(request)


def test_rules_look_at_them() -> None:
    with pytest.raises(Refused, match=r'the tool "later" without parameters\.type is refused') as caught:
        anthropic_messages.build(adding({"anyOf": []}))
    assert caught.value.path == "messages[1].parts[0].tools[0]"


TWO = (Tool("a", parameters=OBJECT), Tool("b", parameters=OBJECT))


@pytest.mark.parametrize(("tools", "policies"), [((), "strict"), ((), "lenient"), (TWO, "strict")])
def test_an_api_that_adds_one_at_a_time_takes_no_other_number(tools: tuple[Tool, ...], policies: str) -> None:
    added = Message("system", [ToolAddition(tools=tools)])
    request = Request("claude-opus-4-8", [user("hi"), added], options=Options(max_tokens=9))
    with pytest.raises(
        InvalidRequest, match=f"tools has {len(tools)} entries; this API accepts exactly 1"
    ) as caught:
        anthropic_messages.build(request, policies=policies)
    assert (caught.value.path, caught.value.field) == ("messages[1].parts[0]", "tools")


def test_several_are_sent_one_by_one() -> None:
    added = Message("system", [ToolAddition(tools=TWO)])
    request = Request("claude-opus-4-8", [user("hi"), added], options=Options(max_tokens=9))
    built: Any = anthropic_messages.build(request, policies="portable")
    assert [block["tool"]["definition"]["name"] for block in built.body["messages"][1]["content"]] == [
        "a",
        "b",
    ]
    assert [str(note) for note in built.notes][:1] == [
        "replaced messages[1].parts[0].tools: Anthropic Messages adds one tool at a time; sent one by one"
    ]


LIMITED = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}
UNION = {"anyOf": [LIMITED, {"type": "object", "properties": {"z": {"type": "string"}}}]}


@pytest.mark.parametrize(
    ("wire", "model", "role"),
    [("openai_responses", "gpt-5.5", "developer"), ("anthropic_messages", "claude-opus-4-8", "system")],
)
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(("schema", "strict"), [(LIMITED, True), (UNION, True), (UNION, None)])
def test_their_schemas_are_adapted_like_those_of_the_request(
    wire: str, model: str, role: Any, schema: dict[str, Any], strict: bool | None, grouped: bool
) -> None:
    if grouped and wire == "anthropic_messages":
        pytest.skip("the API has no groups")
    tool = Tool("later", "Comes later.", schema, strict=strict)
    added = Message(role, [ToolAddition([ToolGroup("g", "A group.", tools=[tool]) if grouped else tool])])
    first = tool.replace(name="now")
    request = Request(model, [user("hi"), added], tools=[first], options=Options(max_tokens=90))
    with pytest.raises(Refused):
        promptwire.wire(wire).build(request.replace(tools=None))
    built = promptwire.wire(wire).build(request, policies="portable")
    (sent,) = [found for found in _objects(built.body) if found.get("name") == "now"]
    (later,) = [found for found in _objects(built.body) if found.get("name") == "later"]
    key = "parameters" if "parameters" in sent else "input_schema"
    assert later[key] == sent[key] != schema
    assert any(note.path.startswith("messages[1].parts[0].tools[0]") for note in built.notes)
    assert promptwire.wire(wire).check(built.body) == ()


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects inside a JSON value."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(inner)


def test_groups_among_them_become_their_tools_where_there_are_no_groups() -> None:
    """Codex sends its tools this way: https://github.com/openai/codex."""
    now, run = Tool("now", parameters=OBJECT), Tool("run", parameters=OBJECT)
    added = Message("system", [ToolAddition(tools=(now, ToolGroup("functions", tools=(run, now))))])
    request = Request("claude-opus-4-8", [user("hi"), added], options=Options(max_tokens=9))
    with refused(promptwire.errors.NoPlace, "messages[1].parts[0].tools[1].group"):
        anthropic_messages.build(request)
    built: Any = anthropic_messages.build(request, policies="portable")
    names = [block["tool"]["definition"]["name"] for block in built.body["messages"][1]["content"]]
    assert names == ["now", "run"]
    assert [note.field for note in built.notes][:3] == ["group", "function", "tools"]
