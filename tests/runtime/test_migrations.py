"""Requests of applications that move to another API: what is said there, and what a user is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from promptwire import (
    Image,
    Request,
    ResponseFormat,
    Tool,
    ToolCall,
    anthropic_messages,
    assistant,
    cohere_chat,
    cohere_v1,
    deepseek_chat,
    gemini_generate,
    gemini_interactions,
    groq_chat,
    ollama_chat,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)
from promptwire.errors import InvalidRequest, NoPlace, Refused
from tests.laws.traces import module
from tests.notes import changes, refused

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@pytest.mark.parametrize("name", ["get-weather", "mcp__my-server__get.weather", "a-" * 40])
def test_names_of_tools_have_no_hyphen_where_an_api_takes_none(name: str) -> None:
    call = ToolCall("c1", name, {"city": "Oslo"})
    turns = [user("Oslo?"), assistant(call), tool_result(call, "12 C")]
    built: Any = cohere_v1.build(
        Request("command-r", turns, tools=[Tool(name, "The weather.", SCHEMA)]), policies="portable"
    )
    (sent,) = [tool["name"] for tool in built.body["tools"]]
    assert sent.isidentifier()
    assert f"does not accept this name; sent as {sent}" in " ".join(map(str, built.notes))
    # calls of the answer are mapped back
    assert sent in str(built.body["tool_results"])


def test_a_call_of_the_legacy_form_gets_an_id_with_its_result() -> None:
    message = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}}
    answer = openai_chat.read_answer({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
    turns = [user("Look."), *answer.messages, tool_result(answer.calls[0], "12 C")]
    built = openai_chat.build(Request("gpt-4o", turns, tools=[Tool("look")]), policies="portable")
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    assert built.body["messages"] == [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "12 C"},
    ]


@pytest.mark.parametrize("wire", [gemini_generate, ollama_chat])
def test_a_format_that_need_not_be_strict_is_strict_where_no_other_is_known(wire: Any) -> None:
    form = ResponseFormat("json_schema", name="place", schema=SCHEMA, strict=False)
    request = Request("qwen3", [user("Where?")], response_format=form)
    with pytest.raises(NoPlace):
        wire.build(request)
    built = wire.build(request, policies="portable")
    why = f"dropped response_format.strict: {wire.WIRE.title} knows no schemas but strict ones"
    assert why in [str(note) for note in built.notes]
    assert "city" in built.json().decode()


@pytest.mark.parametrize("wire", [gemini_generate, gemini_interactions])
def test_the_detail_of_a_picture_in_a_result_is_one_of_the_api(wire: Any) -> None:
    call = ToolCall("c1", "look", {})
    picture = Image(data="iVBORw0KGgo=", media_type="image/png", detail="auto")
    turns = [user("Look."), assistant(call), tool_result(call, picture)]
    request = Request("gemini-2.5-computer-use-preview", turns, tools=[Tool("look")])
    with refused(Refused, "messages[2].parts[0].parts[0].tool.image.detail"):
        wire.build(request)
    body = wire.build(request, policies="portable").json().decode().lower()
    assert "iVBORw0KGgo=".lower() in body
    assert "auto" not in body


# two APIs have a type of this name, with other keys
SEARCH = {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["q"], "results": []}
RAN = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}
RUNS = {"executableCode": {"language": "PYTHON", "code": "print(1)"}}
HOSTED: dict[str, tuple[str, Any, str]] = {
    "a search of OpenAI": (
        "openai_responses",
        {
            "model": "gpt-5",
            "input": [{"role": "user", "content": "x"}, SEARCH, {"role": "user", "content": "y"}],
        },
        "gemini_interactions",
    ),
    "code that Gemini ran": (
        "gemini_generate",
        {
            "contents": [
                {"role": "user", "parts": [{"text": "x"}]},
                {"role": "model", "parts": [RUNS, RAN, {"text": "1"}]},
                {"role": "user", "parts": [{"text": "y"}]},
            ]
        },
        "gemini_interactions",
    ),
}


@pytest.mark.parametrize(("wire", "body", "to"), HOSTED.values(), ids=HOSTED)
def test_what_the_tools_of_one_api_did_is_text_on_another(wire: str, body: Any, to: str) -> None:
    read = module(wire).read(body).request
    request = replace(read, model="gemini-2.5-flash")
    with refused(NoPlace, "messages[1].parts[0].hosted_call"):
        module(to).build(request)
    built = module(to).build(request, policies="portable")
    types = {item["type"] for item in built.body["input"]}
    assert types <= {"user_input", "model_output"}
    assert any("sent as text" in str(note) for note in built.notes)
    # on the API itself, it is sent as it was
    own = replace(read, model=read.model or "gemini-2.5-flash")
    assert module(wire).build(own).body == body


def test_a_file_search_names_the_stores_of_its_api() -> None:
    body = {"model": "gpt-5", "input": "x", "tools": [{"type": "file_search", "vector_store_ids": ["vs_1"]}]}
    request = openai_responses.read(body).request
    for wire in (gemini_generate, gemini_interactions):
        for policies in ("strict", "portable"):
            with pytest.raises(Refused, match="a file search names its stores"):
                wire.build(request, policies=policies)


def test_a_container_of_code_is_left_out_on_groq() -> None:
    tool = {"type": "code_interpreter", "container": {"type": "auto"}}
    request = openai_responses.read({"model": "openai/gpt-oss-20b", "input": "x", "tools": [tool]}).request
    built: Any = groq_chat.build(request, policies="portable")
    assert built.body["tools"] == [{"type": "code_interpreter"}]
    assert "Groq chooses where the code runs" in str(built.notes[0])


@pytest.mark.parametrize(
    ("wire", "model", "key"),
    [
        (openai_chat, "gpt-5-mini", "max_completion_tokens"),
        (openai_responses, "gpt-5-mini", "max_output_tokens"),
        (deepseek_chat, "deepseek-chat", "max_tokens"),
        (gemini_generate, "gemini-2.5-flash", "generationConfig"),
    ],
)
def test_no_limit_of_a_local_server_is_no_limit_elsewhere(wire: Any, model: str, key: str) -> None:
    talk = [{"role": "user", "content": "hi"}]
    body = {"model": "qwen3", "messages": talk, "stream": False, "options": {"num_predict": -1}}
    request = replace(ollama_chat.read(body).request, model=model)
    with refused(Refused, "options.max_tokens"):
        wire.build(request)
    built = wire.build(request, policies="portable")
    assert key not in built.body
    assert any("dropped options.max_tokens: -1 means no limit" in str(note) for note in built.notes)
    assert ollama_chat.build(ollama_chat.read(body).request).body == body


def _of_cohere(*documents: object, messages: tuple[object, ...] = ()) -> Request:
    body = {
        "model": "command-a-03-2025",
        "messages": [*messages, {"role": "user", "content": "Who?"}],
        "documents": [*documents],
        "safety_mode": "OFF",
    }
    return replace(cohere_chat.read(body).request, model="gpt-5-mini")


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("Ann did it.", "<document>\nAnn did it.\n</document>"),
        # the three forms of Cohere, Groq and vLLM; what stands beside the text is told to the model too
        ({"id": "1", "data": {"title": "News", "text": "Ann."}}, '<document id="1" title="News">\nAnn.\n</document>'),
        ({"id": "1", "source": {"type": "text", "text": "Ann."}}, '<document id="1" type="text">\nAnn.\n</document>'),
        ({"title": 'A "B"', "text": "Ann."}, '<document title="A &quot;B&quot;">\nAnn.\n</document>'),
        # no text, or more than attributes can say: all of it as JSON
        ({"id": "1", "data": {"who": "Ann"}}, '<document>\n{"id":"1","data":{"who":"Ann"}}\n</document>'),
        ({"id": "1", "data": {"id": "2", "text": "Ann."}}, '<document>\n{"id":"1","data":{"id":"2","text":"Ann."}}\n</document>'),
        ({"page": 3, "text": "Ann."}, '<document>\n{"page":3,"text":"Ann."}\n</document>'),
        ({"see also": "p. 3", "text": "Ann."}, '<document>\n{"see also":"p. 3","text":"Ann."}\n</document>'),
        ("</document>", "<document>\n<\\/document>\n</document>"),
    ],
)  # fmt: skip
def test_documents_that_an_answer_rests_on_become_text_of_the_user(document: object, text: str) -> None:
    request = _of_cohere(document, "Ben did not.")
    with pytest.raises(NoPlace, match="it brings content that only cohere_chat takes") as refused:
        openai_chat.build(request)
    assert refused.value.advice == 'policies="portable" builds this request, with 2 notes'
    for policies in ("portable", "lenient"):
        built = openai_chat.build(request, policies=policies)
        assert built.body["messages"] == [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": text},
                    {"type": "text", "text": "<document>\nBen did not.\n</document>"},
                    {"type": "text", "text": "Who?"},
                ],
            }
        ]
        assert changes(built.notes) == [
            "replaced vendor.cohere_chat.documents",
            "dropped vendor.cohere_chat.safety_mode",
        ]


def test_documents_stand_before_the_last_words_of_the_user_and_after_results() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    asked = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "none"},
    ]
    request = _of_cohere("Ann did it.", messages=tuple(asked))
    sent = anthropic_messages.build(request, policies="portable,missing=fill").body["messages"]
    assert sent[0] == {"role": "user", "content": "Hello."}
    assert sent[-1] == {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "none"},
            {"type": "text", "text": "<document>\nAnn did it.\n</document>"},
            {"type": "text", "text": "Who?"},
        ],
    }
    # a message of results alone is no question: the words before the call are
    waiting = request.replace(messages=request.messages[:-1])
    sent = anthropic_messages.build(waiting, policies="portable,missing=fill").body["messages"]
    assert sent[0]["content"] == [
        {"type": "text", "text": "<document>\nAnn did it.\n</document>"},
        {"type": "text", "text": "Hello."},
    ]
    # nor is one of the user that holds results
    results = replace(request.messages[-2], role="user")
    waiting = request.replace(messages=(*request.messages[:-2], results))
    body = openai_chat.build(waiting, policies="portable,missing=fill").body
    assert body["messages"][0]["content"] == [
        {"type": "text", "text": "<document>\nAnn did it.\n</document>"},
        {"type": "text", "text": "Hello."},
    ]
    assert len(body["messages"]) == 3
    # without any words of the user, the documents come last
    alone = replace(request, messages=(assistant("Hello."),))
    assert openai_chat.build(alone, policies="portable").body["messages"] == [
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "<document>\nAnn did it.\n</document>"},
    ]


def test_documents_leave_no_empty_options_behind_and_others_as_they_are() -> None:
    given = {"vllm_chat": {"documents": ["Ann did it."]}, "cohere_chat": {}}
    built = openai_chat.build(Request("m", [user("Who?")], vendor=given), policies="portable")
    assert changes(built.notes) == ["replaced vendor.vllm_chat.documents", "dropped vendor.cohere_chat"]


def test_documents_stay_an_error_where_parts_may_not_become_text_or_are_no_json() -> None:
    with refused(NoPlace, "vendor.cohere_chat.documents"):
        openai_chat.build(_of_cohere("Ann."), policies="portable,foreign_parts=off")
    broken = Request("gpt-5-mini", [user("Who?")], vendor={"vllm_chat": {"documents": [{"text": {1, 2}}]}})
    with pytest.raises(
        InvalidRequest, match=r"vendor\.vllm_chat\.documents.*cannot be written as JSON"
    ) as invalid:
        openai_chat.build(broken, policies="portable")
    assert invalid.value.field == "vendor.vllm_chat.documents"


def test_results_of_free_text_calls_are_told_from_others_by_their_calls() -> None:
    calls = [
        {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "select 1"}},
        {"id": "c2", "type": "function", "function": {"name": "weather", "arguments": "{}"}},
    ]
    body = {
        "model": "gpt-5",
        "messages": [
            {"role": "user", "content": "run"},
            {"role": "assistant", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "1"}]},
            {"role": "tool", "tool_call_id": "c2", "content": "12 C"},
        ],
        "tools": [
            {"type": "custom", "custom": {"name": "sql"}},
            {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}},
        ],
    }
    request = openai_chat.read(body).request
    assert openai_chat.build(request).body == body
    sent: Any = module("openai_responses").build(request).body["input"]
    assert [item["type"] for item in sent[3:]] == ["custom_tool_call_output", "function_call_output"]
