"""Rules are asked about each role and node that they match, once, with the most informative reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptwire import Cache, Image, Message, Options, Request, Tool, ToolCall, ToolResult
from promptwire.errors import Refused
from tests.compiler.compiled import load_wire
from tests.compiler.ruled_spec import SPEC, in_words, ruled
from tests.counting import lines_run

USER = Message("user", "hi")
RESULT = Message("tool", [ToolResult("a1", "done")])
HELD = Image(data="AA==", media_type="image/png", cache=Cache())


def said(*messages: Message) -> Request:
    return Request("m", messages)


EVERY_TEMPERATURE = """\
  - when: {model: ["m*"]}
    reject: [temperature]
    because: it takes none
    source: the vendor's page, 2026-11
"""


@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_what_two_rules_refuse_is_said_once_with_the_reason_that_says_more(
    tmp_path: Path, first: bool
) -> None:
    head, _, rule = ruled("temperature>2").partition("rules:\n")
    rules = EVERY_TEMPERATURE + rule if first else rule + EVERY_TEMPERATURE
    made = load_wire(tmp_path, "ruled_chat", f"{head}rules:\n{rules}")
    with pytest.raises(Refused, match="temperature 3 is refused for m: it takes none") as caught:
        made.build(Request("m", [USER], options=Options(temperature=3)))
    assert (caught.value.path, caught.value.field) == ("options", "temperature")
    notes = made.build(
        Request("m", [USER], options=Options(temperature=3)), policies="loss=note,refusals=send,repairs=off"
    ).notes
    assert [(note.action, note.path, note.field) for note in notes] == [("refused", "options", "temperature")]


OF_A_ROLE = [
    "message.role=tool",
    "tool.after=start",
    "tool.after=start|user.text",
    "tool.count>=1",
    "tool.count<2",
]


@pytest.mark.parametrize("entry", OF_A_ROLE)
@pytest.mark.parametrize("items", [False, True], ids=["messages", "items"])
def test_a_rule_about_a_role_is_asked_where_its_results_are_items(
    tmp_path: Path, entry: str, items: bool
) -> None:
    spec = ruled(entry)
    if items:
        spec = spec.replace('  tool: {role: tool, content: "$content[]"}\n', "")
        spec = spec.replace(
            "tool_result@tool,user: {type: result,", "tool_result@tool>messages: {role: tool,"
        ).replace("\nrules:", "\nflat_items: true\nrules:")
    made = load_wire(tmp_path, "ruled_chat", spec)
    with pytest.raises(Refused) as caught:
        made.build(said(RESULT))
    assert caught.value.path == "messages[0]"
    assert entry.startswith(caught.value.field)
    assert made.build(said(USER)).notes == ()


@pytest.mark.parametrize("entry", ["user.count>0", "user.count!=2", "user.count>=1"])
def test_a_rule_about_how_many_parts_is_asked_where_there_is_one(tmp_path: Path, entry: str) -> None:
    made = load_wire(tmp_path, "ruled_chat", ruled(entry))
    with pytest.raises(Refused, match="a user message with one part is refused"):
        made.build(said(USER))


def test_a_node_that_recurs_is_looked_at_wherever_it_stands(tmp_path: Path) -> None:
    after = load_wire(tmp_path, "ruled_chat", ruled("user.after=assistant.*"))
    with pytest.raises(Refused, match="a user message after an assistant message with text is refused"):
        after.build(said(USER, Message("assistant", "hm"), USER))
    (tmp_path / "part").mkdir()
    inside = load_wire(tmp_path / "part", "ruled_chat", ruled("assistant.part=image"))
    inside.build(said(Message("user", [HELD])))
    with pytest.raises(Refused, match="an image in an assistant message is refused"):
        inside.build(said(Message("user", [HELD]), Message("assistant", [HELD])))


def test_options_of_another_api_meet_no_rule(tmp_path: Path) -> None:
    made = load_wire(tmp_path, "ruled_chat", ruled("user.image.vendor.crop"))
    other = Image(data="AA==", media_type="image/png", vendor={"elsewhere": {"crop": True}})
    fields = [note.field for note in made.build(said(Message("user", [other]))).notes]
    assert fields == ["media_type", "vendor.elsewhere.crop"]
    with pytest.raises(Refused):
        made.build(
            said(
                Message(
                    "user",
                    [Image(data="AA==", media_type="image/png", vendor={"ruled_chat": {"crop": True}})],
                )
            )
        )


FOR_ONE_MODEL = """\
  - when: {model: ["blind*"]}
    reject: [ENTRY]
    because: it sees nothing
    source: the vendor's page, 2026-11
"""


@pytest.mark.parametrize(
    ("entry", "message", "path"),
    [
        ("part=image", Message("user", ["see", HELD]), "messages[0].parts[1]"),
        ("user.part=image", Message("user", [HELD]), "messages[0].parts[0]"),
        ("tool.part=image", Message("tool", [ToolResult("a1", [HELD])]), "messages[0].parts[0].parts[0]"),
    ],
)
def test_a_kind_of_part_that_one_model_rejects_costs_the_others_nothing(
    tmp_path: Path, entry: str, message: Message, path: str
) -> None:
    head = SPEC.partition("rules:\n")[0]
    (tmp_path / "without").mkdir()
    without = load_wire(tmp_path / "without", "ruled_chat", head)
    made = load_wire(
        tmp_path, "ruled_chat", f"{head}rules:\n{FOR_ONE_MODEL.replace('ENTRY', in_words(entry))}"
    )
    with pytest.raises(Refused, match=r"an image .*is refused for blind-1: it sees nothing") as caught:
        made.build(Request("blind-1", [message]))
    assert (caught.value.path, caught.value.field) == (path, entry.partition("=")[0])
    assert made.build(Request("blind-1", [USER])).notes == ()
    for seen in (message, USER):
        request = Request("m", [seen])
        assert lines_run(lambda: made.build(request)) == lines_run(lambda: without.build(request))  # noqa: B023


def test_kinds_of_tools_that_one_model_rejects_cost_the_others_nothing(tmp_path: Path) -> None:
    head = SPEC.partition("rules:\n")[0]
    (tmp_path / "without").mkdir()
    without = load_wire(tmp_path / "without", "ruled_chat", head)
    rule = FOR_ONE_MODEL.replace("ENTRY", in_words("tool=function"))
    made = load_wire(tmp_path, "ruled_chat", f"{head}rules:\n{rule}")
    with pytest.raises(Refused, match="a function tool is refused for blind-1: it sees nothing"):
        made.build(Request("blind-1", [USER], tools=[Tool("f")]))
    request = Request("m", [USER], tools=[Tool("f")])
    without.build(request)
    assert lines_run(lambda: made.build(request)) == lines_run(lambda: without.build(request))


WORDS = [
    "message.role!=user",
    "message.role=assist*",
    "message.role",
    "assistant.part!=text",
    "tools.count>=1",
]


@pytest.mark.parametrize("entry", WORDS)
def test_patterns_and_anything_but_are_looked_for(tmp_path: Path, entry: str) -> None:
    made = load_wire(tmp_path, "ruled_chat", ruled(entry))
    call = Message("assistant", [ToolCall("a1", "f", {})])
    with pytest.raises(Refused) as caught:
        made.build(Request("m", [call], tools=[Tool("f")]))
    assert entry.startswith(caught.value.field)


def test_kinds_of_tools_name_the_tool(tmp_path: Path) -> None:
    made = load_wire(tmp_path, "ruled_chat", ruled("tool=function"))
    request = Request("m", [USER], tools=[Tool("a"), Tool("b")])
    with pytest.raises(Refused) as caught:
        made.build(request)
    assert (caught.value.path, caught.value.field) == ("tools[0]", "tool")
    notes = made.build(request, policies="loss=note,refusals=send,repairs=off").notes
    assert [(note.action, note.path) for note in notes] == [("refused", "tools[0]"), ("refused", "tools[1]")]


@pytest.mark.parametrize(
    ("entry", "path"), [("last_message.role=user", "messages[1]"), ("first_message.role=user", "messages[0]")]
)
def test_a_rule_about_the_ends_names_the_message(tmp_path: Path, entry: str, path: str) -> None:
    made = load_wire(tmp_path, "ruled_chat", ruled(entry))
    with pytest.raises(Refused) as caught:
        made.build(said(USER, Message("user", "there")))
    assert caught.value.path == path


@pytest.mark.parametrize("role", ["user", "tool"])
def test_what_a_tool_returned_is_its_own_wherever_the_result_stands(tmp_path: Path, role: str) -> None:
    picture = Image(data="AA==", media_type="image/png")
    turn = Message(role, [ToolResult("a1", (picture,))])
    for name in ("tool", "user"):
        (tmp_path / name).mkdir()
    of_tools = load_wire(tmp_path / "tool", "ruled_chat", ruled("tool.part=image"))
    with pytest.raises(Refused) as caught:
        of_tools.build(said(turn))
    assert caught.value.path == "messages[0].parts[0].parts[0]"
    of_users = load_wire(tmp_path / "user", "ruled_chat", ruled("user.part=image"))
    assert "refused" not in {note.action for note in of_users.build(said(turn)).notes}
    with pytest.raises(Refused):
        of_users.build(said(Message("user", [picture])))
    plain = of_tools.build(said(Message("user", [picture])))
    assert "refused" not in {note.action for note in plain.notes}
