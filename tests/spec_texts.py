"""The specs of this project as texts: which there are, their pages, and each as one text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

from promptwire_gen.plugin_api import Project, WireModel
from tests.internals.compiler import (
    FIRST_PAGE,
    Expectation,
    LoweringResult,
    find_layout,
    group_pages,
    is_shared,
    list_shared_expectations,
    lower_all,
    read_project,
)

from .checkout import ROOT

SPECS = ROOT / "provider_specs"


# whom a spec extends, and where its lines stand
_PLACES = {"api", "chain", "extends", "file", "has_same_requests", "parent", "placed_facts"}
# the number of a rule counts those of the page alone, or also those that it inherits
_SPAN = re.compile(
    r"Span\(file='[^']*', line=\d+, column=\d+, length=\d+\)|(?<=\bfile=')provider_specs/|(?<=place=\('rules', )\d+"
)


def spec_pages() -> dict[str, list[Path]]:
    """Return the pages of every spec, the first page first: wire -> files."""
    files = [path.relative_to(SPECS).as_posix() for path in SPECS.rglob("*.yaml")]
    return {
        Path(key).name.removesuffix(".yaml"): [SPECS / name for name in names]
        for key, names in group_pages(files).items()
        if not is_shared(key)
    }


@cache
def shared_texts() -> dict[str, str]:
    """Return what no spec can be read without: who says so, the families of models, and the hosts."""
    files = [
        SPECS / "sources.yaml",
        *sorted(SPECS.glob("models/*.yaml")),
        *sorted(SPECS.glob("hosts/*.yaml")),
    ]
    return {path.relative_to(SPECS).as_posix(): path.read_text("utf-8") for path in files}


def lower_alone(texts: Mapping[str, str]) -> LoweringResult:
    """Lower specs (file -> text) without the others: what a family says may have its place on one of those."""
    shared = shared_texts()
    lowered = lower_all({**texts, **shared})
    problems = [
        problem
        for problem in lowered.problems
        if problem.rule != "no-place" or problem.span.file not in shared
    ]
    return replace(lowered, problems=problems)


@cache
def project() -> Project:
    """Return the models of all specs, lowered once a process."""
    return read_project(find_layout(ROOT))


@cache
def models() -> dict[str, WireModel]:
    """Return the model of every wire by its name."""
    return {model.name: model for model in project().wires}


def expectations_of(model: WireModel) -> list[Expectation]:
    """Return all expectations of a wire, also those that its parent has."""
    return [each.name_wire(model.name) for each in list_shared_expectations(model.requests_of)]


# what is there to be extended only is no wire
WIRES = sorted(
    [
        wire
        for wire, (first, *_) in spec_pages().items()
        if "\nabstract: true\n" not in first.read_text("utf-8")
    ]
)


def spec_text(wire: str, *, examples: bool = True) -> str:
    """Return a spec as the one file that it could be."""
    # each page names the schema in its first line
    read = [path.read_text("utf-8").partition("\n") for path in spec_pages()[wire]]
    texts = ["".join(read[0]), *[text for _, _, text in read[1:]]]
    shapes = [text for text in texts if not text.startswith("examples:\n")]
    requests = [text.removeprefix("examples:\n") for text in texts if text.startswith("examples:\n")]
    if requests:
        shapes.append("examples:\n" + "".join(requests))
    text = "\n".join(shapes)
    return text if examples else text.partition("\nexamples:")[0] + "\nexamples: []\n"


def above(wire: str) -> list[str]:
    """Name the specs that a spec extends, the nearest first; those that are no wires among them."""
    parent = re.search(r"^extends: (\w+)$", spec_text(wire), re.MULTILINE)
    return [] if parent is None else [parent[1], *above(parent[1])]


def first_page(project: Path, wire: str) -> Path:
    """Return the page of a project's spec that names the wire."""
    folder = project / "provider_specs" / wire
    return folder / FIRST_PAGE if folder.is_dir() else folder.with_suffix(".yaml")


def said_by(model: WireModel) -> dict[str, str]:
    """All that a model says, field by field, without places."""
    return {
        field.name: _SPAN.sub("", repr(getattr(model, field.name)))
        for field in fields(model)
        if field.name not in _PLACES
    }


def rules_said_by(model: WireModel) -> list[str]:
    """Return what each rule of a model says, without places, and without the models that it is about."""
    return [_SPAN.sub("", repr(replace(rule, model=()))) for rule in model.rules]
