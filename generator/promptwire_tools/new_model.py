"""Start the facts of a new model: taken for a known one until its own facts are measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from promptwire_gen.problems import Span, SpecError, SpecProblem, did_you_mean
from promptwire_gen.spec.load import LoadedSpec, load_specs
from promptwire_gen.spec.nodes import Table, span_at
from promptwire_gen.spec.pages import is_shared
from promptwire_gen.spec.shared_pages import FamilyPage, read_shared
from promptwire_gen.spec.wire_rules import FamilyRules, WireRule
from promptwire_text.conditions import Words
from promptwire_text.model_names import ModelNames, with_dots


class NewModelError(Exception):
    """No page can hold a new model like another one."""


@dataclass(frozen=True, slots=True)
class ModelFact:
    """A fact that holds for some models of a family, with its place and the APIs on which it holds."""

    place: Span
    conditions: tuple[str, ...]
    because: str
    wires: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewModel:
    """A new model in the page of its family.

    Attributes:
        file: The page.
        text: The page with the new model.
        line: The line that names the new model.
        is_new: Whether the page did not name it before.
        known: The known model that it is taken for.
        measured: The facts that name the new model, which are refused.
        inherited: The facts of the known model, which are doubts for the new one.
    """

    file: str
    text: str
    line: int
    is_new: bool
    known: str
    measured: tuple[ModelFact, ...]
    inherited: tuple[ModelFact, ...]


def start_model(files: Mapping[str, str], name: str, like: str) -> NewModel:
    """Return a new model with the page that names it.

    Raises:
        NewModelError: no family knows the other model, or this one is known.
        SpecError: the page would have problems.
    """
    page = _find_page(files, name, like)
    file = page.tree.span.file
    text = files[file] if name in page.family.profiles else _with_entry(files[file], page.tree, name, like)
    changed = {**files, file: text}
    family = _read_pages(changed)[page.family.family]
    known = family.family.resolve_new_models()[name]
    measured, inherited = _facts_of(load_specs(changed), family.family.family, name, known)
    line = span_at(family.tree, ("profiles", name), key=True).line
    return NewModel(file, text, line, text != files[file], known, measured, inherited)


def _find_page(files: Mapping[str, str], name: str, like: str) -> FamilyPage:
    """Return the page of the family that knows a model, or that names it as a new one."""
    pages = _read_pages(files)
    for page in pages.values():
        family = page.family
        if name in family.known:
            raise NewModelError(f"{name} is known in {page.tree.span.file}; its facts are stated there")
        if like in family.profiles:
            return page
    names = [known for page in pages.values() for known in page.family.profiles]
    hint = (
        did_you_mean(like, names) or f"use one of {', '.join(sorted(pages))}: their pages list what they know"
    )
    raise NewModelError(f"no page knows the model {like}: {hint}")


def _read_pages(files: Mapping[str, str]) -> dict[str, FamilyPage]:
    """Return the pages of families that know models. Raises SpecError."""
    problems: list[SpecProblem] = []
    shared = read_shared(files, filter(is_shared, files), problems)
    if problems:
        raise SpecError(problems)
    return {name: page for name, page in shared.families.items() if page is not None and page.family.profiles}


def _with_entry(text: str, tree: Table, name: str, like: str) -> str:
    """Return a page with a profile for a new model, behind the others."""
    lines = text.splitlines()
    starts = [key.span.line - 1 for key, _ in tree.entries]
    first = span_at(tree, ("profiles",), key=True).line
    below = min([start for start in starts if start >= first], default=len(lines))
    while below > first and (not lines[below - 1].strip() or lines[below - 1].startswith("#")):
        below -= 1
    return "\n".join([*lines[:below], f"  {name}: {{like: {like}}}", *lines[below:], ""])


def _facts_of(
    specs: Iterable[LoadedSpec], family: str, name: str, known: str
) -> tuple[tuple[ModelFact, ...], tuple[ModelFact, ...]]:
    """Return the facts that name a new model, and those of the known one that hold for some models only."""
    found: tuple[dict[Span, ModelFact], dict[Span, ModelFact]] = {}, {}
    for spec in specs:
        for served in spec.families:
            if served.name != family:
                continue
            names = _names_on(served)
            for rule in spec.rules:
                kind = _kind_of(rule, names, *(_spell(each, served) for each in (name, known)))
                if kind is not None:
                    _add(found[kind], rule, spec.model.wire)
    measured, inherited = [
        tuple([facts[place] for place in sorted(facts, key=lambda span: (span.file, span.line))])
        for facts in found
    ]
    return measured, inherited


def _names_on(family: FamilyRules) -> ModelNames:
    """Return the names of the known models as an API has them."""
    prefix = family.use.prefix or "" if family.use is not None else ""
    dots = family.use is not None and family.use.dots is not None
    return ModelNames(Words("*"), Words(), family.known).spelled(prefix, dots=dots)


def _spell(name: str, family: FamilyRules) -> str:
    """Return the name of a model as an API has it in rules."""
    if family.use is None:
        return name
    spelled = with_dots(name) if family.use.dots is not None else name
    return (family.use.prefix or "").replace("*", "") + spelled


def _kind_of(rule: WireRule, names: ModelNames, name: str, known: str) -> int | None:
    """Return 0 for a fact that names the new model alone, 1 for one of the known model, None for any other rule."""
    if not (rule.reject or rule.ignore):
        return None
    model, not_model = Words(*rule.model), Words(*rule.not_model)
    covered = names.covered(model, not_model)
    if covered == "none" and model.match(name) and not not_model.match(name):
        return 0
    return 1 if covered == "some" and _holds(model, not_model, known) else None


def _holds(model: Words, not_model: Words, name: str) -> bool:
    return (not model or model.match(name)) and not (not_model and not_model.match(name))


def _add(facts: dict[Span, ModelFact], rule: WireRule, wire: str) -> None:
    conditions = (*rule.reject, *rule.ignore)
    place = conditions[0].span
    fact = facts.get(place) or ModelFact(place, tuple(map(str, conditions)), rule.because, ())
    wires = fact.wires if wire in fact.wires else (*fact.wires, wire)
    facts[place] = ModelFact(place, fact.conditions, fact.because, wires)
