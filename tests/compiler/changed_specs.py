"""Specs with one change each: a line left out, or a value replaced by one of another kind."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

from promptwire_gen.plugin_api import Artifact, Project
from tests.internals.compiler import (
    BUILTIN_FILTERS,
    ExampleTests,
    Modules,
    as_text,
    environment,
    find_layout,
    summarize_wire,
)
from tests.spec_texts import WIRES, lower_alone, spec_text

_LAYOUT = find_layout(Path(__file__))
_JINJA = environment([_LAYOUT.templates])
_EXTENDS = re.compile("^extends: *([a-z_]+)", re.MULTILINE)
_HOLE = re.compile(r"\$[a-z_.]+(?:\|[a-z_]+)*")
# one of each kind of value, and what is too much of it
OTHERS = ("null", "1", "true", "[]", "text", "{}", "[{}]", "{text: text}", '""', "x" * 3000)


class Change(NamedTuple):
    """Another text for what stands from `start` to `stop` in the spec of a file."""

    file: str
    start: int
    stop: int
    text: str

    def of(self, spec: str) -> str:
        """Return the whole spec with this change."""
        return spec[: self.start] + self.text + spec[self.stop :]

    def __str__(self) -> str:
        """Name the place and the change."""
        return f"{self.file}[{self.start}:{self.stop}] = {self.text[:40]!r}"


def spec_texts() -> dict[str, str]:
    """Return the text of every spec by the name of the one file that it could be, without its examples."""
    return {f"{wire}.yaml": spec_text(wire, examples=False) for wire in WIRES}


def changes(file: str, text: str) -> Iterator[Change]:
    """Leave out each line of a spec, then replace each of its values in turn."""
    at = 0
    for line in text.splitlines(keepends=True):
        if line.strip() and not line.lstrip().startswith("#"):
            yield Change(file, at, at + len(line), "")
        at += len(line)
    holes = sorted(set(_HOLE.findall(text)))
    for number, (start, end) in enumerate(_values(yaml.compose(text, yaml.CSafeLoader))):
        value = text[start:end].rstrip()
        for other in (*OTHERS, *holes[number % max(len(holes), 1) :][:1]):
            if value != other:
                yield Change(file, start, start + len(value), other)


def _values(node: yaml.Node | None) -> Iterator[tuple[int, int]]:
    """Yield where each value inside a node begins and ends."""
    values = node.value if isinstance(node, yaml.SequenceNode) else []
    if isinstance(node, yaml.MappingNode):
        values = [value for _, value in node.value]
    for value in values:
        yield value.start_mark.index, value.end_mark.index
        yield from _values(value)


def with_parents(change: Change, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the changed spec and those that it extends, by file."""
    needed = {change.file: change.of(texts[change.file])}
    parent = _EXTENDS.search(needed[change.file])
    while parent is not None and (file := f"{parent[1]}.yaml") in texts and file not in needed:
        needed[file] = texts[file]
        parent = _EXTENDS.search(texts[file])
    return needed


def is_compiled(change: Change, texts: Mapping[str, str], *, files: bool = True) -> bool:
    """Compile a changed spec, `files` too: False where it is refused, and every problem has a place."""
    sources = with_parents(change, texts)
    lowered = lower_alone(sources)
    as_text(lowered.problems, sources)
    for problem in lowered.problems:
        span = problem.span
        lines = sources[span.file].splitlines()
        assert 1 <= span.line <= max(len(lines), 1), problem
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1, problem
    if lowered.problems:
        return False
    name = change.file.removesuffix(".yaml")
    assert name in {wire.name for wire in lowered.wires}
    project = Project(tuple(lowered.wires), BUILTIN_FILTERS, _JINJA)
    if not files:
        return True
    for wire in lowered.wires:
        summarize_wire(wire)
    for artifact in (*Modules().artifacts(project), *ExampleTests().artifacts(project)):
        if artifact.wire == name:
            _make(artifact)
    return True


def _make(artifact: Artifact) -> None:
    """Make one file, which is JSON or Python."""
    if artifact.template is None:
        json.loads(artifact.text() if callable(artifact.text) else artifact.text or "")
        return
    context = artifact.context() if callable(artifact.context) else artifact.context
    compile(_JINJA.get_template(artifact.template).render(context), artifact.path, "exec")
