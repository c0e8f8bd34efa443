"""Specs: damaged texts are refused with their places or compiled, and what is compiled builds what the spec says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

from promptwire_gen.plugin_api import WireModel
from tests.checkout import ROOT
from tests.compiler.small_spec import WHOLE
from tests.compiler.test_expected_of_changed_specs import WIRES, disagreement, pieces_of
from tests.internals.compiler import as_text
from tests.laws.dropping import loaded
from tests.spec_texts import expectations_of, lower_alone, shared_texts, spec_pages, spec_text

from .target import Target, Turn, WrongOutcome
from .text_damage import damaged_text

_HOLE = re.compile(r"\$[a-z_.]+(?:\|[a-z_]+)*")
_EXTENDS = re.compile("^extends: *([a-z_]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Spec:
    """The text of one spec, and those of the specs that it extends, by file."""

    file: str
    texts: Mapping[str, str]


@cache
def _specs() -> tuple[Spec, ...]:
    """Return every spec without its examples, with its parents; the small one of the tests, and the broken ones."""
    texts = {f"{wire}.yaml": spec_text(wire, examples=False) for wire in spec_pages()}
    broken = [
        path.read_text("utf-8", errors="replace")
        for path in sorted((ROOT / "tests/cases/specs").glob("*/*.yaml"))
    ]
    small = [Spec("small_chat.yaml", {"small_chat.yaml": text}) for text in (*[WHOLE] * 20, *broken)]
    return (*[Spec(name, _with_parents(name, texts)) for name in sorted(texts)] * 10, *small)


def _with_parents(name: str, texts: Mapping[str, str]) -> dict[str, str]:
    parent = _EXTENDS.search(texts[name])
    above = {} if parent is None else _with_parents(f"{parent[1]}.yaml", texts)
    return {name: texts[name], **above}


def _draw(turn: Turn, random: Random) -> Spec:
    spec = random.choice(_specs())
    text = spec.texts[spec.file]
    text = _one_hole_less(random, text) if random.random() < 0.3 else damaged_text(random, text)
    return Spec(spec.file, {**spec.texts, spec.file: text})


def _one_hole_less(random: Random, text: str) -> str:
    """Put another hole of a text in the place of one."""
    holes = list(_HOLE.finditer(text))
    if not holes:
        return text
    gone = random.choice(holes)
    return text[: gone.start()] + random.choice(holes)[0] + text[gone.end() :]


def _check(spec: Spec) -> bool:
    texts = {**spec.texts, **shared_texts()}
    lowered = lower_alone(spec.texts)
    as_text(lowered.problems, texts)
    lines = {file: text.count("\n") + 2 for file, text in texts.items()}
    for problem in lowered.problems:
        if not 1 <= problem.span.line <= lines.get(problem.span.file, 0):
            raise WrongOutcome("a problem without a place", str(problem))
    abstract = [text for text in spec.texts.values() if re.search("^abstract: *true", text, re.MULTILINE)]
    if not lowered.problems and len(lowered.wires) + len(abstract) != len(spec.texts):
        raise WrongOutcome("a spec is neither compiled nor refused")
    return not lowered.problems


def _draw_changed(turn: Turn, random: Random) -> tuple[str, str]:
    """Leave out a line of a wire's spec, or exchange one hole for another; give the wire and the text."""
    wire = random.choice(WIRES)
    pieces, droppable = pieces_of(wire)
    at = random.choice(droppable)
    changed = [] if random.random() < 0.5 else [_one_hole_less(random, pieces[at])]
    if changed == [pieces[at]]:
        others = [hole for piece in pieces for hole in _HOLE.findall(piece)]
        changed = [_HOLE.sub(lambda _: random.choice(others), pieces[at], count=1)]
    return wire, "\n".join([*pieces[:at], *changed, *pieces[at + 1 :]]) + "\nexamples: []\n"


def _check_changed(changed: tuple[str, str]) -> bool:
    wire, text = changed
    lowered = lower_alone({f"{wire}.yaml": text})
    if lowered.problems:
        return False
    return _agree(lowered.wires[0])


def _agree(model: WireModel) -> bool:
    """Check that the builder of a model reports what the spec cannot carry."""
    module = loaded(model)
    for expectation in expectations_of(model):
        said = disagreement(module, expectation)
        if said:
            raise WrongOutcome("a builder reports other losses than its spec has", f"{model.name}: {said}")
    return True


SPECS = Target("specs", _draw, _check, share=1)
BUILDERS = Target("builders", _draw_changed, _check_changed, share=1)
