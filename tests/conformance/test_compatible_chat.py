"""OpenAI's client, pointed at a compatible server, sends every example body; its types refuse the servers' own words alone."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from promptwire import Request, compatible_chat, user
from promptwire.errors import NoPlace, SettingError
from tests.conformance.catching import openai_sends
from tests.conformance.strict_types import problems
from tests.examples import Example, of_wire

EXAMPLES: Final = of_wire("compatible_chat")
_ADDRESS: Final = "http://localhost:11434/v1"

# what OpenAI's types do not know: pattern of the finding -> whose word it is
OWN_WORDS: Final[dict[str, str]] = {
    r"top_k: unknown key of \w+": "Fireworks, vLLM",
    r"(enable_thinking|thinking_budget): unknown key of \w+": "DashScope; GPUStack and Ollama take it",
    r"thinking: unknown key of \w+": "Z.ai, Kimi, Fireworks",
    r"(reasoning_format|clear_thinking): unknown key of \w+": "Cerebras",
    r"(reasoning_history|prompt_truncate_length|context_length_exceeded_behavior): unknown key of \w+": "Fireworks",
    r"search_context_size: unknown key of \w+": "Perplexity",
    r"web_search_options\.search_type: unknown key of \w+": "Perplexity",
    r"venice_parameters: unknown key of \w+": "Venice",
    r"messages\[\d+\]\.reasoning_content: unknown key of \w+": "DeepSeek's word, which most servers took over",
    r"messages\[\d+\]\.reasoning: unknown key of \w+": "Cerebras, which refuses DeepSeek's word",
    r"messages\[\d+\]\.tool_calls\[\d+\]\.index: unknown key of \w+": "calls as answers number them",
    r"messages\[\d+\]\.content\[\d+\]\.type: 'file_url' is none of .*": "Perplexity",
    r"(min_p|repetition_penalty|chat_template_kwargs|ignore_eos|echo): unknown key of \w+": "Together, Fireworks, vLLM",
    r"(reasoning|safety_model): unknown key of \w+": "Together",
    r"logprobs: 2 is not bool or null": "Together",
    r"messages\[\d+\]\.content\[\d+\]\.type: '(video|audio)_url' is none of .*": "Together, Fireworks, vLLM",
}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_types_refuse_the_servers_own_words_alone(example: Example) -> None:
    found = problems("openai_chat", example.build().body)
    assert [line for line in found if not any(re.fullmatch(pattern, line) for pattern in OWN_WORDS)] == []


def test_each_word_is_in_an_example() -> None:
    found = [line for example in EXAMPLES for line in problems("openai_chat", example.build().body)]
    assert [pattern for pattern in OWN_WORDS if not any(re.fullmatch(pattern, line) for line in found)] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_openais_client_sends_what_the_build_states(example: Example) -> None:
    sent, stated = openai_sends(example, _ADDRESS)
    assert sent == stated


# what is read and comes back, though a fresh build writes it otherwise or not at all
READ: Final[dict[str, dict[str, Any]]] = {
    "a file in the place of its address": {
        "content": [{"type": "file_url", "file_url": {"url": "aGk="}, "file_name": "a.txt"}],
    },
    "thinking under both names": {
        "role": "assistant",
        "reasoning_content": "Hm.",
        "reasoning": "Hm.",
        "content": "4",
    },
}


@pytest.mark.parametrize("message", READ.values(), ids=READ)
def test_what_hosts_were_sent_is_understood_and_comes_back(message: dict[str, Any]) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}, {"role": "user"} | message]}
    reading = compatible_chat.read(body)
    assert (reading.understood, reading.kept) == (reading.leaves, 0), list(reading.unknown)
    assert compatible_chat.build(reading.request).body == body


def test_words_that_a_host_ignores_are_read_and_not_written() -> None:
    body = {
        "model": "m",
        "options": {"num_ctx": 4096},
        "keep_alive": "5m",
        "messages": [{"role": "user", "content": "hi"}],
    }
    request = compatible_chat.read(body).request
    assert request.vendor == {"compatible_chat": {"options": {"num_ctx": 4096}, "keep_alive": "5m"}}
    assert compatible_chat.build(request).body == body
    bare = Request("m", request.messages, vendor=request.vendor)
    with pytest.raises(NoPlace, match=r"keep_alive|options"):
        compatible_chat.build(bare)
    built = compatible_chat.build(bare, policies="lenient")
    assert built.body == {"model": "m", "messages": body["messages"]}
    assert {note.field for note in built.notes} == {
        "vendor.compatible_chat.options",
        "vendor.compatible_chat.keep_alive",
    }


def test_a_server_has_no_usual_address() -> None:
    built = compatible_chat.build(Request("m", [user("hi")]))
    with pytest.raises(SettingError, match="the setting base_url is required"):
        built.url  # noqa: B018  # looking at it is what fails
