"""Answers of one API, written as another's."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import (
    Answer,
    BodyError,
    Cache,
    Image,
    Message,
    Note,
    PromptwireError,
    Reasoning,
    Request,
    Text,
    anthropic_messages,
    anthropic_vertex,
    assistant,
    gemini_generate,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)
from promptwire.errors import InvalidRequest, NoPlace
from promptwire.results import Candidate
from tests.answers import module
from tests.notes import refused

CALL = {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}}
TWO_CALLS = {
    "candidates": [{"content": {"role": "model", "parts": [CALL, CALL]}, "finishReason": "STOP", "index": 0}],
    "usageMetadata": {
        "promptTokenCount": 5,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 2,
        "totalTokenCount": 10,
    },
    "modelVersion": "gemini-3-pro",
    "responseId": "r1",
}


@pytest.mark.parametrize("wire", [openai_chat, openai_responses, anthropic_messages])
def test_calls_without_ids_get_some_where_an_api_asks_for_them(wire: Any) -> None:
    answer = gemini_generate.read_answer(TWO_CALLS)
    notes: list[Note] = []
    body = wire.write_answer(answer, notes=notes, created=1)
    first, second = wire.read_answer(body).calls
    assert first.id != second.id
    assert wire.write_answer(answer, created=1) == body
    said = [(note.action, note.path, note.field) for note in notes if note.field == "id"]
    assert said == [("added", "messages[0].parts[0]", "id"), ("added", "messages[0].parts[1]", "id")]
    assert gemini_generate.write_answer(answer) == TWO_CALLS


def test_what_one_api_counts_beside_its_output_another_counts_inside() -> None:
    body = openai_chat.write_answer(gemini_generate.read_answer(TWO_CALLS))
    assert body["usage"] == {
        "prompt_tokens": 5,
        "completion_tokens": 5,
        "total_tokens": 10,
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    assert [choice["finish_reason"] for choice in body["choices"]] == ["tool_calls"]


def test_blank_text_of_an_answer_stays() -> None:
    message = {"role": "assistant", "content": "\n\n"}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    answer = openai_chat.read_answer(
        {"id": "c", "object": "chat.completion", "model": "m", "choices": choices}
    )
    assert anthropic_messages.write_answer(answer)["content"] == [{"type": "text", "text": "\n\n"}]


def test_arguments_that_were_cut_off_are_named() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": '}}
    choices = [
        {"index": 0, "message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "length"}
    ]
    answer = openai_chat.read_answer(
        {"id": "c", "object": "chat.completion", "model": "m", "choices": choices}
    )
    with pytest.raises(InvalidRequest, match="tool arguments are not valid JSON"):
        anthropic_messages.write_answer(answer)


def test_a_body_that_holds_itself_is_no_answer() -> None:
    body: dict[str, Any] = {"id": "c", "choices": []}
    body["choices"].append(body)
    with pytest.raises(BodyError, match="holds itself"):
        openai_chat.read_answer(body)


SEARCHED = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "Oslo"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        {"type": "text", "text": "12 C."},
    ],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 2},
}


@pytest.mark.parametrize("wire", [openai_chat, openai_responses, gemini_generate])
def test_what_an_api_ran_itself_is_no_answer_of_another(wire: Any) -> None:
    answer = anthropic_messages.read_answer(SEARCHED)
    with pytest.raises(PromptwireError, match="anthropic_messages ran it itself"):
        wire.write_answer(answer)
    notes: list[Note] = []
    body = wire.write_answer(answer, policies="lenient", notes=notes)
    again = wire.read_answer(body)
    assert (again.text, [type(part) for part in again.parts]) == ("12 C.", [Text])
    assert [(note.path, note.field) for note in notes if "ran it itself" in note.why] == [
        ("messages[0].parts[0]", "hosted_call"), ("messages[0].parts[1]", "hosted_result"),
    ]  # fmt: skip
    assert anthropic_messages.write_answer(answer) == SEARCHED


def test_hosts_of_one_api_say_what_it_ran() -> None:
    answer = anthropic_messages.read_answer(SEARCHED)
    assert anthropic_vertex.write_answer(answer)["content"] == SEARCHED["content"]


PICTURE = Image(data="aGk=", media_type="image/png")


@pytest.mark.parametrize("wire", [anthropic_messages, anthropic_vertex])
def test_a_picture_has_no_place_in_an_answer_that_never_has_one(wire: Any) -> None:
    drawn = {
        "role": "model",
        "parts": [{"text": "Here."}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}],
    }
    answer = gemini_generate.read_answer({"candidates": [{"content": drawn, "finishReason": "STOP"}]})
    assert answer.parts == (Text("Here."), PICTURE)
    with refused(NoPlace, "messages[0].parts[1].image"):
        wire.write_answer(answer)
    notes: list[Note] = []
    body = wire.write_answer(answer, policies="lenient", notes=notes)
    assert body["content"] == [{"type": "text", "text": "Here."}]
    assert ("dropped", "messages[0].parts[1]", "image") in [
        (note.action, note.path, note.field) for note in notes
    ]
    with refused(NoPlace, "messages[0].parts[0].image"):
        wire.write_stream().answer(answer)
    assert gemini_generate.write_answer(answer)["candidates"][0]["content"] == drawn


def test_a_breakpoint_of_the_cache_is_of_requests_only() -> None:
    message = Message("assistant", [Text("Hi", cache=Cache("5m"))])
    notes: list[Note] = []
    body = anthropic_messages.write_answer(Answer(candidates=(Candidate(message=message),)), notes=notes)
    assert body["content"] == [{"type": "text", "text": "Hi"}]
    assert ("messages[0].parts[0]", "cache") in [(note.path, note.field) for note in notes]


THOUGHT = {
    "anthropic_messages": {"type": "thinking", "thinking": "Oslo first.", "signature": ""},
    "openai_responses": {
        "type": "reasoning",
        "id": "rs_8f9a485e288e10380e25bbca",
        "summary": [{"type": "summary_text", "text": "Oslo first."}],
    },
    "gemini_interactions": {"type": "thought", "summary": [{"type": "text", "text": "Oslo first."}]},
    "gemini_generate": {"thought": True, "text": "Oslo first."},
}


def written_thought(answer: Answer, wire: str, notes: list[Note] | None = None) -> Any:
    body = module(wire).write_answer(answer, notes=notes)
    holder = body["candidates"][0]["content"] if "candidates" in body else body
    return next(holder[key][0] for key in ("content", "output", "steps", "parts") if key in holder)


@pytest.mark.parametrize("wire", THOUGHT)
def test_thinking_without_a_signature_stays_thinking(wire: str) -> None:
    message = {"role": "assistant", "reasoning_content": "Oslo first.", "content": "12 C."}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    answer = module("vllm_chat").read_answer(body)
    notes: list[Note] = []
    assert written_thought(answer, wire, notes) == THOUGHT[wire]
    assert {note.action for note in notes} <= {"missing", "added"}
    again = module(wire).read_answer(module(wire).write_answer(answer))
    assert (again.reasoning, again.text) == ("Oslo first.", "12 C.")


def test_a_signature_of_another_api_is_lost_and_the_thinking_stays() -> None:
    parts = [{"text": "Oslo first.", "thought": True, "thoughtSignature": "CikB"}, {"text": "12 C."}]
    body = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
    answer = module("gemini_generate").read_answer(body)
    with refused(NoPlace, "messages[0].parts[0].signature"):
        module("anthropic_messages").write_answer(answer, policies="strict")
    notes: list[Note] = []
    written = module("anthropic_messages").write_answer(answer, policies="lenient", notes=notes)
    assert written["content"][0] == THOUGHT["anthropic_messages"]
    assert "dropped messages[0].parts[0].signature" in "\n".join(map(str, notes))


def test_an_id_of_thinking_that_becomes_another_is_named() -> None:
    message = Message("assistant", [Reasoning(text="Oslo first.", id="th_1"), Text("12 C.")])
    notes: list[Note] = []
    answer = Answer(candidates=(Candidate(message=message),))
    assert written_thought(answer, "openai_responses", notes) == THOUGHT["openai_responses"]
    assert [(note.action, note.path, note.field) for note in notes if note.path.startswith("messages")] == [
        ("replaced", "messages[0].parts[0]", "id")
    ]


def test_counts_that_an_api_does_not_report_are_noted() -> None:
    counts = {
        "prompt_tokens": 10,
        "completion_tokens": 12,
        "total_tokens": 22,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 10},
    }
    message = {"role": "assistant", "content": "Hi"}
    said = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": counts}
    answer = openai_chat.read_answer(said)
    lost = {
        "ollama_chat": ["usage.reasoning"],
        "bedrock_converse": ["usage.reasoning"],
        "openai_responses": [],
        "openrouter_chat": [],
    }
    for wire, names in lost.items():
        notes: list[Note] = []
        module(wire).write_answer(answer, notes=notes)
        assert [note.field for note in notes if note.field.startswith("usage")] == names
        writer = module(wire).write_stream(id="a", model="m", usage=True)
        writer.answer(answer)
        assert [note.field for note in writer.notes if note.field.startswith("usage")] == names
    nothing = {**counts, "prompt_tokens_details": {"cached_tokens": 0}, "completion_tokens_details": None}
    notes = []
    module("ollama_chat").write_answer(openai_chat.read_answer({**said, "usage": nothing}), notes=notes)
    assert not [note for note in notes if note.field.startswith("usage")]


CITED: dict[str, Any] = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [
        {"type": "thinking", "thinking": "Is it ", "signature": "a"},
        {"type": "thinking", "thinking": "so?", "signature": "b"},
        {"type": "text", "text": "The grass is "},
        {"type": "text", "text": "green", "citations": []},
        {"type": "text", "text": "."},
    ],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 4},
}


def test_the_pieces_of_an_answer_are_one_text_where_an_api_has_one() -> None:
    answer = anthropic_messages.read_answer(CITED)
    notes: list[Note] = []
    written = module("ollama_chat").write_answer(answer, created=1, policies="lenient", notes=notes)
    assert written == {
        "model": "m",
        "created_at": "1970-01-01T00:00:01Z",
        "message": {"role": "assistant", "thinking": "Is it so?", "content": "The grass is green."},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 9,
        "eval_count": 4,
    }
    assert [note for note in notes if note.field == "reasoning"] == []
    written = module("deepseek_chat").write_answer(answer, policies="lenient")
    assert written["choices"][0]["message"] == {
        "role": "assistant",
        "reasoning_content": "Is it so?",
        "content": "The grass is green.",
        "refusal": None,
    }
    assert module("cohere_v1").write_answer(answer, policies="lenient")["text"] == "The grass is green."
    # so are those beside a call, and in the next request
    call = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
    calling = anthropic_messages.read_answer({**CITED, "content": [*CITED["content"][1:], call]})
    written = module("ollama_chat").write_answer(calling, policies="lenient")
    assert written["message"]["content"] == "The grass is green."
    request = Request("m", user("Hi")).after(calling, tool_result("toolu_1", "green"))
    for wire, key in (("ollama_chat", "messages"), ("cohere_v1", "chat_history")):
        built = module(wire).build(request, policies="portable")
        turn = next(turn for turn in built.body[key] if turn.get("tool_calls"))
        assert turn.get("content", turn.get("message")) == "The grass is green."
    # a call of the API's own, which is sent as text, stands apart
    search = {
        "type": "server_tool_use",
        "id": "srvtoolu_1",
        "name": "web_search",
        "input": {"query": "grass"},
    }
    searched = anthropic_messages.read_answer({**CITED, "content": [search, *CITED["content"][1:]]})
    built = module("ollama_chat").build(
        Request("m", user("Hi")).after(searched, user("On.")), policies="portable"
    )
    assert built.body["messages"][1]["content"] == (
        '<hosted_call type="server_tool_use" name="web_search" id="srvtoolu_1">\n{"query":"grass"}\n</hosted_call>'
        "\n\nThe grass is green."
    )
    # the texts of a caller stay apart
    built = module("ollama_chat").build(Request("m", [user("Hi"), assistant("One.", "Two."), user("Go on")]))
    assert built.body["messages"][1]["content"] == "One.\n\nTwo."


BLOCKED: dict[str, Any] = {
    "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
    "usageMetadata": {"promptTokenCount": 9},
}


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("mistral_chat", {"choices": [{"index": 0, "message": {"role": "assistant"}, "finish_reason": "error"}], "usage": {"prompt_tokens": 9}}),
        ("cohere_chat", {"message": {"role": "assistant", "content": []}, "finish_reason": "ERROR", "usage": {"tokens": {"input_tokens": 9}}}),
        ("ollama_chat", {"created_at": "1970-01-01T00:00:01Z", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "load", "prompt_eval_count": 9}),
        ("bedrock_converse", {"output": {"message": {"role": "assistant", "content": []}}, "stopReason": "guardrail_intervened", "usage": {"inputTokens": 9}}),
    ],
)  # fmt: skip
def test_a_blocked_prompt_has_the_message_and_the_end_that_clients_ask_for(
    wire: str, body: dict[str, Any]
) -> None:
    answer = gemini_generate.read_answer(BLOCKED)
    written = module(wire).write_answer(answer, created=1, policies="lenient")
    assert {key: written[key] for key in body} == body
    assert {*written} - {*body} <= {"object", "created"}


@pytest.mark.parametrize(
    ("wire", "key"),
    [("deepseek_chat", "reasoning_content"), ("vllm_chat", "reasoning"), ("groq_chat", "reasoning")],
)
def test_thinking_that_signed_pieces_repeat_is_written_once(wire: str, key: str) -> None:
    details = [
        {"type": "reasoning.text", "text": "Is it ", "index": 0},
        {"type": "reasoning.text", "text": "so?", "signature": "c2ln", "index": 0},
    ]
    message = {
        "role": "assistant",
        "content": "Yes.",
        "reasoning": "Is it so?",
        "reasoning_details": details,
    }
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    answer = module("openrouter_chat").read_answer(body)
    notes: list[Note] = []
    written = module(wire).write_answer(answer, policies="lenient", notes=notes)
    assert written["choices"][0]["message"] == {
        "role": "assistant",
        key: "Is it so?",
        "content": "Yes.",
        "refusal": None,
    }
    assert ["messages[0].parts[2].signature" in str(note) for note in notes].count(True) == 1
    assert module("openrouter_chat").write_answer(answer) == body


@pytest.mark.parametrize(
    ("content", "stop", "rest"),
    [
        ([{"type": "tool_use", "id": "c1", "name": "f", "input": {}}], "tool_use", {"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}),
        ([], "refusal", {}),
        ([{"type": "text", "text": "Hi"}], "end_turn", {"content": "Hi"}),
    ],
)  # fmt: skip
def test_the_message_of_an_answer_in_openais_form_always_has_content(
    content: Any, stop: str, rest: Any
) -> None:
    """Clients of Chat Completions read `message["content"]`, which OpenAI gives as null beside calls."""
    said = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": content, "stop_reason": stop, "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
    answer = module("anthropic_messages").read_answer(said)
    for wire in ("openai_chat", "vllm_chat"):
        body = module(wire).write_answer(answer, policies="portable")
        assert body["choices"][0]["message"] == {
            "role": "assistant",
            "content": None,
            "refusal": None,
            **rest,
        }
