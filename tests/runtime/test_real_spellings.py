"""Spellings of real requests that an API takes: they are understood, nothing is found wrong, and they come back."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from promptwire import (
    Document,
    Json,
    Reading,
    ReasoningOptions,
    Request,
    ToolResult,
    anthropic_messages,
    bedrock_converse,
    gemini_generate,
    openai_chat,
    openai_responses,
    user,
)
from promptwire.errors import NoPlace, Refused
from promptwire.parts import HostedCall
from tests.notes import refused

GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/{}:generateContent"
ASK = {"role": "user", "content": "Plan."}


def understood(wire: str, body: dict[str, Any], url: str | None = None) -> Request:
    """Read a body that an API takes, which every policy writes again."""
    module: Any = import_module(f"promptwire.{wire}")
    reading: Reading = module.read(body, url)
    assert (reading.unread, module.check(body, url)) == ((), ())
    for policies in ("strict", "portable", "verbatim"):
        built = module.build(reading.request, settings=reading.settings, policies=policies)
        assert built.body == body
    return reading.request


def gemini_body(**keys: Any) -> dict[str, Any]:
    return {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], **keys}


# ---- Gemini reads the words of its enums in any case
@pytest.mark.parametrize("words", [["Text", "Image"], ["text", "image"], ["TEXT", "Image"]])
def test_modalities_in_small_letters_are_the_same_modalities(words: list[str]) -> None:
    body = gemini_body(generationConfig={"responseModalities": words})
    request = understood("gemini_generate", body, GEMINI.format("gemini-2.5-flash-image"))
    assert request.modalities == ("text", "image")
    with refused(NoPlace, "modalities"):
        anthropic_messages.build(request.replace(model="claude-haiku-4-5"), policies="portable")


def test_a_model_that_speaks_is_asked_for_audio_in_small_letters() -> None:
    body = gemini_body(generationConfig={"responseModalities": ["audio"]})
    assert understood("gemini_generate", body, GEMINI.format("gemini-2.5-flash-preview-tts")).modalities == (
        "audio",
    )


def test_functions_stand_beside_the_tool_for_a_screen() -> None:
    tools = [
        {"computerUse": {"environment": "ENVIRONMENT_BROWSER"}},
        {"functionDeclarations": [{"name": "f"}]},
    ]
    for model in ("gemini-2.5-computer-use-preview-10-2025", "gemini-3-flash-preview"):
        understood("gemini_generate", gemini_body(tools=tools), GEMINI.format(model))
    request = gemini_generate.read(
        gemini_body(tools=[{"googleSearch": {}}, tools[1]]), GEMINI.format("gemini-2.5-flash")
    ).request
    with refused(Refused, "tools[0].tools.type"):
        gemini_generate.build(request)


# ---- Cohere takes the data of a document as text
@pytest.mark.parametrize("data", ['{"celsius": 12}', '[{"celsius":12}]', "It snows."])
def test_the_data_of_a_document_may_be_text(data: str) -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    document = {"type": "document", "document": {"data": data}}
    messages = [
        ASK,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": [document]},
    ]
    request = understood("cohere_chat", {"model": "command-a-03-2025", "messages": messages})
    result = request.messages[2].parts[0]
    assert isinstance(result, ToolResult)
    assert [part.value for part in result.parts if isinstance(part, Json)] == [data]
    moved: Any = openai_chat.build(request.replace(model="gpt-4o"), policies="portable")
    assert moved.body["messages"][2]["content"] == data


@pytest.mark.parametrize(
    ("data", "part"),
    [
        ({"title": "Snow", "text": "It snows."}, Document(text="It snows.", title="Snow")),
        ({"celsius": 12}, Json({"celsius": 12})),
    ],
)
def test_data_with_a_text_is_a_document_and_other_data_is_json(data: Any, part: Any) -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    messages = [
        ASK,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": [{"type": "document", "document": {"data": data}}]},
    ]
    request = understood("cohere_chat", {"model": "command-a-03-2025", "messages": messages})
    result = request.messages[2].parts[0]
    assert isinstance(result, ToolResult)
    assert result.parts == (part,)


# ---- Ollama's clients said name before tool_name
def test_the_name_of_a_result_is_read_by_its_older_key() -> None:
    call = {"function": {"name": "add", "arguments": {"a": 3}}}
    messages = [
        ASK,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "4", "name": "add"},
    ]
    request = understood("ollama_chat", {"model": "llama3.1", "stream": False, "messages": messages})
    result = request.messages[2].parts[0]
    assert isinstance(result, ToolResult)
    assert result.name == "add"


# ---- agents that run at OpenAI
def test_what_agents_say_to_each_other_is_read_and_named_elsewhere() -> None:
    root, helper = {"agent_name": "/root"}, {"agent_name": "/root/research"}
    call = {"call_id": "c1", "action": "spawn_agent", "agent": root}
    said = {"type": "agent_message", "id": "am_1", "author": "/root/research", "recipient": "/root"}
    items = [
        ASK,
        {"type": "multi_agent_call", "id": "ma_1", "arguments": "{}", **call},
        {"type": "multi_agent_call_output", "output": [{"type": "output_text", "text": "ok"}], **call},
        {**said, "content": [{"type": "input_text", "text": "The check passed."}], "agent": helper},
        {"type": "function_call", "call_id": "f1", "name": "look", "arguments": "{}", "agent": helper},
        {"type": "function_call_output", "call_id": "f1", "output": "12 C", "agent": helper},
        ASK,
    ]
    body = {"model": "gpt-6-sol", "input": items, "multi_agent": {"enabled": True}}
    request = understood("openai_responses", body)
    assert openai_responses.build(request).headers["openai-beta"] == "responses_multi_agent=v1"
    assert "openai-beta" not in openai_responses.build(request.replace(vendor={})).headers
    message = next(part for m in request.messages for part in m.parts if getattr(part, "id", "") == "am_1")
    assert isinstance(message, HostedCall)
    moved = anthropic_messages.build(
        request.replace(model="claude-haiku-4-5", options=request.options.replace(max_tokens=9)),
        policies="portable",
    )
    assert "The check passed." in moved.json().decode()
    notes = " ".join(map(str, moved.notes))
    assert "dropped vendor.openai_responses.multi_agent" in notes
    assert "vendor.openai_responses.agent" in notes


# ---- an object of nothing but nulls says nothing
@pytest.mark.parametrize(
    ("wire", "keys"),
    [
        (
            "openai_responses",
            {"model": "gpt-5", "input": "Hi", "reasoning": {"effort": None, "summary": None}},
        ),
        ("openai_responses", {"model": "gpt-5", "input": "Hi", "text": {"format": None}}),
        ("openai_chat", {"model": "gpt-4o", "stream_options": {"include_usage": None}, "messages": [ASK]}),
        (
            "anthropic_messages",
            {"model": "claude-haiku-4-5", "max_tokens": 9, "metadata": {"user_id": None}, "messages": [ASK]},
        ),
    ],
)
def test_an_object_of_nulls_is_no_problem(wire: str, keys: dict[str, Any]) -> None:
    understood(wire, keys)


def test_an_object_of_nulls_gives_way_to_what_is_set_later() -> None:
    body = {"model": "gpt-5", "input": "Hi", "reasoning": {"effort": None, "summary": None}}
    request = openai_responses.read(body).request.replace(reasoning=ReasoningOptions(effort="low"))
    assert openai_responses.build(request).body.get("reasoning") == {"effort": "low"}


def test_a_null_under_a_key_that_no_shape_knows_is_still_named() -> None:
    body = {"model": "gpt-5", "input": "Hi", "reasoning": {"effrt": None}}
    assert "effrt" in str(openai_responses.check(body)[0])


# ---- spellings of agents' clients
def test_a_namespace_needs_no_description() -> None:
    function = {"type": "function", "name": "find", "parameters": {"type": "object", "properties": {}}}
    space = {"type": "namespace", "name": "crm", "tools": [function]}
    body = {"model": "gpt-5.4", "input": "Hi", "tools": [space]}
    request = understood("openai_responses", body)
    moved: Any = openai_chat.build(request, policies="portable")
    assert [tool["function"]["name"] for tool in moved.body["tools"]] == ["find"]


def test_a_signature_stands_alone_in_a_part() -> None:
    said = [{"text": "Four."}, {"thoughtSignature": "CikE"}]
    contents = [
        {"role": "user", "parts": [{"text": "2+2?"}]},
        {"role": "model", "parts": said},
        {"role": "user", "parts": [{"text": "3+3?"}]},
    ]
    request = understood("gemini_generate", {"contents": contents}, GEMINI.format("gemini-3-flash-preview"))
    moved: Any = openai_chat.build(request.replace(model="gpt-4o"), policies="portable")
    assert moved.body["messages"][1] == {"role": "assistant", "content": "Four."}
    assert [note.field for note in moved.notes] == ["reasoning"]
    answer = gemini_generate.read_answer(
        {"candidates": [{"content": {"parts": said[1:]}, "finishReason": "STOP"}]}
    )
    assert (answer.text, answer.unread) == ("", ())


@pytest.mark.parametrize("beside", [{"newKind": {"a": 1}}, {"functionCall": {"a": 1}}, {"partMetadata": {}}])
def test_what_stands_beside_a_signature_is_not_taken_for_nothing(beside: dict[str, Any]) -> None:
    parts = [{**beside, "thoughtSignature": "CikE"}]
    answer = gemini_generate.read_answer(
        {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}
    )
    assert len(answer.unread) == 1


def test_a_choice_of_several_tools_may_name_those_that_the_api_runs() -> None:
    """The words of `tool_choice` on OpenAI's page: functions, MCP servers and tools of its own stand in one list."""
    choice = {"type": "mcp", "server_label": "wiki"}
    body = {
        "model": "gpt-5",
        "input": "Hi",
        "tools": [{**choice, "server_url": "https://wiki.example/mcp"}, {"type": "image_generation"}],
        "tool_choice": {
            "type": "allowed_tools",
            "mode": "required",
            "tools": [choice, {"type": "image_generation"}],
        },
    }
    request = understood("openai_responses", body)
    assert request.tool_choice is not None
    assert (request.tool_choice.mode, request.tool_choice.type) == ("hosted", "allowed_tools")


# ---- hosts that state less, or more
def test_a_result_of_dashscope_may_name_its_tool_alone() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    messages = [
        ASK,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "12 C", "name": "weather"},
    ]
    body = {
        "model": "qwen-plus",
        "input": {"messages": messages},
        "parameters": {"result_format": "message"},
    }
    request = understood("dashscope_generation", body)
    moved: Any = openai_chat.build(request.replace(model="gpt-4o"), policies="portable")
    assert moved.body["messages"][2] == {"role": "tool", "tool_call_id": "c1", "content": "12 C"}


def test_a_schema_of_perplexity_needs_no_name() -> None:
    schema = {"type": "object", "properties": {"warm": {"type": "boolean"}}}
    response_format = {"type": "json_schema", "json_schema": {"schema": schema}}
    body = {"model": "sonar", "messages": [ASK], "response_format": response_format}
    request = understood("perplexity_chat", body)
    assert request.response_format is not None
    assert request.response_format.schema == schema


@pytest.mark.parametrize(
    ("wire", "keys"),
    [
        (
            "watsonx_chat",
            {"model_id": "ibm/granite-4-h-small", "guided_choice": ["a", "b"], "include_reasoning": False},
        ),
        (
            "compatible_chat",
            {"model": "gemini-3-flash", "extra_body": {"google": {"cached_content": "cachedContents/1"}}},
        ),
    ],
)
def test_documented_options_of_one_host_are_known(wire: str, keys: dict[str, Any]) -> None:
    request = understood(wire, {**keys, "messages": [ASK]})
    assert wire in (request.vendor or {})


def test_signatures_of_gemini_go_back_after_openai_s_manner() -> None:
    signed = {"google": {"thought_signature": "c2ln"}}
    function = {"name": "weather", "arguments": "{}"}
    messages = [
        ASK,
        {
            "role": "assistant",
            "tool_calls": [{"id": "c1", "type": "function", "function": function, "extra_content": signed}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "12 C"},
        {"role": "assistant", "content": "12 C.", "extra_content": signed},
        ASK,
    ]
    understood("compatible_chat", {"model": "gemini-3-flash", "messages": messages})


def test_a_file_that_is_base64_alone_is_a_document_behind_a_compatible_host() -> None:
    file = {"filename": "plan.pdf", "file_data": "JVBERi0xLjQK"}
    messages = [{"role": "user", "content": [{"type": "file", "file": file}]}]
    request = understood("compatible_chat", {"model": "m", "messages": messages})
    moved: Any = gemini_generate.build(request.replace(model="gemini-2.5-pro"), policies="portable")
    data = {"mimeType": "application/pdf", "data": "JVBERi0xLjQK", "displayName": "plan.pdf"}
    assert moved.body["contents"][0]["parts"] == [{"inlineData": data}]


# ---- elements without a type
def test_a_list_of_one_text_without_a_type_comes_back_as_a_list() -> None:
    module: Any = import_module("promptwire.dashscope_generation")
    said = {"role": "assistant", "content": [{"text": "A dog."}]}
    asked = {"role": "user", "content": [{"text": "And now?"}]}
    request = module.read({"model": "qwen-vl-max", "input": {"messages": [asked, said, asked]}}).request
    # a message fewer: what was remembered stands at each message
    later = request.replace(messages=request.messages[1:])
    assert module.build(later).body["input"]["messages"] == [said, asked]
    body = {"output": {"choices": [{"finish_reason": "stop", "message": said}]}, "usage": {"input_tokens": 9}}
    answer = module.read_answer(body)
    assert (answer.text, module.write_answer(answer)) == ("A dog.", body)


# ---- Converse takes letters without accents in the name of a document
@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("résumé.pdf", "resume"),
        ("분기보고서.pdf", "document-1"),
        ("a\tb", "a b"),
        ("John's report", "John s report"),
    ],
)
def test_the_name_of_a_document_keeps_letters_that_converse_takes(given: str, sent: str) -> None:
    document = Document(data="JVBERi0=", media_type="application/pdf", filename=given)
    request = Request("us.anthropic.claude-haiku-4-5", [user("Sum it up.", document)])
    content: Any = bedrock_converse.build(request, policies="portable").body["messages"][0]["content"]
    assert content[1]["document"]["name"] == sent


# ---- DeepSeek's newest model sees what a tool shows it
@pytest.mark.parametrize("url", ["data:image/png;base64,iVBORw0KGgo=", "https://example.com/shot.png"])
def test_a_picture_stands_in_the_result_of_a_tool(url: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "shot", "arguments": "{}"}}
    shown = [{"type": "text", "text": "Done."}, {"type": "image_url", "image_url": {"url": url}}]
    messages = [
        ASK,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": shown},
    ]
    request = understood("deepseek_chat", {"model": "deepseek-flash", "messages": messages})
    moved: Any = openai_responses.build(request.replace(model="gpt-5.1"), policies="portable")
    assert {"type": "input_image", "image_url": url}.items() <= moved.body["input"][2]["output"][1].items()
