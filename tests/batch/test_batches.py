"""Files of batches: within every limit, one id for each request, results joined, failures sent again."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import promptwire
from promptwire import batch
from promptwire.results import read_batch_result
from tests.batch.lines import lines_of, numbered, request_line, write_lines
from tests.batch.vendor import Vendor
from tests.internals.clients import writing

CLAUDE = batch.Job("anthropic_messages", model="claude-haiku-4-5")


def limit(monkeypatch: pytest.MonkeyPatch, wire: str, **limits: Any) -> None:
    """Make the limits of a wire's services small."""
    services: Any = promptwire.wire(wire).WIRE.batches
    for name, service in services.items():
        monkeypatch.setitem(services, name, {**service, **limits})


def test_files_are_within_count_and_bytes_and_hold_every_request_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, "openai_chat", max_requests=7, max_bytes=1200)
    source = numbered(tmp_path / "in.jsonl", 60)
    manifest = batch.write([source], tmp_path / "out", batch.Job("openai_chat"))
    assert manifest.requests == 60
    assert len(manifest.shards) > 8
    for shard in manifest.shards:
        path = tmp_path / "out" / shard.file
        assert path.stat().st_size == shard.bytes <= 1200
        rows = lines_of(tmp_path / "out", [shard])
        assert len(rows) == shard.requests <= 7
        assert {row["body"]["model"] for row in rows} == {shard.model}
    ids = [row["custom_id"] for row in lines_of(tmp_path / "out", manifest.shards)]
    assert sorted(ids) == sorted(f"q-{i}" for i in range(60))
    assert batch.status(tmp_path / "out", verify=True).broken == ()


def test_a_file_of_one_object_is_within_its_bytes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, "anthropic_messages", max_bytes=700)
    manifest = batch.write([numbered(tmp_path / "in.jsonl", 20)], tmp_path / "out", CLAUDE)
    assert all((tmp_path / "out" / shard.file).stat().st_size <= 700 for shard in manifest.shards)
    assert len(lines_of(tmp_path / "out", manifest.shards)) == 20


def test_ids_are_those_of_the_service_and_one_to_one(tmp_path: Path) -> None:
    names = ["good_1", "two words", "x" * 65, "good_1", "", "good_1"]
    source = write_lines(tmp_path / "in.jsonl", [request_line(name, f"t{i}") for i, name in enumerate(names)])
    manifest = batch.write([source], tmp_path / "out", CLAUDE)
    sent = {row["custom_id"]: row["params"] for row in lines_of(tmp_path / "out", manifest.shards)}
    entries = list(batch.entries(tmp_path / "out"))
    assert [entry.name for entry in entries] == names
    assert [sent[entry.id]["messages"][0]["content"] for entry in entries] == [f"t{i}" for i in range(6)]
    pattern = batch.batch_service(promptwire.anthropic_messages.WIRE).ids
    assert pattern is not None
    assert entries[0].id == "good_1"
    assert all(re.fullmatch(pattern, entry.id) for entry in entries)


def test_lines_that_cannot_be_converted_are_listed_with_their_place(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    good = json.dumps(request_line("a", "hi"))
    double = '{"id": "b", "id": "c", "body": {}}'
    source.write_text(
        f"{good}\nno json\n\n[]\n{double}\n" + json.dumps({"id": "d", "wire": "openai_chat", "body": {}})
    )
    manifest = batch.write([source], tmp_path / "out", CLAUDE)
    assert (manifest.requests, manifest.refused) == (1, 4)
    rows = [json.loads(line) for line in (tmp_path / "out" / "refused.jsonl").read_text().splitlines()]
    assert [row["name"].removeprefix(f"{source}:") for row in rows] == ["2", "4", "5", "d"]
    assert "twice" in rows[2]["why"]


def test_a_body_that_was_there_is_written_once_and_answers_both(tmp_path: Path) -> None:
    rows = [request_line("a-0", "same"), request_line("b-0", "same"), request_line("c-0", "other")]
    job = batch.Job("anthropic_messages", model="claude-haiku-4-5", deduplicate=True)
    manifest = batch.write([write_lines(tmp_path / "in.jsonl", rows)], tmp_path / "out", job)
    assert (manifest.requests, manifest.duplicates) == (3, 1)
    assert [row["custom_id"] for row in lines_of(tmp_path / "out", manifest.shards)] == ["a-0", "c-0"]
    Vendor().run(tmp_path / "out" / manifest.shards[0].file, tmp_path / "r.jsonl")
    assert batch.read(tmp_path / "out", [tmp_path / "r.jsonl"]).succeeded == 3
    names = [
        json.loads(line)["name"] for line in (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    ]
    assert sorted(names) == ["a-0", "b-0", "c-0"]


def test_rounds_end_with_an_answer_or_a_reason_for_every_request(tmp_path: Path) -> None:
    out, vendor = tmp_path / "out", Vendor()
    manifest = batch.write([numbered(tmp_path / "in.jsonl", 40)], out, CLAUDE)
    for number in range(1, 5):
        files = []
        for shard in manifest.current():
            files.append(tmp_path / f"results-{number}.jsonl")
            vendor.run(out / shard.file, files[-1])
        batch.read(out, files, answers_as="openai_chat")
        again = batch.read(out, files)
        assert again.succeeded == 0
        manifest = batch.retry(out, missing=True)
        if manifest.round == number:
            break
    assert manifest.round == 3
    found = batch.status(out, verify=True)
    assert found.counts == {"pending": 0, "succeeded": 32, "retry": 0, "fix": 4, "give_up": 4}
    assert found.broken == ()
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert Counter(row["name"] for row in rows) == {f"q-{i}": 1 for i in range(40) if i % 10 not in (1, 5)}
    assert all(
        row["body"]["choices"][0]["message"]["content"] == f"question {row['name'][2:]}" for row in rows
    )
    assert {entry.error for entry in batch.entries(out, "fix")} == {
        "invalid_request: messages: the prompt is odd"
    }
    assert {entry.attempts for entry in batch.entries(out, "give_up")} == {3}


@pytest.mark.parametrize("to", ["anthropic_messages", "gemini_generate"])
def test_requests_to_be_changed_come_back_with_their_names_and_errors(tmp_path: Path, to: str) -> None:
    rows = [request_line("a-0", "good"), request_line("b-1", "odd"), request_line("c-1", "odd")]
    job = batch.Job(to, model="m-1", deduplicate=True)
    manifest = batch.write([write_lines(tmp_path / "in.jsonl", rows)], tmp_path / "out", job)
    assert [*batch.failed_requests(tmp_path / "out")] == []
    (line,) = [row for row in lines_of(tmp_path / "out", manifest.shards) if "b-1" in json.dumps(row)]
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": "it is odd"}}
    told: Any = {"custom_id": "b-1", "result": {"type": "errored", "error": error}}
    if to == "gemini_generate":
        told = {"key": "b-1", "error": {"code": 3, "message": "it is odd", "status": "INVALID_ARGUMENT"}}
    batch.read(tmp_path / "out", [write_lines(tmp_path / "results.jsonl", [told])])
    found = [*batch.failed_requests(tmp_path / "out")]
    assert [row["id"] for row in found] == ["b-1", "c-1"]
    for row in found:
        assert row["error"] == "invalid_request: it is odd"
        assert row["body"] == line["params" if to == "anthropic_messages" else "request"]
        assert row["wire"] == to
    # they are requests again, of the same model
    job = batch.Job(to)
    again = batch.write([write_lines(tmp_path / "fix.jsonl", found)], tmp_path / "fixed", job)
    assert (again.requests, again.refused, again.shards[0].model) == (
        2,
        0,
        "m-1" if to == "gemini_generate" else "",
    )


def test_a_file_that_was_changed_gives_no_requests(tmp_path: Path) -> None:
    out = tmp_path / "out"
    manifest = batch.write([numbered(tmp_path / "in.jsonl", 2)], out, batch.Job("openai_chat", model="m"))
    file = out / manifest.shards[0].file
    file.write_bytes(file.read_bytes().replace(b'"body":', b'"body" ', 1))
    with pytest.raises(batch.BatchError, match="the file is not what was written there"):
        list(batch.failed_requests(out, "pending"))


def test_errors_that_are_read_again_do_not_take_a_retry_back(tmp_path: Path) -> None:
    out, vendor, first = tmp_path / "out", Vendor(), tmp_path / "results-1.jsonl"
    manifest = batch.write([numbered(tmp_path / "in.jsonl", 20)], out, CLAUDE)
    vendor.run(out / manifest.shards[0].file, first)
    before = batch.read(out, [first])
    assert batch.read(out, [first]).failed == before.failed
    manifest = batch.retry(out)
    sent = batch.status(out).counts
    assert sent["pending"] > 2
    report = batch.read(out, [first])
    assert report.again == before.succeeded + before.failed["retry"]
    assert batch.status(out).counts == sent
    # the file of the second round counts, even where it says the same
    second = tmp_path / "results-2.jsonl"
    vendor.run(out / manifest.current()[0].file, second)
    assert batch.read(out, [first, second]).failed["retry"] == 2
    assert {entry.attempts for entry in batch.entries(out, "retry")} == {2}


def test_results_of_another_batch_and_broken_lines_are_told(tmp_path: Path) -> None:
    out = tmp_path / "out"
    batch.write([numbered(tmp_path / "in.jsonl", 3)], out, CLAUDE)
    other = {"custom_id": "stranger", "result": {"type": "expired"}}
    (tmp_path / "r.jsonl").write_text(json.dumps(other) + "\nno json\n")
    report = batch.read(out, [tmp_path / "r.jsonl"])
    assert report.unknown == 1
    assert len(report.unreadable) == 1
    assert report.unreadable[0].startswith(f"{tmp_path / 'r.jsonl'}:2: ")


def test_a_large_batch_file_is_split_byte_by_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, "openai_chat", max_requests=4)
    rows = lines_of(
        tmp_path / "a",
        batch.write([numbered(tmp_path / "in.jsonl", 10)], tmp_path / "a", batch.Job("openai_chat")).shards,
    )
    whole = tmp_path / "whole.jsonl"
    whole.write_text("".join(json.dumps(row, indent=None) + "\n" for row in rows))
    manifest = batch.write([whole], tmp_path / "b", batch.Job("openai_chat", as_is=True))
    assert {shard.model for shard in manifest.shards} == {"gpt-4o", "gpt-4o-mini"}
    texts = [(tmp_path / "b" / shard.file).read_text() for shard in manifest.shards]
    assert sorted("".join(texts).splitlines()) == sorted(whole.read_text().splitlines())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"model": "claude-sonnet-4-5"}, "model is 'claude-haiku-4-5' there"),
        ({"policies": "lenient"}, "policies is 'portable' there"),
    ],
)
def test_a_folder_holds_one_job(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    source = numbered(tmp_path / "in.jsonl", 3)
    batch.write([source], tmp_path / "out", CLAUDE)
    job = batch.Job(**{**CLAUDE.as_json(), **change})
    with pytest.raises(batch.BatchError, match="it holds another job") as raised:
        batch.write([source], tmp_path / "out", job)
    assert problem in str(raised.value)


def test_a_file_that_was_changed_is_not_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_SECONDS", 0)
    source, out = numbered(tmp_path / "in.jsonl", 600), tmp_path / "out"

    def stop(_: int) -> None:
        if stop_at.pop() == 0:
            raise KeyboardInterrupt

    stop_at = [0, 1]
    with pytest.raises(KeyboardInterrupt):
        batch.write([source], out, CLAUDE, progress=stop)
    shard = out / "round-1" / "00001.json"
    shard.write_bytes(b"x" + shard.read_bytes()[1:])
    with pytest.raises(batch.BatchError, match="is not what was written there"):
        batch.write([source], out, CLAUDE)


def test_credentials_are_not_kept(tmp_path: Path) -> None:
    address = "https://me:sk-secret@behind.example:8443/v1"
    job = batch.Job(
        "openai_chat", settings={"api_key": "sk-secret", "organization": "org", "base_url": address}
    )
    batch.write([numbered(tmp_path / "in.jsonl", 1)], tmp_path / "out", job)
    held = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert b"sk-secret" not in held
    assert b'"organization": "org"' in held
    assert b'"https://behind.example:8443/v1"' in held


def test_ids_of_results_are_where_each_service_has_them() -> None:
    said = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"}]
    }
    line = {"batch_request_id": "q-0", "batch_result": {"response": {"chat_get_completion": said}}}
    result = read_batch_result(promptwire.xai_chat, line)
    assert result.id == "q-0"
    assert result.answer is not None
    assert result.answer.text == "Hi."
    failed = read_batch_result(
        promptwire.xai_chat, {"batch_request_id": "q-1", "batch_result": {"error": "no room"}}
    )
    assert failed.error is not None
    assert failed.error.message == "no room"
    gemini = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP"}]
    }
    row = {
        "status": "",
        "processed_time": "t",
        "request": {"labels": {"promptwire_id": "q-0"}},
        "response": gemini,
    }
    assert read_batch_result(promptwire.gemini_generate, row).id == "q-0"
