"""Specs without one line of their shapes: each compiled in memory, and the requests that may notice."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from promptwire.errors import InvalidRequest
from promptwire_gen.plugin_api import Artifact, Project, WireModel
from tests.internals.compiler import BUILTIN_FILTERS, Modules, environment, find_layout, load_specs
from tests.internals.runtime import plain
from tests.laws.fields import Change, changes, untraced
from tests.laws.specimens import Specimen, specimens
from tests.laws.traces import Names, Outcome, address, outcome, outcome_of
from tests.spec_texts import lower_alone, shared_texts, spec_text

SECTIONS = ("body", "messages", "unions", "parts")
# what a build runs; reading and types are never looked at
_MODULES = {"rules": ".rules", "wire": ".wire", "writing": ".writing", "__init__": ""}
_LAYOUT = find_layout(Path(__file__))
_JINJA = environment([_LAYOUT.templates])


@dataclass(frozen=True)
class Line:
    """One key of a shape: where it stands in the spec, and all keys of JSON that stand in it."""

    path: tuple[str, ...]
    keys: frozenset[str]

    def __str__(self) -> str:
        """Print the path."""
        return " > ".join(self.path)


@cache
def spec_of(wire: str) -> dict[str, Any]:
    """Load a spec without its examples, as plain values."""
    file = f"{wire}.yaml"
    (loaded,) = load_specs({file: spec_text(wire), **shared_texts()})
    spec: dict[str, Any] = plain(loaded.tree)
    return spec | {"examples": []}


def lines(wire: str, section: str) -> Iterator[Line]:
    """Return every key in the shapes of a section under which a value of a request has its place."""
    return _lines(spec_of(wire).get(section), (section,))


def _lines(node: Any, path: tuple[str, ...]) -> Iterator[Line]:
    for key, value in node.items() if isinstance(node, dict) else ():
        if "$" in json.dumps(value):
            yield Line((*path, key), frozenset(_keys({key: value})))
            yield from _lines(value, (*path, key))


def _keys(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield key.removesuffix("?").partition("|")[0]
            yield from _keys(value)
    elif isinstance(node, list):
        for value in node:
            yield from _keys(value)


def builder_without(wire: str, line: Line | None) -> ModuleType | None:
    """Compile a spec without one line, in memory; None where the compiler refuses what is left."""
    spec = deepcopy(spec_of(wire))
    if line is not None:
        holder = spec
        for key in line.path[:-1]:
            holder = holder[key]
        del holder[line.path[-1]]
    lowered = lower_alone({f"{wire}.yaml": json.dumps(spec)})
    return None if lowered.problems else loaded(lowered.wires[0])


def loaded(model: WireModel) -> ModuleType:
    """Run the modules of a wire that build, under a name of their own."""
    name = f"without_a_line.{model.name}"
    project = Project((model,), BUILTIN_FILTERS, _JINJA)
    artifacts: dict[str, Artifact] = {}
    for artifact in Modules().artifacts(project):
        path = Path(artifact.path)
        if path.parent.name != "_families":
            artifacts[path.stem] = artifact
        elif artifact.template is not None:
            module = sys.modules[f"without_a_line._families.{path.stem}"] = ModuleType(path.stem)
            _run(artifact, module, "without_a_line._families")
    package = ModuleType(name)
    package.__path__ = []
    present = {part: end for part, end in _MODULES.items() if part in artifacts}
    modules = {end: ModuleType(f"{name}{end}") if end else package for end in present.values()}
    sys.modules.update({f"{name}{end}": module for end, module in modules.items()})
    for part, end in present.items():
        _run(artifacts[part], modules[end], name)
    return package


def _run(artifact: Artifact, module: ModuleType, package: str) -> None:
    """Run the text of an artifact as a module of a package."""
    assert artifact.template is not None
    context = artifact.context() if callable(artifact.context) else artifact.context
    text = _JINJA.get_template(artifact.template).render(context)
    module.__package__ = package
    code = compile(text, artifact.path, "exec")
    exec(code, module.__dict__)  # noqa: S102  # our own code, which has no file here


@dataclass(frozen=True)
class Probe:
    """A request whose values the whole spec sends, and the keys of the body that they change."""

    specimen: Specimen
    change: Change
    keys: frozenset[str]


@cache
def probes(wire: str) -> tuple[Probe, ...]:
    """Set every field of every node in turn, then all that were sent together."""
    return tuple([probe for specimen in specimens(wire) for probe in _probes(wire, specimen)])


def _probes(wire: str, specimen: Specimen) -> Iterator[Probe]:
    before = outcome(wire, specimen.around(specimen.node), "lenient")
    sent: dict[str, Probe] = {}
    for change in changes(wire, specimen):
        probe = _probe(wire, specimen, change, before)
        if probe is not None:
            yield probe
            sent.setdefault(change.values[0][0], probe)
    values = tuple([value for probe in sent.values() for value in probe.change.values])
    fields = {path.rpartition(".")[2]: value for path, value in values}
    try:
        filled = Change(specimen.around(replace(specimen.node, **fields)), values)
    except InvalidRequest:
        return
    probe = _probe(wire, specimen, filled, before) if len(values) > 1 else None
    if probe is not None:
        yield probe


def _probe(wire: str, specimen: Specimen, change: Change, before: Outcome) -> Probe | None:
    after = outcome(wire, change.request, "lenient")
    if before.error or after.error or after.body == before.body or any(untraced(change, before, after)):
        return None
    return Probe(specimen, change, frozenset(_changed(before.body, after.body)))


def _changed(before: Any, after: Any) -> Iterator[str]:
    """Yield the keys on the way to what differs between two JSON values, and those inside it."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            if before.get(key) != after.get(key):
                yield key
                yield from _changed(before.get(key), after.get(key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for old, new in zip(before, after, strict=True):
            yield from _changed(old, new)
    elif before != after:
        yield from _keys([before, after])


def is_sent(wire: str, line: Line) -> bool:
    """Return whether any of the requests may have a value in this line."""
    return any(not line.keys.isdisjoint(probe.keys) for probe in probes(wire))


def lost_without(wire: str, line: Line, builder: Any) -> Iterator[str]:
    """Yield every value that the whole spec sends, and a builder without one line loses in silence."""
    settings = address(wire)
    known: dict[str, Outcome] = {}
    for probe in probes(wire):
        if line.keys.isdisjoint(probe.keys):
            continue
        specimen = probe.specimen
        node = specimen.around(specimen.node)
        if specimen.name not in known:
            known[specimen.name] = outcome_of(builder, settings, node, "lenient")
        before = known[specimen.name]
        if before.error or Names(node, before.named).cover(f"{specimen.path}.any"):
            continue
        after = outcome_of(builder, settings, probe.change.request, "lenient")
        yield from (f"{specimen.name}: {each}" for each in untraced(probe.change, before, after))
