"""Details of toolkits: the field that an error names, texts put into requests and taken out again, order and state."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from promptwire import (
    Continuation,
    Instruction,
    Message,
    Request,
    Tool,
    dump_request,
    load_request,
    system,
    user,
)
from promptwire.errors import InvalidRequest, LoadError
from promptwire.toolkits import (
    CollapsingConfig,
    Session,
    Toolkit,
    Toolkits,
    ToolkitState,
    costs,
    load_with_toolkits,
    mcp_toolkit,
    skill,
)
from tests.internals.runtime import bare_of, names_of, own_of, with_memory, with_text, without_text

ONE = Toolkit("One", "one", [Tool("a")])
FIVE: Any = 5


@pytest.mark.parametrize(
    ("make", "field", "text"),
    [
        (lambda: Toolkit("", "x", [Tool("a")]), "name", "a toolkit has a name"),
        (
            lambda: Toolkit("K", "x", [Tool("a")], kind="odd"),
            "kind",
            "K: kind is one of toolkit, skill, mcp, frontend",
        ),
        (lambda: Toolkit("K", "x"), "tools", "the toolkit K holds no function"),
        (lambda: Toolkit("K", "x", [FIVE]), "tools", "a toolkit holds functions and tools, not int"),
        (
            lambda: Toolkits([Toolkit("K", "x", [Tool("a")], uses=["b"])]),
            "uses",
            'K uses "b", which no toolkit has',
        ),
        (
            lambda: Toolkits([ONE, Toolkit("Two", "x", [Tool("a")])]),
            "toolkits",
            '"a" is a function of One and a function of Two: names are unique, so rename one',
        ),
        (
            lambda: Toolkits([FIVE]),
            "toolkits",
            "int is not a toolkit: use Toolkit(name, description, functions), or @toolkit(...) on a class",
        ),
        (
            lambda: Session(Toolkits([ONE]), Request("m", user("Hi"))).expand("Two"),
            "toolkits",
            'no toolkit is named "Two"; known are One',
        ),
        (
            lambda: Session(Toolkits([ONE]), Request("m", user("Hi"), tools=[Tool("One")])),
            "tools",
            'the request has a tool "One", and so is a toolkit named: rename one',
        ),
        (
            lambda: Session(Toolkits([ONE]), Request("m", user("Hi"), tools=[Tool("a")])),
            "tools",
            'the request has a tool "a", and so is a function of One named: rename one',
        ),
        (
            lambda: mcp_toolkit("disk", {"tools": [{}]}),
            "listed",
            "disk: tools/list gives tools, each of which has a name",
        ),
    ],
)
def test_an_error_names_its_field(make: Callable[[], Any], field: str, text: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        make()
    assert raised.value.field == field
    assert str(raised.value).removeprefix(f"{field}: ") == text


@pytest.mark.parametrize(
    ("toolkits", "text"),
    [
        (
            [{"name": "K", "tools": [{"name": "a", "permission": "yes"}]}],
            "toolkits[0].tools[0].permission: expected",
        ),
        ([{"name": "K", "tools": [{"name": "a", "always": 1}]}], "toolkits[0].tools[0].always: expected"),
        ([{"name": "K", "tools": []}], "the toolkit K holds no function"),
        ([{"name": "K", "tools": 5}], "toolkits[0].tools: a list is expected"),
        ([{"tools": []}], "toolkits[0]: an object with a name is expected"),
        ([{"name": "K", "odd": 1}], 'toolkits[0]: "odd" is not a field of a toolkit'),
    ],
)
def test_a_mistake_in_a_file_names_its_place(tmp_path: Any, toolkits: Any, text: str) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "m", "toolkits": toolkits}), "utf-8")
    with pytest.raises(LoadError) as raised:
        load_with_toolkits(path)
    assert f"request.json: {text}" in str(raised.value)


def test_a_file_says_which_functions_require_permission_and_always_show() -> None:
    tools = [{"name": "a", "permission": True}, {"name": "b", "always": True}, {"name": "c"}]
    _, loaded = load_with_toolkits({"model": "m", "toolkits": [{"name": "K", "tools": tools}]})
    assert loaded is not None
    members = {name: placed.member for name, placed in loaded.members.items()}
    assert {name: (member.permission, member.always) for name, member in members.items()} == {
        "a": (True, False),
        "b": (False, True),
        "c": (False, False),
    }


def requests() -> list[Request]:
    layers = (Instruction("One"), Instruction("Two", role="developer"))
    return [
        Request("m", user("Hi")),
        Request("m", user("Hi"), instructions="Be brief."),
        Request("m", user("Hi"), instructions=layers),
        Request("m", [system("S"), user("Hi"), system("later")]),
        Request("m", [user("old"), system("S"), user("Hi")], continuation=Continuation(id="r", start=1)),
        Request("m", [user("old"), user("Hi")], continuation=Continuation(id="r", start=1)),
    ]


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("stored", [False, True], ids=["kept", "stored"])
def test_a_text_is_put_behind_the_instructions_and_taken_out_again(number: int, stored: bool) -> None:
    request = requests()[number]
    told = with_text(request, "RULES")
    assert dump_request(told) != dump_request(request)
    if stored:
        told = load_request(dump_request(told, kept=True))
    # what was kept is found whatever it said; in a stored text, these words are looked for
    assert dump_request(without_text(told, "RULES")) == dump_request(request)
    if not stored:
        assert dump_request(without_text(told, "OTHER")) == dump_request(request)
    assert without_text(request, "RULES") is request
    assert without_text(request, "") is request


def test_a_text_stands_behind_what_instructs() -> None:
    told = [with_text(request, "RULES") for request in requests()]
    assert told[0].instructions == "RULES"
    assert told[1].instructions == "Be brief.\n\nRULES"
    assert [getattr(layer, "text", "") for layer in told[2].instructions or ()] == ["One", "Two", "RULES"]
    assert [texts(message) for message in told[3].messages] == ["S", "RULES", "Hi", "later"]
    assert [texts(message) for message in told[4].messages] == ["old", "S", "RULES", "Hi"]
    assert told[5].instructions == "RULES"


def texts(message: Message) -> str:
    return "".join([getattr(part, "text", "") for part in message.parts])


def test_prepared_instructions_remember_what_they_were() -> None:
    own = (Instruction("R"),)
    for instructions in ("text", (Instruction("text"),)):
        prepared = with_memory(instructions, own)
        assert (prepared, own_of(prepared), bare_of(prepared)) == (instructions, own, prepared)
        more = with_memory("more", own, prepared)
        assert bare_of(more) is prepared
        assert (own_of(instructions), bare_of(instructions)) == (None, instructions)
    assert (own_of(None), bare_of(None)) == (None, None)
    assert with_memory(None, ()) is None
    assert with_memory(None, (Instruction(" "),)) is None
    empty = with_memory(None, own)
    assert (empty, own_of(empty)) == ("", own)
    assert bare_of(with_memory("RULES", None, "")) is None
    assert bare_of(with_memory("RULES", own, empty)) is empty


def test_sorted_groups_are_containers_skills_functions_members() -> None:
    kits = [
        Toolkit("Zoo", "z", [Tool("zebra")]),
        skill("Able", "a", "Look.", tools=[Tool("s")]),
        Toolkit("Open", "o", [Tool("m"), Tool("b")], collapsed=False),
        Toolkit("Ark", "a", [Tool("y"), Tool("c")]),
        Toolkit("Bay", "b", [Tool("d")]),
    ]
    config = CollapsingConfig(expanded_tool_order="grouped_sorted")
    session = Session(Toolkits(kits, config), Request("m", user("Hi"))).expand("Ark")
    assert list(names_of(session.request.tools or ())) == ["Bay", "Zoo", "Able", "b", "m", "c", "y"]


def test_a_state_holds_a_toolkit_once() -> None:
    state = ToolkitState().opened("A")
    assert state.opened("A") is state
    assert state.opened("B").expanded == ("A", "B")
    assert state.said("A", "x").said("A", "y").active == ("A",)
    assert state.said("A", "x").said("A", "y").prompts == {"A": "y"}


def test_costs_count_the_json_of_tools() -> None:
    seen: list[str] = []

    def counted(text: str) -> int:
        seen.append(text)
        return len(text)

    costs(Toolkits([ONE]), Request("m", user("Hi")), estimate=counted)
    assert json.loads(seen[0]) == [{"name": "a"}]
    assert ": " not in seen[0]
    assert ", " not in seen[0]
    assert seen[0] == json.dumps(json.loads(seen[0]), separators=(",", ":"))


@pytest.mark.parametrize(("threshold", "mode"), [(2, "containers"), (3, "none"), (1, "containers")])
def test_as_many_functions_as_the_threshold_are_collapsed(threshold: int, mode: str) -> None:
    kits = Toolkits(
        [Toolkit("K", "k", [Tool("a"), Tool("b")])], CollapsingConfig(deferral_threshold=threshold)
    )
    assert Session(kits, Request("m", user("Hi"))).mode.word == mode


def test_known_names_are_listed_where_none_is_near() -> None:
    two = Toolkits([ONE, Toolkit("Two", "two", [Tool("b")])])
    with pytest.raises(InvalidRequest, match=r'no toolkit is named "Xyz"; known are One, Two$'):
        Session(two, Request("m", user("Hi"))).expand("Xyz")
    with pytest.raises(InvalidRequest, match=r"known are none$"):
        Toolkits([ONE], CollapsingConfig(mcp_server_instructions={"disk": "x"}, absent_servers="error"))


def test_deferred_functions_without_rules_keep_their_descriptions() -> None:
    from promptwire import openai_responses

    session = Session(Toolkits([ONE]), Request("gpt-5.6", user("Hi")), wire=openai_responses)
    group = (session.request.tools or ())[-1]
    assert [tool.description for tool in getattr(group, "tools", ())] == [None]


def test_a_text_from_the_start_is_asked_for_once() -> None:
    asked: list[int] = []

    def rules() -> str:
        asked.append(1)
        return f"RULES {len(asked)}"

    kit = mcp_toolkit("disk", {"tools": [{"name": "open"}]})
    kit = Toolkit(kit.name, kit.description, kit.tools, system_prompt=rules, kind="mcp")
    session = Session(Toolkits([kit], CollapsingConfig(server_activation="start")), Request("m", user("Hi")))
    session = session.turn(user("And?")).turn(user("And now?"))
    assert session.request.instructions == "RULES 1"
