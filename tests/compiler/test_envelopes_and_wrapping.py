"""Messages inside an object of the body, events in envelopes, and numbers as text: compile errors and both ways."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import (
    BodyError,
    Event,
    Image,
    Options,
    Request,
    assistant,
    bedrock_nova,
    dashscope_generation,
    user,
)
from promptwire.errors import Refused
from promptwire_gen.plugin_api import SpecProblem
from tests.internals.runtime import read_number_text, unwrapped, wrapped, write_number_text
from tests.spec_texts import lower_alone, spec_text

from .compiled import wire_of


def problems(text: str, parent: str) -> list[SpecProblem]:
    sources = {f"{wire}.yaml": spec_text(wire, examples=False) for wire in (parent,)}
    head = f"wire: acme_chat\ntitle: Acme\nextends: {parent}\n"
    return list(lower_alone({**sources, "acme_chat.yaml": head + text}).problems)


@pytest.mark.parametrize(
    ("inside", "hint"), [("model: $messages", "also a key"), ("messages?: $messages", "write")]
)
def test_an_object_with_the_messages_and_its_keys_of_messages_are_required(inside: str, hint: str) -> None:
    (problem,) = problems(f"body: {{input: null, query: {{{inside}}}}}\n", "dashscope_generation")
    assert problem.rule == "missing-messages"
    assert hint in str(problem.hint)


INSIDE = """
wire: inside_wire
title: Inside
transport: {method: POST, url: "https://inside.example/v1"}
instructions: {native: true, placement: top_level, field: input, several: join}
continuation: {mode: resend}
tools: {format: small, choice: []}
body:
  model: $model
  input:
    system?: $instructions|join
    seed?: $seed
    top_p?: $top_p
    messages: $messages
    asked: {or: [$messages.last.user.content, ""]}
    mode?: $vendor.mode
  stream?: $stream
values: {top_p: {minimum: 0, maximum: 1, source: "the vendor's page, 2026-11"}}
slots: {content: list}
messages:
  user: {role: user, content: $content|join}
  assistant: {role: assistant, content: $content|join}
parts: {text: $text}
"""
inside_wire = wire_of("inside_wire", INSIDE)


def test_an_object_with_the_messages_holds_other_keys(inside_wire: Any) -> None:
    request = Request(
        "m",
        (user("hi"), assistant("Hello."), user("bye")),
        instructions="Be terse.",
        options=Options(seed=4),
        stream=True,
        vendor={"inside_wire": {"mode": "fast"}},
    )
    built = inside_wire.build(request)
    assert built.body == {
        "model": "m",
        "stream": True,
        "input": {
            "system": "Be terse.",
            "seed": 4,
            "mode": "fast",
            "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello."}],
            "asked": "bye",
        },
    }
    reading = inside_wire.read(built.body)
    assert not reading.notes
    assert (reading.request.instructions, reading.request.options.seed) == ("Be terse.", 4)
    assert [part.text for message in reading.request.messages for part in message.parts] == [
        "hi",
        "Hello.",
        "bye",
    ]
    assert inside_wire.build(reading.request).body == built.body
    # without any of them, the messages are alone
    bare = inside_wire.build(Request("m", (user("hi"), assistant("Hello."))))
    assert list(bare.body["input"]) == ["messages", "asked"]


PROMPT = """
wire: prompt_wire
title: Prompt
transport: {method: POST, url: "https://prompt.example/v1"}
instructions: {native: true, placement: top_level, field: input, several: join}
continuation: {mode: resend}
tools: {format: none, choice: []}
body: {model: $model, input: {system?: $instructions|join, prompt: $messages, image?: $messages.pictures}}
prompt: [{user: "${text}", source: "the vendor's page, 2026-11"}]
slots: {content: list, pictures: list}
messages:
  system: {role: system, content: $content|join}
  user: {role: user, content: $content|join, pictures?: $pictures}
  assistant: {role: assistant, content: $content|join}
parts: {text: $text, image.url@user>pictures: $url}
"""
prompt_wire = wire_of("prompt_wire", PROMPT)


def test_an_object_with_the_prompt_holds_other_keys(prompt_wire: Any) -> None:
    picture = "https://a.example/a.png"
    request = Request("m", (user("What is it?", Image(url=picture)),), instructions="Be terse.")
    built = prompt_wire.build(request)
    inside = {"system": "Be terse.", "prompt": "What is it?", "image": [picture]}
    assert built.body == {"model": "m", "input": inside}
    reading = prompt_wire.read(built.body)
    assert [type(part).__name__ for part in reading.request.messages[0].parts] == ["Text", "Image"]
    assert prompt_wire.build(reading.request).body == built.body


def test_rules_know_the_keys_beside_the_messages(inside_wire: Any) -> None:
    with pytest.raises(Refused, match="top_p"):
        inside_wire.build(Request("m", (user("hi"),), options=Options(top_p=2)))


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
    for other in (5, "0.50", "true", "x", None, "[" * 100_000):
        assert read_number_text(other) is None
