"""Calls of an agent with texts that nobody would write: a request, or an error that says where."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from promptwire import PromptwireError, Request, Text, aptix_responses, execution, openai_responses
from promptwire.errors import PolicyError
from promptwire.execution import PRESETS, AgentExecuteRequest, ConversationContext, compose, tool_usage_block
from tests.internals.runtime import fenced, on_one_line

CONTEXT = ConversationContext("m", "You plan.")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OUTCOMES = st.fixed_dictionaries(
    {},
    optional={
        "CallId": st.text() | st.none(),
        "Name": st.text() | st.none(),
        "WasExecuted": st.booleans() | st.none(),
        "ResultJson": VALUES,
        "ErrorMessage": st.text() | st.none(),
    },
)
TEXTS = st.text(st.sampled_from("`\n <>[]x"), max_size=40)


def call(**fields: Any) -> AgentExecuteRequest:
    return AgentExecuteRequest("QA", "Do it.", **fields)


def test_the_room_is_loaded_by_its_name() -> None:
    assert execution.compose is compose


@pytest.mark.slow
@given(text=TEXTS)
def test_no_text_closes_the_fence_that_it_stands_in(text: str) -> None:
    first, _, rest = fenced(text, "word").partition("\n")
    inside, _, last = rest.rpartition("\n")
    assert (first, inside) == (f"{last}word", text)
    assert re.fullmatch("`{3,}", last)
    assert last not in text


@given(name=st.text())
def test_a_name_stays_on_its_line(name: str) -> None:
    shown = on_one_line(name)
    assert len(shown.splitlines()) <= 1
    assert shown == name or json.loads(shown) == name


@given(outcomes=st.lists(OUTCOMES, max_size=4))
def test_a_block_has_one_heading_for_each_outcome(outcomes: list[dict[str, Any]]) -> None:
    composed = compose(CONTEXT, call(tool_results_json=json.dumps(outcomes)), policies="agn003")
    # an object without any of the fields is no result
    assert [note.action for note in composed.notes] == [
        "dropped" for outcome in outcomes if not says_something(outcome)
    ]
    outcomes = list(filter(says_something, outcomes))
    texts = [part.text for part in composed.request.messages[-1].parts if isinstance(part, Text)]
    assert len(texts) == 1 + bool(outcomes)
    if outcomes:
        lines = outside_of_fences(texts[1])
        assert lines[0] == "[TOOL_RESULTS]"
        assert len([line for line in lines[1:] if line]) == sum(map(lines_of, outcomes))


def says_something(outcome: dict[str, Any]) -> bool:
    return any(value is not None for value in outcome.values())


def lines_of(outcome: dict[str, Any]) -> int:
    """The lines of an outcome that are not its own words: a heading, and a label for each text."""
    result, error = outcome.get("ResultJson"), outcome.get("ErrorMessage")
    return 1 + max(1, bool(error) + (result is not None and result != ""))


def outside_of_fences(block: str) -> list[str]:
    lines, fence = [], ""
    for line in block.split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif re.fullmatch("`{3,}", line):
            fence = line
        else:
            lines.append(line)
    assert fence == ""
    return lines


@given(
    fields=st.fixed_dictionaries(
        {},
        optional={
            "tools_json": st.text() | VALUES.map(json.dumps) | st.lists(VALUES).map(json.dumps),
            "tool_results_json": st.text() | VALUES.map(json.dumps) | st.lists(VALUES).map(json.dumps),
            "tool_choice_name": st.text(),
            "response_continuation_id": st.text(),
            "system_prompt": st.text(),
        },
    ),
    preset=st.sampled_from([*PRESETS]),
    on_error=st.sampled_from(["omit", "raise"]),
)
def test_any_call_gives_a_request_or_an_error_of_ours(
    fields: dict[str, Any], preset: str, on_error: str
) -> None:
    policies = replace(PRESETS[preset], on_error=on_error)
    try:
        composed = compose(CONTEXT, call(**fields), policies=policies)
        again = compose(CONTEXT, call(**fields), policies=policies)
    except PromptwireError:
        return
    assert composed == again
    assert pickle.loads(pickle.dumps(composed)) == composed  # noqa: S301  # our own


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"context": "x"}, "AgentCall: context is a str, not ConversationContext"),
        ({"request": None}, "AgentCall: request is None, not AgentExecuteRequest"),
        ({"previous": 5}, "AgentCall: previous is an int, not Composed or None"),
        (
            {"tool_usage_metadata_block": []},
            "AgentCall: tool_usage_metadata_block is a list, not str or None",
        ),
    ],
)
def test_what_is_of_another_type_is_refused(given: Any, why: str) -> None:
    with pytest.raises(PromptwireError) as refused:
        compose(**{"context": CONTEXT, "request": call()} | given)
    assert str(refused.value) == why


def test_guides_stand_between_the_marks_of_the_document() -> None:
    assert tool_usage_block({"find": 'Use it & "so".', "move": " "}).splitlines() == [
        "<<<APTIX_SERVER_TOOL_USAGE_METADATA_BEGIN>>>",
        "<<<APTIX_TOOL_USAGE_BEGIN name='find'>>>",
        'Use it & "so".',
        "<<<APTIX_TOOL_USAGE_END name='find'>>>",
        "<<<APTIX_SERVER_TOOL_USAGE_METADATA_END>>>",
    ]


@given(guides=st.dictionaries(st.text("ab_ '<>\n"), st.text("<>APTIX_ \n") | st.just("<<<APTIX_")))
def test_no_guide_closes_its_own_block(guides: dict[str, str]) -> None:
    marks = re.compile("<<<APTIX_[^>]*>>>")
    try:
        block = tool_usage_block(guides)
    except PromptwireError as error:
        assert re.match(r'guides\["', str(error))  # noqa: PT017  # names its place
        return
    guides = {name: guide for name, guide in guides.items() if guide.strip()}
    inner = [mark for name in guides for mark in (f"BEGIN name='{name}'", f"END name='{name}'")]
    outer = [f"<<<APTIX_SERVER_TOOL_USAGE_METADATA_{word}>>>" for word in ("BEGIN", "END") if guides]
    assert marks.findall(block) == [
        *outer[:1],
        *[f"<<<APTIX_TOOL_USAGE_{mark}>>>" for mark in inner],
        *outer[1:],
    ]
    assert all(f">>>\n{guide}\n<<<" in block for guide in guides.values())


@pytest.mark.parametrize(
    ("guides", "why"),
    [
        ([], "ToolGuides: guides is a list, not a mapping"),
        ({"a": 5}, "ToolGuides: guides.a is an int, not str"),
        (
            {"a b": "x"},
            'guides["a b"]: a tool\'s name has letters, digits and _.:/- alone, to stand in its mark',
        ),
        (
            {"a": "<<<APTIX_"},
            'guides["a"]: a guide that holds <<<APTIX_ could close its own block: leave it out',
        ),
    ],
)
def test_guides_that_are_none_are_refused(guides: Any, why: str) -> None:
    with pytest.raises(PromptwireError) as refused:
        tool_usage_block(guides)
    assert str(refused.value) == why


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("field", ["tools_json", "tool_results_json"])
def test_json_without_bottom_is_refused(field: str, preset: str) -> None:
    policies = replace(PRESETS[preset], on_error="raise")
    for text in ("[" * 100_000, "[" * 500 + "]" * 500, '[{"a":' * 200 + "1" + "}]" * 200):
        with pytest.raises(PromptwireError, match=rf"^{field}:1:.*nested deeper than 100 levels"):
            compose(CONTEXT, call(**{field: text}), policies=policies)
        left_out = compose(CONTEXT, call(**{field: text}), policies="agn003")
        assert [note.action for note in left_out.notes] == ["dropped"]
        assert (left_out.request.tools, len(left_out.request.messages[-1].parts)) == (None, 1)


def test_a_number_of_too_many_digits_is_refused() -> None:
    text = '[{"name": "find", "x": ' + "9" * 10_000 + "}]"
    with pytest.raises(PromptwireError, match=r"^tools_json:1:24: \[0\]\.x: .*a number of 10000 digits$"):
        compose(CONTEXT, call(tools_json=text), policies=replace(PRESETS["agn003"], on_error="raise"))


def test_nothing_that_is_given_is_changed_or_kept_for_the_next_call() -> None:
    tools = '[{"name": "find"}]'
    first = compose(CONTEXT, call(tools_json=tools), rag_context_block="[CONTEXT]", policies="agn003")
    second = compose(CONTEXT, call(tools_json=tools), policies="agn003", previous=first)
    assert "[CONTEXT]" not in aptix_responses.build(second.request).json().decode()
    assert isinstance(second.request, Request)
    assert first == compose(CONTEXT, call(tools_json=tools), rag_context_block="[CONTEXT]", policies="agn003")


def test_a_first_call_is_written_as_the_document_writes_it() -> None:
    composed = compose(
        ConversationContext("gpt-5.1", "You plan.", 0.7),
        call(
            system_prompt="Bills only.",
            tools_json='[{"type": "function", "name": "find", "parameters": {"type": "object"}}]',
            tool_choice_name="find",
        ),
        rag_context_block="[CONTEXT]\n1. a",
        tool_usage_metadata_block=tool_usage_block({"find": "First."}),
        stream=True,
        policies="agn003",
    )
    sent = aptix_responses.build(composed.request).json().decode()
    assert (
        '"input":[{"role":"system","content":[{"type":"text","text":"You plan."},{"type":"text","text":"Bills only."},'
        r'{"type":"text","text":"<<<APTIX_SERVER_TOOL_USAGE_METADATA_BEGIN>>>\n<<<APTIX_TOOL_USAGE_BEGIN name='
        r"'find'>>>\nFirst.\n<<<APTIX_TOOL_USAGE_END name='find'>>>\n<<<APTIX_SERVER_TOOL_USAGE_METADATA_END>>>"
        '"}]},{"role":"user","content":[{"type":"text","text":'
        r'"[MODE: QA]\n\n[INSTRUCTION]\nDo it."},{"type":"text","text":"[CONTEXT]\n1. a"}]}]'
    ) in sent
    assert '"tools":[{"type":"function","name":"find","parameters":{"type":"object"}}]' in sent
    assert '"tool_choice":{"type":"tool","name":"find"}' in sent
    keys = {"model", "temperature", "stream", "tools", "tool_choice", "input"}
    assert set(json.loads(sent)) == keys


ANSWER: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "model": "gpt-4o",
    "status": "completed",
    "output": [
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "find",
            "arguments": '{"q": "Oslo"}',
        }
    ],
}


def test_what_an_answer_asks_for_is_told_by_the_next_call() -> None:
    tools = '[{"type": "function", "name": "find", "parameters": {"type": "object"}, "strict": false}]'
    first = compose(CONTEXT, call(tools_json=tools), rag_context_block="[CONTEXT]")
    assert b"[CONTEXT]" in openai_responses.build(first.request).json()
    answer = openai_responses.read_answer(ANSWER)
    outcomes = [{"CallId": asked.id, "Name": asked.name, "ResultJson": {"n": 1}} for asked in answer.calls]
    following = call(
        tools_json=tools, response_continuation_id=answer.id, tool_results_json=json.dumps(outcomes)
    )
    sent = openai_responses.build(compose(CONTEXT, following, previous=first).request).body
    assert sent == {
        "model": "m",
        "instructions": "You plan.",
        "previous_response_id": "resp_1",
        "tools": json.loads(tools),
        "input": [
            {"type": "function_call_output", "call_id": "call_1", "name": "find", "output": '{"n": 1}'},
            {"role": "user", "content": "[MODE: QA]\n\n[INSTRUCTION]\nDo it."},
        ],
    }
    as_document = compose(CONTEXT, following, policies="agn003")
    assert aptix_responses.build(as_document.request).body == {
        "model": "m",
        "previous_response_id": "resp_1",
        "input": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "[MODE: QA]\n\n[INSTRUCTION]\nDo it."},
                    {
                        "type": "text",
                        "text": '[TOOL_RESULTS]\n\nfind (call call_1)\nresult:\n```\n{"n": 1}\n```',
                    },
                ],
            }
        ],
    }


LAYOUT = "# {name|a tool} {status}\n- call: {call_id}\n- server: {is_server_tool|False}\n{arguments_json|null} {result_json}\n"


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (
            {
                "CallId": "c",
                "Name": "n",
                "ArgumentsJson": {"a": 1},
                "IsServerTool": True,
                "WasExecuted": True,
                "ResultJson": "2",
            },
            '# n success\n- call: c\n- server: True\n{"a": 1} 2\n',
        ),
        ({"Name": "n", "ErrorMessage": "gone"}, "# n error\n- server: False\n"),
        (
            {"CallId": "c", "WasExecuted": True, "ErrorMessage": " "},
            "# a tool success\n- call: c\n- server: False\n",
        ),
        (
            {"CallId": "c", "WasExecuted": False, "ResultJson": "{call_id}"},
            "# a tool not_executed\n- call: c\n- server: False\nnull {call_id}\n",
        ),
    ],
)
def test_results_have_the_layout_of_a_template(result: dict[str, Any], text: str) -> None:
    call = AgentExecuteRequest("QA", "Go on.", "r1", tool_results_json=json.dumps([result, result]))
    policies = {"preset": "agn003", "results_heading": "RESULTS:\n", "result_template": LAYOUT}
    composed = compose(ConversationContext("m"), call, policies=policies)
    assert getattr(composed.turn[0].parts[1], "text", None) == f"RESULTS:\n{text}{text}"
    assert not [note for note in composed.notes if "tool_results" in note.path]


def test_a_template_has_known_places() -> None:
    with pytest.raises(
        PolicyError, match=r"result_template has the unknown place \{nme\}; use call_id, name"
    ):
        compose(
            ConversationContext("m"), AgentExecuteRequest("QA", "Go."), policies={"result_template": "{nme}"}
        )


def test_arguments_and_the_server_are_in_the_default_layout() -> None:
    result = {
        "CallId": "c",
        "Name": "n",
        "ArgumentsJson": "{}",
        "IsServerTool": True,
        "WasExecuted": True,
        "ResultJson": "1",
    }
    call = AgentExecuteRequest("QA", "Go on.", "r1", tool_results_json=json.dumps([result]))
    composed = compose(ConversationContext("m"), call, policies="agn003")
    assert (
        getattr(composed.turn[0].parts[1], "text", "").splitlines()[2]
        == "n (call c), executed, by the server"
    )
    assert "arguments:\n```\n{}\n```" in getattr(composed.turn[0].parts[1], "text", "")
    native = compose(ConversationContext("m"), call)
    assert [(note.path, note.field) for note in native.notes] == [
        ("tool_results_json[0]", "ArgumentsJson"),
        ("tool_results_json[0]", "IsServerTool"),
    ]
