"""Toolkits declared by classes, the functions that they run, sessions on what servers hold, and advice."""

from __future__ import annotations

import asyncio
import pickle
import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Literal

import pytest

import promptwire
from promptwire import (
    Answer,
    Continuation,
    CustomTool,
    Image,
    Message,
    Reasoning,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    assistant,
    dump_request,
    tool_result,
    user,
)
from promptwire.errors import AnswerError, ContextError, InvalidRequest
from promptwire.parts import CustomToolCall
from promptwire.results import Candidate
from promptwire.toolkits import (
    CollapsingConfig,
    Member,
    Session,
    Toolkit,
    Toolkits,
    ToolkitState,
    attribute,
    frontend_tools,
    lints,
    skill,
    tool,
    toolkit,
    toolkit_of,
)
from tests.internals.runtime import member_of
from tests.notes import changes


class Base:
    @tool
    def look(self, path: str) -> str:
        """Look at a file."""
        return f"seen {path}"


@toolkit("Files of one drive", system_prompt=attribute("rules"))
class Disk(Base):
    def __init__(self, drive: str = "c") -> None:
        self.drive = drive
        self.asked = 0

    @property
    def rules(self) -> str:
        self.asked += 1
        return f"Stay on {self.drive}."

    def function_result(self) -> str:
        return f"Drive {self.drive} is there."

    @tool("Erase a file.", name="erase_file", permission=True)
    def erase(self, path: str, mode: Literal["soft", "hard"] = "soft") -> dict[str, str]:
        return {"erased": path, "mode": mode}

    @tool(always=True)
    @staticmethod
    async def free() -> int:
        """Return the free capacity."""
        await asyncio.sleep(0)
        return 12

    def hidden(self) -> None:
        """Is not for the model."""

    @toolkit
    class Trash:
        """The trash."""

        system_prompt = """
            Ask twice.
              Then go.
        """

        @tool
        def empty(self) -> None:
            """Empty it."""


def answer_of(*calls: Any, **fields: Any) -> Answer:
    return Answer(candidates=(Candidate(message=assistant(*calls), finish="tool_calls"),), **fields)


def session_of(*kits: Any, config: CollapsingConfig | None = None, **fields: Any) -> Session:
    request = Request("gpt-5.6", user("Hello"), **fields)
    return Session(Toolkits(kits, config or CollapsingConfig()), request)


def text_of(message: Message) -> Any:
    return dump_request(Request(messages=message))["messages"][0]["tool"]["tool_result"]


# ---- declarations


def test_a_class_says_what_a_toolkit_is() -> None:
    kit = toolkit_of(Disk("d"))
    assert kit.name == "Disk"
    assert kit.description == "Files of one drive"
    assert kit.names == ("look", "erase_file", "free", "Trash")
    look, erase, free, trash = kit.entries
    assert isinstance(erase, Member)
    assert isinstance(free, Member)
    assert isinstance(look, Member)
    assert isinstance(trash, Toolkit)
    assert (erase.permission, erase.always, free.always) == (True, False, True)
    assert erase.tool.description == "Erase a file."
    assert isinstance(look.tool, Tool)
    assert look.tool.parameters == {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    }
    assert trash.description == "The trash."
    assert trash.system_prompt == "Ask twice.\n  Then go."


def test_texts_are_asked_for_at_expansion_and_not_before() -> None:
    disk = Disk("d")
    session = session_of(disk)
    assert disk.asked == 0
    session = session.after(answer_of(ToolCall("c", "Disk")))
    assert disk.asked == 1
    assert session.request.instructions == "Stay on d."
    assert text_of(session.bare.messages[2])["content"] == "Drive d is there."
    disk.drive = "e"
    assert session.turn(user("And?")).expand("Disk").request.instructions is None
    assert disk.asked == 1


def test_a_class_is_made_without_arguments_only() -> None:
    @toolkit("Needs a drive")
    class Needs:
        def __init__(self, drive: str) -> None:
            self.drive = drive

        @tool
        def look(self) -> str:
            return self.drive

    with pytest.raises(InvalidRequest, match=r"Needs is made with drive: give Needs\(\.\.\.\)"):
        toolkit_of(Needs)
    assert toolkit_of(Needs("d")).names == ("look",)


@pytest.mark.parametrize(
    ("make", "trouble"),
    [
        (
            lambda: toolkit_of(3),
            r"int is not a toolkit: use Toolkit\(name, description, functions\), or @toolkit\(\.\.\.\) on a class",
        ),
        (lambda: toolkit_of(Base), r"Base is not a toolkit"),
        (
            lambda: toolkit_of(toolkit(system_prompt=attribute("gone"))(type("A", (Base,), {}))),
            "A has no gone",
        ),
        (lambda: Toolkit("", tools=[Tool("f")]), "a toolkit has a name"),
        (lambda: Toolkit("A", tools=[3]), "a toolkit holds functions and tools, not int"),  # type: ignore[list-item]
        (lambda: Toolkit("A", 3, [Tool("f")]), "A.description is text, or a function"),  # type: ignore[arg-type]
        (lambda: Toolkit("A", tools=[Tool("f")], kind="box"), "A: kind is one of"),
        (lambda: member_of(lambda: 1), "a tool needs a name"),
        (lambda: CollapsingConfig(max_function_names_in_description=-1), "is 0 or more, not -1"),
        (lambda: ToolkitState.of_json({"gone": []}), 'has no "gone"'),
        (lambda: ToolkitState.of_json({"expanded": "Disk"}), "expanded is a list of texts"),
        (lambda: ToolkitState.of_json({"prompts": {"Disk": 1}}), "prompts is an object of texts"),
        (lambda: ToolkitState.of_json([]), "a state of toolkits is an object, not list"),  # type: ignore[arg-type]
        (lambda: Session(Toolkits([Disk]), Request(), wire=3), "int is not the module of an API"),
    ],
)
def test_mistakes_are_told(make: Any, trouble: str) -> None:
    with pytest.raises(promptwire.PromptwireError, match=trouble):
        make()


# ---- running


@dataclass
class Place:
    street: str
    number: int


def send(place: Place, twice: bool = False) -> list[str]:
    """Send a letter."""
    return [f"{place.street} {place.number}"] * (2 if twice else 1)


def picture() -> Image:
    """Show a picture."""
    return Image(url="https://example.com/a.png")


def count(**words: int) -> int:
    """Count words."""
    return sum(words.values())


def note(text: str) -> None:
    """Keep a note."""


def draw(code: str) -> str:
    """Draw."""
    return f"drawn: {code}"


def breaks() -> str:
    """Break."""
    raise OSError("no paper")


POST = Toolkit(
    "Post",
    "Letters",
    [send, picture, Member(Tool("count"), count), note, breaks, Member(CustomTool("draw"), draw)],
)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("send", {"place": {"street": "High", "number": 3}}, {"content": {"json": ["High 3"]}}),
        ("send", '{"place": {"street": "High", "number": 3}, "twice": true}', {"content": {"json": ["High 3", "High 3"]}}),
        ("picture", {}, {"content": {"image": "https://example.com/a.png"}}),
        ("picture", "", {"content": {"image": "https://example.com/a.png"}}),
        ("count", {"a": 1, "b": 2}, {"content": {"json": 3}}),
        ("note", {"text": "x"}, {"content": ""}),
        ("note", {}, {"content": 'note was not called: it needs the argument "text"; it takes text'}),
        ("note", {"text": 1}, {"content": "note was not called: text: the JSON is a number, not str"}),
        ("note", {"text": "x", "b": 1}, {"content": 'note was not called: it has no argument "b"; it takes text'}),
        ("note", "[]", {"content": "note was not called: the arguments of note (c) are not a JSON object: '[]'"}),
        ("send", {"place": {"street": "High"}}, {"content": "send was not called: place: the JSON lacks 'number'"}),
    ],
)  # fmt: skip
def test_a_call_is_run(name: str, arguments: Any, says: dict[str, Any]) -> None:
    result = text_of(session_of(POST).run(ToolCall("c", name, arguments)))
    assert {key: result[key] for key in says} == says
    assert result["name"] == name


def test_arguments_that_are_no_json_are_told_to_the_model() -> None:
    said = text_of(session_of(POST).run(ToolCall("c", "note", '{"text": ')))["content"]
    assert said.startswith(
        "note was not called: the arguments of note (c) are not valid JSON: Expecting value"
    )


def test_a_free_text_call_is_run_and_an_asynchronous_one_awaited() -> None:
    session = session_of(POST, Disk())
    drawn = dump_request(Request(messages=session.run(CustomToolCall("c", "draw", "a line"))))
    assert drawn["messages"][0]["tool"]["custom_tool_result"]["content"] == "drawn: a line"
    assert text_of(asyncio.run(session.run_async(ToolCall("c", "free"))))["content"] == {"json": 12}
    with pytest.raises(ContextError, match="tool free: is asynchronous; await run_async"):
        session.run(ToolCall("c", "free"))


def test_what_a_function_raises_is_the_cause() -> None:
    with pytest.raises(ContextError, match="tool breaks: OSError: no paper") as caught:
        session_of(POST).run(ToolCall("c", "breaks"))
    assert isinstance(caught.value.__cause__, OSError)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("clock", 'no toolkit has a function named "clock"; known are mark'),
        ("marc", 'no toolkit has a function named "marc"; did you mean "mark"?'),
        ("Editor", "Editor is a toolkit, not a function: `after` answers its calls, `run` does not"),
        ("mark", "mark is yours to run: Editor has only its description"),
    ],
)
def test_what_no_toolkit_can_run(name: str, why: str) -> None:
    session = session_of(frontend_tools([Tool("mark")], name="Editor"))
    with pytest.raises(InvalidRequest, match=f"{re.escape(why)}$"):
        session.run(ToolCall("c", name))


# ---- answers


def test_a_call_without_result_and_a_result_too_many_are_refused() -> None:
    session = session_of(POST, Disk).expand("Post")
    answer = answer_of(ToolCall("a", "note", {"text": "x"}), ToolCall("b", "Disk"))
    assert [call.name for call in session.calls(answer)] == ["note"]
    with pytest.raises(AnswerError, match=r"the answer calls note \(a\), and no result is given"):
        session.after(answer)
    with pytest.raises(AnswerError, match="Disk is answered by the session: leave its result out"):
        session.after(answer, tool_result("a", "x"), tool_result("b", "y"))


def test_results_stand_in_the_order_of_the_calls_also_without_ids() -> None:
    session = session_of(POST, Disk).expand("Post")
    calls = [ToolCall(None, name) for name in ("count", "Disk", "picture", "gone")]
    answer = answer_of(*calls)
    results = [tool_result(call, call.name) for call in session.calls(answer)]
    following = session.after(answer, *results, user("And then?"))
    said = [dump_request(Request(messages=message))["messages"][0] for message in following.bare.messages[2:]]
    assert [row["tool"]["tool_result"]["name"] for row in said[:-1]] == ["count", "Disk", "picture", "gone"]
    assert said[-1] == {"user": "And then?"}


def test_results_given_in_another_order_find_their_calls() -> None:
    session = session_of(POST).expand("Post")
    answer = answer_of(ToolCall("a", "count"), ToolCall("b", "picture"))
    following = session.after(answer, tool_result("b", "B"), tool_result("a", "A"))
    assert [text_of(message)["call_id"] for message in following.bare.messages[2:]] == ["a", "b"]


def test_a_choice_of_several_loses_what_is_expanded() -> None:
    session = session_of(POST, Disk, tool_choice=ToolChoice("several", names=("Post", "Disk")))
    session = session.after(answer_of(ToolCall("c", "Post")))
    assert session.request.tool_choice == ToolChoice("several", names=("Disk",))
    assert changes(session.notes[1:]) == ["dropped tool_choice.Post"]


# ---- what a server holds


def test_a_continuation_counts_the_conversation_alone() -> None:
    """Notes of the system that toolkits put between messages are no part of what is counted."""
    request = Request("gpt-5.6", [promptwire.system("Be kind."), user("Hello")], continuation=Continuation())
    session = Session(Toolkits([Disk("d")]), request).expand("Disk")
    assert len(session.request.messages) == len(session.bare.messages) + 1
    token = Continuation(id="resp_1", wire="openai_responses")
    following = session.after(answer_of(Text("Hi."), continuation=token, wire="openai_responses"))
    known = following.bare.continuation
    assert known is not None
    assert (known.id, known.start, len(following.bare.messages)) == ("resp_1", 3, 3)
    # the server has the tools and instructions that were sent
    assert known.held is not None
    assert set(known.held) == {"tools"}
    sent = promptwire.openai_responses.build(following.turn(user("And?")).request).body
    assert [item for item in sent["input"] if item.get("role") == "user"] == [
        {"role": "user", "content": "And?"}
    ]


def test_what_leaves_the_history_is_counted_anew_on_the_server() -> None:
    config = CollapsingConfig(function_result_lifetime="ephemeral")
    request = Request("gpt-5.6", user("Hello"), continuation=Continuation(id="resp_1", start=1))
    session = Session(Toolkits([POST], config), request)
    session = session.after(answer_of(ToolCall("c", "Post"), continuation=Continuation(id="resp_2")))
    session = session.after(answer_of(Text("Hi."), continuation=Continuation(id="resp_3"))).turn(user("And?"))
    known = session.bare.continuation
    assert known is not None
    assert (known.start, len(session.bare.messages)) == (2, 3)


def test_thoughts_go_with_the_only_call_that_they_led_to() -> None:
    config = CollapsingConfig(function_result_lifetime="ephemeral")
    session = session_of(POST, config=config)
    session = session.after(answer_of(Reasoning(text="Post?"), ToolCall(None, "Post")))
    session = session.after(answer_of(Reasoning(text="Count?"), Text("So:"), ToolCall(None, "Post"))).turn(
        user("And?")
    )
    assert [dump_request(Request(messages=row))["messages"][0] for row in session.bare.messages] == [
        {"user": "Hello"},
        {"assistant": [{"reasoning": "Count?"}, "So:"]},
        {"user": "And?"},
    ]


# ---- values


def test_a_toolkit_and_a_session_are_values() -> None:
    assert Toolkits([POST]) == Toolkits([POST])
    assert session_of(POST) == session_of(POST)
    assert session_of(POST) != session_of(POST).expand("Post")
    kits = Toolkits([Toolkit("Git", "Versions", [Tool("commit")])])
    session = Session(kits, Request("m", user("Hello")))
    assert pickle.loads(pickle.dumps(session)) == session  # noqa: S301  # our own


def test_a_wire_is_asked_what_it_can_do() -> None:
    """A wire of a plugin says it in the same words."""
    search = {"search": {"type": "find"}, "model": ["small*"], "not_model": ["small-1*"]}
    own: Any = SimpleNamespace(
        WIRE=SimpleNamespace(capabilities={"tools": {"kinds": ["function"], "deferral": search}}, name="own")
    )
    modes = [
        Session(Toolkits([POST]), Request(model), wire=own).mode.word
        for model in ("small-2", "small-1", None)
    ]
    assert modes == ["native", "containers", "containers"]


# ---- advice


def test_lints() -> None:
    long = skill("Long", "Long ones", "x" * 1001)
    alone = Toolkit("Alone", tools=[Tool("f")])
    kept = [
        Toolkit(f"K{n}", "Kept", [Tool(f"a{n}"), Tool(f"b{n}")], system_prompt="Rules.") for n in range(3)
    ]
    config = CollapsingConfig(prompt_lifetime="session")
    assert lints(Toolkits([long, alone, *kept], config)) == (
        "Long.system_prompt has 1,001 characters, in every model call while it counts: say it in 1,000",
        "Alone holds one function: a container for it costs a call and spares nothing",
        "Alone has no description: a model does not know when to call it",
        "4 toolkits have a system prompt that stays (session): they gather in every model call; message_turn clears them",
    )
    assert lints(Toolkits([*kept, long.__class__("L", "d", uses=["a0", "b0"])])) == ()
