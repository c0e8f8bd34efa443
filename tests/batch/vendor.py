"""A service that runs batches, as it is seen from outside: files of requests in, files of results out.

It loses lines, lets requests expire, is overloaded, and refuses some requests, by fixed rules.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Vendor:
    """Anthropic's batches: one JSON object with a list of requests."""

    def __init__(self) -> None:
        self.sent: Counter[str] = Counter()

    def run(self, file: Path, results: Path) -> None:
        """Run one file; its results are in another order."""
        requests = json.loads(file.read_bytes())["requests"]
        rows = [row for request in requests for row in self._answers(request)]
        results.write_text("".join(json.dumps(row) + "\n" for row in reversed(rows)))

    def _answers(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        identity = request["custom_id"]
        self.sent[identity] += 1
        number, first = int(identity.rpartition("-")[2]), self.sent[identity] == 1
        result: dict[str, Any] = {"type": "succeeded", "message": message(request["params"])}
        if number % 10 == 1:
            result = _error("invalid_request_error", "messages: the prompt is odd")
        elif number % 10 == 2 and first:
            result = {"type": "expired"}
        elif number % 10 == 3 and first:
            result = _error("overloaded_error", "Overloaded")
        elif number % 10 == 4 and first:
            return
        elif number % 10 == 5:
            result = _error("api_error", "Internal server error")
        yield {"custom_id": identity, "result": result}


def message(params: dict[str, Any]) -> dict[str, Any]:
    """Answer with the text of the question."""
    content = params["messages"][-1]["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": params["model"],
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _error(kind: str, text: str) -> dict[str, Any]:
    return {"type": "errored", "error": {"type": "error", "error": {"type": kind, "message": text}}}
