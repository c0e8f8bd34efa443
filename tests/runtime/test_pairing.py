"""Tool calls without results, and results without calls, on APIs that refuse the one without the other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

import promptwire
from promptwire import (
    Continuation,
    HostedTool,
    Message,
    Options,
    Policies,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    system,
    tool_result,
    user,
)
from promptwire.errors import Refused
from promptwire.parts import (
    Compaction,
    CustomToolCall,
    CustomToolResult,
    HostedCall,
    HostedResult,
    ItemReference,
    Opaque,
    ToolGroup,
)
from promptwire.plugins import Provenance
from tests.notes import changes, refused

WIRES = ("openai_chat", "openai_responses", "anthropic_messages")
LIKE = {
    "mistral_chat": "openai_chat",
    "deepseek_chat": "openai_chat",
    "bedrock_converse": "anthropic_messages",
}
HI, BYE = user("hi"), user("bye")
A, B = ToolCall("a", "f", {}), ToolCall("b", "f", {})
ASKS = assistant(Text("one moment"), A, B)
TELLS_A, TELLS_B = tool_result("a", "1"), tool_result("b", "2")

# name -> messages, and what each of the wires says: a path, or nothing where it takes them
NOTHING = ("", "", "")
CALL_A, CALL_B = "messages[1].parts[1].tool_call.id", "messages[1].parts[2].tool_call.id"
TALKS: dict[str, tuple[tuple[Message, ...], tuple[str, str, str]]] = {
    "in order": ((HI, ASKS, TELLS_A, TELLS_B, BYE), NOTHING),
    "in another order": ((HI, ASKS, TELLS_B, TELLS_A, BYE), NOTHING),
    "in one message": ((HI, ASKS, Message("tool", (*TELLS_B.parts, *TELLS_A.parts)), BYE), NOTHING),
    "a result and words": ((HI, assistant(A), user(*TELLS_A.parts, "and?")), NOTHING),
    "one id twice": ((HI, assistant(A), TELLS_A, assistant(A), TELLS_A), NOTHING),
    "no result": ((HI, ASKS, TELLS_A, BYE), (CALL_B,) * 3),
    "no result at all": ((HI, ASKS, BYE), (CALL_A,) * 3),
    "nothing behind the call": ((HI, ASKS), (CALL_A,) * 3),
    "no call": ((HI, TELLS_A, BYE), ("messages[1].parts[0].tool_result.call_id",) * 3),
    "another id": ((HI, assistant(A), TELLS_B, BYE), ("messages[1].parts[0].tool_call.id",) * 3),
    "before the call": ((HI, TELLS_A, assistant(A), BYE), ("messages[1].parts[0].tool_result.call_id",) * 3),
    "behind words of the assistant": ((HI, ASKS, assistant("well"), TELLS_A, TELLS_B), (CALL_A, "", "")),
    "a turn later": ((HI, ASKS, BYE, assistant("well"), TELLS_A, TELLS_B), (CALL_A, "", CALL_A)),
    "behind a system message": ((HI, ASKS, system("now"), TELLS_A, TELLS_B), (CALL_A, "", CALL_A)),
    "split by words": (
        (HI, ASKS, TELLS_A, assistant("well"), TELLS_B),
        (CALL_B, "", CALL_B),
    ),
}


def request_of(*messages: Message, **given: Any) -> Request:
    return Request("claude-opus-4-8", messages, options=Options(max_tokens=9), **given)


@pytest.mark.parametrize("wire", [*WIRES, *LIKE])
@pytest.mark.parametrize("talk", TALKS)
def test_what_stands_alone_is_refused_and_named(wire: str, talk: str) -> None:
    messages, places = TALKS[talk]
    build = getattr(promptwire, wire).build
    noted = build(request_of(*messages), policies="loss=note,refusals=send,repairs=off").notes
    found = [note for note in noted if "requires both" in note.why]
    assert [f"{note.path}.{note.field}" for note in found[:1]] == (
        [path] if (path := places[WIRES.index(LIKE.get(wire, wire))]) else []
    )
    if any(note.action == "refused" for note in noted):
        with pytest.raises(Refused):
            build(request_of(*messages))
    else:
        build(request_of(*messages))


def test_every_one_of_them_has_a_note() -> None:
    noted = promptwire.openai_chat.build(
        request_of(HI, ASKS, BYE, TELLS_B), policies="loss=note,refusals=send,repairs=off"
    )
    assert changes(noted.notes) == [
        "refused messages[1].parts[1]",
        "refused messages[1].parts[2]",
        "refused messages[3].parts[0]",
    ]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("policies", [Policies(orphans="keep"), "verbatim"])
def test_they_are_sent_as_they_are_where_the_caller_says_so(wire: str, policies: Policies | str) -> None:
    request = request_of(HI, assistant(A), BYE)
    built = getattr(promptwire, wire).build(request, policies=policies)
    assert '"a"' in json.dumps(built.body)
    assert not built.notes


def test_tools_of_free_text_are_paired_as_well() -> None:
    call = assistant(CustomToolCall("c", "run", "ls"))
    answer = Message("tool", (CustomToolResult("c", "a.txt"),))
    for wire in (promptwire.openai_chat, promptwire.openai_responses):
        wire.build(request_of(HI, call, answer))
        with pytest.raises(Refused) as refused:
            wire.build(request_of(HI, call, BYE))
        assert refused.value.field == "custom_tool_call.id"
        with pytest.raises(Refused) as refused:
            wire.build(request_of(HI, answer))
        assert refused.value.field == "custom_tool_result.call_id"


def test_the_server_may_hold_the_call() -> None:
    build = promptwire.openai_responses.build
    build(request_of(TELLS_A, continuation=Continuation(id="resp_1")))
    build(request_of(TELLS_A, continuation=Continuation(conversation="conv_1")))
    build(request_of(HI, ASKS, TELLS_A, continuation=Continuation(id="resp_1", start=2)))
    with refused(Refused, "messages[0].parts[0].tool_call.id"):
        build(request_of(assistant(B), BYE, continuation=Continuation(id="resp_1")))


def test_what_nobody_sees_may_be_the_other_half() -> None:
    build = promptwire.openai_responses.build
    build(request_of(assistant(ItemReference("fc_1")), TELLS_A))
    own = Provenance("openai_responses")
    build(request_of(assistant(Compaction(encrypted="Zm9v", provenance=own)), TELLS_A))
    build(
        request_of(
            user(Opaque("openai_responses", {"type": "new_call", "call_id": "a"}, "messages")), TELLS_A
        )
    )


@pytest.mark.parametrize("wire", ["compatible_chat", "vllm_chat", "gemini_generate"])
def test_other_apis_are_not_known_to_refuse_them(wire: str) -> None:
    getattr(promptwire, wire).build(request_of(HI, assistant(A), BYE))


def test_a_call_that_was_read_and_cut_off_is_refused() -> None:
    body = promptwire.openai_chat.build(request_of(HI, assistant(A), TELLS_A)).body
    read = promptwire.openai_chat.read(body).request
    promptwire.openai_chat.build(read)
    with refused(Refused, "messages[1].parts[0].tool_call.id"):
        promptwire.openai_chat.build(request_of(*read.messages[:-1]))


@given(
    st.lists(
        st.sampled_from([HI, assistant("well"), assistant(A), assistant(B), ASKS, TELLS_A, TELLS_B]),
        max_size=8,
    )
)
def test_the_responses_api_takes_what_a_count_of_ids_takes(messages: list[Message]) -> None:
    """A call is open until a result of its id stands behind it; a result of an id that was called before is taken."""
    opened: list[str] = []
    called: set[str] = set()
    fine = True
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, ToolCall) and part.id is not None:
            opened.append(part.id)
            called.add(part.id)
        elif isinstance(part, ToolResult) and part.call_id in opened:
            opened.remove(part.call_id)
        elif isinstance(part, ToolResult):
            fine = fine and part.call_id in called
    request = Request("m", [HI, *messages, *([BYE] if messages else [])])
    if fine and not opened:
        promptwire.openai_responses.build(request)
    else:
        with pytest.raises(Refused, match="requires both"):
            promptwire.openai_responses.build(request)


@pytest.mark.parametrize(
    ("answered", "refused"), [("ts_1", []), ("ts_2", ["hosted_call.id", "tool_result.call_id"])]
)
def test_a_hosted_call_that_the_caller_runs_is_answered_by_its_id(answered: str, refused: list[str]) -> None:
    search = {
        "type": "tool_search_call",
        "call_id": "ts_1",
        "execution": "client",
        "arguments": {"q": "rain"},
    }
    body = {
        "model": "gpt-5.4",
        "tools": [{"type": "tool_search"}],
        "input": [
            {"role": "user", "content": "Will it rain?"},
            search | {"status": "completed"},
            {"type": "function_call_output", "call_id": answered, "output": "weather"},
        ],
    }
    request = promptwire.openai_responses.read(body).request
    assert [problem.field for problem in promptwire.openai_responses.check(request)] == refused
    if not refused:
        assert promptwire.openai_responses.build(request).body == body


def test_an_api_without_ids_says_that_the_id_of_an_unknown_call_is_dropped() -> None:
    answer = ToolResult(
        "c9", [Text("12 C")], name="f", vendor={"cohere_v1": {"parameters": {"city": "Oslo"}}}
    )
    built = promptwire.cohere_v1.build(
        Request("command-r", [HI, Message("tool", [answer])], tools=[Tool("f", "F.")]), policies="lenient"
    )
    assert built.body["tool_results"] == [
        {"call": {"name": "f", "parameters": {"city": "Oslo"}}, "outputs": [{"output": "12 C"}]}
    ]
    assert [(note.action, note.path, note.field) for note in built.notes] == [
        ("dropped", "messages[1].parts[0]", "call_id")
    ]


@pytest.mark.parametrize("wire", LIKE)
def test_a_result_of_a_cut_history_is_text_where_its_call_is_required(wire: str) -> None:
    module = getattr(promptwire, wire)
    built = module.build(request_of(Message("tool", TELLS_A.parts), BYE), policies="portable")
    assert [(note.action, note.path) for note in built.notes if note.action == "replaced"] == [
        ("replaced", "messages[0].parts[0]")
    ]
    assert module.check(built.body, built.url) == ()
    assert "tools" not in json.dumps(built.body)


def test_a_result_that_became_text_is_not_said_by_a_function() -> None:
    """Older clients of Gemini send results in messages of the role "function", which holds no words."""
    found = {"functionResponse": {"name": "f", "response": {"r": 1}}}
    asked = {"role": "user", "parts": [{"text": "q"}]}
    body = {"contents": [asked, {"role": "function", "parts": [found]}]}
    url = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"
    request = promptwire.gemini_generate.read(body, url).request
    assert promptwire.gemini_generate.build(request, policies="verbatim").body == body
    built = promptwire.gemini_generate.build(request, policies="portable").body["contents"]
    lead = "Result of f, whose call is not in this conversation:"
    assert built == [asked, {"role": "user", "parts": [{"text": lead}, {"text": '{"r":1}'}]}]


def searches(number: int) -> HostedCall:
    return HostedCall(type="server_tool_use", id=f"s{number}", name="web_search", arguments={})


def found(number: int) -> HostedResult:
    return HostedResult(type="web_search_tool_result", call_id=f"s{number}", result=[])


# messages, and the place of the part that stands alone
SEARCHES: dict[str, tuple[tuple[Message, ...], str]] = {
    "in order": ((HI, assistant(searches(1), found(1), searches(2), found(2)), BYE), ""),
    "at once": ((HI, assistant(searches(1), searches(2), found(1), found(2)), BYE), ""),
    "in another order": ((HI, assistant(searches(1), searches(2), found(2), found(1)), BYE), ""),
    "not run yet": ((HI, assistant("one moment", searches(1))), ""),
    "beside a call of the caller": ((HI, assistant(searches(1), A), TELLS_A), ""),
    "behind the result of the caller": (
        (HI, assistant(searches(1), A), TELLS_A, assistant(found(1)), BYE),
        "",
    ),
    "an id that was replaced": ((HI, assistant(searches(1), found(9)), BYE), ""),
    "no call": ((HI, assistant("so", found(1)), BYE), "messages[1].parts[1].hosted_result.call_id"),
    "another id": (
        (HI, assistant(searches(1), "so", found(2)), BYE),
        "messages[1].parts[2].hosted_result.call_id",
    ),
    "before the call": (
        (HI, assistant(found(1), searches(1)), BYE),
        "messages[1].parts[0].hosted_result.call_id",
    ),
    "no result": ((HI, assistant("so", searches(1)), BYE), "messages[1].parts[1].hosted_call.id"),
    "one result of two": (
        (HI, assistant(searches(1), searches(2), found(2)), BYE),
        "messages[1].parts[0].hosted_call.id",
    ),
    "words of the user before the result": (
        (HI, assistant(searches(1)), BYE, assistant(found(1)), HI),
        "messages[1].parts[0].hosted_call.id",
    ),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_calls_of_the_apis_own_tools_are_paired_as_well(name: str) -> None:
    messages, place = SEARCHES[name]
    request = request_of(*messages, tools=[HostedTool(type="web_search_20250305", name="web_search")])
    errors = promptwire.anthropic_messages.check(request)
    assert [f"{error.path}.{error.field}" for error in errors][:1] == ([place] if place else [])
    sent = promptwire.anthropic_messages.build(request, policies="portable")
    assert [note.action for note in sent.notes if note.action != "merged"][:1] == (
        ["dropped"] if place else []
    )
    assert promptwire.anthropic_messages.build(request, policies="orphans=keep").body


def test_a_call_that_the_server_has_need_not_name_its_group() -> None:
    group = ToolGroup("crm", "Customers.", (Tool("f", parameters={"type": "object", "properties": {}}),))
    messages = (HI, assistant(A), TELLS_A)
    build = promptwire.openai_responses.build
    with pytest.raises(Refused) as refused:
        build(Request("gpt-5.6", messages, tools=[group]))
    assert (refused.value.path, refused.value.field) == ("messages[1].parts[0]", "calls.ungrouped")
    build(Request("gpt-5.6", messages, tools=[group], continuation=Continuation(id="resp_1", start=2)))
