"""The official clients talk, call a tool, see thinking and send pictures through the gateway, streamed and not."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from anthropic.types import Message
from google.genai import types as gemini
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

from tests.internals.clients import gateway

from .behind import BODIES, CALL, PNG, SCHEMA
from .callers import Caller

QUESTION: Any = {"role": "user", "content": "How warm is Oslo?"}
RESULT = "12 C in Oslo"
FUNCTION = {"name": "weather", "description": "The weather.", "parameters": SCHEMA}


def test_an_anthropic_client_talks_and_calls_a_tool(
    at: SimpleNamespace, caller: Caller, stream: bool
) -> None:
    def ask(*messages: Any, **more: Any) -> Any:
        return caller.claude(stream=stream, model="claude", max_tokens=64, messages=[*messages], **more)

    answer = ask(QUESTION, system="Be brief.")
    assert (answer.content[0].text, answer.stop_reason) == ("12 C.", "end_turn")
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (9, 4)
    assert [message["role"] for message in at.behind.body["messages"]] == ["system", "user"]
    tools = [{"name": "weather", "description": "The weather.", "input_schema": SCHEMA}]
    (call,) = ask(QUESTION, tools=tools).content
    assert (call.type, call.name, call.input) == ("tool_use", "weather", {"city": "Oslo"})
    content = [{"type": "tool_use", "id": call.id, "name": "weather", "input": call.input}]
    result = {"type": "tool_result", "tool_use_id": call.id, "content": RESULT}
    turns = ({"role": "assistant", "content": content}, {"role": "user", "content": [result]})
    assert ask(QUESTION, *turns, tools=tools).content[0].text == "12 C."
    assert at.behind.body["messages"][-1] == {"role": "tool", "tool_call_id": call.id, "content": RESULT}


def test_an_openai_client_talks_and_calls_a_tool(at: SimpleNamespace, caller: Caller, stream: bool) -> None:
    def ask(*messages: Any, **more: Any) -> Any:
        return caller.chat(stream=stream, model="small", messages=[*messages], **more).choices[0]

    answer = ask(QUESTION)
    assert (answer.message.content, answer.finish_reason) == ("12 C.", "stop")
    assert at.behind.body["model"] == "behind-small"
    tools = [{"type": "function", "function": {**FUNCTION, "strict": True}}]
    turn = ask(QUESTION, tools=tools)
    (call,) = turn.message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == ("weather", {"city": "Oslo"})
    assert turn.finish_reason == "tool_calls"
    function = {"name": "weather", "arguments": call.function.arguments}
    called = {"role": "assistant", "tool_calls": [{"id": call.id, "type": "function", "function": function}]}
    result = {"role": "tool", "tool_call_id": call.id, "content": RESULT}
    assert ask(QUESTION, called, result, tools=tools).message.content == "12 C."
    assert at.behind.body["messages"][-1] == result


def test_a_responses_client_talks_and_calls_a_tool(at: SimpleNamespace, caller: Caller, stream: bool) -> None:
    def ask(items: Any, **more: Any) -> Any:
        return caller.responses(stream=stream, model="m", input=items, **more)

    answer = ask("How warm is Oslo?", instructions="Be brief.")
    assert (answer.output_text, answer.status, answer.usage.total_tokens) == ("12 C.", "completed", 13)
    tools = [{"type": "function", **FUNCTION, "strict": False}]
    (call,) = ask("How warm is Oslo?", tools=tools).output
    assert (call.type, call.name, json.loads(call.arguments)) == (
        "function_call",
        "weather",
        {"city": "Oslo"},
    )
    called = {
        "type": "function_call",
        "call_id": call.call_id,
        "name": "weather",
        "arguments": call.arguments,
    }
    result = {"type": "function_call_output", "call_id": call.call_id, "output": RESULT}
    assert ask([QUESTION, called, result], tools=tools).output_text == "12 C."
    assert at.behind.body["messages"][-1] == {
        "role": "tool",
        "tool_call_id": call.call_id,
        "content": RESULT,
    }


def test_a_gemini_client_talks_and_calls_a_tool(at: SimpleNamespace, caller: Caller, stream: bool) -> None:
    def ask(*contents: Any, **more: Any) -> list[gemini.GenerateContentResponse]:
        return caller.gemini(stream=stream, model="gem", contents=[*contents], **more)

    answer = ask("How warm is Oslo?")
    assert "".join([row.text or "" for row in answer]) == "12 C."
    assert answer[-1].usage_metadata is not None and answer[-1].usage_metadata.total_token_count == 13
    declared = gemini.FunctionDeclaration(name="weather", description="W.", parameters_json_schema=SCHEMA)
    config = gemini.GenerateContentConfig(tools=[gemini.Tool(function_declarations=[declared])])
    (call,) = [call for row in ask("How warm is Oslo?", config=config) for call in row.function_calls or ()]
    assert (call.name, call.args) == ("weather", {"city": "Oslo"})
    question = gemini.Content(role="user", parts=[gemini.Part(text="How warm is Oslo?")])
    called = gemini.Content(role="model", parts=[gemini.Part(function_call=call)])
    response = gemini.FunctionResponse(id=call.id, name="weather", response={"output": RESULT})
    result = gemini.Content(role="user", parts=[gemini.Part(function_response=response)])
    after = ask(question, called, result, config=config)
    assert "".join([row.text or "" for row in after]) == "12 C."
    sent = at.behind.body["messages"][-1]
    assert (sent["role"], sent["content"]) == ("tool", RESULT)
    assert sent["tool_call_id"] == at.behind.body["messages"][-2]["tool_calls"][0]["id"]


def test_thinking_is_thinking_for_every_client(at: SimpleNamespace, caller: Caller, stream: bool) -> None:
    at.behind.answer = at.behind.thinking
    thought, text = caller.claude(stream=stream, model="m", max_tokens=64, messages=[QUESTION]).content
    assert (thought.type, thought.thinking, text.text) == ("thinking", "Oslo first.", "12 C.")
    thought, text = caller.responses(stream=stream, model="m", input="How warm is Oslo?").output
    assert (thought.type, text.content[0].text) == ("reasoning", "12 C.")
    assert "".join([part.text for part in thought.content or thought.summary]) == "Oslo first."
    rows = caller.gemini(stream=stream, model="m", contents="How warm is Oslo?")
    parts = [
        part
        for row in rows
        for candidate in row.candidates or ()
        if candidate.content is not None
        for part in candidate.content.parts or ()
    ]
    said = {
        thought: "".join([part.text or "" for part in parts if bool(part.thought) is thought])
        for thought in (True, False)
    }
    assert said == {True: "Oslo first.", False: "12 C."}
    # Chat Completions of OpenAI has no thinking
    assert caller.chat(stream=stream, model="m", messages=[QUESTION]).choices[0].message.content == "12 C."


def test_a_client_may_ask_for_thinking(at: SimpleNamespace, caller: Caller) -> None:
    thinking = {"type": "enabled", "budget_tokens": 1024}
    caller.claude(stream=False, model="m", max_tokens=2048, messages=[QUESTION], thinking=thinking)
    budgets = [at.behind.body]
    config = gemini.GenerateContentConfig(thinking_config=gemini.ThinkingConfig(thinking_budget=1024))
    caller.gemini(stream=False, model="m", contents="Hi", config=config)
    budgets.append(at.behind.body)
    assert [body["reasoning_budget_tokens"] for body in budgets] == [1024, 1024]


def test_pictures_are_passed_on(at: SimpleNamespace, caller: Caller, stream: bool) -> None:
    url = f"data:image/png;base64,{PNG}"
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    picture: Any = {"type": "image", "source": source}
    caller.claude(stream=stream, model="m", max_tokens=9, messages=[{"role": "user", "content": [picture]}])
    sent = [at.behind.body]
    picture = {"type": "image_url", "image_url": {"url": url}}
    caller.chat(stream=stream, model="m", messages=[{"role": "user", "content": [picture]}])
    sent.append(at.behind.body)
    picture = {"type": "input_image", "image_url": url, "detail": "auto"}
    caller.responses(stream=stream, model="m", input=[{"role": "user", "content": [picture]}])
    sent.append(at.behind.body)
    caller.gemini(
        stream=stream,
        model="m",
        contents=gemini.Part.from_bytes(data=b"\x89PNG\r\n\x1a\n0000", mime_type="image/png"),
    )
    sent.append(at.behind.body)
    assert [body["messages"][0]["content"][0]["image_url"]["url"] for body in sent] == [url] * 4


def test_the_usual_loop_over_chunks_meets_no_empty_choices(at: SimpleNamespace) -> None:
    rows = [*at.gpt.chat.completions.create(model="m", messages=[QUESTION], stream=True)]
    assert "".join([row.choices[0].delta.content or "" for row in rows]) == "12 C."
    assert "stream_options" not in at.behind.body
    counted = at.gpt.chat.completions.create(
        model="m", messages=[QUESTION], stream=True, stream_options={"include_usage": True}
    )
    assert [row.usage.total_tokens for row in counted if row.usage] == [13]


def test_gemini_streams_without_a_framing_are_a_json_array(at: SimpleNamespace) -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    answer = httpx.post(f"{at.url}/v1beta/models/gem:streamGenerateContent", json=body)
    contents = [row["candidates"][0].get("content", {}) for row in answer.json()]
    assert "".join([part["text"] for content in contents for part in content.get("parts", [])]) == "12 C."


@pytest.mark.parametrize("kind", ["list", "one"])
def test_models_are_listed_for_each_client(at: SimpleNamespace, kind: str) -> None:
    if kind == "one":
        assert at.gpt.models.retrieve("small").id == at.claude.models.retrieve("small").id == "small"
        assert at.gemini.models.get(model="small").name == "models/small"
        return
    assert [model.id for model in at.gpt.models.list()] == ["small", "behind"]
    assert [model.id for model in at.claude.models.list()] == ["small", "behind"]
    assert [model.name for model in at.gemini.models.list()] == ["models/small", "models/behind"]


def test_tokens_are_estimated(at: SimpleNamespace) -> None:
    messages: Any = [{"role": "user", "content": "How warm is Oslo? " * 20}]
    count = at.claude.messages.count_tokens(model="c", messages=messages).input_tokens
    assert 80 < count < 150
    assert 80 < at.gemini.models.count_tokens(model="c", contents=messages[0]["content"]).total_tokens < 150
    assert at.behind.sent == []


FORMS: Any = {
    "/v1/messages": Message,
    "/v1/chat/completions": ChatCompletion,
    "/v1/responses": Response,
    "/v1beta/models/m:generateContent": gemini.GenerateContentResponse,
}


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize("calls", [False, True])
def test_a_bare_answer_is_one_that_the_types_of_each_client_accept(
    at: SimpleNamespace, path: str, calls: bool
) -> None:
    message = {"content": None, "tool_calls": [CALL]} if calls else {"content": "Hi"}
    choice = {"message": message, "finish_reason": "tool_calls" if calls else "stop"}
    at.behind.answer = lambda _: httpx.Response(200, json={"choices": [choice]})
    answer = httpx.post(at.url + path, json=BODIES[path])
    FORMS[path].model_validate(answer.json())
    assert "missing" not in answer.headers.get(gateway.NOTES, "")
