"""Values that only one API has, in the streams that are written: each arrives where it stood, or a note names it."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from promptwire import Answer, Event, Note, Text, assistant, ollama_chat, openai_chat, vllm_chat
from promptwire.results import Candidate
from tests.answers import module, streams
from tests.internals.runtime import events_of
from tests.notes import changes

# of these, the caller of the stream gives the value
GIVEN = {"created", "created_at"}
# the others share the answers of one of these
WIRES = [
    wire
    for wire in dict.fromkeys([each.wire for each in streams()])
    if find_spec(f"promptwire.{wire}.answers") is not None and hasattr(module(wire), "write_stream")
]


def options_of(wire: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return a value for every option of a whole answer, and of a candidate."""
    paths: dict[tuple[str, ...], str] = import_module(f"promptwire.{wire}.answers").ANSWERS.options
    added = module(wire).WIRE.added
    # what vendors' clients put beside an answer is not read
    # and a stream that holds an error has no answer
    absent = {*added, "error"}
    whole = {name: 1 for path, name in paths.items() if "[]" not in path and path[-1] not in absent}
    inner = {name: 2 for path, name in paths.items() if "[]" in path}
    return whole, inner


@pytest.mark.parametrize("wire", WIRES)
def test_every_option_arrives_or_is_named(wire: str) -> None:
    whole, inner = options_of(wire)
    candidate = Candidate(message=assistant("Hi"), finish="stop", vendor={wire: inner} if inner else None)
    notes: list[Note] = []
    written = module(wire).write_stream(policies="lenient", notes=notes)
    stream = module(wire).stream()
    stream.feed(written.answer(Answer(candidates=(candidate,), vendor={wire: whole} if whole else None)))
    read = stream.close()
    rows = ((read, whole, "vendor"), (read.candidates[0], inner, "candidates[0].vendor"))
    for node, given, path in rows:
        came: dict[str, Any] = dict((node.vendor or {}).get(wire, {}))
        said = [f"{note.path}.{note.field}".strip(".") for note in notes]
        lost = {name for name in given if f"{path}.{wire}.{name}" in said}
        assert {name: value for name, value in came.items() if name not in GIVEN} == {
            name: value for name, value in given.items() if name not in GIVEN | lost
        }


def test_a_key_of_the_second_call_stays_there() -> None:
    function = {"name": "f", "arguments": '{"a":1}'}
    calls: list[dict[str, Any]] = [
        {"id": f"c{number}", "type": "function", "function": function} for number in range(3)
    ]
    calls[1]["own"] = 7
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    body = {"id": "x", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    stream = openai_chat.stream()
    stream.feed(openai_chat.write_stream().answer(openai_chat.read_answer(body)))
    raw: Any = stream.close().raw
    found = raw["choices"][0]["message"]["tool_calls"]
    assert found == [{"index": number, **call} for number, call in enumerate(calls)]
    events = events_of(openai_chat.read_answer(body))
    assert [event.kind for event in events].count("part") == 3


def test_what_a_stream_replaces_is_noted() -> None:
    notes: list[Note] = []
    writer = ollama_chat.write_stream(policies="lenient", notes=notes)
    writer.feed(Event(kind="call", name="f"))
    writer.feed(Event(kind="arguments", text='{"a":'))
    stream = ollama_chat.stream()
    stream.feed(writer.feed(Event(kind="finish", name="length", place=(0,))) + writer.close())
    assert [call.parsed_arguments for call in stream.close().calls] == [{}]
    assert changes(note for note in notes if note.field == "arguments") == ["replaced messages[0].arguments"]
    refused: list[Note] = []
    writer = vllm_chat.write_stream(policies="lenient", notes=refused)
    chunks = [writer.feed(Event(kind=kind, text="no", place=(0, 0))) for kind in ("refusal", "text")]
    stream = vllm_chat.stream()
    stream.feed(b"".join([*chunks, writer.close()]))
    assert [part.text for part in stream.answer.parts if isinstance(part, Text)] == ["nono"]
    assert str(refused[0]) == (
        "replaced messages[0].refusal: no answer of vLLM server, chat completions has a refusal: it becomes text"
    )
