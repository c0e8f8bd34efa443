"""What became of each call, and its lines in the log: as text or as JSON."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from promptwire_runtime import Api
from promptwire_runtime.answers.answer import Usage
from promptwire_runtime.answers.api_error import STATUS_OF_KIND, ApiError
from promptwire_text.escaping import one_line

from .failures import LOG


@dataclass(frozen=True, slots=True, kw_only=True)
class CallReport:
    """One call, when it has ended.

    Attributes:
        request_id: The header `x-request-id` of the request, or an id of the gateway.
        front: The API of the client.
        upstream: The name of the server behind; empty where none was asked.
        caller: The name of the caller.
        model: The name that the client asked for; empty where the request could not be read.
        model_behind: The model that was asked.
        status: The HTTP status that tells the outcome; 499 for a client that left.
        outcome: `ok`, or the error in words.
        seconds: From the request to the end of the answer.
        first_seconds: From the request to the first piece of a stream.
        usage: The token counts of the answer.
        notes: What was changed on the way, one text each.
        named: Whether the gateway names the model, so that it may be a label of a metric.
    """

    request_id: str
    front: str
    upstream: str
    caller: str
    model: str
    model_behind: str
    status: int
    outcome: str
    seconds: float
    first_seconds: float | None = None
    usage: Usage | None = None
    notes: Sequence[str] = ()
    named: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON, without what is not known."""
        first, usage = self.first_seconds, self.usage
        row: dict[str, Any] = {
            "request_id": self.request_id,
            "front": self.front,
            "upstream": self.upstream,
            "caller": self.caller,
            "model": self.model,
            "model_behind": self.model_behind,
            "status": self.status,
            "error": None if self.outcome == "ok" else self.outcome,
            "milliseconds": round(self.seconds * 1000),
            "first_milliseconds": None if first is None else round(first * 1000),
            "input_tokens": None if usage is None else usage.input,
            "output_tokens": None if usage is None else usage.output,
            "notes": list(self.notes),
        }
        return {key: value for key, value in row.items() if value not in (None, "", [])}


Observer = Callable[[CallReport], None]


def report_refusal(request_id: str, front: Api, error: ApiError, observers: Iterable[Observer]) -> None:
    """Report a request that was refused before it was read."""
    report = CallReport(
        request_id=request_id,
        front=front.WIRE.name,
        upstream="",
        caller="",
        model="",
        model_behind="",
        status=error.status or STATUS_OF_KIND[error.kind],
        outcome=f"{error.kind}: {error.message}",
        seconds=0.0,
    )
    for observe in observers:
        observe(report)


def write_text(report: CallReport) -> None:
    """Write a report to the log as text: a line for the call, and one for each note."""
    usage = report.usage
    tokens = "" if usage is None else f", {usage.input} in, {usage.output} out"
    LOG.info(
        "%s -> %s %s: %s (%.0f ms%s)",
        report.front, report.upstream, one_line(report.model_behind or report.model),
        report.status if report.outcome == "ok" else one_line(report.outcome),
        report.seconds * 1000, tokens,
    )  # fmt: skip
    for note in report.notes:
        LOG.info("note: %s", note)


def write_json(report: CallReport) -> None:
    """Write a report to the log with its fields, which `JsonFormatter` writes as an object."""
    LOG.info("call", extra={"call": report.as_dict()})


class JsonFormatter(logging.Formatter):
    """Writes each record of the log as a JSON object on a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        row: dict[str, Any] = {
            "time": time,
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        row.update(getattr(record, "call", {}))
        if record.exc_info:
            row["exception"] = self.formatException(record.exc_info)
        return json.dumps(row)
