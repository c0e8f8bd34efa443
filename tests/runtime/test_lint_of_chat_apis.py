"""Findings on APIs that speak OpenAI's chat: keys they refuse, and keys that some add."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from promptwire import compatible_chat

HI = {"role": "user", "content": "hi"}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLS: list[dict[str, Any]] = [HI, {"role": "assistant", "content": "", "tool_calls": [CALL]}]
CAT = {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}}
FILM = {"type": "video_url", "video_url": {"url": "https://example.com/cat.mp4"}}
SOUND = {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}}
PAGE = {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="}}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}
SHORT_CALL = {"role": "assistant", "tool_calls": [{**CALL, "id": "abcdefghi"}]}
SHORT_RESULT = {"role": "tool", "tool_call_id": "abcdefghi", "content": "5"}
DEVELOPER = {"role": "developer", "content": "Be terse."}


def says(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [*parts]}]


def function(**parameters: Any) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": "f", "parameters": parameters}}]


# wire, model, other keys of the body, and what is found where
REFUSED: dict[str, tuple[str, str, dict[str, Any], list[tuple[str, str]]]] = {
    "the older word for a limit of tokens": (
        "openai_chat",
        "gpt-5.6-luna",
        {"messages": [HI], "max_tokens": 200},
        [("refused", "max_tokens")],
    ),
    "the newer word for a limit of tokens": (
        "azure_openai_chat",
        "Mistral-Large-3",
        {"messages": [HI], "max_completion_tokens": 200},
        [("refused", "max_completion_tokens")],
    ),
    "thoughts under the key of other servers": (
        "groq_chat",
        "openai/gpt-oss-120b",
        {"messages": [HI, {"role": "assistant", "reasoning_content": "Hm.", "content": "a"}, HI]},
        [("refused", "messages[1].reasoning_content")],
    ),
    "a long key of the cache": (
        "azure_openai_chat",
        "gpt-5.6-luna",
        {"messages": [HI], "prompt_cache_key": "k" * 65},
        [("refused", "prompt_cache_key")],
    ),
    "a long key of the cache, on the Responses API": (
        "openai_responses",
        "gpt-5.6-luna",
        {"input": [HI], "prompt_cache_key": "k" * 65},
        [("refused", "prompt_cache_key")],
    ),
    "text instead of messages": (
        "openai_chat",
        "gpt-4o",
        {"messages": "hi"},
        [("wrong type", "messages")],
    ),
    "messages without content": (
        "openai_chat",
        "gpt-4o",
        {"messages": [{"role": "user", "content": None}, {"role": "user"}]},
        [("wrong type", "messages[0].content"), ("missing", "messages[1].content")],
    ),
    "a function and a choice as the Responses API has them": (
        "openai_chat",
        "gpt-4o",
        {
            "messages": [HI],
            "tools": [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}],
            "tool_choice": {"type": "function", "name": "f"},
        },
        [
            ("unknown key", "tools[0].name"),
            ("unknown key", "tools[0].parameters"),
            ("missing", "tools[0].function"),
            ("unknown key", "tool_choice.name"),
            ("missing", "tool_choice.function"),
        ],
    ),
    "a function as Chat Completions has it": (
        "openai_responses",
        "gpt-5.4",
        {"input": [HI], "tools": function(type="object", properties={})},
        [("missing", "tools[0].name")],
    ),
    "words of texts that belong elsewhere": (
        "openai_responses",
        "gpt-5.4",
        {
            "input": [
                {"role": "user", "content": [{"type": "text", "text": "hi"}]},
                {"role": "assistant", "content": [{"type": "input_text", "text": "Hello."}]},
                {"role": "user", "content": [{"type": "output_text", "text": "Bye."}]},
            ]
        },
        [("refused", f"input[{place}].content[0].type") for place in range(3)],
    ),
    "ids of items that are not OpenAI's": (
        "openai_responses",
        "gpt-5.4",
        {
            "input": [
                HI,
                {**THOUGHT, "id": "item_1"},
                {"type": "message", "id": "lc_1", "role": "assistant", "content": "a"},
                {
                    "type": "function_call",
                    "id": "call_1",
                    "call_id": "call_1",
                    "name": "f",
                    "arguments": "{}",
                },
                {"type": "function_call_output", "call_id": "call_1", "output": "5"},
            ]
        },
        [("refused", f"input[{place}].id") for place in (2, 1, 3)],
    ),
    "a picture by a name that reads text": (
        "deepseek_chat",
        "deepseek-v4-pro",
        {"messages": says(CAT)},
        [("refused", "messages[0].content[0]")],
    ),
    "a film, a sound and a page": (
        "deepseek_chat",
        "deepseek-flash",
        {"messages": says(FILM, SOUND, PAGE)},
        [("refused", f"messages[0].content[{place}]") for place in range(3)],
    ),
    "a schema without a type at its root": (
        "deepseek_chat",
        "deepseek-flash",
        {"messages": [HI], "tools": function(properties={})},
        [("refused", "tools[0]")],
    ),
    "more heat than any server has": (
        "compatible_chat",
        "Qwen/Qwen3.5-9B",
        {"messages": [HI], "temperature": 100},
        [("refused", "temperature")],
    ),
    "a developer in mid-conversation": (
        "compatible_chat",
        "glm-5.3-flash",
        {"messages": [HI, DEVELOPER, HI]},
        [("refused", "messages[1].role")],
    ),
    "a developer, for a template that knows none": (
        "vllm_chat",
        "Qwen/Qwen3.6-27B",
        {"messages": [HI, DEVELOPER, HI]},
        [("refused", "messages[1].role")],
    ),
    "hosted tools of other APIs": (
        "groq_chat",
        "openai/gpt-oss-20b",
        {"messages": [HI], "tools": [{"type": "browser_search"}, {"type": "web_search_preview"}]},
        [("refused", "tools[1].type")],
    ),
    "a level of thinking that is none": (
        "ollama_chat",
        "qwen3",
        {"messages": [HI], "think": "none"},
        [("refused", "think")],
    ),
    "stop strings, for a model that has none": (
        "openai_chat",
        "gpt-5.2",
        {"messages": [HI], "stop": ["END"]},
        [("refused", "stop[0]")],
    ),
    "a schema without a type": (
        "openai_chat",
        "gpt-4o",
        {"messages": [HI], "tools": function(properties={})},
        [("refused", "tools[0]")],
    ),
    "an answer of one token": (
        "openrouter_chat",
        "openai/gpt-5",
        {"messages": [HI], "max_tokens": 1},
        [("refused", "max_tokens")],
    ),
    "an empty turn": (
        "openrouter_chat",
        "moonshotai/kimi-k3",
        {"messages": [HI, {"role": "assistant", "content": None}, HI]},
        [("refused", "messages[1]")],
    ),
    "an answer of empty text, on a route": (
        "openrouter_chat",
        "moonshotai/kimi-k3",
        {"messages": [HI, {"role": "assistant", "content": ""}, HI]},
        [("refused", "messages[1]")],
    ),
    "tools that a route runs": (
        "openrouter_chat",
        "anthropic/claude-sonnet-4.5",
        {"messages": [HI], "tools": [{"type": "web_search_20250305", "name": "web_search"}]},
        [("refused", "tools[0].type")],
    ),
    "an answer of empty text": (
        "mistral_chat",
        "mistral-large-latest",
        {"messages": [HI, {"role": "assistant", "content": ""}, HI]},
        [("refused", "messages[1]")],
    ),
    "a system message after a result": (
        "mistral_chat",
        "mistral-medium-latest",
        {"messages": [HI, SHORT_CALL, SHORT_RESULT, {"role": "system", "content": "Be terse."}, HI]},
        [("refused", "messages[3]")],
    ),
    "a result after a system message": (
        "mistral_chat",
        "mistral-medium-latest",
        {
            "messages": [
                HI,
                SHORT_CALL,
                SHORT_RESULT,
                SHORT_CALL,
                {"role": "system", "content": "s"},
                SHORT_RESULT,
            ]
        },
        [
            ("refused", "messages[4]"),
            ("unpaired", "messages[3].tool_calls[0].id"),
            ("unpaired", "messages[5].tool_call_id"),
            ("refused", "messages[5]"),
        ],
    ),
    "ids of calls in another form": (
        "mistral_chat",
        "mistral-medium-latest",
        {"messages": [*CALLS, {"role": "tool", "tool_call_id": "c1", "content": "5"}]},
        [("refused", "messages[1].tool_calls[0].id"), ("refused", "messages[2].tool_call_id")],
    ),
    "a name with a dot": (
        "mistral_chat",
        "mistral-medium-latest",
        {"messages": [HI], "tools": [{"type": "function", "function": {"name": "f.g", "parameters": {}}}]},
        [("refused", "tools[0].function.name")],
    ),
    "a prompt mode": (
        "mistral_chat",
        "magistral-medium-2509",
        {"messages": [HI], "prompt_mode": "reasoning"},
        [("refused", "prompt_mode")],
    ),
    "a budget of nothing": (
        "cohere_chat",
        "command-a-reasoning-08-2025",
        {"messages": [HI], "thinking": {"type": "enabled", "token_budget": 0}},
        [("refused", "thinking.token_budget")],
    ),
    "a conversation that begins with nothing": (
        "mistral_conversations",
        "mistral-medium-latest",
        {"inputs": []},
        [("refused", "")],
    ),
    "a tool of another vendor": (
        "openai_responses",
        "gpt-5.4",
        {"input": "Any news?", "tools": [{"type": "x_search"}]},
        [("refused", "tools[0].type")],
    ),
    "a developer who speaks first": (
        "compatible_chat",
        "qwen3.6-plus",
        {"messages": [DEVELOPER, HI]},
        [("refused", "messages[0].role")],
    ),
    "a file of base64 alone": (
        "openai_chat",
        "gpt-4o",
        {"messages": says({"type": "file", "file": {"filename": "a.pdf", "file_data": "aGk="}})},
        [("refused", "messages[0].content[0]")],
    ),
    "a file without a name": (
        "openai_chat",
        "gpt-4o",
        {"messages": says({"type": "file", "file": {"file_data": "data:application/pdf;base64,aGk="}})},
        [("refused", "messages[0].content[0]")],
    ),
    "a file that is no PDF": (
        "openai_chat",
        "gpt-4o",
        {
            "messages": says(
                {"type": "file", "file": {"filename": "a.md", "file_data": "data:text/markdown;base64,aGk="}}
            )
        },
        [("refused", "messages[0].content[0]")],
    ),
    "an address where a file's data belongs": (
        "openai_responses",
        "gpt-4o",
        {
            "input": says(
                {"type": "input_file", "filename": "a.pdf", "file_data": "https://example.com/a.pdf"}
            )
        },
        [("refused", "input[0].content[0]")],
    ),
    "a file's data without a name": (
        "openai_responses",
        "gpt-4o",
        {"input": says({"type": "input_file", "file_data": "data:application/pdf;base64,aGk="})},
        [("refused", "input[0].content[0]")],
    ),
    "reasoning that was not stored": (
        "openai_responses",
        "gpt-5.4",
        {"input": [HI, THOUGHT, {"role": "assistant", "content": "a", "id": "msg_1"}, HI], "store": False},
        [("refused", "input[1]")],
    ),
}
# what one host refuses: its address, model, other keys of the body, and what is found where
REFUSED_BY: dict[str, tuple[str, str, dict[str, Any], list[tuple[str, str]]]] = {
    "thoughts under the key of other servers": (
        "https://api.cerebras.ai/v1",
        "gpt-oss-120b",
        {"messages": [HI, {"role": "assistant", "reasoning_content": "Hm.", "content": "a"}, HI]},
        [("refused", "messages[1].reasoning_content")],
    ),
    "a temperature, and an answer of nothing": (
        "https://api.moonshot.cn/v1",
        "kimi-k2.6",
        {"messages": [HI, {"role": "assistant", "content": ""}, HI], "temperature": 0.3},
        [("refused", "temperature"), ("refused", "messages[1]")],
    ),
    "a tool that is named, and a call without its thoughts": (
        "https://api.moonshot.ai/v1",
        "kimi-k2.5",
        {
            "messages": [*CALLS, {"role": "tool", "tool_call_id": "c1", "content": "5"}],
            "tools": function(type="object", properties={}),
            "tool_choice": {"type": "function", "function": {"name": "f"}},
        },
        [("refused", "tool_choice"), ("refused", "messages[1]")],
    ),
}
TAKEN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "pictures, for the model that sees": ("deepseek_chat", "deepseek-flash", {"messages": says(CAT)}),
    "a developer, for a model that knows one": (
        "compatible_chat",
        "gpt-oss-120b",
        {"messages": [HI, DEVELOPER, HI]},
    ),
    "words of the user behind a result": (
        "mistral_chat",
        "mistral-small-latest",
        {"messages": [HI, SHORT_CALL, SHORT_RESULT, HI]},
    ),
    "an answer of a blank": (
        "mistral_chat",
        "mistral-large-latest",
        {"messages": [HI, {"role": "assistant", "content": " "}, HI]},
    ),
    "a result without the id of its call": (
        "compatible_chat",
        "glm-4.5-air",
        {"messages": [*CALLS, {"role": "tool", "content": "5"}]},
    ),
    "what a tool shows": (
        "compatible_chat",
        "qwen3",
        {"messages": [*CALLS, {"role": "tool", "tool_call_id": "c1", "content": [CAT]}]},
    ),
    "pictures as Ollama's own API has them": (
        "compatible_chat",
        "deepseek-r1:latest",
        {"messages": [{**HI, "images": ["aGk="]}]},
    ),
    "the tools that Groq runs": (
        "groq_chat",
        "openai/gpt-oss-20b",
        {"messages": [HI], "tools": [{"type": "browser_search"}, {"type": "code_interpreter"}]},
    ),
    "no thinking, by the switch": ("ollama_chat", "qwen3", {"messages": [HI], "think": False}),
    "an answer as OpenAI's client parsed it": (
        "openai_chat",
        "gpt-4o",
        {
            "messages": [
                HI,
                {
                    "role": "assistant",
                    "content": None,
                    "parsed": None,
                    "tool_calls": [
                        {
                            **CALL,
                            "function": {"name": "f", "arguments": "{}", "parsed_arguments": None},
                            "index": 0,
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "5"},
            ]
        },
    ),
    "a mark on a call": (
        "openrouter_chat",
        "anthropic/claude-haiku-4.5",
        {
            "messages": [
                HI,
                {"role": "assistant", "tool_calls": [{**CALL, "cache_control": {"type": "ephemeral"}}]},
                {"role": "tool", "tool_call_id": "c1", "content": "5"},
            ]
        },
    ),
    "reasoning that is stored": (
        "openai_responses",
        "gpt-5.4",
        {"input": [HI, THOUGHT, {"role": "assistant", "content": "a", "id": "msg_1"}, HI]},
    ),
    "reasoning that goes back encrypted": (
        "openai_responses",
        "gpt-5.4",
        {
            "input": [
                HI,
                {**THOUGHT, "encrypted_content": "gAAA"},
                {"role": "assistant", "content": "a", "id": "msg_1"},
                HI,
            ],
            "store": False,
        },
    ),
    "a function and a choice in the older words": (
        "openai_chat",
        "gpt-4o",
        {
            "messages": [HI],
            "functions": [{"name": "f", "parameters": {"type": "object", "properties": {}}}],
            "function_call": {"name": "f"},
        },
    ),
    "a function under both names": (
        "openai_responses",
        "gpt-5.4",
        {"input": [HI], "tools": [{"name": "f", **function(type="object", properties={})[0]}]},
    ),
    "text instead of a list of items": ("openai_responses", "gpt-5.4", {"input": "hi"}),
    "text instead of a list of steps": ("gemini_interactions", "gemini-3-flash", {"input": "hi"}),
    "a message without any text in it": (
        "openai_chat",
        "gpt-4o",
        {"messages": [{"role": "user", "content": ""}]},
    ),
    "ids of items, as other servers of this API give them": (
        "openai_responses",
        "deepseek-v4-flash",
        {"input": [HI, {**THOUGHT, "id": "1e97d346"}, {"role": "assistant", "content": "a"}, HI]},
    ),
    "a PDF as data": (
        "openai_chat",
        "gpt-4o",
        {"messages": says(PAGE)},
    ),
    "a search of X": (
        "openai_responses",
        "grok-4-fast-reasoning",
        {"input": "Any news?", "tools": [{"type": "x_search"}]},
    ),
    "the older word for a limit of tokens": ("openai_chat", "gpt-4.1", {"messages": [HI], "max_tokens": 200}),
    "what a model of the hub thought": (
        "huggingface_chat",
        "Qwen/Qwen3-32B",
        {"messages": [HI, {"role": "assistant", "reasoning": "Two and two.", "content": "4"}, HI]},
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_an_api_refuses_is_found(name: str) -> None:
    wire, model, keys, expected = REFUSED[name]
    findings = import_module(f"promptwire.{wire}").check({"model": model, **keys})
    assert [(finding.what, finding.path) for finding in findings] == expected


@pytest.mark.parametrize("name", REFUSED_BY)
def test_what_one_host_refuses_is_found(name: str) -> None:
    base_url, model, keys, expected = REFUSED_BY[name]
    body = {"model": model, **keys}
    findings = compatible_chat.check(body, f"{base_url}/chat/completions")
    assert [(finding.what, finding.path) for finding in findings] == expected
    assert compatible_chat.check(body, "https://api.together.xyz/v1/chat/completions") == ()


@pytest.mark.parametrize("name", TAKEN)
def test_what_an_api_takes_is_read_whole_and_sent_as_it_was(name: str) -> None:
    wire, model, keys = TAKEN[name]
    module = import_module(f"promptwire.{wire}")
    body = {"model": model, **keys}
    assert list(module.check(body)) == []
    built = module.build(module.read(body).request)
    assert (built.body, list(built.notes)) == (body, [])
