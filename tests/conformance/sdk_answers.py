"""Answers and streams as the vendors' SDKs see them: their types validate, their accumulators put pieces together."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, get_args
from unittest import mock

import anthropic
import httpx2
import openai
import pydantic
from anthropic.types import ContentBlock, Message, RawMessageStreamEvent
from google.genai.types import GenerateContentResponse
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.lib.streaming.responses._responses import ResponseStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseOutputItem, ResponseStreamEvent

from tests.internals.runtime import ServerSentEvents

Call = tuple[str | None, str, Any]
TYPES: Final[dict[str, Any]] = {
    "openai_chat": pydantic.TypeAdapter(ChatCompletion),
    "openai_responses": pydantic.TypeAdapter(Response),
    "anthropic_messages": pydantic.TypeAdapter(Message),
    "gemini_generate": pydantic.TypeAdapter(GenerateContentResponse),
}
CONSTRUCTED: Final[dict[str, Any]] = {
    "openai_chat": ChatCompletion,
    "openai_responses": Response,
    "anthropic_messages": Message,
}
EVENTS: Final[dict[str, Any]] = {
    "openai_chat": pydantic.TypeAdapter(ChatCompletionChunk),
    "anthropic_messages": pydantic.TypeAdapter(RawMessageStreamEvent),
    "gemini_generate": pydantic.TypeAdapter(GenerateContentResponse),
}
KEY = "test-key"


def _by_type(union: Any) -> dict[str, Any]:
    """Return the types of a union by the word that tells them apart."""
    members = get_args(get_args(union)[0])
    return {
        get_args(member.model_fields["type"].annotation)[0]: pydantic.TypeAdapter(member)
        for member in members
    }


RESPONSES: Final = _by_type(ResponseStreamEvent)
PIECES: Final = {
    "openai_responses": ("output", _by_type(ResponseOutputItem)),
    "anthropic_messages": ("content", _by_type(ContentBlock)),
}
# what an answer of another API cannot make up: why it ended
UNSAID: Final = re.compile(r"(?:.*\.)?finish_reason: Field required")


@dataclass(frozen=True, slots=True)
class Seen:
    """An answer as an SDK sees it: `finish` in the API's own word, counts by their own names."""

    text: str
    calls: list[Call]
    finish: str | None
    counts: dict[str, int]


def answer_problems(wire: str, body: dict[str, Any]) -> list[str]:
    """Return what the SDK's types refuse in an answer, but that it lacks a finish reason."""
    key, kinds = PIECES.get(wire, ("", {}))
    refused = _refused(TYPES[wire], {**body, key: []} if key in body else body)
    # each piece by the type that it says it is, so that what is refused has one reason
    refused += [problem for piece in body.get(key, ()) for problem in _refused(kinds[piece["type"]], piece)]
    return [problem for problem in refused if not UNSAID.fullmatch(problem)]


def event_problems(wire: str, event: dict[str, Any]) -> list[str]:
    """Return what the SDK's types refuse in an event of a stream."""
    return _refused(RESPONSES[event["type"]] if wire == "openai_responses" else EVENTS[wire], event)


def _refused(kind: Any, value: Any) -> list[str]:
    try:
        kind.validate_json(json.dumps(value))
    except pydantic.ValidationError as error:
        return [f"{'.'.join(map(str, row['loc']))}: {row['msg']}" for row in error.errors()]
    except AttributeError as error:
        # a number for a word, as older hosts of Gemini give it, breaks the SDK
        return [str(error)]
    return []


def data_of(raw: bytes) -> list[Any]:
    """Return the data of the events of a stream."""
    framing = ServerSentEvents()
    return [frame.data for frame in (*framing.feed(raw), *framing.close()) if frame.data != "[DONE]"]


def seen(wire: str, body: dict[str, Any]) -> Seen:
    """Read a whole answer as the SDK does."""
    if wire == "gemini_generate":
        return _gemini([GenerateContentResponse.model_validate(body)])
    # as the SDK's own client makes it
    models = anthropic._models if wire == "anthropic_messages" else openai._models
    return _SEES[wire](models.construct_type(type_=CONSTRUCTED[wire], value=body))


def streamed(wire: str, raw: bytes) -> Seen:
    """Read a stream with the SDK's own client and accumulator."""
    return _STREAMS[wire](raw)


@contextmanager
def _served(raw: bytes) -> Iterator[httpx2.Client]:
    """Yield a client to which every request is answered with this stream."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(
            200, content=raw, headers={"content-type": "text/event-stream"}, request=request
        )

    with (
        mock.patch.dict(os.environ, clear=True),
        httpx2.Client(transport=httpx2.MockTransport(answer)) as client,
    ):
        yield client


def _chat_stream(raw: bytes) -> Seen:
    state: Any = ChatCompletionStreamState()
    with _served(raw) as client, openai.OpenAI(api_key=KEY, http_client=client) as sdk:
        for chunk in sdk.chat.completions.create(model="m", messages=[], stream=True):
            list(state.handle_chunk(chunk))
    return _chat(state.current_completion_snapshot)


def _responses_stream(raw: bytes) -> Seen:
    state: Any = ResponseStreamState(input_tools=openai.omit, text_format=openai.omit)
    last: Any = None
    with _served(raw) as client, openai.OpenAI(api_key=KEY, http_client=client) as sdk:
        for event in sdk.responses.create(model="m", input="", stream=True):
            state.handle_event(event)
            last = event
    # of an answer that is not complete, the last event holds all
    return _responses(state._completed_response or last.response)


def _anthropic_stream(raw: bytes) -> Seen:
    with (
        _served(raw) as client,
        anthropic.Anthropic(api_key=KEY, http_client=client) as sdk,
        sdk.messages.stream(model="m", max_tokens=9, messages=[]) as stream,
    ):
        return _anthropic(stream.get_final_message())


def _gemini_stream(raw: bytes) -> Seen:
    return _gemini([GenerateContentResponse.model_validate(event) for event in data_of(raw)])


def _chat(completion: Any) -> Seen:
    if not completion.choices:
        return Seen("", [], None, _counts(completion.usage))
    choice = completion.choices[0]
    calls = choice.message.tool_calls or []
    functions = [
        (call.id, call.function.name, call.function.arguments) for call in calls if call.type == "function"
    ]
    return Seen(
        choice.message.content or "", _calls(functions), choice.finish_reason, _counts(completion.usage)
    )


def _responses(response: Any) -> Seen:
    calls = [
        (item.call_id, item.name, item.arguments) for item in response.output if item.type == "function_call"
    ]
    reason = getattr(response.incomplete_details, "reason", None)
    finish = f"{response.status}.{reason}" if reason else response.status
    return Seen(response.output_text, _calls(calls), finish, _counts(response.usage))


def _anthropic(message: Any) -> Seen:
    text = "".join([block.text for block in message.content if block.type == "text"])
    calls = [(block.id, block.name, block.input) for block in message.content if block.type == "tool_use"]
    return Seen(text, _calls(calls), message.stop_reason, _counts(message.usage))


def _gemini(chunks: list[GenerateContentResponse]) -> Seen:
    candidates = [
        candidate for chunk in chunks for candidate in chunk.candidates or [] if not candidate.index
    ]
    parts = [part for each in candidates if each.content for part in each.content.parts or []]
    text = "".join([part.text for part in parts if part.text and not part.thought])
    calls = [(call.id, call.name, call.args or {}) for part in parts if (call := part.function_call)]
    ends = [str(each.finish_reason.value) for each in candidates if each.finish_reason]
    counts = [chunk.usage_metadata for chunk in chunks if chunk.usage_metadata]
    dumped = counts[-1].model_dump(mode="json", by_alias=True, exclude_none=True) if counts else {}
    return Seen(text, _calls(calls), ends[-1] if ends else None, numbers(dumped))


def _calls(calls: list[tuple[Any, Any, Any]]) -> list[Call]:
    return [(identity, name, as_json(arguments)) for identity, name, arguments in calls]


def as_json(arguments: Any) -> Any:
    """Decode arguments that are text."""
    try:
        return json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
    except ValueError:
        return arguments


def _counts(usage: Any) -> dict[str, int]:
    return {} if usage is None else numbers(usage.model_dump(mode="json", exclude_none=True, warnings=False))


def numbers(counts: dict[str, Any], above: str = "") -> dict[str, int]:
    """Return all numbers of an object by the keys that lead to them."""
    found: dict[str, int] = {}
    for key, value in counts.items():
        if isinstance(value, dict):
            found |= numbers(value, f"{above}{key}.")
        elif isinstance(value, int):
            found[above + key] = value
    return found


_SEES: Final[dict[str, Callable[[Any], Seen]]] = {
    "openai_chat": _chat,
    "openai_responses": _responses,
    "anthropic_messages": _anthropic,
}
_STREAMS: Final[dict[str, Callable[[bytes], Seen]]] = {
    "openai_chat": _chat_stream,
    "openai_responses": _responses_stream,
    "anthropic_messages": _anthropic_stream,
    "gemini_generate": _gemini_stream,
}
