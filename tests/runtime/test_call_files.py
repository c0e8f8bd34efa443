"""Calls of an agent from files, and in `promptwire preview`; what a call leaves out is noted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from promptwire import Note, aptix_responses, openai_responses
from promptwire.context import ContextPolicies
from promptwire.errors import LoadError
from promptwire.execution import (
    AgentExecuteRequest,
    ConversationContext,
    LoadedCall,
    compose,
    load_call,
    tool_usage_block,
)
from promptwire.prompts import convert, deliver
from tests.internals.compiler import app
from tests.notes import changes

CALL = """
context: {model_name: gpt-4o, system: You plan., temperature: 0.5}
request:
  mode: QA
  instruction: How warm is Oslo?
  tools: [{type: function, name: weather, parameters: {type: object}}]
  tool_choice_name: weather
rag_context_block: "[CONTEXT]"
tool_guides: {weather: Ask for one city., blank: " "}
stream: true
policies: {preset: agn003, on_error: raise}
"""


def test_a_file_is_the_call_that_it_describes(tmp_path: Path) -> None:
    request = AgentExecuteRequest(
        "QA",
        "How warm is Oslo?",
        tools_json='[{"type": "function", "name": "weather", "parameters": {"type": "object"}}]',
        tool_choice_name="weather",
    )
    composed = compose(
        ConversationContext("gpt-4o", "You plan.", 0.5),
        request,
        rag_context_block="[CONTEXT]",
        tool_usage_metadata_block=tool_usage_block({"weather": "Ask for one city."}),
        stream=True,
        policies="agn003",
    )
    path = tmp_path / "call.yaml"
    path.write_text(CALL, "utf-8")
    sources: tuple[Any, ...] = (CALL, path, str(path))
    loaded: list[LoadedCall] = list(map(load_call, sources))
    for call in loaded:
        found = call.compose()
        assert found.request == composed.request
        assert [str(note) for note in found.notes] == [
            'dropped guides["blank"]: it is blank',
            *map(str, composed.notes),
        ]
    as_json = json.dumps({"context": {"model_name": "m", "system": None}, "request": {"instruction": "Go."}})
    bare = load_call(as_json).compose()
    assert openai_responses.build(bare.request).body["input"] == [
        {"role": "user", "content": "[MODE: ]\n\n[INSTRUCTION]\nGo."}
    ]


@pytest.mark.parametrize("system", [None, ""])
@pytest.mark.parametrize("preset", ["openai", "agn003"])
def test_a_conversation_without_a_system_prompt(system: str | None, preset: str) -> None:
    composed = compose(ConversationContext("m", system), AgentExecuteRequest("QA", "Go."), policies=preset)
    wire: Any = aptix_responses if preset == "agn003" else openai_responses
    body = wire.build(composed.request).body
    assert "instructions" not in body
    first = body["input"][0]
    assert (
        first == {"role": "system", "content": [{"type": "text", "text": ""}]}
        if preset == "agn003"
        else first["role"] == "user"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}\n", '"context" is missing'),
        ("context: {model_name: m}\nrequest: {instruction: x}\nrag: y\n", 'unknown key "rag"'),
        ("context: {model_name: m}\nrequest: {instruction: x, tools: 5}\n", "request.tools: expected a list"),
        (
            "context: {model_name: m}\nrequest: {instruction: x, tools: [], tools_json: '[]'}\n",
            "say the same",
        ),
        ("context: {model: m}\nrequest: {instruction: x}\n", "model"),
        ("context: {model_name: m}\nrequest: {instruction: x}\npolicies: agn03\n", 'did you mean "agn003"'),
        ("context: {model_name: m}\nrequest: {instruction: x}\npolicies: {on_error: no}\n", "on_error"),
        ("context: {model_name: m}\nrequest: {instruction: x}\npolicies: {odd: no}\n", "odd"),
        ("context: {model_name: m}\nrequest: {instruction: x}\ntool_guides: {a b: x}\n", "tool_guides"),
        (
            "context: {model_name: m}\nrequest: {instruction: x}\ntool_guides: {a: x}\ntool_usage_metadata_block: y\n",
            "say the same",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(LoadError, match="text:") as raised:
        load_call(text)
    assert problem in str(raised.value)


def test_no_other_source_is_a_call() -> None:
    wrong: Any = 5
    with pytest.raises(LoadError, match="not from int"):
        load_call(wrong)


def test_blank_guides_have_no_section() -> None:
    notes: list[Note] = []
    assert tool_usage_block({"a": " ", "b": ""}, notes) == ""
    assert changes(notes) == ['dropped guides["a"]', 'dropped guides["b"]']


@pytest.mark.parametrize("preset", ["openai", "agn003"])
def test_an_outcome_that_is_no_result_is_left_out_with_a_note(preset: str) -> None:
    results = '[{"IsServerTool": true}, {"CallId": "c", "ResultJson": "1"}]'
    request = AgentExecuteRequest("QA", "Go.", tool_results_json=results)
    composed = compose(ConversationContext("m", "S"), request, policies=preset)
    assert 'dropped tool_results_json[0]: it is not a result: it has "IsServerTool"' in map(
        str, composed.notes
    )
    alone = compose(
        ConversationContext("m", "S"),
        AgentExecuteRequest("QA", "Go.", tool_results_json='[{"IsServerTool": true}]'),
        policies=preset,
    )
    assert len(alone.turn) == 1
    assert len(alone.turn[0].parts) == 1


# ---- promptwire preview


def preview(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["preview", *arguments])
    return result.exit_code, result.output


def test_preview_shows_a_call(tmp_path: Path) -> None:
    path = tmp_path / "call.yaml"
    path.write_text(CALL, "utf-8")
    code, output = preview("aptix_responses", str(path), "--setting", "base_url=https://x.test")
    assert code == 0
    assert "[MODE: QA]" in output
    assert "APTIX_TOOL_USAGE_BEGIN name='weather'" in output


def test_preview_sends_a_case_as_a_transcript(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(
        "metadata: {system_prompt: S}\nrequest: {model: gpt-4o}\n"
        "input_messages: [{role: user, content: Hi}, {role: assistant, content: Yes}, {role: user, content: Go}]\n",
        "utf-8",
    )
    code, output = preview("openai_chat", str(path), "--channel", "transcript")
    assert code == 0
    assert '"content": "[User]: Hi\\n[Assistant]: Yes\\n[User]: Go"' in output
    assert "dropped system_prompt" in output
    code, output = preview("openai_chat", str(path), "--channel", "structured")
    assert '"content": "Go"' in output
    code, output = preview("openai_chat", str(path), "--channel", "odd")
    assert code != 0
    assert "structured, transcript or an API" in output
    request = tmp_path / "request.yaml"
    request.write_text("model: m\nmessages: [{user: hi}]\n", "utf-8")
    code, output = preview("openai_chat", str(request), "--channel", "transcript")
    assert code != 0
    assert "--channel are for evaluation cases" in output


def test_a_transcript_notes_what_it_cannot_hold() -> None:
    media = {"role": "user", "content": [{"type": "file", "value": "a.png"}]}
    prompt = convert([media], files={"a.png": "aGk="}, system_prompt=" ")
    assert changes(deliver(prompt, channel="transcript").notes) == ["dropped media"]
    words = deliver(prompt, ContextPolicies(transcript_context="instructions"), channel="transcript")
    assert [message.role for message in words.messages] == ["user"]
