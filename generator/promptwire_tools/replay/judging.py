"""Judge the examples of wires before their files are written: each must be built, read and compared as its spec says.

The compiled modules are imported in processes of their own, because they may differ from those on disk.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from promptwire_gen.compilation import Compilation, with_imported
from promptwire_gen.layout import MODEL
from promptwire_gen.problems import Span, SpecProblem
from promptwire_gen.spec.nodes import span_at
from promptwire_gen.spec.pages import find_files_of_wires
from promptwire_gen.workers import count_cores
from promptwire_text.nodes import Scalar, Sequence as NodeSequence, Table

from ..effective import merge_chain

RULE = "example"
_SECONDS = 300
# a table of cases -> where its examples are in a spec
_PLACES = {
    "bodies": ("examples",),
    "errors": ("examples",),
    "answers": ("answer", "examples"),
    "error_answers": ("answer", "error_examples"),
    "streams": ("stream", "examples"),
    "writes": ("stream", "write"),
    "heads": ("stream", "write"),
    "losses": ("body",),
}
# streams that no spec states: the modules of every wire are judged by them
_PROBES = ("writes", "heads")


def changed_wires(compilation: Compilation, changed: Collection[str]) -> list[str]:
    """Return the wires whose examples must be judged when these files change: theirs, and those of their dialects."""
    owners = {compilation.owners[path] for path in changed if path in compilation.owners}
    made = {path.split("/")[2].removesuffix(".json") for path in compilation.files if _is_cases(path)}
    return sorted(wire for wire in made if not owners.isdisjoint(with_imported([wire], compilation.imported)))


def judge(compilation: Compilation, wires: Sequence[str]) -> list[SpecProblem]:
    """Return the problems of all examples of these wires, at their places in the specs."""
    shares = [wires[number :: count_cores()] for number in range(min(count_cores(), len(wires)))]
    with ThreadPoolExecutor(len(shares) or 1) as pool:
        verdicts = [*pool.map(partial(_verdicts, compilation), shares)]
    faults = {wire: found for verdict in verdicts for wire, found in verdict.items() if found}
    return [
        problem for wire in sorted(faults) for problem in _problems(wire, faults[wire], compilation.sources)
    ]


def _verdicts(compilation: Compilation, wires: Sequence[str]) -> Mapping[str, list[Any]]:
    """Return the faults of the examples of some wires, from a process that imports their modules."""
    needed = {"", *with_imported(wires, compilation.imported)}
    files = {
        _module_path(path): text
        for path, text in compilation.files.items()
        if path.endswith(".py")
        and path.startswith(("promptwire/", MODEL))
        and compilation.owners.get(path, "") in needed
    }
    cases = {wire: cases_to_judge(compilation, wire) for wire in wires}
    done = subprocess.run(  # noqa: S603  # our own module
        [sys.executable, "-P", "-m", f"{__package__}.example_verdicts"],
        input=json.dumps({"files": files, "cases": cases}),
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=_SECONDS,
    )
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        if len(wires) > 1:
            return {wire: found for each in wires for wire, found in _verdicts(compilation, [each]).items()}
        message = f"the compiled module cannot be imported: {reason}"
        return {wires[0]: [{"table": "bodies", "name": None, "path": [], "message": message, "hint": None}]}
    verdicts: Mapping[str, list[Any]] = json.loads(done.stdout)
    return verdicts


def cases_to_judge(compilation: Compilation, wire: str) -> Mapping[str, Any]:
    """Return the cases of a wire, without those that must come out as they do for the wire that it extends.

    These are all that both have in common, if the one does exactly what the other does under another name, and a case
    names neither.
    """
    text = compilation.files[_cases_path(wire)]
    summary = next(each for each in compilation.summaries if each.name == wire)
    if summary.alike is None:
        every: dict[str, Any] = json.loads(text)
        return every
    judged = frozenset(map(_row, compilation.files[_cases_path(summary.alike)].splitlines()))
    names = [json.dumps(name) for name in summary.chain]
    cases = json.loads(_without(text, lambda row: row in judged and not any(name in row for name in names)))
    return {**cases, **dict.fromkeys(_PROBES, ())}


def _without(text: str, is_left_out: Callable[[str], bool]) -> str:
    """Return a file of cases, which has one line for each row, without some rows."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith('{"name"') and is_left_out(_row(line)):
            continue
        if line.startswith("]"):
            lines[-1] = _row(lines[-1])
        lines.append(line)
    return "\n".join(lines)


def _row(line: str) -> str:
    return line.removesuffix(",")


def _problems(wire: str, faults: Sequence[Any], sources: Mapping[str, str]) -> Iterator[SpecProblem]:
    """Convert faults to problems with the places of the values that they are about."""
    names = find_files_of_wires(sources)
    tree = merge_chain(wire, sources, names).tree
    for fault in faults:
        if fault["name"] is None:
            span = Span(names[wire][0], 1, 1, 1)
        else:
            span = span_at(tree, (*_example(tree, fault["table"], fault["name"]), *fault["path"]))
        yield SpecProblem(span, RULE, f"{wire}, {fault['name']}: {fault['message']}", fault["hint"])


def _example(tree: Table, table: str, name: str | None) -> tuple[str | int, ...]:
    """Return the path of an example in a spec."""
    place = _PLACES[table]
    node: Any = tree
    for step in place:
        node = node.get(step) if isinstance(node, Table) else None
    items = node.items if isinstance(node, NodeSequence) else ()
    for index, item in enumerate(items):
        named = item.get("name") if isinstance(item, Table) else None
        if isinstance(named, Scalar) and named.value == name:
            return (*place, index)
    return place


def _module_path(path: str) -> str:
    return f"promptwire_runtime/model/{path.removeprefix(MODEL)}" if path.startswith(MODEL) else path


def _cases_path(wire: str) -> str:
    return f"tests/cases/{wire}.json"


def _is_cases(path: str) -> bool:
    return path.startswith("tests/cases/")
