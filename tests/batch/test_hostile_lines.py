"""A line that cannot be read or written is the problem of that line: those around it come through, and all can be stored."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from promptwire import batch, data
from tests.batch.lines import request_line
from tests.internals.commands import PROGRAM, app

JOB = batch.Job("openai_chat")
HALF = "cut \ud83d"
DEEP = b"[" * 100_000 + b"]" * 100_000
NOT_TEXT = [b"\xff\xfe{", b'{"id": "\xed\xa0\xbd"}', b"\0", b"null", b"[]", b'"x"', b"1" * 10_000, DEEP]


def asked_line(identity: str) -> dict[str, Any]:
    """One recorded request."""
    return request_line(identity, "Why?")


def result_line(identity: str) -> dict[str, Any]:
    """One result of OpenAI."""
    message = {"role": "assistant", "content": "Yes."}
    body = {"model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    return {"custom_id": identity, "response": {"status_code": 200, "body": body}, "error": None}


def batch_line(identity: str) -> dict[str, Any]:
    """One line of a batch."""
    request = asked_line(identity)
    return {"custom_id": identity, "method": "POST", "url": "/v1/chat/completions", "body": request["body"]}


def failed_line(identity: str) -> dict[str, Any]:
    """One error of OpenAI."""
    error = {"message": "Overloaded", "type": "server_error", "code": "overloaded"}
    return {"custom_id": identity, "response": {"status_code": 503, "body": {"error": error}}, "error": None}


def spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each object or list in a value with each of its keys."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from spots(value[key])


def hostile(line: dict[str, Any]) -> Iterator[bytes]:
    """Yield a line with half a character in each of its texts and keys, with depth in each value, and lines that are none."""
    for number, _ in enumerate(spots(line)):
        for levels in (120, 400, 900, 100_000):
            changed = copy.deepcopy(line)
            holder, key = list(spots(changed))[number]
            holder[key] = "<deep>"
            deep = DEEP if levels == 100_000 else b"[" * levels + b"]" * levels
            yield json.dumps(changed).encode().replace(b'"<deep>"', deep)
        changed = copy.deepcopy(line)
        holder, key = list(spots(changed))[number]
        if isinstance(holder[key], str):
            holder[key] += HALF
            yield json.dumps(changed).encode()
        changed = copy.deepcopy(line)
        holder, key = list(spots(changed))[number]
        if isinstance(key, str):
            holder[key + HALF] = holder.pop(key)
            yield json.dumps(changed).encode()
    changed = copy.deepcopy(line)
    changed[HALF] = HALF
    yield json.dumps(changed).encode()
    yield from NOT_TEXT


def whole_file(path: Path) -> list[Any]:
    """Return the lines of a file, which is UTF-8 and holds no escaped half character."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    json.dumps(rows, ensure_ascii=False).encode()
    return rows


def surrounded(path: Path, line: Any, lines: list[bytes]) -> Path:
    """Write hostile lines between two good ones."""
    good = [json.dumps(line(name)).encode() for name in ("first", "last")]
    path.write_bytes(b"\n".join([good[0], *lines, good[1]]) + b"\n")
    return path


def run(*words: str | Path) -> int:
    """Run the command in this process."""
    with pytest.raises(SystemExit) as ended:
        PROGRAM.run(lambda: app([*map(str, words)], prog_name="promptwire"))
    return int(ended.value.code or 0)


@pytest.mark.parametrize(
    ("line", "job"),
    [(asked_line, JOB), (batch_line, JOB), (batch_line, batch.Job("openai_chat", as_is=True))],
    ids=["requests", "batch lines", "split"],
)
def test_a_batch_lists_lines_that_it_cannot_write(line: Any, job: batch.Job, tmp_path: Path) -> None:
    lines = list(hostile(line("middle")))
    source = surrounded(tmp_path / "in.jsonl", line, lines)
    manifest = batch.write([source], tmp_path / "out", job)
    assert manifest.requests + manifest.refused == len(lines) + 2
    entries = list(batch.entries(tmp_path / "out"))
    assert (entries[0].name, entries[-1].name) == ("first", "last")
    assert len(whole_file(tmp_path / "out" / "refused.jsonl")) == manifest.refused > len(NOT_TEXT)
    assert batch.status(tmp_path / "out", verify=True).broken == ()
    (tmp_path / "out" / "manifest.json").read_text("utf-8").encode()


def test_convert_leaves_out_lines_that_it_cannot_write(tmp_path: Path) -> None:
    lines = list(hostile(asked_line("middle")))
    source = surrounded(tmp_path / "in.jsonl", asked_line, lines)
    assert run("convert", source, "--to", "openai_chat", "-o", tmp_path / "o.jsonl") == 1
    rows = whole_file(tmp_path / "o.jsonl")
    assert (rows[0]["id"], rows[-1]["id"]) == ("first", "last")
    assert len(rows) > 5


@pytest.mark.parametrize("line", [result_line, failed_line])
def test_results_that_cannot_be_read_are_listed(line: Any, tmp_path: Path) -> None:
    lines = list(hostile(line("middle")))
    names = ["first", "middle", "last"]
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(request_line(name, name)) + "\n" for name in names), "utf-8")
    batch.write([source], tmp_path / "out", JOB)
    report = batch.read(tmp_path / "out", [surrounded(tmp_path / "r.jsonl", line, lines)])
    states = {entry.name: entry.state for entry in batch.entries(tmp_path / "out")}
    assert states["first"] == states["last"] == ("succeeded" if line is result_line else "retry")
    assert len(report.unreadable) >= len(NOT_TEXT)
    whole_file(tmp_path / "out" / "results.jsonl")
    # a page with all of them at once
    pages = [b'{"results":[' + b",".join([each, json.dumps(line("last")).encode()]) + b"]}" for each in lines]
    (tmp_path / "pages.jsonl").write_bytes(b"\n".join(pages))
    batch.read(tmp_path / "out", [tmp_path / "pages.jsonl"])


def test_names_of_inputs_and_models_need_not_be_text(tmp_path: Path) -> None:
    source = tmp_path / "in\udcff.jsonl"
    source.write_text(json.dumps(request_line("a", "Why?")) + "\nno json\n", "utf-8")
    for _ in range(2):
        manifest = batch.write([source], tmp_path / "out", batch.Job("openai_chat", model="m\udcff"))
        assert (manifest.requests, manifest.refused) == (0, 2)
    assert batch.status(tmp_path / "out").manifest.inputs == [(str(source), source.stat().st_size)]


def test_columns_have_a_row_for_each_line() -> None:
    lines: list[Any] = [*hostile(asked_line("middle"))]
    lines += [line.decode("utf-8", "surrogatepass") for line in lines if b"\xff" not in line]
    lines += ["", " \n", None, HALF, 5]
    rows = data.Convert(JOB)({"line": lines})
    checked = data.Lint("openai_chat", "line")({"line": lines})
    results = [line for build in (result_line, failed_line) for line in hostile(build("middle"))]
    read = data.ReadResults("openai_chat")({"line": [*results, *lines]})
    for table, count in ((rows, len(lines)), (checked, len(lines)), (read, len(results) + len(lines))):
        assert {len(column) for column in table.values()} == {count}
        for column in table.values():
            "".join(column).encode()


def test_rows_without_an_id_have_one_of_their_own() -> None:
    line = json.dumps({"wire": "openai_chat", "body": request_line("", "Why?")["body"]})
    other = line.replace("Why?", "How?")
    rows = data.Convert(JOB)({"line": [line, other, line]})
    assert len({*rows["id"], *data.Convert(JOB)({"line": [other]})["id"]}) == 4
