"""Generate the tests of every wire: its examples, and the values that it cannot carry."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar, cast

from ..emit.wire.wire_module import describe_capabilities
from ..expected.losses import list_own_expectations
from ..expected.samples import Expectation
from ..plugin_api import Artifact, Plugin, Project, WireModel, header
from ..spec.answer_sections import AnswerExample, ErrorExample, StreamExample
from ..spec.fields import is_list, is_object
from ..spec.schema import Example

_TEMPLATE = "wire_tests.py.j2"


class ExampleTests(Plugin):
    """`tests/test_wires.py`, and its cases: `tests/cases/<wire>.json`."""

    name = "tests"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """Yield one test module for all wires, and one file of cases for each wire."""
        yield Artifact(
            path="tests/test_wires.py", template=_TEMPLATE, context={"sources": (f"templates/{_TEMPLATE}",)}
        )
        for wire in project.wires:
            yield Artifact(
                path=f"tests/cases/{wire.name}.json", text=partial(_list_cases, wire), wire=wire.name
            )


def _list_cases(wire: WireModel) -> str:
    answers: tuple[AnswerExample, ...] = () if wire.answer is None else wire.answer.section.examples
    told: tuple[ErrorExample, ...] = () if wire.answer is None else wire.answer.section.error_examples
    streams: tuple[StreamExample, ...] = () if wire.stream is None else wire.stream.examples
    parents = frozenset(wire.chain[1:])
    examples = [
        each for each in wire.examples if parents.isdisjoint(_find_wires_with_options(ByIdentity(each)))
    ]
    sections: dict[str, Any] = {
        "$comment": header([wire.source, "generator/promptwire_gen/plugins/example_tests.py"]),
        "local": wire.transport.local,
        "capabilities": describe_capabilities(wire),
        "framing": None if wire.stream is None else wire.stream.framing,
    }
    tables: dict[str, list[str]] = {
        "bodies": [
            _write_line(ByIdentity(each), _make_body_row) for each in examples if each.body is not None
        ],
        "errors": [
            _write_line(ByIdentity(each), _make_error_row) for each in examples if each.error is not None
        ],
        "losses": [_write_json(_make_loss_row(each)) for each in list_own_expectations(wire)],
        "answers": [_write_line(ByIdentity(each), _make_answer_row) for each in answers],
        "error_answers": [_write_line(ByIdentity(each), _make_error_answer_row) for each in told],
        "streams": [_write_line(ByIdentity(each), _make_stream_row) for each in streams],
    }
    return "\n".join(_write_lines(sections, tables)) + "\n"


ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True, eq=False)
class ByIdentity(Generic[ValueT]):
    """Equal only to a wrapper of the same object."""

    value: ValueT

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and cast("ByIdentity[object]", other).value is self.value

    def __hash__(self) -> int:
        return id(self.value)


# cached, because dialects inherit most examples
@lru_cache(maxsize=2048)
def _write_line(example: ByIdentity[Any], row_of: Callable[[Any], Mapping[str, Any]]) -> str:
    """Return the line of an example."""
    return _write_json(row_of(example.value))


@lru_cache(maxsize=2048)
def _find_wires_with_options(example: ByIdentity[Example]) -> frozenset[str]:
    """Return the wires whose options a request has: a dialect inherits such an example, and ignores them."""
    return frozenset(_find_vendors(example.value.request))


def _find_vendors(request: Any) -> Iterator[str]:
    if is_list(request):
        for inner in request:
            yield from _find_vendors(inner)
    elif is_object(request):
        options = request.get("vendor")
        yield from options if is_object(options) else ()
        for inner in request.values():
            yield from _find_vendors(inner)


def _write_lines(sections: Mapping[str, Any], tables: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Write one object with one line for each section and row, so that a changed case is one changed line."""
    yield "{"
    for name, value in sections.items():
        yield f"{_write_json(name)}: {_write_json(value)},"
    for number, (name, rows) in enumerate(tables.items(), start=1):
        end = "]" if number == len(tables) else "],"
        yield f"{_write_json(name)}: [" + ("" if rows else end)
        yield from [f"{row}," for row in rows[:-1]]
        yield from [*rows[-1:], *[end] * bool(rows)]
    yield "}"


def _write_json(value: Any) -> str:
    """Write JSON on one line; invisible characters are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else json.dumps(value, allow_nan=False)


def _make_loss_row(expectation: Expectation) -> dict[str, Any]:
    names = ("name", "request", "lost", "unused")
    return {name: getattr(expectation, name) for name in names}


def _make_body_row(example: Any) -> dict[str, Any]:
    return _drop_empty(_make_row(example) | {"headers": example.headers, "url": example.url}) | {
        "body": example.body
    }


def _make_error_row(example: Any) -> dict[str, Any]:
    return _drop_empty(_make_row(example)) | {"kind": example.error.kind, "field": example.error.field}


def _make_answer_row(example: AnswerExample) -> dict[str, Any]:
    return _make_says_row(example) | {"body": example.body}


def _make_error_answer_row(example: ErrorExample) -> dict[str, Any]:
    return _make_says_row(example) | {"status": example.status, "body": example.body}


def _make_stream_row(example: StreamExample) -> dict[str, Any]:
    return _make_says_row(example) | {"events": [*map(_split_event, example.events)]}


def _make_says_row(example: AnswerExample | ErrorExample | StreamExample) -> dict[str, Any]:
    return {"name": example.name, "says": example.says.model_dump(mode="json", exclude_none=True)}


def _split_event(event: Any) -> tuple[str | None, Any]:
    """Return the name of an event, if it has one, and its data."""
    if isinstance(event, list):
        # a list of a spec holds any JSON
        return event[0], event[1]  # pyright: ignore[reportUnknownVariableType]
    return None, event


def _make_row(example: Any) -> dict[str, Any]:
    return {
        "name": example.name,
        "request": example.request,
        "settings": example.settings,
        "policies": example.policies,
        "day": example.day,
    }


def _drop_empty(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value}
