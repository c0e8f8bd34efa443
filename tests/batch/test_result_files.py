"""Result files as services write them: rows without a response, descriptions of batches, lines without measure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptwire import batch, gemini_generate, openai_chat
from promptwire.batch import BatchError
from promptwire.results import read_batch_result
from tests.batch.lines import request_line

MESSAGE = {"role": "assistant", "content": "4"}
CHAT = {"model": "m", "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}]}
GEMINI = {"candidates": [{"content": {"parts": [{"text": "4"}], "role": "model"}, "finishReason": "STOP"}]}
FAILED = {"code": 13, "message": "internal"}
INLINE = [{"response": GEMINI, "metadata": {"key": "q0"}}, {"error": FAILED, "metadata": {"key": "q1"}}]


def out(tmp_path: Path, wire: str, *names: str) -> Path:
    """Write a batch of these requests."""
    source = tmp_path / "in.jsonl"
    source.write_text("".join([json.dumps(request_line(name, name)) + "\n" for name in names]), "utf-8")
    batch.write([source], tmp_path / "out", batch.Job(wire))
    return tmp_path / "out"


def states(folder: Path) -> dict[str, str]:
    return {entry.name: entry.state for entry in batch.entries(folder)}


@pytest.mark.parametrize(
    ("wire", "row"),
    [
        # github.com/tidyverse/ellmer/issues/830
        (openai_chat, {"custom_id": "q0", "response": {"status_code": 0, "request_id": "", "body": {}}, "error": None}),
        (openai_chat, {"custom_id": "q0", "response": {"status_code": 503, "body": None}, "error": None}),
        (openai_chat, {"custom_id": "q0", "response": {"status_code": 200, "body": None}, "error": None}),
        (openai_chat, {"custom_id": "q0", "response": None, "error": None}),
        # github.com/langchain4j/langchain4j/issues/4423
        (gemini_generate, {"metadata": {"key": "q0"}, "response": None}),
        (gemini_generate, {"key": "q0", "response": {}}),
    ],
)  # fmt: skip
def test_a_row_without_a_response_is_an_error_that_is_worth_a_retry(
    wire: Any, row: Any, tmp_path: Path
) -> None:
    result: Any = read_batch_result(wire, row)
    assert (result.id, result.answer, result.error.retryable) == ("q0", None, True)
    assert "no response" in result.error.message
    folder = out(tmp_path, wire.WIRE.name, "q0")
    (tmp_path / "r.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    report = batch.read(folder, [tmp_path / "r.jsonl"])
    assert (report.failed["retry"], report.unreadable, states(folder)) == (1, [], {"q0": "retry"})


def test_a_row_of_the_status_0_with_an_answer_has_that_answer() -> None:
    result: Any = read_batch_result(
        openai_chat, {"custom_id": "a", "response": {"status_code": 0, "body": CHAT}}
    )
    assert result.answer is not None and result.answer.text == "4"


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "described",
    [
        {"name": "batches/x", "done": True, "response": {"inlinedResponses": {"inlinedResponses": INLINE}}},
        {"name": "batches/x", "metadata": {"state": "BATCH_STATE_SUCCEEDED", "output": {"inlinedResponses": {"inlinedResponses": INLINE}}}},
        {"name": "batches/x", "state": "JOB_STATE_SUCCEEDED", "dest": {"inlinedResponses": INLINE}},
    ],
)  # fmt: skip
def test_the_results_inside_the_description_of_a_batch_are_read(
    described: Any, indent: int | None, tmp_path: Path
) -> None:
    folder = out(tmp_path, "gemini_generate", "q0", "q1")
    (tmp_path / "operation.json").write_text(json.dumps(described, indent=indent), "utf-8")
    report = batch.read(folder, [tmp_path / "operation.json"])
    assert (report.succeeded, report.unreadable, states(folder)) == (
        1,
        [],
        {"q0": "succeeded", "q1": "retry"},
    )


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    ("described", "named"),
    [
        ({"name": "batches/x", "done": True, "response": {"responsesFile": "files/abc"}}, "files/abc"),
        ({"id": "batch_1", "object": "batch", "status": "completed", "output_file_id": "file-1", "error_file_id": "file-2"}, "file-1 and error_file_id file-2"),
        ({"id": "msgbatch_1", "type": "message_batch", "processing_status": "ended", "results_url": "https://h.example/r"}, "https://h.example/r"),
        ({"id": "batch_1", "object": "batch", "status": "in_progress", "output_file_id": None}, "the state of the batch is in_progress"),
    ],
)  # fmt: skip
def test_the_description_of_a_batch_names_where_its_results_are(
    described: Any, named: str, indent: int | None, tmp_path: Path
) -> None:
    folder = out(tmp_path, "openai_chat", "q0")
    (tmp_path / "batch.json").write_text(json.dumps(described, indent=indent), "utf-8")
    with pytest.raises(BatchError) as raised:
        batch.read(folder, [tmp_path / "batch.json"])
    assert named in str(raised.value)
    assert states(folder) == {"q0": "pending"}


ANSWERED = [{"custom_id": name, "response": {"status_code": 200, "body": CHAT}} for name in ("q0", "q1")]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, ANSWERED)),
        json.dumps({"results": ANSWERED}),
        json.dumps({"results": ANSWERED}, indent=2),
        json.dumps({"pagination_token": None, "results": ANSWERED}),
        "\n".join([json.dumps({"results": [row]}, separators=(",", ":")) for row in ANSWERED]),
    ],
    ids=["lines", "page", "indented", "later", "pages"],
)
def test_results_are_read_as_lines_and_as_pages(text: str, mark: str, tmp_path: Path) -> None:
    folder = out(tmp_path, "openai_chat", "q0", "q1")
    (tmp_path / "r.jsonl").write_text(mark + text, "utf-8")
    report = batch.read(folder, [tmp_path / "r.jsonl"])
    assert (report.succeeded, report.unreadable, states(folder)) == (
        2,
        [],
        {"q0": "succeeded", "q1": "succeeded"},
    )


def test_a_line_without_measure_is_the_problem_of_that_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("promptwire_text.files.MOST_BYTES", 2000)
    lines = [
        json.dumps(request_line(name, text)) for name, text in (("a", "1"), ("b", "x" * 5000), ("c", "2"))
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(lines), "utf-8")
    manifest = batch.write([tmp_path / "in.jsonl"], tmp_path / "out", batch.Job("openai_chat"))
    assert (manifest.requests, manifest.refused, list(states(tmp_path / "out"))) == (2, 1, ["a", "c"])
    answered = json.dumps({"custom_id": "c", "response": {"status_code": 200, "body": CHAT}})
    (tmp_path / "r.jsonl").write_text(f'{{"x": "{"y" * 3_000_000}"}}\n{answered}\n', "utf-8")
    report = batch.read(tmp_path / "out", [tmp_path / "r.jsonl"])
    assert (report.succeeded, len(report.unreadable)) == (1, 1)
    assert report.unreadable[0].startswith(f"{tmp_path / 'r.jsonl'}:1: ")
