"""Law 2 of answers: a mark in every leaf of every part is written, whole or as a stream, or a note names the place."""

from __future__ import annotations

import json

import pytest
from hypothesis import strategies as st

import promptwire
from promptwire import Answer, Message, Note, Part, PromptwireError, Request
from promptwire.parts import Opaque
from promptwire.results import Candidate
from tests.internals.runtime import FRAMINGS, spec_word
from tests.laws.marks import Marks
from tests.laws.strategies import law
from tests.laws.traces import Names, module, walk
from tests.strategies import parts

WIRES = [wire for wire in promptwire.WIRES if hasattr(module(wire), "write_answer")]
STREAMS = [wire for wire in WIRES if hasattr(module(wire), "write_stream")]
_SENT = ("moved", "merged", "added")


def planted(data: st.DataObject, wire: str) -> tuple[Marks, Request, Answer]:
    """Draw a message of an answer, with a mark in every leaf."""
    drawn = data.draw(st.lists(parts(), min_size=1, max_size=3), "parts")
    marks = Marks(wire, ())
    request = marks.plant(Request("m", (Message("assistant", tuple(drawn)),)))
    candidate = Candidate(message=request.messages[0], finish="stop", index=0)
    marks.places = {mark: path for mark, path in marks.places.items() if path.startswith("messages[0].parts")}
    return marks, request, Answer(id="a1", model="m", candidates=(candidate,))


@pytest.mark.parametrize("wire", WIRES)
@law(40, dialect=15)
def test_every_leaf_of_an_answer_leaves_a_trace(wire: str, data: st.DataObject) -> None:
    marks, request, answer = planted(data, wire)
    notes: list[Note] = []
    try:
        body = module(wire).write_answer(answer, policies="lenient", notes=notes)
    except PromptwireError:
        return
    sent = json.dumps(body, ensure_ascii=False)
    names = Names(request, [(note.path, note.field) for note in notes if note.action not in _SENT])
    silent = [
        path
        for mark, path in marks.places.items()
        if mark not in sent and mark not in sent.lower() and not names.cover(path)
    ]
    assert silent == []


@pytest.mark.parametrize("wire", STREAMS)
@law(40, dialect=15)
def test_every_leaf_of_a_stream_leaves_a_trace(wire: str, data: st.DataObject) -> None:
    marks, request, answer = planted(data, wire)
    notes: list[Note] = []
    try:
        raw = module(wire).write_stream(policies="lenient", notes=notes, usage=True).answer(answer)
    except PromptwireError:
        return
    framing = FRAMINGS[module(wire).write_stream().framing]()
    frames = [*framing.feed(raw), *framing.close()]
    sent = json.dumps([frame.data for frame in frames], ensure_ascii=False)
    # keys of this API may name it: redactedContent
    said = {note.field.replace("_", "").lower() for note in notes if note.action not in _SENT}
    kinds = [(at, node) for at, node in walk(request) if isinstance(node, (Part, Opaque))]
    silent = [
        path
        for mark, path in marks.places.items()
        if mark not in sent
        and mark not in sent.lower()
        and not any(name in word for name in fields(path) for word in said)
        and not any(
            word.replace("_", "") in name
            for at, node in kinds
            if path.startswith(f"{at}.")
            for word in words(node)
            for name in said
        )
    ]
    assert silent == []


def fields(path: str) -> list[str]:
    """Return the fields on the way into a part, as the keys of APIs may spell them."""
    return [name.replace("_", "") for name in path.replace("[", ".").split(".")[3:]]


def words(part: Part | Opaque) -> tuple[str, ...]:
    """Return the words for a whole part; JSON of another API is named by what it holds."""
    return (spec_word(part), "value") if isinstance(part, Opaque) else (spec_word(part),)
