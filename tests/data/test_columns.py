"""Requests in columns: lists here; numpy, pyarrow and polars where the extra is installed (`CI=1 bash .ci/run ray`)."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from promptwire import batch, data
from tests.data.lines import ENGINE, JOB, line, source


def table_of(kind: str, columns: dict[str, Any]) -> Any:
    """Make a table."""
    if kind == "lists":
        return columns
    if kind == "arrays":
        array = import_module("numpy").array
        return {name: array(values, dtype=object) for name, values in columns.items()}
    module = import_module(kind)
    return module.table(columns) if kind == "pyarrow" else module.DataFrame(columns)


def values_of(column: Any) -> list[Any]:
    """Return a column as a list."""
    return list(column.to_pylist() if hasattr(column, "to_pylist") else column)


KINDS = ["lists", *[pytest.param(kind, marks=ENGINE) for kind in ("arrays", "pyarrow", "polars")]]


@pytest.mark.parametrize("kind", KINDS)
def test_each_line_becomes_a_row_of_the_same_kind_of_table(kind: str) -> None:
    table = table_of(kind, {"line": [line(0), "no json", "", line(1)]})
    found = data.Convert(JOB)(table)
    assert type(found) is type(table)
    assert values_of(found["id"]) == ["q-0", "", "", "q-1"]
    params = json.loads(values_of(found["line"])[3])["params"]
    assert params["messages"] == [{"role": "user", "content": "question 1"}]
    assert values_of(found["why"])[1].startswith("not JSON")


@pytest.mark.parametrize("kind", KINDS)
def test_bodies_and_results_are_read(kind: str) -> None:
    bodies = ['{"model": "m", "max_tokens": 8, "messages": []}', '{"model": "m", "temprature": 1}', "no json"]
    found = data.Lint("anthropic_messages", column="body")(table_of(kind, {"body": bodies}))
    assert [bool(json.loads(text)) for text in values_of(found["problems"])][1:] == [True, True]
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "Yes."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    lines = [{"custom_id": "a", "result": {"type": "succeeded", "message": message}}]
    lines.append({"custom_id": "b", "result": {"type": "expired"}})
    table = table_of(kind, {"line": [*map(json.dumps, lines), "no json"]})
    found = data.ReadResults("anthropic_messages", answers_as="openai_chat")(table)
    assert values_of(found["id"]) == ["a", "b", ""]
    assert values_of(found["text"]) == ["Yes.", "", ""]
    assert json.loads(values_of(found["answer"])[0])["choices"][0]["message"]["content"] == "Yes."
    assert values_of(found["error"])[1:] != ["", ""]


def test_each_file_has_a_batch_of_its_own(tmp_path: Path) -> None:
    sources = [source(tmp_path / f"{name}.jsonl", 5) for name in "ab"]
    first = data.write_files(sources, tmp_path / "out", JOB)
    assert [(each.requests, each.refused, each.files) for each in first] == [(5, 0, 1), (5, 0, 1)]
    assert data.write_files(sources, tmp_path / "out", JOB) == first
    with pytest.raises(batch.BatchError, match="another input has the same name"):
        data.write_files([*sources, tmp_path / "c" / "a.jsonl"], tmp_path / "out", JOB)
