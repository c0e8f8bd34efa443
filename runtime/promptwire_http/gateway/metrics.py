"""Counts and times of calls for Prometheus."""

from __future__ import annotations

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

from .reports import CallReport

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)


class Metrics:
    """Counts and times of calls for Prometheus."""

    def __init__(self) -> None:
        """Start at zero."""
        self._registry = CollectorRegistry()
        labels = ("front", "upstream", "model")
        self._calls = Counter(
            "promptwire_calls", "Calls that ended.", (*labels, "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "promptwire_call_seconds", "From the request to the end of the answer.", labels,
            buckets=_SECONDS, registry=self._registry,
        )  # fmt: skip
        self._first = Histogram(
            "promptwire_first_piece_seconds", "From the request to the first piece of a stream.", labels,
            buckets=_SECONDS, registry=self._registry,
        )  # fmt: skip
        self._tokens = Counter(
            "promptwire_tokens",
            "Tokens that servers counted.",
            (*labels, "direction"),
            registry=self._registry,
        )
        self._notes = Counter(
            "promptwire_notes", "Changes that an API behind made necessary.", labels, registry=self._registry
        )
        self.open = Gauge("promptwire_open_calls", "Calls that have not ended.", registry=self._registry)

    def add(self, report: CallReport) -> None:
        """Count a call. Names of models that the gateway does not know share a label: clients make them up."""
        labels = (report.front, report.upstream, report.model if report.named else "other")
        self._calls.labels(*labels, str(report.status)).inc()
        self._seconds.labels(*labels).observe(report.seconds)
        if report.first_seconds is not None:
            self._first.labels(*labels).observe(report.first_seconds)
        if report.notes:
            self._notes.labels(*labels).inc(len(report.notes))
        usage = report.usage
        for direction, count in (("input", usage and usage.input), ("output", usage and usage.output)):
            if count:
                self._tokens.labels(*labels, direction).inc(count)

    def text(self) -> tuple[bytes, str]:
        """Return the metrics in the form of Prometheus, and its media type."""
        return generate_latest(self._registry), CONTENT_TYPE_LATEST
