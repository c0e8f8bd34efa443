"""Recorded requests, as files of lines."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from promptwire import batch

ENGINE = pytest.mark.skipif("PROMPTWIRE_ENGINE" not in os.environ, reason="needs the extra ray")
JOB = batch.Job("anthropic_messages", model="claude-haiku-4-5")


def line(number: int) -> str:
    """Return one recorded request."""
    body = {
        "model": "gpt-4o",
        "max_tokens": 8,
        "messages": [{"role": "user", "content": f"question {number}"}],
    }
    return json.dumps({"id": f"q-{number}", "wire": "openai_chat", "body": body})


def source(path: Path, count: int) -> Path:
    """Write a file of requests."""
    path.write_text("".join(f"{line(number)}\n" for number in range(count)))
    return path


def digests(folder: Path) -> dict[str, list[tuple[str, int, str]]]:
    """Return the files of the batches in a folder: name of the batch -> name, requests and digest of each file."""
    found: dict[str, list[tuple[str, int, str]]] = {}
    for path in sorted(folder.iterdir()):
        status = batch.status(path, verify=True)
        assert status.broken == ()
        found[path.name] = [(shard.file, shard.requests, shard.sha256) for shard in status.manifest.shards]
    return found
