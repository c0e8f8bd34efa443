"""Print one request body as a neutral request, and convert it to another wire."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from promptwire_text.escaping import one_line

from .generated import dump_request, own_errors, plain_message, wire_module
from .json_values import FRAMINGS, looks_like
from .preview import note_rows, notes_below, oddities, pretty, public_settings
from .recorded_file import RecordedAnswer, RecordedError

if TYPE_CHECKING:
    from promptwire_runtime import Built, Reading

# what the other wire cannot carry is dropped with a note
CROSSING = "lenient"
_NUMBER = re.compile(r"([-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?|0o[0-7]+|0x[0-9a-fA-F]+)\Z", re.ASCII)


class CrossingOptions(NamedTuple):
    """The options of `promptwire read --to`; `to` is None without it, and settings are `name=value` texts."""

    to: str | None
    model: str | None
    max_tokens: int | None
    settings: Sequence[str]
    policies: str


def build_on(wire: str, reading: Reading, options: CrossingOptions) -> Built[Any]:
    """Build a request that was read on another wire, with another model and maximum if given; losses become notes.

    Raises CommandError if that is impossible.
    """
    module = wire_module(wire)
    request = reading.request
    if options.model is not None:
        request = replace(request, model=options.model)
    if options.max_tokens is not None:
        request = replace(request, options=replace(request.options, max_tokens=options.max_tokens))
    settings = public_settings(module, options.settings)
    with own_errors():
        return module.build(request, settings=settings, policies=options.policies)


def as_yaml(reading: Reading) -> str:
    """Return the request as YAML that can be loaded again, with counts and notes as comments below.

    Form memory is counted and left out; `as_object` has it.
    """
    counts = (
        f"a request: understood {reading.understood} of {reading.leaves} leaves, {reading.kept} only kept"
    )
    kept = [
        f"  kept {path}" + (f" ({count} times)" if count > 1 else "")
        for path, count in _count_unknown(reading)
    ]
    settings = [f"--setting {name}={value}" for name, value in reading.settings.items()]
    # a body without any required key may belong to any other wire
    other = looks_like(reading.body, reading.wire.name) if 2 * reading.understood < reading.leaves else ""
    lines = "\n".join(
        [
            counts,
            *([other] if other else []),
            *kept,
            *oddities(reading),
            *settings,
            *notes_below(reading.notes)[1:],
        ]
    ).splitlines()
    return as_document(dump_request(reading.request, kept=False)) + "\n".join(
        f"# {one_line(line)}" for line in lines
    )


def as_object(reading: Reading) -> dict[str, Any]:
    """Return request, notes and counts as plain JSON, and the settings found in the URL."""
    return {
        "read_as": "request",
        "request": dump_request(reading.request),
        **({"settings": reading.settings} if reading.settings else {}),
        "notes": note_rows(reading.notes),
        "deviations": note_rows(reading.deviations),
        "unread": note_rows(reading.unread),
        "leaves": reading.leaves,
        "understood": reading.understood,
        "kept": reading.kept,
        "unknown": dict(_count_unknown(reading)),
    }


def built_as_text(reading: Reading, built: Built[Any]) -> str:
    """Return the body for the other wire and the notes of both steps as text."""
    return "\n".join([pretty(built.body), *notes_below([*reading.notes, *built.notes])])


def built_as_object(reading: Reading, built: Built[Any]) -> dict[str, Any]:
    """Return the body for the other wire and the notes of both steps as plain JSON."""
    return {"body": built.body, "notes": note_rows([*reading.notes, *built.notes])}


def _count_unknown(reading: Reading) -> list[tuple[str, int]]:
    return Counter(reading.unknown).most_common()


def as_document(value: Any) -> str:
    """Return plain data as a YAML document that parses to the same data."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            """Return True, so that shared values are written out."""
            del data
            return True

    # requests are loaded as YAML 1.2, in which these texts are numbers and need quotes
    cast("Any", Dumper).add_implicit_resolver("tag:yaml.org,2002:float", _NUMBER, list("-+.0123456789"))
    return yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)


_COUNTS = ("input", "output", "cache_read", "cache_write", "reasoning", "total")


def answer_as_text(reading: RecordedAnswer) -> str:
    """Return an answer as YAML: finish reason, token usage and message; comments describe the file and the coverage."""
    answer = reading.answer
    candidates = [_dump_candidate(each, kept=False) for each in answer.candidates]
    single = candidates[0] if len(candidates) == 1 else dict[str, Any]()
    shown: dict[str, Any] = {
        "id": answer.id,
        "model": answer.model,
        **{name: single[name] for name in ("finish", "finish_raw") if name in single},
        "usage": _dump_usage(answer.usage),
        **{name: single[name] for name in ("message", "vendor") if name in single},
        "candidates": None if single else candidates,
        "options": answer.vendor,
    }
    lines = "\n".join(f"# {one_line(line)}" for line in _describe_file(reading))
    return as_document(_drop_empty(shown)) + lines


def answer_as_object(reading: RecordedAnswer) -> dict[str, Any]:
    """Return an answer as plain JSON, with the events of its stream if it has one."""
    answer = reading.answer
    said = {
        "id": answer.id,
        "model": answer.model,
        "candidates": [_dump_candidate(each, kept=True) for each in answer.candidates],
        "usage": _dump_usage(answer.usage),
        "vendor": answer.vendor,
        "deviations": note_rows(answer.deviations),
        "unread": note_rows(answer.unread),
    }
    read_as = "answer" if reading.framing is None else "stream"
    return {
        "read_as": read_as,
        "answer": _drop_empty(said),
        **_dump_stream(reading),
        **_dump_coverage(reading.coverage),
    }


def _dump_stream(reading: RecordedAnswer) -> dict[str, Any]:
    if reading.framing is None:
        return {}
    events = [_dump_event(event) for event in reading.events]
    return {"framing": reading.framing, "events": events, "trouble": reading.trouble}


def _dump_coverage(coverage: Any) -> dict[str, Any]:
    if coverage is None:
        return {}
    counts = {name: getattr(coverage, name) for name in ("leaves", "understood", "kept")}
    return {**counts, "unknown": dict(_unknown_keys(coverage))}


def error_as_text(reading: RecordedError) -> str:
    """Return an error as YAML."""
    why = "" if reading.kind else "; its kind depends on the HTTP status, which no body says"
    return as_document(_dump_error(reading)) + f"# an error{why}"


def error_as_object(reading: RecordedError) -> dict[str, Any]:
    """Return an error as plain JSON."""
    return {"read_as": "error", "error": _dump_error(reading)}


def written_as_text(body: Any, notes: list[Any]) -> str:
    """Return an answer's body for another wire, and the notes, as text."""
    return "\n".join([pretty(body), *notes_below(notes)])


def written_as_object(body: Any, notes: list[Any]) -> dict[str, Any]:
    """Return an answer's body for another wire, and the notes, as plain JSON."""
    return {"body": body, "notes": note_rows(notes)}


def _describe_file(reading: RecordedAnswer) -> list[str]:
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
    unknown = _unknown_keys(coverage)
    return lines + [f"  kept {path}" + (f" ({count} times)" if count > 1 else "") for path, count in unknown]


def _unknown_keys(coverage: Any) -> list[tuple[str, int]]:
    paths: tuple[str, ...] = coverage.unknown
    return Counter(paths).most_common()


def _dump_candidate(candidate: Any, *, kept: bool) -> dict[str, Any]:
    message = candidate.message
    return _drop_empty(
        {
            "index": candidate.index,
            "finish": candidate.finish,
            "finish_raw": candidate.finish_raw if kept or candidate.finish_raw != candidate.finish else None,
            "message": None if message is None else plain_message(message, kept=kept),
            "vendor": candidate.vendor,
        }
    )


def _dump_event(event: Any) -> dict[str, Any]:
    data = _dump_usage(event.data) if event.kind == "usage" else event.data
    said = {name: getattr(event, name) for name in ("kind", "text", "id", "name")}
    return _drop_empty({**said, "place": list(event.place), "data": data})


def _dump_usage(usage: Any) -> dict[str, int]:
    return _drop_empty({name: getattr(usage, name, None) for name in _COUNTS})


def _dump_error(reading: RecordedError) -> dict[str, Any]:
    error = reading.error
    said = {name: getattr(error, name) for name in ("message", "type", "code", "field")}
    return _drop_empty({"error": reading.kind, **said})


def _drop_empty(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping without its empty values."""
    return {name: value for name, value in row.items() if value not in (None, "", {}, [])}
