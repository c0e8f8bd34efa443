"""Generate the tests of every wire: its examples, and the capabilities that it claims."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from ..emit.wire.capabilities import capabilities
from ..expected.cases import expectations
from ..expected.expectation import Expectation
from ..plugin_api import Artifact, Plugin, Project, WireModel, header
from ..spec.answer_sections import AnswerExample, ErrorExample, StreamExample
from ..spec.fields import is_list, is_object

_TEMPLATE = "wire_tests.py.j2"


class ExampleTests(Plugin):
    """`tests/test_wires.py`, and its cases: `tests/cases/<wire>.json`."""

    name = "tests"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """Return one test module for all wires, and one file of cases for each wire."""
        yield Artifact(
            path="tests/test_wires.py", template=_TEMPLATE, context={"sources": (f"templates/{_TEMPLATE}",)}
        )
        for wire in project.wires:
            yield Artifact(path=f"tests/cases/{wire.name}.json", text=partial(_cases, wire), wire=wire.name)


def _cases(wire: WireModel) -> str:
    plain, *others = expectations(wire)
    expected_rows = [(claim, _claim(claim, plain)) for claim in others]
    answers: tuple[AnswerExample, ...] = () if wire.answer is None else wire.answer.examples
    told: tuple[ErrorExample, ...] = () if wire.answer is None else wire.answer.error_examples
    streams: tuple[StreamExample, ...] = () if wire.stream is None else wire.stream.examples
    parents = frozenset(wire.chain[1:])
    examples = [example for example in wire.examples if not _has_options_of(example.request, parents)]
    sections: dict[str, Any] = {
        "$comment": header([wire.source, "generator/promptwire_gen/plugins/example_tests.py"]),
        "local": wire.transport.local,
        "capabilities": capabilities(wire),
        "framing": None if wire.stream is None else wire.stream.framing,
        # the simplest request; claims list only their difference from it
        "plain": _filled({"name": plain.name, "request": plain.request, "body": plain.body}),
    }
    tables: dict[str, list[dict[str, Any]]] = {
        "bodies": [_built(example) for example in examples if example.body is not None],
        "errors": [_refused(example) for example in examples if example.error is not None],
        "claims": [row for claim, row in expected_rows if claim.body is not None],
        "refusals": [row for claim, row in expected_rows if claim.error is not None],
        "losses": [row for claim, row in expected_rows if claim.lost],
        "answers": [_said(example) | {"body": example.body} for example in answers],
        "error_answers": [
            _said(example) | {"status": example.status, "body": example.body} for example in told
        ],
        "streams": [_said(example) | {"events": [*map(_event, example.events)]} for example in streams],
    }
    return "\n".join(_lines(sections, tables)) + "\n"


def _has_options_of(request: Any, wires: Collection[str]) -> bool:
    """Return whether a request has options of these wires: a dialect inherits such an example, and ignores them."""
    if is_list(request):
        return any(_has_options_of(inner, wires) for inner in request)
    if not is_object(request):
        return False
    options = request.get("vendor")
    if is_object(options) and not options.keys().isdisjoint(wires):
        return True
    return any(_has_options_of(inner, wires) for inner in request.values())


def _lines(sections: Mapping[str, Any], tables: Mapping[str, list[dict[str, Any]]]) -> Iterator[str]:
    """Write one object with one line for each section and row, so that a changed case is one changed line."""
    yield "{"
    for name, value in sections.items():
        yield f"{_json(name)}: {_json(value)},"
    for number, (name, rows) in enumerate(tables.items(), start=1):
        end = "]" if number == len(tables) else "],"
        yield f"{_json(name)}: [" + ("" if rows else end)
        yield from [f"{_json(row)}," for row in rows[:-1]]
        yield from [_json(row) for row in rows[-1:]] + [end] * bool(rows)
    yield "}"


def _json(value: Any) -> str:
    """Write JSON on one line; invisible characters are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else json.dumps(value, allow_nan=False)


def _claim(claim: Expectation, plain: Expectation) -> dict[str, Any]:
    row = {"name": claim.name, "request": _beside(claim.request, plain.request)}
    if claim.lost:
        return row | {"lost": sorted(claim.lost)}
    if claim.body is None:
        return row | {"kind": claim.error, "field": claim.field}
    return row | {"body": _beside(claim.body, plain.body)}


def _beside(request: Mapping[str, Any], plain: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the difference between a request or a body and the simplest one."""
    return {
        key: value
        for key, value in request.items()
        if plain is None or key not in plain or plain[key] != value
    }


def _built(example: Any) -> dict[str, Any]:
    return _filled(_row(example) | {"headers": example.headers, "url": example.url}) | {"body": example.body}


def _refused(example: Any) -> dict[str, Any]:
    return _filled(_row(example)) | {"kind": example.error.kind, "field": example.error.field}


def _said(example: AnswerExample | ErrorExample | StreamExample) -> dict[str, Any]:
    return {"name": example.name, "says": example.says.model_dump(mode="json", exclude_none=True)}


def _event(event: Any) -> tuple[str | None, Any]:
    """Return the name beside an event's data, if it has one, and the data."""
    if isinstance(event, list):
        # a list of a spec holds any JSON
        return event[0], event[1]  # pyright: ignore[reportUnknownVariableType]
    return None, event


def _row(example: Any) -> dict[str, Any]:
    return {
        "name": example.name,
        "request": example.request,
        "settings": example.settings,
        "policies": example.policies,
    }


def _filled(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value}
