"""Edges of a context: what counts as a token, what a scope hides, what a policy forbids, and what a report says."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from promptwire import (
    Answer,
    Continuation,
    Instruction,
    Json,
    Message,
    Note,
    Options,
    Reasoning,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    assistant,
    system,
    tool_result,
    user,
)
from promptwire.context import (
    ContextPolicies,
    ContextReport,
    HistoryReduction,
    Pipeline,
    PlanMode,
    Section,
    estimate_tokens,
    merge_options,
    merge_request,
    put_section,
)
from promptwire.errors import ContextError, InvalidRequest, PolicyError
from promptwire.parts import CustomToolCall, Refusal, SearchResult
from promptwire.results import Candidate
from promptwire.toolkits import Toolkit
from tests.internals.runtime import (
    documents_text,
    holds_only_sections,
    named,
    section_name,
    text_of_section,
    uncuttable,
    without_sections,
)
from tests.notes import changes

FILES = Toolkit("Files", "Files", [Tool("open"), Tool("close")], system_prompt="FILE RULES")
A, B = Tool("a", "says"), Tool("b", "says")


def prepared_text(agent: Pipeline, request: Request) -> Any:
    return agent.prepare(request).request.instructions


# ---- tokens and history


@pytest.mark.parametrize(
    ("parts", "tokens"),
    [
        ((), 0),
        ((Text("abcd"),), 1),
        ((Text("abcde"),), 2),
        ((Refusal("abcdefgh"),), 2),
        ((ToolCall("c", "name", {"a": 1}),), 3),
        ((ToolCall("c", "name", "{}"),), 2),
        ((ToolResult("c", (Text("abcd"), Text("efgh"))),), 2),
        ((SearchResult("s", "t", (Text("abcd"),)),), 1),
        ((Json({"é": [1, 2]}),), 3),
        ((Reasoning(text="abcd"),), 1),
        ((Reasoning(summary=("ab", "cd")),), 1),
        ((Reasoning(text="ab", texts=("cd", "efgh")),), 2),
        ((Reasoning(),), 0),
        ((CustomToolCall("c", "name", "input"),), 0),
    ],
)
def test_the_estimate_of_tokens(parts: tuple[Any, ...], tokens: int) -> None:
    assert estimate_tokens(Message("assistant", parts)) == tokens


def test_where_a_history_cannot_be_cut() -> None:
    messages = [
        user("a"),
        assistant(ToolCall("c1", "f", {}), ToolCall("c2", "g", {})),
        tool_result("c2", "x"),
        assistant("between"),
        tool_result("c1", "y"),
        user("b"),
        assistant(ToolCall(None, "f", {})),
        Message("tool", (ToolResult(None, (Text("z"),)),)),
        tool_result("unknown", "w"),
    ]
    assert uncuttable(messages) == {2, 3, 4, 7}
    assert uncuttable([tool_result("c1", "y")]) == set()


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"max_messages": 0}, "max_messages is at least 1, not 0"),
        ({"max_tokens": 0}, "max_tokens is at least 1, not 0"),
        ({"max_messages": 2, "target_messages": 3}, "target_messages is between 1 and max_messages, not 3"),
        ({"max_messages": 2, "target_messages": 0}, "target_messages is between 1 and max_messages, not 0"),
        ({"target_tokens": 1}, "target_tokens is between 1 and max_tokens, not 1"),
        ({"start_at": "odd"}, 'start_at="odd": use one of user, any'),
        ({"summary_role": "odd"}, 'summary_role="odd": use one of '),
    ],
)
def test_limits_that_make_no_sense(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(ContextError, match=r"^history reduction: ") as raised:
        HistoryReduction(**fields)
    assert text in str(raised.value)
    HistoryReduction(max_messages=1, target_messages=1, max_tokens=2, target_tokens=2)


def reduced(history: HistoryReduction, *messages: Message, **fields: Any) -> Any:
    return Pipeline(history=history).prepare(Request("m", messages, **fields))


def test_what_a_reduction_says_of_itself() -> None:
    turns = [user("aaaa"), assistant("bbbb"), user("cccccccc"), assistant("dddd")]
    found = reduced(HistoryReduction(max_tokens=4, max_messages=9), system("S"), *turns)
    reduction = found.report.reduction
    assert [str(message.parts[0].text) for message in found.request.messages] == ["S", "cccccccc", "dddd"]
    assert (reduction.because, reduction.dropped, reduction.before, reduction.after) == (
        "tokens",
        (1, 2),
        4,
        2,
    )
    assert (reduction.tokens_before, reduction.tokens_after, reduction.reached) == (5, 3, True)
    assert str(found.report) == "history: 2 of 4 messages kept"
    few = reduced(HistoryReduction(max_messages=3), *turns).report.reduction
    assert (few.because, few.tokens_before, few.tokens_after, few.reached) == ("messages", None, None, True)
    out_of_reach = reduced(HistoryReduction(max_tokens=1), *turns).report.reduction
    assert (out_of_reach.dropped, out_of_reach.reached) == ((0, 1), False)
    assert reduced(HistoryReduction(max_messages=4, max_tokens=5), *turns).report.reduction is None
    later = reduced(HistoryReduction(max_messages=1), *turns, continuation=Continuation(id="r", start=1))
    assert later.report.reduction is None
    from_start = reduced(HistoryReduction(max_messages=1), *turns, continuation=Continuation(id="r"))
    assert from_start.report.reduction is not None


def test_a_history_may_begin_with_any_message_that_stands_alone() -> None:
    turns = [user("a"), assistant(ToolCall("c", "f", {})), tool_result("c", "x"), assistant("b"), user("d")]
    any_start = reduced(HistoryReduction(max_messages=2, start_at="any"), *turns)
    assert any_start.request.messages == tuple(turns[3:])
    calls = reduced(HistoryReduction(max_messages=3, start_at="any"), *turns)
    assert calls.request.messages == tuple(turns[3:])
    only = reduced(HistoryReduction(max_messages=1, start_at="any"), assistant("a"), assistant("b"))
    assert only.request.messages == (assistant("b"),)


def test_summaries_follow_each_other() -> None:
    seen: list[Any] = []

    def summarize(dropped: Any, before: str | None) -> str:
        seen.append((len(dropped), before))
        return f"summary {len(seen)}"

    history = HistoryReduction(max_messages=1, summarize=summarize, summary_role="assistant")
    agent = Pipeline(history=history)
    first = agent.prepare(Request("m", [system("S"), user("a"), assistant("b"), user("c")]))
    assert first.report.reduction is not None
    assert first.report.reduction.summary == "summary 1"
    second = agent.prepare(Request("m", [*first.request.messages, assistant("d"), user("e")]))
    assert seen == [(2, None), (2, "summary 1")]
    marked = "<conversation_summary>\nsummary 2\n</conversation_summary>"
    assert second.request.messages == (system("S"), Message("assistant", (Text(marked),)), user("e"))
    blank = Pipeline(history=HistoryReduction(max_messages=1, summarize=lambda *_: " "))
    assert blank.prepare(Request("m", [user("a"), user("b")])).request.messages == (user("b"),)
    odd: Any = lambda *_: 5  # noqa: E731
    with pytest.raises(ContextError, match=r"^summarizer: gave int, not text$"):
        Pipeline(history=HistoryReduction(max_messages=1, summarize=odd)).prepare(
            Request("m", [user("a"), user("b")])
        )


# ---- scope and toolkits


def test_a_scope_shows_the_chosen_tool_or_says_so() -> None:
    def scoped(given: Any, choice: ToolChoice | None) -> Any:
        return Pipeline(scope=lambda _: given).prepare(
            Request("m", user("Hi"), tools=[A, B], tool_choice=choice)
        )

    chosen = ToolChoice("named", "a")
    assert scoped([A], chosen).request.tools == (A,)
    assert scoped([A, B], ToolChoice("several", names=["a", "b"])).request.tools == (A, B)
    assert scoped([], None).request.tools is None
    nothing = scoped([], chosen)
    assert (nothing.request.tools, nothing.request.tool_choice) == (None, None)
    assert changes(nothing.report.notes) == ["dropped tool_choice"]
    assert scoped(None, chosen).request.tools == (A, B)
    with pytest.raises(ContextError, match=r'^scope: tool_choice names "b", which is not visible$'):
        scoped([A], ToolChoice("several", names=["a", "b"]))
    with pytest.raises(ContextError, match=r"^scope: gave int, not tools or None$"):
        scoped(5, None)


def test_the_next_call_of_a_turn_has_the_new_messages() -> None:
    agent = Pipeline(base="You help.", toolkits=[FILES], scope=lambda _: None)
    begun = agent.prepare(Request("m", user("Hi")))
    further = agent.next_call(begun, assistant("Well."), user("Go on."))
    said = (user("Hi"), assistant("Well."), user("Go on."))
    assert (further.request.messages, further.unscoped.messages) == (said, said)
    assert further.session is not None
    assert further.session.bare.messages == said
    assert further.report.notes == begun.report.notes
    assert len(further.report.stages) == len(begun.report.stages) + 2
    opened = agent.after(
        further, Answer(candidates=(Candidate(message=assistant(ToolCall("c", "Files", {}))),))
    )
    assert opened.unscoped.messages[:3] == said
    assert opened.request.instructions == "You help.\n\nFILE RULES"


def test_what_must_be_awaited_names_its_way() -> None:
    async def later(*_: Any) -> Any:
        await asyncio.sleep(0)

    waiting = Pipeline(scope=later)
    request = Request("m", user("Hi"))
    with pytest.raises(ContextError, match="prepare_async"):
        waiting.prepare(request)
    begun = asyncio.run(waiting.prepare_async(request))
    with pytest.raises(ContextError, match="next_call_async"):
        waiting.next_call(begun, user("x"))
    with pytest.raises(ContextError, match="after_async"):
        waiting.after(begun, Answer(candidates=(Candidate(message=assistant("Hi.")),)))
    told = named(lambda _: None, "told")
    telling = Pipeline(filters=[type(told)("told", told.apply, later)])
    with pytest.raises(ContextError, match="post_invoke_async"):
        telling.post_invoke(telling.prepare(request), assistant("Hi."))
    asyncio.run(telling.post_invoke_async(telling.prepare(request), assistant("Hi.")))


def test_a_report_has_each_note_once() -> None:
    note, other = Note("dropped", "a", "", "x"), Note("dropped", "b", "", "x")
    report = ContextReport(notes=(note,)).with_stage("scope", (note, other))
    assert (report.notes, report.stages) == ((note, other), ("scope",))
    assert str(report) == "dropped a: x\ndropped b: x"


# ---- policies


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (
            {"dedup": "odd"},
            'dedup="odd" is not a valid policy; use one of skip_identical, skip_if_system_present, combine, substring',
        ),
        ({"trim": "odd"}, 'trim="odd" is not a valid policy; use one of guidelines, none'),
        (
            {"guideline_only_messages": "keep", "guideline_reference": "omit"},
            'guideline_only_messages="keep" keeps markers, and guideline_reference="omit" leaves none',
        ),
        ({"layer_order": 5}, "layer_order holds texts: "),
        ({"layer_order": ("base", 5)}, "layer_order holds texts: "),
        ({"layer_order": ("base", "base")}, "layer_order names a source twice: base, base"),
    ],
)
def test_policies_that_cannot_be(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(PolicyError) as raised:
        ContextPolicies(**fields)
    assert text in str(raised.value)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("segment_separator", 5, "segment_separator is an int, not str"),
        ("default_system_prompt", 5, "default_system_prompt is an int, not str or None"),
        ("separators", {"plan": 5}, "separators.plan is an int, not str"),
        ("separator", 5, "separator is an int, not str"),
        ("section_separator", None, "section_separator is None, not str"),
    ],
)
def test_texts_of_policies_are_texts(name: str, value: Any, text: str) -> None:
    for make in (ContextPolicies, lambda **fields: replace(ContextPolicies(), **fields)):
        with pytest.raises(InvalidRequest, match=f"^ContextPolicies: {text}$"):
            make(**{name: value})


def test_policies_that_can() -> None:
    ContextPolicies(guideline_only_messages="drop", guideline_reference="omit")
    ContextPolicies(guideline_only_messages="keep", guideline_reference="marker", default_system_prompt=None)
    for value, name in (("odd", '"odd"'), (5, "int")):
        with pytest.raises(PolicyError) as raised:
            Pipeline(policies=value).prepare(Request("m", user("Hi")))  # type: ignore[arg-type]
        assert str(raised.value).startswith(f"{name} is not a preset; use one of standard, seed, ")


# ---- defaults


def test_what_defaults_fill_in() -> None:
    given = Options(stop=("a",), logit_bias={"1": 1}, seed=1)
    defaults = Options(stop=("a", "b"), logit_bias={"1": 2, "2": 3}, seed=2, top_k=4)
    merged = merge_options(given, defaults)
    assert (merged.stop, merged.logit_bias, merged.seed, merged.top_k) == (("a", "b"), {"1": 1, "2": 3}, 1, 4)
    assert merge_options(given, defaults, "replace").stop == ("a",)
    assert merge_options(given, Options()) is given
    assert merge_options(given, Options(seed=3)) == given
    wrong: Any = 5
    for arguments, name in (((wrong, given), "options"), ((given, wrong), "defaults")):
        with pytest.raises(InvalidRequest, match=rf"^{name} is an int, not Options$"):
            merge_options(*arguments)
    request = Request("m", user("Hi"), tools=[A], metadata={"a": "1"}, vendor={"x": {"a": 1}}, include=["i"])
    other = Request(
        "n",
        tools=[A, B],
        metadata={"a": "2", "b": "3"},
        vendor={"x": {"a": 2, "b": 3}, "y": {}},
        include=["i", "j"],
    )
    found = merge_request(request, other)
    assert (found.model, found.tools, found.include) == ("m", (A, B), ("i", "j"))
    assert (found.metadata, found.vendor) == ({"a": "1", "b": "3"}, {"x": {"a": 1, "b": 3}, "y": {}})
    assert merge_request(request, other, "replace").tools == (A,)
    own: tuple[tuple[str, Any], ...] = (
        ("messages", user("x")),
        ("instructions", "x"),
        ("continuation", Continuation(id="r")),
    )
    for name, value in own:
        with pytest.raises(ContextError, match=rf"^defaults: {name} belong to a request of their own$"):
            merge_request(request, Request("m", **{name: value}))
    taken = Request("m", tools=[B, Tool("a", "other")])
    notes: list[Note] = []
    assert merge_request(request, taken, notes=notes).tools == (A, B)
    why = 'tools[0] of the request is another tool named "a"'
    assert changes(notes) == ["dropped defaults.tools[1]"]
    with pytest.raises(ContextError) as raised:
        merge_request(request, taken)
    assert str(raised.value) == f"defaults.tools[1]: {why}: rename one of them"


# ---- sections, documents and filters


def test_sections_in_a_text() -> None:
    section = Section("memory", "new")
    assert put_section("", section) == "<memory>\nnew\n</memory>"
    assert put_section("A", section) == "A\n\n<memory>\nnew\n</memory>"
    old = "A\n\n<memory>\nold\n</memory>\n\n<plan>\nP\n</plan>"
    assert put_section(old, section) == "A\n\n<memory>\nnew\n</memory>\n\n<plan>\nP\n</plan>"
    assert put_section(old, Section("memory", " ")) == "A\n\n<plan>\nP\n</plan>"
    assert put_section("<memory>\nold\n</memory>\n\nA", Section("memory", "")) == "A"
    assert put_section("A <memory>\nunclosed", section).endswith("unclosed\n\n<memory>\nnew\n</memory>")
    assert without_sections(old, {"memory"}, "\n\n") == "A\n\n<plan>\nP\n</plan>"
    assert without_sections(old, {"memory", "plan"}, "\n\n") == "A"
    assert without_sections(f"{old} and more", {"plan"}, "\n\n") == f"{old} and more"
    assert holds_only_sections("<a>\nx\n</a>\n\n<b>\ny\n</b>\n")
    assert not holds_only_sections("x <a>\nx\n</a>")
    assert not holds_only_sections("  ")
    assert text_of_section("<a>\nx\n</a>", "a") == "x"
    assert text_of_section("<a>\nx\n</a> ", "a") is None
    assert text_of_section("b <a>\nx\n</a>", "a") is None
    for name, text, why in (
        ("A", "x", "section 'A': a name is lower case letters, digits and underscores"),
        ("1a", "x", "section '1a': a name is"),
        ("a", "x\n</a>", "section 'a': its text holds its own closing mark \n</a>"),
    ):
        with pytest.raises(ContextError) as raised:
            Section(name, text)
        assert why in str(raised.value)


def test_names_and_texts_of_filters() -> None:
    class Named:
        name = "own"

        def __call__(self, _: Any) -> str:
            return "text"

    class Bare:
        def __call__(self, _: Any) -> None:
            return None

    def function(_: Any) -> None: ...

    assert [named(each).name for each in (Named(), Bare(), function)] == ["own", "Bare", "function"]
    assert named(named("text", "a"), "b").name == "b"
    assert [section_name(name) for name in ("My Notes!", "a-b", "__x__", "!")] == [
        "my_notes",
        "a_b",
        "x",
        "section",
    ]
    assert documents_text({"a": "x", "b": " ", "c": "", "d": "y"}) == "=== a ===\nx\n\n=== d ===\ny"
    with pytest.raises(InvalidRequest, match=r"^document 'a' is an int, not str$"):
        documents_text({"a": 5})  # type: ignore[dict-item]
    with pytest.raises(ContextError, match=r"^filter: text needs the name of its section"):
        named("text")
    with pytest.raises(ContextError, match=r"^filter x: is int, not callable$"):
        named(5, "x")  # type: ignore[arg-type]
    with pytest.raises(ContextError, match=r"^filter: is int, not callable$"):
        named(5)  # type: ignore[arg-type]
    odd: Any = lambda _: 5  # noqa: E731
    with pytest.raises(ContextError, match=r"^filter odd: gave int, not a Draft, text or None$"):
        Pipeline(filters=[named(odd, "odd")]).prepare(Request("m", user("Hi")))
    assert prepared_text(Pipeline(filters=[Named()]), Request("m", user("Hi"))) == "<own>\ntext\n</own>"


def test_a_filter_may_write_all_layers_anew() -> None:
    agent = Pipeline(base="You help.", filters=[named(lambda draft: draft.with_text("Only this."), "anew")])
    assert prepared_text(agent, Request("m", user("Hi"), instructions="Be brief.")) == "Only this."


# ---- duplicates and phases


@pytest.mark.parametrize(
    ("dedup", "messages", "sent", "notes"),
    [
        ("skip_identical", [system("B")], None, ["messages[0] says the same"]),
        ("skip_identical", [system("B2")], "B", []),
        ("skip_identical", [Message("system", (Text("x"), Text("B")))], None, ["messages[0] says the same"]),
        ("skip_if_system_present", [user("a"), system("x")], None, ["messages[1] is a system message"]),
        ("substring", [system("x"), system("say B now")], None, ["messages[1] contains it"]),
        ("substring", [system("x")], "B", []),
        ("combine", [system("B")], "B", []),
    ],
)
def test_layers_beside_system_messages(dedup: str, messages: Any, sent: Any, notes: list[str]) -> None:
    agent = Pipeline(base="B", policies=ContextPolicies(dedup=dedup))
    prepared = agent.prepare(Request("m", [*messages, user("Hi")]))
    assert prepared.request.instructions == sent
    assert [note.why for note in prepared.report.notes] == notes


def test_a_request_may_name_the_layers_that_it_replaces() -> None:
    request = Request(
        "m", user("Hi"), instructions=(Instruction("Mine.", source="base"), Instruction("Extra."))
    )
    assert prepared_text(Pipeline(base="B"), request) == "Mine.\nExtra."
    kept = Pipeline(base="B", policies=ContextPolicies(named_sources="append"))
    assert prepared_text(kept, request) == "B\nMine.\nExtra."
    (note,) = Pipeline(base="B").prepare(request).report.notes
    assert note.why == "the request has a layer of this source"


def test_an_api_without_a_field_may_drop_what_the_request_says() -> None:
    policies = ContextPolicies(unsupported_per_request="drop")
    agent = Pipeline(base="B", native=False, policies=policies)
    prepared = agent.prepare(Request("m", user("Hi"), instructions="R"))
    assert prepared.request.messages == (
        Message("system", (Text("B"),), provenance=prepared.request.messages[0].provenance),
        user("Hi"),
    )
    assert changes(prepared.report.notes) == ["dropped instructions.request[0].text"]
    assert (
        prepared_text(Pipeline(base="B", policies=policies), Request("m", user("Hi"), instructions="R"))
        == "B\nR"
    )


@pytest.mark.parametrize("phase", ["odd", 5])
def test_a_phase_that_does_not_exist(phase: Any) -> None:
    shown = '"odd"' if phase == "odd" else '"5"'
    with pytest.raises(ContextError, match=f"^plan mode: {shown} is not a phase: use one of off, entered"):
        Pipeline(plan=PlanMode()).prepare(Request("m", user("Hi")), plan_phase=phase)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"plan": True}, "plan is a bool, not PlanMode"),
        ({"plan": "Plan first."}, "plan is a str, not PlanMode"),
        ({"history": 40}, "history is an int, not HistoryReduction"),
        ({"dynamic": "now"}, "dynamic layers are a list, not one text"),
        ({"defaults": "m"}, "defaults is a str, not Request"),
    ],
)
def test_fields_of_a_pipeline_of_another_type(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidRequest, match=f"^{text}$"):
        Pipeline(**fields)


def test_a_pipeline_prepares_requests_alone() -> None:
    text: Any = "Hello"
    with pytest.raises(InvalidRequest, match=r"^request is a str, not Request$"):
        Pipeline(base="B").prepare(text)
