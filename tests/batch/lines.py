"""Files of requests for the tests of batches."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

MODELS = ("gpt-4o", "gpt-4o-mini")


def request_line(identity: str, text: str, model: str = "gpt-4o") -> dict[str, Any]:
    """One recorded request."""
    body = {"model": model, "max_tokens": 8, "messages": [{"role": "user", "content": text}]}
    return {"id": identity, "wire": "openai_chat", "body": body}


def write_lines(path: Path, rows: Iterable[Any]) -> Path:
    """Write one JSON a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def numbered(path: Path, count: int) -> Path:
    """Write requests with the ids q-0, q-1 ..., with two models in turn."""
    return write_lines(path, (request_line(f"q-{i}", f"question {i}", MODELS[i % 2]) for i in range(count)))


def lines_of(folder: Path, shards: Iterable[Any]) -> list[dict[str, Any]]:
    """All lines of files, decoded."""
    found: list[dict[str, Any]] = []
    for shard in shards:
        raw = (folder / shard.file).read_bytes()
        if shard.file.endswith(".json"):
            found += json.loads(raw)["requests"]
        else:
            found += [json.loads(line) for line in raw.splitlines()]
    return found
