"""Requests built without form memory say every leaf of the recorded body, and a writer that drops a value is found."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import promptwire
from promptwire import Request
from tests.checkout import ROOT
from tests.internals.runtime import same
from tests.laws.traces import module
from tests.memoryless import missing_leaves, strip_all, strip_forms, strip_memory
from tests.recorded import requests_of

pytestmark = pytest.mark.slow

CASES = ROOT / "generated" / "tests" / "cases"
# no memory at all; as a caller makes the request; shapes as they were read, and nothing else
WAYS = (strip_memory, strip_all, strip_forms)
# writers whose every dropped value must be found; dialects share their functions
MUTATED = ("openai_chat", "anthropic_messages", "gemini_generate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A body, and the request that it was read to."""

    name: str
    wire: str
    shape: str
    body: dict[str, Any]
    request: Request
    settings: Any

    def builds(self) -> list[Any]:
        """Build the request after each way of forgetting its memory."""
        builder = module(self.wire)
        return [builder.build(way(self.request), policies="verbatim", settings=self.settings) for way in WAYS]

    def missing(self) -> list[str]:
        """Return the leaves of the body that one of these builds lacks."""
        return [
            f"{self.wire} {self.name}: {path} = {text:.60}"
            for built in self.builds()
            # the whole body is there
            if not same(built.body, self.body)
            for path, text in missing_leaves(self.wire, self.body, built)
        ]


def recorded(name: str, wire: str, body: dict[str, Any], url: str | None = None, shape: str = "") -> Recorded:
    """Read a body."""
    reading = module(wire).read(copy.deepcopy(body), url)
    return Recorded(
        name=name, wire=wire, shape=shape, body=body, request=reading.request, settings=reading.settings
    )


@pytest.fixture(scope="module")
def rows(corpus: Path) -> list[Recorded]:
    return corpus_rows(corpus)


@pytest.fixture(scope="module")
def examples() -> list[Recorded]:
    return example_rows()


def corpus_rows(corpus: Path) -> list[Recorded]:
    """Read every recorded request of a wire that exists."""
    return [recorded(row.name, row.wire, row.body, row.url, row.shape) for row in requests_of(corpus)]


def example_rows() -> list[Recorded]:
    """Read the bodies of all specs' examples, each with its URL."""
    found: list[Recorded] = []
    for wire in promptwire.WIRES:
        cases = json.loads((CASES / f"{wire}.json").read_text("utf-8"))
        found += [
            recorded(row["name"], wire, row["body"], None if cases["local"] else _url(wire, row))
            for row in cases["bodies"]
        ]
    return found


def full_rows() -> list[Recorded]:
    """Read what is sent of nodes with every field, those aside that only a memory writes as they were read."""
    found: list[Recorded] = []
    for wire in MUTATED:
        cases = json.loads((CASES / f"{wire}.json").read_text("utf-8"))
        found += [recorded(row["name"], wire, _sent(wire, row)) for row in cases["losses"]]
    return [row for row in found if not row.missing()]


def _sent(wire: str, row: dict[str, Any]) -> Any:
    return module(wire).build(promptwire.load_request(row["request"]), policies="verbatim").body


def _url(wire: str, row: dict[str, Any]) -> str:
    request = promptwire.load_request(row["request"])
    given = {"settings": row.get("settings"), "policies": row.get("policies", {})}
    url: str = module(wire).build(request, **given).url
    return url


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dropped:
    """A function of a writer with one value less."""

    function: Any
    line: int
    text: str
    code: CodeType


def dropped_values(wire: str) -> Iterator[Dropped]:
    """Yield the functions of a wire's writer with one key of a JSON object left out, or the assignment of one."""
    writing = import_module(f"promptwire.{wire}.writing")
    path = Path(inspect.getfile(writing))
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            function = getattr(writing, node.name)
            for place in range(sum(1 for _ in _values(node))):
                changed = copy.deepcopy(node)
                text, line, drop = [*_values(changed)][place]
                drop()
                code = _code(changed, str(path))
                yield Dropped(function=function, line=line, text=text, code=code)


def _values(function: ast.FunctionDef) -> Iterator[tuple[str, int, Callable[[], None]]]:
    """Yield what writes a value in a function: its text, its line, and what leaves it out; constants aside."""
    for node in ast.walk(function):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None and not isinstance(value, ast.Constant):
                    yield (
                        f"{ast.unparse(key)}: {ast.unparse(value)}",
                        value.lineno,
                        partial(_drop_key, node, key),
                    )
        elif isinstance(node, ast.Assign) and _names_key(node.targets[0]):
            yield ast.unparse(node), node.lineno, partial(_drop_assignment, node)


def _names_key(target: ast.expr) -> bool:
    return isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant)


def _drop_key(node: ast.Dict, key: ast.expr) -> None:
    index = node.keys.index(key)
    del node.keys[index], node.values[index]


def _drop_assignment(node: ast.Assign) -> None:
    node.targets = [ast.Name("_", ast.Store())]


def _code(function: ast.FunctionDef, path: str) -> CodeType:
    future = ast.parse("from __future__ import annotations").body
    tree = ast.fix_missing_locations(ast.Module([*future, function], []))
    compiled = compile(tree, path, "exec")
    return next(each for each in compiled.co_consts if isinstance(each, CodeType))


def nested_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and those inside it, of comprehensions."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from nested_codes(each)


def rows_by_line(rows: list[Recorded], codes: set[CodeType]) -> dict[tuple[str, int], list[Recorded]]:
    """Return which rows run a line of a file, for the lines of some functions."""
    found: dict[tuple[str, int], list[Recorded]] = defaultdict(list)
    ran: set[tuple[str, int]] = set()

    def trace_lines(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            ran.add((frame.f_code.co_filename, frame.f_lineno))
        return trace_lines

    def trace_calls(frame: FrameType, _event: str, _: object) -> Any:
        return trace_lines if frame.f_code in codes else None

    before = sys.gettrace()
    for row in rows:
        ran.clear()
        sys.settrace(trace_calls)
        try:
            row.builds()
        finally:
            sys.settrace(before)
        for place in ran:
            found[place].append(row)
    return found


def is_found(dropped: Dropped, rows: list[Recorded]) -> bool:
    """Return whether a row lacks a leaf, or does not build, while a function drops a value."""
    before = dropped.function.__code__
    dropped.function.__code__ = dropped.code
    try:
        return any(row.missing() for row in rows)
    except Exception:  # noqa: BLE001  # a writer that lacks a value may break in any way
        return True
    finally:
        dropped.function.__code__ = before


def unseen_mutants(rows: list[Recorded]) -> tuple[list[str], int, int]:
    """Return the dropped values that no row sees, how many are on lines that rows run, and how many there are."""
    mutants = [mutant for wire in MUTATED for mutant in dropped_values(wire)]
    codes = {code for mutant in mutants for code in nested_codes(mutant.function.__code__)}
    by_line = rows_by_line(rows, codes)
    run = {
        mutant: own
        for mutant in mutants
        if (own := by_line.get((mutant.function.__code__.co_filename, mutant.line)))
    }
    unseen = [mutant for mutant, own in run.items() if not is_found(mutant, own)]
    names = [
        f"{each.function.__module__}.{each.function.__name__}:{each.line}: {each.text}" for each in unseen
    ]
    return names, len(run), len(mutants)


def test_every_leaf_comes_from_a_field_of_the_request(rows: list[Recorded]) -> None:
    assert [line for row in rows for line in row.missing()] == []


def test_every_leaf_of_an_example_comes_from_a_field_of_the_request(examples: list[Recorded]) -> None:
    assert [line for row in examples for line in row.missing()] == []


def test_a_value_that_a_writer_drops_is_missed_in_an_example(examples: list[Recorded]) -> None:
    unseen, run, every = unseen_mutants([*examples, *full_rows()])
    assert unseen == []
    # the others write shapes that only a memory of that API chooses
    assert run >= 0.85 * every


def test_a_value_that_a_writer_drops_is_missed_in_a_recorded_body(rows: list[Recorded]) -> None:
    one_of_each_shape = {(row.wire, row.shape): row for row in rows}
    unseen, run, _ = unseen_mutants([*one_of_each_shape.values()])
    assert run > 0
    # recorded bodies have more leaves that a table implies than examples have
    assert len(unseen) <= 0.01 * run, unseen
