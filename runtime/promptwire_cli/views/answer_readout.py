"""Print an answer or an error that was read, as YAML and as plain JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from .framings import FRAMINGS
from .generated import plain_message
from .preview import note_rows, notes_below, oddities, pretty
from .readout import as_document
from .recorded_file import RecordedAnswer, RecordedError

_COUNTS = ("input", "output", "cache_read", "cache_write", "reasoning", "total")


def answer_as_text(reading: RecordedAnswer) -> str:
    """Return an answer as YAML: finish reason, token usage and message; comments describe the file and the coverage."""
    answer = reading.answer
    candidates = [_candidate(each, kept=False) for each in answer.candidates]
    single = candidates[0] if len(candidates) == 1 else dict[str, Any]()
    shown: dict[str, Any] = {
        "id": answer.id,
        "model": answer.model,
        **{name: single[name] for name in ("finish", "finish_raw") if name in single},
        "usage": _usage(answer.usage),
        **{name: single[name] for name in ("message", "vendor") if name in single},
        "candidates": None if single else candidates,
        "options": answer.vendor,
    }
    lines = "\n".join(f"# {line}" for line in _about(reading))
    return as_document(_filled(shown)) + lines


def answer_as_object(reading: RecordedAnswer) -> dict[str, Any]:
    """Return an answer as plain JSON, with the events of its stream if it has one."""
    answer = reading.answer
    said = {
        "id": answer.id,
        "model": answer.model,
        "candidates": [_candidate(each, kept=True) for each in answer.candidates],
        "usage": _usage(answer.usage),
        "vendor": answer.vendor,
        "deviations": note_rows(answer.deviations),
        "unread": note_rows(answer.unread),
    }
    read_as = "answer" if reading.framing is None else "stream"
    return {"read_as": read_as, "answer": _filled(said), **_stream(reading), **_counts(reading.coverage)}


def _stream(reading: RecordedAnswer) -> dict[str, Any]:
    if reading.framing is None:
        return {}
    events = [_event(event) for event in reading.events]
    return {"framing": reading.framing, "events": events, "trouble": reading.trouble}


def _counts(coverage: Any) -> dict[str, Any]:
    if coverage is None:
        return {}
    counts = {name: getattr(coverage, name) for name in ("leaves", "understood", "kept")}
    return {**counts, "unknown": dict(_unknown(coverage))}


def error_as_text(reading: RecordedError) -> str:
    """Return an error as YAML."""
    why = "" if reading.kind else "; its kind depends on the HTTP status, which no body says"
    return as_document(_error(reading)) + f"# an error{why}"


def error_as_object(reading: RecordedError) -> dict[str, Any]:
    """Return an error as plain JSON."""
    return {"read_as": "error", "error": _error(reading)}


def written_as_text(body: Any, notes: list[Any]) -> str:
    """Return an answer's body for another wire, and the notes, as text."""
    return "\n".join([pretty(body), *notes_below(notes)])


def written_as_object(body: Any, notes: list[Any]) -> dict[str, Any]:
    """Return an answer's body for another wire, and the notes, as plain JSON."""
    return {"body": body, "notes": note_rows(notes)}


def _about(reading: RecordedAnswer) -> list[str]:
    """Yield comments that describe the file and what was kept without being interpreted."""
    lines = ["an answer"]
    if reading.framing is not None:
        kinds = ", ".join(f"{number} {kind}" for kind, number in reading.kinds.items()) or "none"
        lines = [f"a recorded stream ({FRAMINGS[reading.framing]}) of events: {kinds}", "its answer"]
    coverage = reading.coverage
    if coverage is None:
        return [*lines[:-1], "nothing has come of its answer"]
    lines[-1] += f": understood {coverage.understood} of {coverage.leaves} leaves, {coverage.kept} only kept"
    lines += oddities(reading.answer)
    unknown = _unknown(coverage)
    return lines + [f"  kept {path}" + (f" ({count} times)" if count > 1 else "") for path, count in unknown]


def _unknown(coverage: Any) -> list[tuple[str, int]]:
    paths: tuple[str, ...] = coverage.unknown
    return Counter(paths).most_common()


def _candidate(candidate: Any, *, kept: bool) -> dict[str, Any]:
    message = candidate.message
    return _filled(
        {
            "index": candidate.index,
            "finish": candidate.finish,
            "finish_raw": candidate.finish_raw if kept or candidate.finish_raw != candidate.finish else None,
            "message": None if message is None else plain_message(message, kept=kept),
            "vendor": candidate.vendor,
        }
    )


def _event(event: Any) -> dict[str, Any]:
    data = _usage(event.data) if event.kind == "usage" else event.data
    said = {name: getattr(event, name) for name in ("kind", "text", "id", "name")}
    return _filled({**said, "place": list(event.place), "data": data})


def _usage(usage: Any) -> dict[str, int]:
    return _filled({name: getattr(usage, name, None) for name in _COUNTS})


def _error(reading: RecordedError) -> dict[str, Any]:
    error = reading.error
    said = {name: getattr(error, name) for name in ("message", "type", "code", "field")}
    return _filled({"error": reading.kind, **said})


def _filled(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping without its empty values."""
    return {name: value for name, value in row.items() if value not in (None, "", {}, [])}
