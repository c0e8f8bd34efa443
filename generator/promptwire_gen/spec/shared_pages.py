"""Pages that several specs share: `sources.yaml`, families of models in `models/`, and hosts in `hosts/`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Annotated, Any, NamedTuple

from pydantic import Field, ValidationError

from promptwire_text.conditions import Words
from promptwire_text.model_names import ModelNames

from ..layout import HOSTS, SOURCES
from ..problems import SpecProblem, did_you_mean, quote
from .checks import check_shared_rules
from .citing import Source, Sources
from .declared import Facts, GroupOfModels, Groups, ModelFacts, Needs
from .explain import explain
from .fields import Line, Link, Many, OneOrMany, Strict, Word, listed, maybe, named
from .nodes import Table, plain, span_at
from .read import read_or_report
from .schema import RuleSection

# projects whose shared pages one process remembers
_REMEMBERED = 4


class SharedFacts(Strict):
    """Facts and rules that hold for several specs."""

    title: Line = Field(description="A readable title.")
    groups: Groups = named("Groups of models, by globs of their names.")
    values: Facts = named("Which values of a field are taken, whatever the model.")
    needs: Needs = named("Fields that need others.")
    models: ModelFacts = named("Which values of a field a group of models takes.")
    rules: Annotated[tuple[RuleSection, ...], Many] = listed("What is true under conditions.")

    def count_facts(self) -> int:
        """Return the number of facts and rules."""
        values = [
            *self.values.values(),
            *(facts for cells in self.models.values() for facts in cells.values()),
        ]
        return sum(map(len, values)) + len(self.needs) + len(self.rules)


class Family(SharedFacts):
    """Facts about a maker's models that hold wherever they are hosted."""

    family: Word = Field(description="The name, the same as the file's.")
    names: GroupOfModels | None = maybe("Globs of all its models, for facts and rules that name none.")
    known: Annotated[tuple[Line, ...], Many] = listed(
        "The models that the facts were written for; facts about some models are guesses for any other one."
    )
    like: dict[Line, Line] = named(
        "New models -> the model that each is taken for until its own facts are known: a known one, or a new one."
    )

    def make_model_names(self) -> ModelNames:
        """Return the names of the known models, as the runtime looks names up."""
        group = self.names
        family, without = (("*",), ()) if group is None else (group.names, group.without)
        return ModelNames(Words(*family), Words(*without), self.known, self.resolve_new_models())

    def resolve_new_models(self) -> dict[str, str]:
        """Return the new models with the known one that each is taken for, over at most two steps."""
        over_two = {new: self.like.get(other, other) for new, other in self.like.items()}
        return {new: other for new, other in over_two.items() if other in self.known}


class Host(SharedFacts):
    """Facts about a host: what holds at its addresses, whatever API is spoken there."""

    host: Word = Field(description="The name, the same as the file's.")
    docs: Annotated[tuple[Link, ...], Many, OneOrMany] = listed("The vendor's page, or several.")
    urls: Annotated[tuple[Link, ...], Many, OneOrMany] = Field(
        min_length=1, description="The values of the setting base_url at which the facts hold."
    )


class FamilyPage(NamedTuple):
    """A family of models, and its nodes."""

    family: Family
    tree: Table


class HostPage(NamedTuple):
    """A host, and its nodes."""

    host: Host
    tree: Table


@dataclass(frozen=True, slots=True)
class SharedPages:
    """The sources that facts cite, and the families and hosts that specs may name; None for a page with problems."""

    sources: Sources
    families: Mapping[str, FamilyPage | None]
    hosts: Mapping[str, HostPage | None]


def read_shared(files: Mapping[str, str], names: Iterable[str], problems: list[SpecProblem]) -> SharedPages:
    """Read the shared pages among some files, `names`; of two sources of one name, that of the later file counts."""
    shared, found = _read_pages(tuple([(file, files[file]) for file in sorted(names)]))
    problems += found
    return shared


@lru_cache(_REMEMBERED)
def _read_pages(pages: tuple[tuple[str, str], ...]) -> tuple[SharedPages, list[SpecProblem]]:
    problems: list[SpecProblem] = []
    sources: dict[str, Source] = {}
    families: dict[str, FamilyPage | None] = {}
    hosts: dict[str, HostPage | None] = {}
    trees = [(PurePosixPath(file), read_or_report(text, file, problems)) for file, text in pages]
    for path, tree in trees:
        if path.name == SOURCES and tree is not None:
            sources.update(_read_sources(tree, problems))
    for path, tree in trees:
        if path.name == SOURCES:
            continue
        if path.parent.name == HOSTS:
            hosts[path.stem] = _read_page(Host, HostPage, path, tree, sources, problems)
        else:
            families[path.stem] = _read_page(Family, FamilyPage, path, tree, sources, problems)
    return SharedPages(sources, families, hosts), problems


def _read_sources(table: Table, problems: list[SpecProblem]) -> dict[str, Source]:
    sources: dict[str, Source] = {}
    for key, node in table.entries:
        page = Table(((key._replace(value="row"), node),), table.span)
        found = _validate(_Row, {"row": plain(node)}, page, {}, problems)
        if found is not None:
            sources[str(key.value)] = found.row
    return sources


class _Row(Strict):
    row: Source


def _read_page(
    model: type[SharedFacts],
    page: type[Any],
    path: PurePosixPath,
    tree: Table | None,
    sources: Sources,
    problems: list[SpecProblem],
) -> Any:
    """Return the facts of a page with its nodes; None if it is not valid, or has not the name of its file."""
    facts = None if tree is None else _validate(model, plain(tree), tree, sources, problems)
    if tree is None or facts is None:
        return None
    problems += check_shared_rules(facts.rules, tree)
    if isinstance(facts, Family):
        problems += [*_check_known(facts, tree), *_check_like(facts, tree)]
    # `family` or `host`, as in the file
    key = page._fields[0]
    name: str = getattr(facts, key)
    if name == path.stem:
        return page(facts, tree)
    message = f"{key} is {quote(name)}, and the file is named {quote(path.stem)}"
    hint = f"write {key}: {path.stem}, or rename the file to {name}.yaml"
    problems.append(SpecProblem(span_at(tree, (key,)), f"{key}-name", message, hint))
    return None


def _check_known(family: Family, tree: Table) -> Iterator[SpecProblem]:
    """Yield a problem for each known name that is a glob, is repeated, or is not matched by the family's names."""
    names = family.make_model_names()
    for index, name in enumerate(family.known):
        message, hint = "", "name each model of the family once"
        if "*" in name:
            message = f"{quote(name)} is a glob; a known model is one name, which also means its dated forms"
        elif name in family.known[:index]:
            message = f"{quote(name)} is named twice"
        elif not names.holds(name):
            message, hint = _explain_other_family(name, family)
        if message:
            yield SpecProblem(span_at(tree, ("known", index)), "known-model", message, hint)


def _explain_other_family(name: str, family: Family) -> tuple[str, str]:
    """Return the message and hint for a model that the names of a family do not match."""
    message = f"{quote(name)} is not a model of the family {family.family}: no glob of its names matches it"
    return message, "add a glob that matches it to names, or remove it here"


def _check_like(family: Family, tree: Table) -> Iterator[SpecProblem]:
    """Yield a problem for each new model that is known, a glob, of another family, or taken for no known model."""
    names, new = family.make_model_names(), family.resolve_new_models()
    for name, other in family.like.items():
        message = hint = ""
        if name in family.known:
            message, hint = f"{quote(name)} is known", "remove it here, or from known"
        elif "*" in name:
            message, hint = (
                f"{quote(name)} is a glob; a new model is one name",
                "write the name of each new model",
            )
        elif not names.holds(name):
            message, hint = _explain_other_family(name, family)
        elif name not in new:
            message = f"{quote(other)} is no known model, and over two steps it is taken for none"
            hint = did_you_mean(other, family.known) or "name one of known"
        if message:
            yield SpecProblem(span_at(tree, ("like", name)), "new-model", message, hint)


def _validate(
    model: type[Any], data: Any, table: Table, sources: Sources, problems: list[SpecProblem]
) -> Any:
    try:
        return model.model_validate(data, context=sources)
    except ValidationError as error:
        problems += explain(error, table, model)
        return None
