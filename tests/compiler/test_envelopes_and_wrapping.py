"""Messages inside an object of the body, events in envelopes, and numbers as text: compile errors and both ways."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import BodyError, bedrock_nova, dashscope_generation
from promptwire_gen.problems import SpecProblem
from promptwire_runtime import Request, user
from promptwire_runtime.answers.events import Event
from promptwire_runtime.build.shape_filters import read_number_text, write_number_text
from promptwire_runtime.wire_json.wrapping import unwrapped, wrapped
from tests.spec_texts import lower_alone, spec_text


def problems(text: str, parent: str) -> list[SpecProblem]:
    sources = {f"{wire}.yaml": spec_text(wire, examples=False) for wire in (parent,)}
    head = f"wire: acme_chat\ntitle: Acme\nextends: {parent}\n"
    return list(lower_alone({**sources, "acme_chat.yaml": head + text}).problems)


@pytest.mark.parametrize(
    "inside", ["messages: $messages, prompt?: $vendor.prompt", "model: $messages", "messages?: $messages"]
)
def test_an_object_with_the_messages_holds_nothing_else(inside: str) -> None:
    (problem,) = problems(f"body: {{input: null, query: {{{inside}}}}}\n", "dashscope_generation")
    assert problem.rule == "missing-messages"


def test_an_envelope_names_the_events_alone() -> None:
    (problem,) = problems("stream: {envelope: true}\n", "ollama_chat")
    assert (problem.rule, problem.span.file) == ("bad-stream", "acme_chat.yaml")


def test_keys_beside_the_messages_are_kept() -> None:
    body = {"model": "m", "input": {"messages": [{"role": "user", "content": "hi"}], "seen": 1}}
    reading = dashscope_generation.read(body)
    assert [message.role for message in reading.request.messages] == ["user"]
    assert dashscope_generation.build(reading.request, policies="verbatim").body == body


@pytest.mark.parametrize("inside", [{}, {"input": {"messages": [{"role": "user", "content": "hi"}]}}])
def test_messages_beside_the_object_that_holds_them_are_an_error(inside: dict[str, Any]) -> None:
    body = {"model": "qwen-plus", "messages": [{"role": "user", "content": "hi"}], **inside}
    with pytest.raises(BodyError, match='"messages" stands beside "input"'):
        dashscope_generation.read(body)
    assert unwrapped({"input": "text"}, "input", "messages") == {"input": "text"}
    assert wrapped({"model": "m"}, "input", "messages") == {"model": "m"}


def test_a_stream_is_asked_for_by_a_header() -> None:
    for stream, wanted in ((True, "enable"), (None, None)):
        built = dashscope_generation.build(Request("m", (user("hi"),), stream=stream))
        assert built.headers.get("x-dashscope-sse") == wanted


def test_events_are_written_in_envelopes() -> None:
    writer = bedrock_nova.write_stream(framing="ndjson")
    raw = writer.feed(Event(kind="text", text="Hi.", place=(0, 0))) + writer.close()
    first = raw.splitlines()[0]
    assert first == b'{"messageStart":{"role":"assistant"}}'
    stream = bedrock_nova.stream(framing="ndjson")
    stream.feed(raw)
    assert stream.close().text == "Hi."


@pytest.mark.parametrize(("number", "text"), [(5, "5"), (0.5, "0.5")])
def test_numbers_as_text(number: float, text: str) -> None:
    assert write_number_text(number) == text
    assert read_number_text(text) == number
    for other in (5, "0.50", "true", "x", None):
        assert read_number_text(other) is None
