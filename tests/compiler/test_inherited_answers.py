"""Answers of dialects: the parent's keys, words and events, and only the difference in a module of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from promptwire import Event
from promptwire.errors import NoPlace
from tests.compiler.compiled import forget, load_dialects

PARENT = """
wire: old_wire
title: Old
transport: {method: POST, url: "https://old.example/v1"}
instructions: {native: false}
continuation: {mode: resend}
tools: {format: little, names: "^[a-z]+$"}
body: {model: $model, messages: $messages, tools?: $tools}
slots: {content: one, calls: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content?: $content, calls?: "$calls[]"}
unions:
  tool: {function: {name: $name, parameters: $parameters}}
parts:
  text: $text
  tool_call@assistant>calls: {id: $id, name: $name, arguments: $arguments|json}
answer:
  body: {id: $id, model: $model, message: $message, why: $finish}
  finish: {end: stop, cut: length}
  error: {error: $message}
stream:
  framing: ndjson
  part: message
  events:
    "*": [{grow: delta, to: message}, {put: why, to: why}]
    ping: []
  text_paths: {text: message.content}
  write:
    every: {id: $id}
    text: {piece: {delta: {content: $text}}}
    call: {close: {delta: {calls: [{id: $call_id, name: $name, arguments: $whole}]}}}
    end: {why: $finish}
    error: {error: $message}
"""
CHILD = """
wire: new_wire
extends: old_wire
title: New
answer: {finish: {over: length}}
stream: {write: {call: null, every: {run: $id}}}
"""
GRANDCHILD = """
wire: newest_wire
extends: new_wire
title: Newest
answer: {body: {seconds?: $vendor.seconds}, finish: {cut: null}}
stream: {events: {ping: null, pong: []}}
"""
# the first word of a meaning is written, and `halt` takes the place of `end`
REORDERED = """
wire: reordered_wire
extends: old_wire
title: Reordered
answer: {finish: {end: null, halt: stop, cut: stop}}
"""


CHILD_TABLES = """
from ..old_wire.answers import ANSWERS as PARENT_ANSWERS, STREAM as STREAM, WRITTEN as PARENT_WRITTEN

ANSWERS = PARENT_ANSWERS.changed(finish={"over": "length"})

WRITTEN = PARENT_WRITTEN.changed(every={"run": "$id"}, kinds={"call": REMOVED})
"""
GRANDCHILD_TABLES = """
from ..new_wire.answers import ANSWERS as PARENT_ANSWERS, STREAM as PARENT_STREAM, WRITTEN as WRITTEN
from ..old_wire.answers import BODY as PARENT_BODY

BODY = AnswerShape(*PARENT_BODY.keys, Key("seconds", Vendor("seconds")))

ANSWERS = PARENT_ANSWERS.changed(body=BODY, finish={"cut": REMOVED})

STREAM = PARENT_STREAM.changed(events={"pong": (), "ping": REMOVED})
"""
BODY: dict[str, Any] = {"id": "a", "model": "m", "message": {"role": "assistant", "content": "Hi"}}
CALL = Event(kind="call", id="c", name="f", place=(1,))


@pytest.fixture(scope="module")
def wires(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    """The modules of parent, child and grandchild, and of a child that changes an order."""
    specs = {"old_wire": PARENT, "new_wire": CHILD, "newest_wire": GRANDCHILD, "reordered_wire": REORDERED}
    yield [*load_dialects(tmp_path_factory.mktemp("answers"), "inherited_answers", specs).values()]
    forget("inherited_answers")


def test_a_dialect_says_only_what_differs(wires: list[Any]) -> None:
    texts = [(Path(wire.__file__).parent / "answers.py").read_text("utf-8") for wire in wires[1:3]]
    tables = [text[text.index("\nfrom ..") :] for text in texts]
    assert tables == [CHILD_TABLES, GRANDCHILD_TABLES]


def test_a_dialect_writes_its_first_word_of_a_meaning(wires: list[Any]) -> None:
    old, *_, reordered = wires
    answer = old.read_answer({**BODY, "why": "end"})
    assert reordered.read_answer({**BODY, "why": "cut"}).finish == answer.finish == "stop"
    assert [wire.write_answer(answer)["why"] for wire in (old, reordered)] == ["end", "halt"]


def test_answers_have_the_keys_and_words_of_all_above(wires: list[Any]) -> None:
    answers = [wire.read_answer({**BODY, "why": "cut", "seconds": 2}) for wire in wires[:3]]
    assert [answer.finish for answer in answers] == ["length", "length", "other"]
    assert [answer.vendor for answer in answers] == [None, None, {"newest_wire": {"seconds": 2}}]
    assert [wire.read_answer({**BODY, "why": "over"}).finish for wire in wires[:3]] == [
        "other",
        "length",
        "length",
    ]


def test_streams_are_read_and_written_with_the_events_of_all_above(wires: list[Any]) -> None:
    old, *others = wires[:3]
    for wire in wires[:3]:
        answer = wire.read_answer({**BODY, "why": "end"})
        written = wire.write_stream(id="a", model="m").answer(answer)
        run = b"" if wire is old else b',"run":"a"'
        head = b'{"id":"a"' + run
        assert written == head + b',"delta":{"content":"Hi"}}\n' + head + b',"why":"end"}\n'
        stream = wire.stream()
        assert [event.text for event in stream.feed(written) if event.kind == "text"] == ["Hi"]
    assert old.write_stream().feed(CALL) == b""
    for wire in others:
        with pytest.raises(NoPlace, match=r"call: New(est)? does not support it"):
            wire.write_stream().feed(CALL)
