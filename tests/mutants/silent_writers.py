"""Generated writers that each forget one report of a value that is not sent: a word of a row, or a call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from types import CodeType
from typing import Any

from tests.generated_tests import PACKAGES

# calls of the builder that report a value which is not sent
_REPORTS = frozenset(
    {"build.report.lost", "build.report.unused", "build.report.incomplete", "build.lost_tool"}
)
# the place of the words in the arguments of a call
_WORDS = {"Row": 0, "constant": 1}


@dataclass(frozen=True, slots=True)
class SilentWriter:
    """A writer without one report: the number of the top-level statement that differs, and its code."""

    wire: str
    line: int
    forgotten: str
    statement: int
    code: CodeType

    def __str__(self) -> str:
        """Print place and report on one line."""
        return f"{self.wire}/writing.py:{self.line}: {self.forgotten}"


def silent_writers(wire: str) -> Iterator[SilentWriter]:
    """Yield every writer of a wire that forgets one report."""
    for number, statement in enumerate(_statements(wire)):
        for place, _ in enumerate(_reports(statement)):
            changed = deepcopy(statement)
            line, forget = list(_reports(changed))[place]
            forgotten = forget()
            yield SilentWriter(wire, line, forgotten, number, _compiled(changed))


@contextmanager
def installed(writer: SilentWriter) -> Iterator[None]:
    """Let the package of a wire write with a silent writer."""
    package: Any = import_module(f"promptwire.{writer.wire}")
    names: dict[str, Any] = {"__name__": f"{package.__name__}.writing", "__package__": package.__name__}
    for number, code in enumerate(_codes(writer.wire)):
        exec(writer.code if number == writer.statement else code, names)  # noqa: S102  # code of this project
    before = package.WRITERS, package.write_body
    package.WRITERS, package.write_body = names["WRITERS"], names["write_body"]
    try:
        yield
    finally:
        package.WRITERS, package.write_body = before


@cache
def _statements(wire: str) -> list[ast.stmt]:
    return ast.parse((PACKAGES / wire / "writing.py").read_text("utf-8")).body


@cache
def _codes(wire: str) -> list[CodeType]:
    return [_compiled(statement) for statement in _statements(wire)]


def _compiled(statement: ast.stmt) -> CodeType:
    """Compile one statement; names in annotations need not exist."""
    later = ast.ImportFrom("__future__", [ast.alias("annotations")], 0)
    return compile(ast.fix_missing_locations(ast.Module([later, statement], [])), "writing.py", "exec")


def _reports(statement: ast.stmt) -> Iterator[tuple[int, Callable[[], str]]]:
    """Yield the line of each report, and a function that takes it out and returns it as text."""
    for call in ast.walk(statement):
        if isinstance(call, ast.Call):
            for forget in _reports_of(call):
                yield call.lineno, forget


def _reports_of(call: ast.Call) -> Iterator[Callable[[], str]]:
    name = ast.unparse(call.func)
    words = call.args[_WORDS[name]] if len(call.args) > _WORDS.get(name, len(call.args)) else None
    if isinstance(words, ast.Constant):
        yield from [partial(_forget_word, words, place) for place, _ in enumerate(str(words.value).split())]
    if name == "BodyRow":
        named = [each.value for each in call.keywords if each.arg in ("fields", "parts")]
        lists = [
            each for value in named for each in ast.walk(value) if isinstance(each, (ast.Tuple, ast.List))
        ]
        yield from [
            partial(_forget_element, each, place) for each in lists for place, _ in enumerate(each.elts)
        ]
    for keyword in call.keywords if name in ("Row", "BodyRow") else ():
        if keyword.arg == "read_only" and isinstance(keyword.value, ast.Dict):
            yield from [
                partial(_forget_key, keyword.value, place) for place, _ in enumerate(keyword.value.keys)
            ]
    if name in _REPORTS:
        yield partial(_silence, call)


def _forget_word(words: ast.Constant, place: int) -> str:
    left = str(words.value).split()
    forgotten = left.pop(place)
    words.value = " ".join(left)
    return forgotten


def _forget_element(elements: ast.Tuple | ast.List, place: int) -> str:
    return ast.unparse(elements.elts.pop(place))


def _forget_key(table: ast.Dict, place: int) -> str:
    forgotten = table.keys.pop(place)
    del table.values[place]
    return "" if forgotten is None else ast.unparse(forgotten)


def _silence(call: ast.Call) -> str:
    """Turn `build.report.lost(part, "")` into `bool()`."""
    forgotten = ast.unparse(call)
    call.func, call.args, call.keywords = ast.Name("bool", ast.Load()), [], []
    return forgotten
