"""Streams that hosts damage: every event that a caller sees, the answer, and the streams that are written from them.

A file of `streams/` holds cases: the API and its events, each its data or its name and data. The file of the same name
in `streams/results/` holds what comes of them. `raw` is text in place of events. `written` names APIs for which the stream is written.
`UPDATE_GOLDEN=1` writes the results anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from promptwire import Event, Message, Note, Request, dump_request
from promptwire.errors import StreamError
from promptwire.results import Usage
from tests.answers import module, stream_bytes

FOLDER = Path(__file__).parent / "streams"
_SAID = ("text", "id", "name", "part", "data")
FILES = sorted(path.stem for path in FOLDER.glob("*.yaml"))


def shown(data: Any) -> Any:
    if isinstance(data, Message):
        (message,) = dump_request(Request("m", [data]))["messages"]
        return message
    if isinstance(data, Usage):
        return {name: count for name, count in vars(data).items() if count is not None and name != "raw"}
    return data


def told(event: Event) -> str:
    """Return what an event says, without what it does not state."""
    row = {**vars(event), "data": shown(event.data)}
    said = {name: row[name] for name in _SAID if row[name] not in (None, "")}
    if event.candidate:
        said["candidate"] = event.candidate
    place = f" at {'.'.join(map(str, event.place))}" if event.place else ""
    return f"{event.kind}{place} {json.dumps(said, ensure_ascii=False)}"


def noted(notes: list[Note]) -> list[str]:
    return [f"{note.action} {'.'.join(filter(None, (note.path, note.field)))}: {note.why}" for note in notes]


def chunks_of(case: dict[str, Any]) -> list[bytes]:
    given: list[Any] = case.get("events", [])
    sent: list[tuple[str | None, Any]] = [
        (each[0], each[1]) if isinstance(each, list) else (None, each) for each in given
    ]
    raw: list[str] = case.get("raw", [])
    return [*[text.encode() for text in raw], *[stream_bytes(case["framing"], [each]) for each in sent]]


def result_of(case: dict[str, Any]) -> dict[str, Any]:
    wire = module(case["wire"])
    stream = wire.stream(case["framing"])
    events: list[Event] = []
    result: dict[str, Any] = {"name": case["name"]}
    try:
        # piece by piece, as bytes come
        for chunk in chunks_of(case):
            events += stream.feed(chunk)
        events += stream.rest()
        answer = stream.close()
        result["answer"] = [
            {"finish": choice.finish, "message": shown(choice.message)} for choice in answer.candidates
        ]
        assert answer.messages == tuple(choice.message for choice in answer.candidates if choice.message)
        result["notes"] = noted([*answer.unread, *answer.deviations])
    except StreamError as error:
        result["error"] = str(error)
    result["events"] = [told(event) for event in events]
    for name in case.get("written", ()):
        notes: list[Note] = []
        writer = module(name).write_stream(id="a1", model="m", created=1, policies="lenient", notes=notes)
        raw = b"".join([*map(writer.feed, events), writer.close()])
        frames = raw.decode().split("\n\n")[:-1]
        result[name] = [*[frame.partition("data: ")[2] for frame in frames], *noted(notes)]
    return result


@pytest.mark.parametrize("file", FILES)
def test_each_stream_says_what_its_result_says(file: str) -> None:
    results = [result_of(case) for case in yaml.safe_load((FOLDER / f"{file}.yaml").read_text("utf-8"))]
    path = FOLDER / "results" / f"{file}.yaml"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        text = yaml.safe_dump(results, sort_keys=False, allow_unicode=True, width=1000)
        path.write_text(text, "utf-8")
    assert yaml.safe_load(path.read_text("utf-8")) == results
