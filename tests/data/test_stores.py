"""Inputs and batches in object stores, and Parquet files (`CI=1 bash .ci/run ray`)."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from promptwire import batch, data
from tests.data.lines import ENGINE, JOB, digests, line, source

pytestmark = ENGINE


def parquet(path: Path, columns: dict[str, list[Any]]) -> Path:
    """Write a Parquet file."""
    import_module("pyarrow.parquet").write_table(import_module("pyarrow").table(columns), path)
    return path


def test_a_parquet_file_is_written_like_its_lines(tmp_path: Path) -> None:
    lines = source(tmp_path / "whole.jsonl", 30)
    table = parquet(tmp_path / "a.parquet", {"n": list(range(30)), "line": lines.read_text().splitlines()})
    spread = parquet(tmp_path / "b.parquet", {"text": [f"{{\n{line(0)[1:]}".encode(), None]})
    whole = batch.write([lines], tmp_path / "whole", JOB)
    (found,) = data.write_files([table], tmp_path / "out", JOB)
    assert [shard.sha256 for shard in batch.status(found.folder).manifest.shards] == [
        shard.sha256 for shard in whole.shards
    ]
    assert data.write_files([table], tmp_path / "out", JOB) == [found]
    (two,) = data.write_files([spread], tmp_path / "two", JOB, column="text")
    assert (two.requests, two.refused) == (1, 0)
    with pytest.raises(batch.BatchError, match=r'b\.parquet: no column "line"; its columns are text'):
        data.write_files([spread], tmp_path / "three", JOB)


def test_a_store_holds_each_batch_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = [source(tmp_path / f"{name}.jsonl", 20).as_uri() for name in "ab"]
    bucket, scratch = tmp_path / "bucket", tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    # the copy to the store is stopped before the manifest: the batch is not whole
    with monkeypatch.context() as patch:
        patch.setattr("promptwire_data.files.store_batch", stop)
        with pytest.raises(KeyboardInterrupt):
            data.write_files(inputs, bucket.as_uri(), JOB)
    written = data.write_files(inputs, bucket.as_uri(), JOB)
    assert [each.folder for each in written] == [f"{bucket.as_uri()}/{name}.jsonl" for name in "ab"]
    data.write_files([tmp_path / f"{name}.jsonl" for name in "ab"], tmp_path / "local", JOB)
    assert digests(bucket) == digests(tmp_path / "local")
    assert list(scratch.rglob("*.jsonl")) == []

    # a whole batch is not written again
    before = {path: path.stat().st_mtime_ns for path in bucket.rglob("*")}
    assert data.write_files(inputs, bucket.as_uri(), JOB) == written
    assert {path: path.stat().st_mtime_ns for path in bucket.rglob("*")} == before

    source(tmp_path / "a.jsonl", 21)
    with pytest.raises(batch.BatchError, match="it holds another job \\(the size of the input differs\\)"):
        data.write_files(inputs, bucket.as_uri(), JOB)


def test_a_store_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(batch.BatchError, match=r"missing\.jsonl"):
        data.write_files([f"{tmp_path.as_uri()}/missing.jsonl"], tmp_path / "out", JOB)
    with pytest.raises(batch.BatchError, match=r"nowhere://bucket/a\.jsonl: "):
        data.write_files(["nowhere://bucket/a.jsonl"], tmp_path / "out", JOB)
