"""Edges of toolkits: what is asked for when, what an error says, and where a text stands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

import pytest

from promptwire import (
    Answer,
    Continuation,
    CustomTool,
    Image,
    Instruction,
    Json,
    Message,
    Reasoning,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    anthropic_messages,
    assistant,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)
from promptwire.errors import AnswerError, ContextError, InvalidRequest
from promptwire.parts import ToolGroup
from promptwire.plugins import Provenance
from promptwire.results import Candidate
from promptwire.toolkits import (
    CollapsingConfig,
    InvocationFilter,
    Session,
    Toolkit,
    Toolkits,
    ToolkitState,
    attribute,
    cost_table,
    costs,
    frontend_tools,
    lints,
    mcp_result,
    mcp_toolkit,
    skill,
    tool,
    toolkit,
    toolkit_of,
)
from tests.internals.runtime import in_order, mode_of, without_expansions, without_text

FIVE: Any = 5
HI = Request("m", user("Hi"))


def answer_of(*parts: Any) -> Answer:
    return Answer(candidates=(Candidate(message=assistant(*parts)),))


def session(*kits: Toolkit, wire: Any = None, model: str = "m", **config: Any) -> Session:
    return Session(Toolkits(kits, CollapsingConfig(**config)), Request(model, user("Hi")), wire=wire)


def first_part(message: Message) -> Any:
    """Return the first part of a message."""
    return message.parts[0]


def entries_of(kit: Toolkit) -> tuple[Any, ...]:
    """Return functions and toolkits of a toolkit, as values of any type."""
    return kit.entries


def text_of(built: Session) -> str:
    instructions = built.request.instructions
    return instructions if isinstance(instructions, str) else ""


def one(name: str, **fields: Any) -> Toolkit:
    return Toolkit(name, f"Does {name}", [Tool(f"{name.lower()}_a"), Tool(f"{name.lower()}_b")], **fields)


# ---- advice


@pytest.mark.parametrize(
    ("count", "config", "trouble"),
    [
        (4, {}, ()),
        (3, {"prompt_lifetime": "session"}, ()),
        (2, {"prompt_lifetime": "while_expanded"}, ()),
        (
            4,
            {"prompt_lifetime": "session"},
            (
                "4 toolkits have a system prompt that stays (session): they gather in every model call; "
                "message_turn clears them",
            ),
        ),
    ],
)
def test_advice_on_prompts_that_gather(count: int, config: Any, trouble: tuple[str, ...]) -> None:
    kits = [one(f"K{number}", system_prompt="Rules.") for number in range(count)]
    assert lints(Toolkits([*kits, one("Quiet")], CollapsingConfig(**config))) == trouble


def test_advice_on_single_toolkits() -> None:
    kits = [
        one("Long", system_prompt="x" * 1001),
        one("Fits", system_prompt="x" * 1000),
        Toolkit("Lone", "Does one thing", [Tool("lone_a")]),
        Toolkit("Bare", None, [Tool("bare_a"), Tool("bare_b")]),
        Toolkit("Open", None, [Tool("open_a")], collapsed=False),
        skill("Brief", "When in a hurry", "Be brief.", uses=["lone_a"]),
    ]
    assert lints(Toolkits(kits)) == (
        "Long.system_prompt has 1,001 characters, in every model call while it counts: say it in 1,000",
        "Lone holds one function: a container for it costs a call and spares nothing",
        "Bare has no description: a model does not know when to call it",
    )


# ---- errors


class Needy:
    def __init__(self, path: str, *rest: str, limit: int = 3, **more: str) -> None: ...


@toolkit
class Needing(Needy):
    """Needs something."""

    @tool
    def look(self) -> str:
        """Look."""
        return ""


@toolkit("Odd", system_prompt=attribute("rules"))
class Missing:
    @tool
    def look_up(self) -> str:
        """Look."""
        return ""


UNRUN = Toolkits([one("Files")])
CHOSEN = Toolkits([one("Files")])


@pytest.mark.parametrize(
    ("make", "field", "text"),
    [
        (
            lambda: UNRUN.member("nothing"),
            "tools",
            'no toolkit has a function named "nothing"; known are files_a, files_b',
        ),
        (
            lambda: UNRUN.member("files_a"),
            "tools",
            "files_a is yours to run: Files has only its description",
        ),
        (lambda: toolkit_of(Needing), "toolkits", "Needing is made with path: give Needing(...)"),
        (
            lambda: toolkit_of(int),
            "toolkits",
            "int is not a toolkit: use Toolkit(name, description, functions), or @toolkit(...) on a class",
        ),
        (
            lambda: toolkit_of(Missing),
            "system_prompt",
            "Missing has no rules, which system_prompt names",
        ),
        (lambda: Toolkit("K", "x", FIVE), "tools of K", "tools of K are a list, not int"),
        (lambda: Toolkit("K", "x", [Tool("a")], uses=FIVE), "uses of K", "uses of K are a list, not int"),
        (
            lambda: Toolkit("K", FIVE, [Tool("a")]),
            None,
            "K.description is text, or a function that gives it, not int",
        ),
        (
            lambda: Toolkits(
                [one("Files")], invocation_filters=[InvocationFilter(name="log", functions=["files_c"])]
            ),
            "filter log, functions",
            'filter log, functions: no function is named "files_c": did you mean "files_b"?',
        ),
        (
            lambda: Toolkits(
                [one("Files")], invocation_filters=[InvocationFilter(name="log", toolkits=["Zebra"])]
            ),
            "filter log, toolkits",
            'filter log, toolkits: no toolkit is named "Zebra": known are Files',
        ),
        (
            lambda: Toolkits(
                [one("Files")],
                CollapsingConfig(mcp_server_instructions={"disk": "x"}, absent_servers="error"),
            ),
            "mcp_server_instructions",
            'mcp_server_instructions: no MCP server is named "disk": known are none',
        ),
        (
            lambda: Toolkits([Toolkit("Outer", "x", [one("Inner")]), one("Inner")]),
            "toolkits",
            '"Inner" is the toolkit at Outer and the toolkit at the top: names are unique, so rename one',
        ),
        (
            lambda: Toolkits([one("Same"), one("Same")]),
            "toolkits",
            '"Same" is the toolkit at the top and the toolkit at the top: names are unique, so rename one',
        ),
        (
            lambda: Session(CHOSEN, Request("m", user("Hi"), tool_choice=ToolChoice("named", "files_a"))),
            "tool_choice",
            'tool_choice names "files_a", which does not show: expand Files first',
        ),
        (lambda: mcp_result("c", 5), "content", "tools/call gives an object with content"),
        (lambda: mcp_result("c", {"content": 5}), "content", "tools/call gives an object with content"),
        (lambda: mcp_result("c", {"content": [5]}), "content", "content[0] is None, which is not known"),
        (
            lambda: mcp_result("c", {"content": [{"type": "text", "text": "x"}, {"type": "odd"}]}),
            "content",
            "content[1] is 'odd', which is not known",
        ),
        (
            lambda: mcp_result("c", {"content": [{"type": "text"}]}),
            "content",
            "content[0] is of the type text, without text",
        ),
        (
            lambda: session(one("Files"), wire=FIVE),
            None,
            "int is not the module of an API: pass promptwire.openai_responses or another",
        ),
        (lambda: ToolkitState.of_json([]), None, "a state of toolkits is an object, not list"),  # type: ignore[arg-type]
        (lambda: ToolkitState.of_json({"odd": []}), "odd", 'a state of toolkits has no "odd"'),
        (
            lambda: ToolkitState.of_json({"expanded": {"a": "b"}}),
            "expanded",
            "in a state of toolkits, expanded is a list of texts",
        ),
        (
            lambda: ToolkitState.of_json({"prompts": ["a"]}),
            "prompts",
            "in a state of toolkits, prompts is an object of texts",
        ),
        (
            lambda: ToolkitState.of_json({"prompts": {"a": 5}}),
            "prompts",
            "in a state of toolkits, prompts is an object of texts",
        ),
    ],
)
def test_what_an_error_says(make: Callable[[], Any], field: str | None, text: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        make()
    assert str(raised.value).endswith(text)
    if field is not None and not field.endswith(" of K"):
        assert raised.value.field == field


def test_an_approval_is_true_false_or_a_reason() -> None:
    @tool(permission=True)
    def erase() -> str:
        """Erase."""
        return "gone"

    kit = session(Toolkit("Disk", "x", [erase]))
    call = ToolCall("c1", "erase", {})

    def answered(given: Any, _: Any) -> Any:
        return given

    said: list[tuple[Any, Any]] = [
        (True, "gone"),
        (False, "erase was not called: permission was refused"),
        ("not today", "erase was not called: permission was refused: not today"),
    ]
    for given, expected in said:
        assert kit.run(call, approve=partial(answered, given)) == tool_result(call, expected)
    with pytest.raises(InvalidRequest, match="erase requires permission: pass approve="):
        kit.run(call)
    odd: Any = lambda _: 5  # noqa: E731
    with pytest.raises(ContextError) as raised:
        kit.run(call, approve=odd)
    assert str(raised.value) == (
        "approval of erase: returned int: return True, False, or text with the reason of a refusal"
    )


def test_filters_may_change_arguments_alone() -> None:
    def look(name: str) -> str:
        """Look."""
        return f"saw {name}"

    call = ToolCall("c1", "look", {"name": "a"})

    def ran(before: Any = None, after: Any = None) -> Any:
        kits = Toolkits(
            [Toolkit("Eyes", "x", [look])],
            invocation_filters=[InvocationFilter(name="f", before=before, after=after)],
        )
        return Session(kits, HI).run(call)

    assert ran(lambda _: ToolCall("c1", "look", {"name": "b"})) == tool_result(call, "saw b")
    assert ran(lambda _: None) == tool_result(call, "saw a")
    assert ran(lambda _: "no") == tool_result(call, "no")
    assert ran(after=lambda _, __: "changed") == tool_result(call, "changed")
    assert ran(after=lambda _, __: None) == tool_result(call, "saw a")
    for other in (ToolCall("c2", "look", {}), ToolCall("c1", "see", {})):
        with pytest.raises(
            ContextError, match=r"^filter f, before look: changed the name or the id of the call"
        ):
            ran(lambda _, other=other: other)
    with pytest.raises(
        ContextError, match=r"^filter f, before look: returned int, not text, a message or None$"
    ):
        ran(lambda _: 5)
    with pytest.raises(
        ContextError, match=r"^filter f, after look: returned int, not text, a message or None$"
    ):
        ran(after=lambda _, __: 5)


# ---- marks and members


def test_options_of_a_marked_function() -> None:
    @tool("Says more", name="look_up", always=True)
    def look(city: str) -> str:
        """Not for the model."""
        return city

    (member,) = entries_of(Toolkit("K", "x", [look]))
    assert isinstance(member.tool, Tool)
    assert (member.name, member.tool.description, member.always, member.permission) == (
        "look_up",
        "Says more",
        True,
        False,
    )

    class Eyes:
        """Look at cities."""

        seeing = look

    bare, named = toolkit_of(toolkit(Eyes)), toolkit_of(toolkit("Sights", name="Sight")(Eyes))
    assert (bare.name, bare.description, bare.names) == ("Eyes", "Look at cities.", ("look_up",))
    assert (named.name, named.description, named.names) == ("Sight", "Sights", ("look_up",))


def test_what_a_server_says_of_its_tools() -> None:
    rows = [
        {"name": "a", "description": "Says", "title": "Titled", "annotations": {"title": "Noted"}},
        {"name": "b", "title": "Titled", "annotations": {"title": "Noted", "destructiveHint": True}},
        {"name": "c", "annotations": {"title": "Noted", "destructiveHint": "yes"}},
        {"name": "d", "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}}}},
    ]
    called: list[Any] = []
    kit = mcp_toolkit("disk", rows, prefix="disk_", call=lambda name, given: called.append((name, given)))
    assert kit.description == "Tools of disk"
    assert [(row.name, row.tool.description, row.permission) for row in entries_of(kit)] == [
        ("disk_a", "Says", False),
        ("disk_b", "Titled", True),
        ("disk_c", "Noted", False),
        ("disk_d", None, False),
    ]
    schemas = [row.tool.parameters for row in entries_of(kit) if isinstance(row.tool, Tool)]
    assert schemas[0] == {"type": "object", "properties": {}}
    assert schemas[3] == rows[3]["inputSchema"]
    Session(Toolkits([kit]), HI).expand("disk").run(ToolCall("c1", "disk_a", {}))
    assert called == [("a", {})]


class Listed:
    """An object of a package that has its JSON."""

    def __init__(self, **row: Any) -> None:
        self.row = row

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return self.row


def test_a_list_of_objects_of_the_package() -> None:
    kit = mcp_toolkit("disk", [Listed(name="a"), Listed(name="b")])
    assert kit.names == ("a", "b")
    from_result = mcp_toolkit("disk", Listed(tools=[{"name": "c"}]))
    assert from_result.names == ("c",)
    with pytest.raises(InvalidRequest, match=r"^c is yours to run: disk has only its description"):
        Toolkits([from_result]).member("c")


def test_parts_of_a_result_of_a_server() -> None:
    blocks = [
        {"type": "resource_link", "uri": "file:///a", "name": "a.txt", "title": "A", "description": "Text"},
        {"type": "resource_link", "uri": "file:///b", "name": "b.txt"},
        {
            "type": "resource",
            "resource": {"uri": "file:///c.png", "blob": "iVBORw==", "mimeType": "image/png"},
        },
        {"type": "resource", "resource": {"uri": "file:///d/e.bin", "blob": "AA=="}},
        {"type": "resource", "resource": {"uri": "x:/", "blob": "AA==", "mimeType": "application/pdf"}},
    ]
    result = first_part(mcp_result("c1", {"content": blocks}))
    first, second, third, fourth, fifth = result.parts
    assert (first.text, second.text) == ("file:///a (A) (Text)", "file:///b (b.txt)")
    assert isinstance(third, Image)
    assert (fourth.filename, fourth.media_type) == ("e.bin", "application/octet-stream")
    assert (fifth.filename, fifth.media_type) == ("x:/", "application/pdf")
    assert mcp_result("c1", {}) == tool_result("c1", [])


# ---- sessions


def test_a_description_that_must_be_awaited_names_the_way() -> None:
    async def says() -> str:
        await asyncio.sleep(0)
        return "Files of the user"

    kits = Toolkits([Toolkit("Files", says, [Tool("a"), Tool("b")])])
    with pytest.raises(ContextError, match=r"Session\.begin_async$"):
        Session(kits, HI)
    begun = asyncio.run(Session.begin_async(kits, HI))
    tools = begun.request.tools or ()
    assert [getattr(row, "description", None) for row in tools] == ["Files of the user (a, b, ...)"]
    assert begun.state.descriptions == {"Files": "Files of the user"}


def test_a_session_goes_on_with_another_api_and_model() -> None:
    begun = session(one("Files"))
    same = begun.on(openai_chat)
    assert (same.bare.model, same.wire) == ("m", openai_chat)
    other = begun.on(None, "n")
    assert (other.bare.model, other.wire, other.request.model) == ("n", None, "n")


def test_a_continuation_knows_the_host_of_its_answer() -> None:
    begun = Session(Toolkits([one("Files")]), Request("gpt-5", user("Hi"), continuation=Continuation()))
    built = openai_responses.build(begun.request, settings={"base_url": "http://here"})
    answer = Answer(
        id="resp_1",
        candidates=(Candidate(message=assistant("Hello.")),),
        continuation=Continuation(id="resp_1", wire="openai_responses"),
    )
    bound = begun.after(answer, user("Bye"), built=built).bare.continuation
    unbound = begun.after(answer, user("Bye")).bare.continuation
    assert bound == begun.request.after(answer, user("Bye"), built=built).continuation
    assert unbound == begun.request.after(answer, user("Bye")).continuation
    assert bound != unbound


def test_a_result_without_its_call_being_the_callers() -> None:
    call = ToolCall("c1", "Files", {})
    begun = session(one("Files"))
    with pytest.raises(AnswerError, match=r"^Files is answered by the session: leave its result out$"):
        begun.after(answer_of(call), tool_result("c1", "x"))
    own = {0: tool_result("c1", "ours")}
    other = ToolCall("c2", "files_a", {})
    said = in_order([call, other], own, [user("and"), tool_result("c2", "theirs")])
    assert said == [own[0], tool_result("c2", "theirs"), user("and")]


def test_a_hidden_call_is_remembered_only_where_its_result_leaves_the_history() -> None:
    hidden = answer_of(ToolCall("c1", "files_a", {}))
    nameless = answer_of(ToolCall(None, "files_a", {}))
    assert session(one("Files")).after(hidden).state.answered == ()
    brief = session(one("Files"), function_result_lifetime="ephemeral")
    assert brief.after(hidden).state.answered == ("c1",)
    assert brief.after(nameless).state.answered == ()
    result = first_part(brief.after(hidden).bare.messages[-1])
    assert result.parts[0].text == (
        "Files is expanded. Its functions: files_a, files_b.\n\nfiles_a was not shown until now: call it again."
    )
    gone = brief.after(hidden).turn(user("Next"))
    assert gone.bare.messages == (user("Hi"), user("Next"))
    assert gone.state.answered == ()


def test_a_text_is_asked_for_again_after_its_toolkit_was_collapsed() -> None:
    said: Iterator[str] = iter(["first", "second"])
    kit = one("Files", system_prompt=lambda: next(said))
    begun = session(kit, prompt_lifetime="while_expanded").expand("Files")
    assert text_of(begun) == "first"
    closed = begun.collapse("Files")
    assert (text_of(closed), closed.state.prompts, closed.state.active) == ("", {}, ())
    assert text_of(closed.expand("Files")) == "second"
    kept = session(one("Git", system_prompt="G"), prompt_lifetime="session").expand("Git").collapse("Git")
    assert (text_of(kept), kept.state.expanded) == ("G", ())


def test_expanding_twice_asks_nothing_again() -> None:
    count: list[int] = []

    def opened() -> str:
        count.append(1)
        return "open"

    kit = one("Files", function_result=opened)
    twice = (
        session(kit)
        .after(answer_of(ToolCall("c1", "Files", {})))
        .after(answer_of(ToolCall("c2", "Files", {})))
    )
    result = first_part(twice.bare.messages[-1])
    assert result.parts[0].text == "Files is expanded already. Its functions: files_a, files_b."
    assert count == [1]


def test_views_of_toolkits_are_forgotten_after_a_while() -> None:
    kits = Toolkits([one(f"K{number}") for number in range(7)])
    subsets = [names for size in range(4) for names in combinations(kits.kits, size)][:64]
    for names in subsets:
        shown = Session(kits, HI).expand(*names).shown
        assert len(shown) == 7 + len(names)
        assert len(kits.blocks) <= 64
    assert len(kits.blocks) == 64
    Session(kits, HI).expand(*kits.kits)
    assert len(kits.blocks) == 1


# ---- deferral by the API


def native(rules: str, **config: Any) -> Session:
    kits = [one("Files", system_prompt="FILE RULES"), Toolkit("Open", "x", [Tool("open_a")], collapsed=False)]
    return session(*kits, wire=openai_responses, deferral="native", native_instructions=rules, **config)


def deferred(begun: Session) -> dict[str, Any]:
    rows: list[Any] = [
        row for group in begun.request.tools or () for row in getattr(group, "tools", (group,))
    ]
    return {row.name: row.description for row in rows if getattr(row, "deferred", None)}


def test_rules_stand_in_descriptions_alone_where_the_search_brings_them() -> None:
    found = native("search_result")
    assert deferred(found) == {"files_a": "FILE RULES", "files_b": "FILE RULES"}
    assert text_of(found) == ""
    used = found.after(answer_of(ToolCall("c1", "files_a", {})), tool_result("c1", "x"))
    assert text_of(used) == ""
    for rules, start, later in (("instructions", "FILE RULES", "FILE RULES"), ("use", "", "FILE RULES")):
        begun = native(rules)
        assert (deferred(begun), text_of(begun)) == ({"files_a": None, "files_b": None}, start)
        used = begun.after(answer_of(ToolCall("c1", "files_a", {})), tool_result("c1", "x"))
        assert text_of(used) == later


def test_a_call_of_a_function_that_nobody_has_lists_the_tools() -> None:
    unknown = answer_of(ToolCall("c1", "odd", {}))
    said = first_part(session(one("Files"), one("Git")).after(unknown).bare.messages[-1]).parts[0].text
    assert said == "There is no function odd. There are: Files, Git."
    nothing = session(skill("Brief", "When", "Be brief."), enabled=False).after(unknown)
    assert first_part(nothing.bare.messages[-1]).parts[0].text == "There is no function odd. There are: none."


def test_only_a_toolkit_that_is_called_opens_one_without_container() -> None:
    inner = Toolkit("Inner", "x", [Tool("inner_a")])
    kits = Toolkits([Toolkit("Outer", "x", [inner, Tool("outer_a")], collapsed=False)])
    begun = Session(kits, HI).expand("Inner")
    assert begun.state.expanded == ("Inner",)
    assert Session(kits, HI).expand("Outer").state.expanded == ("Outer",)


@pytest.mark.parametrize(
    ("config", "first", "later"),
    [
        ({"server_activation": "use"}, "RULES", "RULES"),
        ({"server_activation": "use", "mcp_instruction_target": "result"}, "", ""),
        ({"server_activation": "expansion"}, "RULES", ""),
        ({"server_activation": "expansion", "activation": "use"}, "RULES", "RULES"),
    ],
)
def test_texts_of_a_server_come_with_the_use_of_its_tools(config: Any, first: str, later: str) -> None:
    kit = mcp_toolkit("disk", [{"name": "read"}, {"name": "erase"}], instructions="RULES")
    opened = session(kit, **config).expand("disk")
    use = answer_of(ToolCall("c1", "read", {}))
    used = opened.after(use, tool_result("c1", "x"))
    assert text_of(used) == first
    again = used.turn(user("Next"))
    assert text_of(again) == ""
    assert text_of(again.after(use, tool_result("c1", "x"))) == later
    plain = session(one("Files", system_prompt="FILES"), activation="use").expand("Files").turn(user("Next"))
    assert text_of(plain.after(answer_of(ToolCall("c1", "files_a", {})), tool_result("c1", "x"))) == "FILES"


def test_what_a_function_returns() -> None:
    def said(value: Any) -> Any:
        def give() -> Any:
            """Give."""
            return value

        return session(Toolkit("K", "x", [give])).run(ToolCall("c1", "give", {}))

    call = ToolCall("c1", "give", {})
    message = tool_result("c1", "whole")
    assert said(message) is message
    assert said(None) == tool_result(call, "")
    assert said([]) == tool_result(call, Json([]))
    assert said({"é": 1}) == tool_result(call, Json({"é": 1}))
    assert said((Text("a"), Text("b"))) == tool_result(call, [Text("a"), Text("b")])


def test_a_choice_of_an_expanded_container_is_dropped() -> None:
    kits = Toolkits([one("Files"), one("Git")])

    def chosen(**choice: Any) -> Session:
        bare = Request("m", user("Hi"), tool_choice=ToolChoice(**choice))
        return Session(kits, bare, ToolkitState(expanded=("Files",)))

    only = chosen(mode="several", names=["Files"], must=True)
    assert only.request.tool_choice is None
    assert (
        str(only.notes[-1]) == "dropped tool_choice.Files: the toolkit is expanded: nothing is left to choose"
    )
    left = chosen(mode="several", names=["Files", "Git"], must=True).request.tool_choice
    assert left == ToolChoice("several", names=["Git"], must=True)
    assert chosen(mode="named", name="Files").request.tool_choice is None


def test_what_is_deferred() -> None:
    marks = [tool(always=True), tool()]

    def shown() -> str:
        """Show."""
        return ""

    def hidden() -> str:
        """Hide."""
        return ""

    functions = [mark(function) for mark, function in zip(marks, (shown, hidden), strict=True)]
    kits = Toolkits(
        [
            Toolkit("Mixed", "x", functions),
            Toolkit("Open", "x", [Tool("open_a")], collapsed=False),
            Toolkit("Outer", "x", [Toolkit("Inner", "x", [Tool("inner_a")], collapsed=False)]),
            skill("Brief", "x", "Be brief."),
        ]
    )
    assert [name for name, kit in kits.kits.items() if kits.defers(kit)] == ["Mixed", "Inner"]


@pytest.mark.parametrize(
    ("config", "wire", "model", "word", "why"),
    [
        ({"enabled": False}, openai_responses, "gpt-5.4", "none", "toolkits are not enabled"),
        ({"deferral": "none"}, openai_responses, "gpt-5.4", "none", 'deferral is "none"'),
        ({"deferral": "containers"}, openai_responses, "gpt-5.4", "containers", 'deferral is "containers"'),
        ({"deferral_threshold": 3}, None, "m", "none", "the threshold is 3 functions"),
        ({"deferral_threshold": 2}, None, "m", "containers", "no API is named"),
        ({"deferral": "native", "deferral_threshold": 3}, None, "m", "containers", "no API is named"),
        ({}, openai_chat, "gpt-5.4", "containers", "openai_chat does not defer tools itself"),
        (
            {},
            openai_responses,
            "gpt-4o",
            "containers",
            "it is not known that openai_responses defers tools for the model gpt-4o",
        ),
        ({"deferral": "native"}, openai_responses, "gpt-4o", "native", "openai_responses defers tools"),
        ({}, openai_responses, "gpt-5.4", "native", "openai_responses defers tools"),
    ],
)
def test_how_functions_are_deferred(config: Any, wire: Any, model: str, word: str, why: str) -> None:
    kits = Toolkits([one("Files")], CollapsingConfig(**config))
    mode = mode_of(kits, wire, model)
    assert (mode.word, mode.why) == (word, why)
    what = {
        "none": ("added", "none: 2 functions shown"),
        "containers": ("replaced", "containers: 1 toolkit for 2 functions"),
        "native": ("replaced", "native: the API finds 2 functions of 1 toolkit itself"),
    }[word]
    note = mode.note(kits)
    assert (note.action, note.path, note.field, note.why) == (what[0], "", "tools", f"{what[1]}; {why}")


def test_groups_only_where_the_api_has_them() -> None:
    kinds = [type(row) for row in native("use").request.tools or ()]
    assert ToolGroup in kinds
    flat = session(one("Files"), wire=anthropic_messages, model="claude-opus-4-5", deferral="native")
    assert ToolGroup not in [type(row) for row in flat.request.tools or ()]
    assert {"files_a", "files_b"} <= set(deferred(flat))


# ---- texts that are put into a request and taken out


def test_a_text_is_taken_out_of_a_request_that_was_stored() -> None:
    def left(instructions: Any, text: str) -> Any:
        return without_text(Request("m", user("Hi"), instructions=instructions), text).instructions

    assert left("Be brief.\n\nRULES", "RULES") == "Be brief."
    assert left("RULES", "RULES") is None
    assert left("Be brief.\n\n", "") == "Be brief.\n\n"
    assert left("Be brief.", "RULES") == "Be brief."
    layers = (Instruction("A"), Instruction("RULES", source="toolkits"))
    assert left(layers, "RULES") == (Instruction("A"),)
    assert left(layers[1:], "RULES") is None
    assert left(layers[:1], "RULES") == layers[:1]


def test_calls_of_containers_leave_a_request() -> None:
    thought = Reasoning(text="thinking", provenance=Provenance(wire="anthropic_messages"))
    messages = (
        user("Hi"),
        assistant(thought, ToolCall("c1", "Files", {})),
        tool_result("c1", "open"),
        assistant("Both:", ToolCall("c2", "Files", {}), ToolCall("c3", "files_a", {})),
        tool_result("c2", "open"),
        tool_result("c3", "text"),
    )
    request = Request("m", messages)
    names = {"Files"}
    kept = without_expansions(request, names, ()).messages
    assert kept == (user("Hi"), assistant("Both:", ToolCall("c3", "files_a", {})), tool_result("c3", "text"))
    assert without_expansions(request, {"Git"}, ()) is request
    left = without_expansions(request, {"Git"}, {"c3"})
    said = assistant("Both:", ToolCall("c2", "Files", {}))
    assert left.messages == (*messages[:3], said, tool_result("c2", "open"))
    going_on = Request("m", messages, continuation=Continuation(id="r", start=4))
    left = without_expansions(going_on, names, ())
    assert left.continuation is not None
    assert left.continuation.start == 2
    nameless = Request(
        "m", (assistant(ToolCall(None, "Files", {})), tool_result(ToolCall(None, "Files", {}), "open"))
    )
    assert without_expansions(nameless, names, ()).messages == ()


def test_functions_of_a_skill_and_of_the_frontend() -> None:
    front = frontend_tools([Tool("paint")])
    assert (front.name, front.description, front.kind) == (
        "FrontendTools",
        "Tools of the user's own application",
        "frontend",
    )
    told = session(front, frontend_tools_instructions="Paint with care.", server_activation="start")
    assert text_of(told) == "Paint with care."
    both = session(skill("Brief", "When", "Be brief.", function_result="Ready."))
    opened = both.after(answer_of(ToolCall("c1", "Brief", {})))
    result = first_part(opened.bare.messages[-1])
    assert result.parts[0].text == "Skill activated. Instructions: Be brief.\n\nReady."
    assert text_of(opened) == "[Skill: Brief] Be brief."
    alone = session(skill("Brief", "When", "Be brief."), skill_instruction_mode="prompt_only")
    result = first_part(alone.after(answer_of(ToolCall("c1", "Brief", {}))).bare.messages[-1])
    assert result.parts[0].text == "Skill activated."


def test_the_cost_of_each_way() -> None:
    kits = Toolkits([one("Files"), one("Git")])
    rows = costs(kits, Request("gpt-5.4", user("Hi"), tools=[CustomTool("own")]), wire=openai_responses)
    assert [(row.way, row.tools) for row in rows] == [("whole", 5), ("collapsed", 3), ("deferred", 4)]
    whole, collapsed, later = rows
    assert (whole.start, collapsed.start) == (whole.sent, collapsed.sent)
    assert later.start < later.sent
    accents = costs(Toolkits([Toolkit("É", "é", [Tool("a", "é")])]), HI)
    assert accents[0].sent == len('[{"name":"a","description":"é"}]')
    assert cost_table(rows[:2], "tokens").splitlines() == [
        "tools      shown  tokens at the start  tokens sent",
        f"whole          5  {whole.start:>19,}  {whole.sent:>11,}",
        f"collapsed      3  {collapsed.start:>19,}  {collapsed.sent:>11,}",
    ]
