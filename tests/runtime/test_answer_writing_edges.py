"""Edges of written answers: whole bodies and whole notes, word for word."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from promptwire import Answer, Cache, Document, Image, Message, Note, Text, ToolCall
from promptwire.errors import InvalidRequest, NoPlace
from promptwire.parts import Refusal
from promptwire.results import Candidate, Usage
from tests.answers import module
from tests.notes import refused


def answer(*parts: Any, finish: str | None = "stop", raw: str | None = None, **keys: Any) -> Answer:
    message = Message("assistant", parts) if parts else None
    return Answer(
        candidates=(Candidate(message=message, finish=finish, finish_raw=raw),), id="a1", model="m", **keys
    )


def written(wire: str, given: Answer, **keys: Any) -> tuple[Any, list[str]]:
    """Write an answer, and return the body and the notes as text."""
    notes: list[Note] = []
    body = module(wire).write_answer(given, policies="lenient", notes=notes, **keys)
    return body, [*map(str, notes)]


def chat(message: dict[str, Any], finish: str, **more: Any) -> dict[str, Any]:
    """Return the body of a chat completion that was written with a time."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "refusal": None, **message},
        "finish_reason": finish,
        "logprobs": None,
    }
    return {"id": "a1", "object": "chat.completion", "created": 5, "model": "m", "choices": [choice], **more}


def claude(*content: Any, stop: str = "end_turn") -> dict[str, Any]:
    return {
        "id": "a1",
        "type": "message",
        "model": "m",
        "stop_reason": stop,
        "stop_sequence": None,
        "role": "assistant",
        "content": [*content],
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def gemini(*parts: Any, finish: str = "STOP") -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": [*parts]}, "finishReason": finish, "index": 0}
    return {"candidates": [candidate], "modelVersion": "m", "responseId": "a1"}


def responses(status: str, reason: str | None, text: str) -> dict[str, Any]:
    """Return the body of a response that was written with a time."""
    content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    made = "msg_" + sha256(b"a1:0:0:None").hexdigest()[:24]
    message = {"id": made, "role": "assistant", "content": content, "type": "message", "status": "completed"}
    body: dict[str, Any] = {
        "id": "a1",
        "object": "response",
        "created_at": 5,
        "status": status,
        "model": "m",
        "output": [message],
        **dict.fromkeys(("error", "incomplete_details", "instructions", "temperature", "top_p")),
        "metadata": {},
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    return body if reason is None else {**body, "incomplete_details": {"reason": reason}}


NO_USAGE = "added usage: Anthropic Messages always gives it, and nothing is known: 0 stands there"
COUNTED = Usage(input=5, output=2, cache_read=3, cache_write=1, reasoning=1, total=7)
PNG = Image(data="aGk=", media_type="image/png")
PDF = Document(url="https://x.example/a.pdf")
WRITTEN: list[tuple[str, Answer, Any, list[str]]] = [
    ("openai_responses", answer(Text("Hi")), responses("completed", None, "Hi"), []),
    ("openai_responses", answer(Text("Hi"), finish="length"), responses("incomplete", "max_output_tokens", "Hi"), []),
    ("openai_responses", answer(Text("Hi"), finish="filtered"), responses("incomplete", "content_filter", "Hi"), []),
    (
        "ollama_chat",
        answer(Text("Hi"), usage=COUNTED),
        {
            "model": "m", "created_at": "1970-01-01T00:00:05Z", "message": {"role": "assistant", "content": "Hi"},
            "done": True, "done_reason": "stop", "prompt_eval_count": 5, "prompt_eval_cached_count": 3, "eval_count": 2,
        },
        [f"dropped usage.{name}: Ollama chat does not count it" for name in ("cache_write", "reasoning")],
    ),
    (
        "anthropic_messages",
        answer(Refusal("No."), Text("x"), finish="refused"),
        claude({"type": "text", "text": "No."}, {"type": "text", "text": "x"}, stop="refusal"),
        ["replaced messages[0].parts[0]: no answer of Anthropic Messages has a refusal: it becomes text", NO_USAGE],
    ),
    (
        "vllm_chat",
        answer(Refusal("No."), finish="refused"),
        chat({"content": "No."}, "content_filter"),
        [
            "replaced messages[0].parts[0]: no answer of vLLM server, chat completions has a refusal: it becomes text",
            "replaced finish: vLLM server, chat completions has no word for refused: it becomes content_filter",
        ],
    ),
    (
        "anthropic_messages",
        answer(PNG, Text("x")),
        claude({"type": "text", "text": "x"}),
        ["dropped messages[0].parts[0].image: no answer of Anthropic Messages has one", NO_USAGE],
    ),
    (
        "openrouter_chat",
        answer(Text("x"), PDF),
        chat({"content": "x"}, "stop"),
        ["dropped messages[0].parts[1].document: no answer of OpenRouter Chat Completions has one"],
    ),
    (
        "openai_chat",
        answer(Text("a", extra={"openai_chat": {"k": 1}}), Text("b", cache=Cache())),
        chat({"content": "ab"}, "stop"),
        [
            "dropped messages[0].parts[0].extra: OpenAI Chat Completions has bare text, which has no keys",
            "dropped messages[0].parts[1].cache: OpenAI Chat Completions does not use it",
        ],
    ),
    (
        "openai_chat",
        answer(ToolCall("c", "f", "{}", extra={"openai_chat": {"k": 1}}), finish="tool_calls"),
        chat({"content": None, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}, "k": 1}]}, "tool_calls"),
        ["added messages[0].parts[0].extra: merged as given: k"],
    ),
    (
        "gemini_generate",
        answer(Text("a", extra={"gemini_generate": {"k": 1}}), Text("b", cache=Cache())),
        {**gemini({"text": "a", "k": 1}, {"text": "b"}), "createTime": "1970-01-01T00:00:05Z"},
        [
            "dropped messages[0].parts[1].cache: Gemini generateContent does not use it",
            "added messages[0].parts[0].extra: merged as given: k",
        ],
    ),
    ("openai_chat", answer(), chat({"content": None}, "stop"), []),
    ("anthropic_messages", answer(), claude(), [NO_USAGE]),
    (
        "gemini_generate",
        answer(),
        {"candidates": [{"finishReason": "STOP", "index": 0}], "modelVersion": "m", "responseId": "a1", "createTime": "1970-01-01T00:00:05Z"},
        ["missing content: Gemini generateContent always gives it, and nothing is known"],
    ),
    ("cohere_v1", answer(), {"generation_id": "a1", "finish_reason": "COMPLETE", "text": None}, []),
    (
        "openai_chat",
        answer(Text("Hi"), finish="other", raw="LANGUAGE"),
        chat({"content": "Hi"}, "stop"),
        ["replaced finish: OpenAI Chat Completions has no word for other: it becomes stop"],
    ),
    (
        "ollama_chat",
        answer(Text("Hi"), finish=None),
        {"model": "m", "created_at": "1970-01-01T00:00:05Z", "message": {"role": "assistant", "content": "Hi"}, "done": True},
        ["missing done_reason: Ollama chat always gives it, and nothing is known"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("wire", "given", "body", "notes"), WRITTEN)
def test_an_answer_of_another_api_is_written_whole(
    wire: str, given: Answer, body: Any, notes: list[str]
) -> None:
    assert written(wire, given, created=5) == (body, notes)


CALL = ToolCall("c", "f", "{}")
ENDS: list[tuple[str, str | None, str, Any]] = [
    ("openai_chat", "tool_calls", "stop", "stop"),
    ("openai_chat", "tool_calls", "function_call", "function_call"),
    ("openai_chat", "tool_calls", "length", "tool_calls"),
    ("openai_chat", "length", "eos", "length"),
    ("openai_chat", "other", "eos", "eos"),
    ("openai_chat", None, "stop", None),
    ("openai_responses", None, "in_progress", "in_progress"),
    ("openai_responses", None, "queued", "queued"),
    ("openai_responses", "stop", "in_progress", "completed"),
    ("openai_responses", "other", "in_progress", "cancelled"),
    ("gemini_generate", "filtered", "SPII", "SPII"),
    ("gemini_generate", "stop", "SPII", "STOP"),
]


@pytest.mark.parametrize(("wire", "finish", "raw", "word"), ENDS)
def test_a_recorded_word_is_written_while_it_means_what_the_answer_says(
    wire: str, finish: str | None, raw: str, word: Any
) -> None:
    body, notes = written(wire, answer(CALL, finish=finish, raw=raw, wire=wire))
    place = {"openai_chat": "choices", "gemini_generate": "candidates"}.get(wire)
    item = body if place is None else body[place][0]
    key = {"openai_chat": "finish_reason", "gemini_generate": "finishReason"}.get(wire, "status")
    assert (item.get(key), notes) == (word, [])


BLOCKED: dict[str, Any] = {"finish": "filtered", "finish_raw": "SAFETY"}


@pytest.mark.parametrize(
    ("wire", "candidate", "rows"),
    [
        ("gemini_generate", Candidate(**BLOCKED), []),
        ("gemini_generate", Candidate(**BLOCKED, index=0), [{"finishReason": "SAFETY", "index": 0}]),
        (
            "gemini_generate",
            Candidate(**BLOCKED, message=Message("assistant", "Hi")),
            [{"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": "SAFETY"}],
        ),
        ("openai_chat", Candidate(finish="stop"), [{"finish_reason": "stop"}]),
    ],
)
def test_only_a_blocked_prompt_has_no_candidate(wire: str, candidate: Candidate, rows: list[Any]) -> None:
    """On the API of the answer; on another, the candidate has a number and says why it ended."""
    key = "choices" if wire == "openai_chat" else "candidates"
    body, notes = written(wire, Answer(candidates=(candidate,), wire=wire))
    assert (body[key], notes) == (rows, [])
    (row,) = written("gemini_generate", Answer(candidates=(candidate,)))[0]["candidates"]
    assert (row["index"], row["finishReason"]) == (0, candidate.finish_raw or "STOP")


def test_texts_and_refusals_of_a_list_are_joined_on_another_host() -> None:
    texts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    refusals = [{"type": "refusal", "refusal": "No"}, {"type": "refusal", "refusal": "!"}]
    for content, message in (
        (texts, {"content": "ab"}),
        ([*texts, *refusals], {"content": "ab", "refusal": "No!"}),
    ):
        body = chat({"content": content}, "stop")
        given = module("azure_openai_chat").read_answer(body)
        assert written("azure_openai_chat", given) == (body, [])
        assert written("openai_chat", given, created=5) == (chat(message, "stop"), [])


@pytest.mark.parametrize(
    ("make", "field", "said"),
    [
        (lambda: module("ollama_chat").write_answer(answer(), created=-1), "created", "created is seconds since 1970, not -1"),
        (lambda: module("openai_chat").write_stream(created=253_402_300_800), "created", "created is seconds since 1970, not 253402300800"),
        (lambda: module("openai_chat").write_answer({}), "answer", "answer is a dict, not Answer"),
        (lambda: module("openai_chat").write_answer(answer(), notes=()), "notes", "notes is a tuple, not list"),
        (lambda: module("openai_chat").write_answer(answer(), id=5), "id", "id is an int, not str"),
        (lambda: module("openai_chat").write_error({}), "error", "error is a dict, not ApiError"),
        (lambda: Answer(unread=[]), "unread", "Answer: unread is a list, not a tuple of Note"),  # type: ignore[arg-type]
        (lambda: Answer(deviations=[]), "deviations", "Answer: deviations is a list, not a tuple of Note"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_named_with_its_field(make: Any, field: str, said: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        make()
    assert (str(refused.value), refused.value.field) == (said, field)


def test_a_part_that_no_answer_has_is_refused_unless_losses_are_noted() -> None:
    with refused(NoPlace, "messages[0].parts[0].image"):
        module("anthropic_messages").write_answer(answer(PNG))
    for preset in ("portable", "lenient"):
        notes: list[Note] = []
        body = module("anthropic_messages").write_answer(answer(PNG), policies=preset, notes=notes)
        assert (body["content"], [note.field for note in notes]) == ([], ["image", "usage"])


@pytest.mark.parametrize(
    "content", [["a", "b"], [{"odd": 1}, "b"], ["a", {"type": "text", "text": "b"}, "c"]]
)
def test_texts_of_an_own_answer_are_not_joined(content: list[Any]) -> None:
    body = {
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        ]
    }
    openai = module("openai_chat")
    assert openai.write_answer(openai.read_answer(body)) == body


def test_candidates_keep_their_numbers_on_another_api() -> None:
    choices = [
        {"index": number, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        for number, text in ((1, "b"), (0, "a"))
    ]
    body, _ = written("gemini_generate", module("openai_chat").read_answer({"choices": choices}))
    rows = [(row["index"], row["content"]["parts"][0]["text"]) for row in body["candidates"]]
    assert rows == [(1, "b"), (0, "a")]


def test_counts_are_noted_on_an_api_that_has_none() -> None:
    why = "dropped usage: Amazon Titan Text on Bedrock InvokeModel does not count it"
    _, notes = written("bedrock_titan", answer(Text("Hi"), usage=Usage(input=1, output=2)))
    assert why in notes


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"input_tokens": 5, "output_tokens": 2}, (5, 2, None)),
        # the key of the API itself counts, whatever stands beside it
        ({"prompt_tokens": 6, "input_tokens": 5, "completion_tokens": "2"}, (6, 2, None)),
        ({"prompt_tokens": 6, "prompt_cache_hit_tokens": 4, "cached_tokens": 3}, (6, None, 4)),
    ],
)
def test_counts_of_hosts_under_other_names(
    usage: dict[str, Any], counts: tuple[int | None, int | None, int | None]
) -> None:
    message = {"role": "assistant", "content": "Hi"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    answer = module("openai_chat").read_answer({"choices": [choice], "usage": usage})
    assert answer.usage is not None
    assert (answer.usage.input, answer.usage.output, answer.usage.cache_read) == counts


def test_thinking_of_a_host_of_the_api_that_is_not_signed_is_written_as_a_stream_has_it() -> None:
    thinking = {"type": "thinking", "thinking": "Oslo first."}
    content: list[dict[str, Any]] = [thinking, {"type": "text", "text": "Cold."}]
    body = {"id": "m", "type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn"}
    given = module("anthropic_foundry").read_answer(body)
    again, _ = written("anthropic_messages", given)
    assert again["content"] == [{**thinking, "signature": ""}, content[1]]
    assert module("anthropic_foundry").write_answer(given)["content"] == content


def test_a_finish_that_another_api_has_too_keeps_its_word() -> None:
    message = {"role": "assistant", "content": [{"text": "Done"}]}
    stopped = module("bedrock_converse").read_answer(
        {"output": {"message": message}, "stopReason": "stop_sequence"}
    )
    body, _ = written("anthropic_messages", stopped)
    assert body["stop_reason"] == "stop_sequence"


def test_an_answer_of_this_api_that_was_edited_is_one_of_this_api() -> None:
    content = [{"type": "output_text", "text": "Hello.", "annotations": []}]
    item = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": content}
    body = {
        "id": "r",
        "object": "response",
        "created_at": 5,
        "status": "completed",
        "model": "m",
        "output": [item],
    }
    read = module("openai_responses").read_answer(body)
    assert written("openai_responses", read)[0] == body
    message = Message("assistant", (Text("Edited."),), id="msg_1", provenance=read.message.provenance)
    candidate = Candidate(message=message, finish="stop", finish_raw="completed")
    edited = Answer(candidates=(candidate,), id="r", model="m", wire="openai_responses")
    (wrote,) = written("openai_responses", edited)[0]["output"]
    assert (wrote["type"], wrote["content"]) == (
        "message",
        [{"type": "output_text", "text": "Edited.", "annotations": []}],
    )


READ_OTHERWISE: list[tuple[str, dict[str, Any]]] = [
    (
        "anthropic_messages",
        {"type": "message", "role": "assistant", "content": "Hello.", "stop_reason": "end_turn"},
    ),
    ("cohere_v1", {"text": [{"type": "text", "text": "Hello."}], "finish_reason": "COMPLETE"}),
    ("cohere_v1", {"text": [{"type": "text", "text": 7}], "finish_reason": "COMPLETE"}),
    ("openai_responses", {"status": "completed", "output": [{"role": "assistant", "content": "Hello."}]}),
    ("mistral_conversations", {"outputs": [{"role": "assistant", "content": "Hello."}]}),
]


@pytest.mark.parametrize(
    ("wire", "body"), READ_OTHERWISE, ids=[f"{wire}-{n}" for n, (wire, _) in enumerate(READ_OTHERWISE)]
)
def test_an_answer_of_another_form_comes_back_as_it_was_read(wire: str, body: dict[str, Any]) -> None:
    assert written(wire, module(wire).read_answer(body))[0] == body
