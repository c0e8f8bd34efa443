"""Pages that several specs share: `sources.yaml`, families of models in `models/`, and hosts in `hosts/`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Annotated, Any, NamedTuple

from pydantic import Field, ValidationError

from promptwire_text.conditions import Words
from promptwire_text.model_names import ModelNames, to_form

from ..layout import HOSTS, SOURCES
from ..problems import SpecProblem, did_you_mean, quote
from .checks import check_shared_rules
from .citing import Source, Sources
from .declared import Facts, Group, GroupOfModels, Groups, ModelFacts, Needs
from .explain import explain
from .fields import Address, Line, Link, Many, OneOrMany, Strict, Word, listed, maybe, named
from .nodes import Path, Table, locate, plain, span_at
from .profiles import MOST_STEPS, ProfileSpec, find_groups, find_idle_nulls
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
    profiles: dict[Line, ProfileSpec] = named(
        "What each model takes, oldest first. Of equally near names, the last is the nearest to an unknown model."
    )

    def make_model_names(self) -> ModelNames:
        """Return the names of the known models, as the runtime looks names up."""
        group = self.names
        family, without = (("*",), ()) if group is None else (group.names, group.without)
        return ModelNames(
            Words(*family), Words(*without), self.known, self.resolve_new_models(), self.other_names()
        )

    @property
    def known(self) -> tuple[str, ...]:
        """The names of the models whose facts are known, oldest first; those of others are guesses."""
        return tuple([name for name, profile in self.profiles.items() if not profile.is_new])

    def resolve_new_models(self) -> dict[str, str]:
        """Return the new models with the known one that each is taken for, over at most two steps."""
        like = {
            name: profile.like for name, profile in self.profiles.items() if profile.is_new and profile.like
        }
        over_two = {new: like.get(other, other) for new, other in like.items()}
        return {new: other for new, other in over_two.items() if other in self.known}

    def other_names(self) -> dict[str, str]:
        """Return the other names of models with the names of their profiles."""
        return {other: name for name, profile in self.profiles.items() for other in profile.names}

    def all_groups(self) -> dict[str, Group]:
        """Return the groups of the page and those of its profiles, of which one has all models of the family."""
        whole = {} if self.names is None or not self.profiles else {self.family: self.names}
        traits = {
            trait: Group.model_validate({"names": [*names]})
            for trait, names in find_groups(self.profiles).items()
        }
        return {**whole, **traits, **self.groups}

    def count_facts(self) -> int:
        """Return the number of facts and rules."""
        stated = [facts for each in self.profiles.values() for facts in (each.values, *each.on.values())]
        return super().count_facts() + sum(map(len, stated))


class Host(SharedFacts):
    """Facts about a host: what holds at its addresses, whatever API is spoken there."""

    host: Word = Field(description="The name, the same as the file's.")
    docs: Annotated[tuple[Link, ...], Many, OneOrMany] = listed("The vendor's page, or several.")
    urls: Annotated[tuple[Address, ...], Many, OneOrMany] = Field(
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
    if isinstance(facts, Family) and (found := [*_check_profiles(facts, tree)]):
        problems += found
        return None
    # `family` or `host`, as in the file
    key = page._fields[0]
    name: str = getattr(facts, key)
    if name == path.stem:
        return page(facts, tree)
    message = f"{key} is {quote(name)}, and the file is named {quote(path.stem)}"
    hint = f"write {key}: {path.stem}, or rename the file to {name}.yaml"
    problems.append(SpecProblem(span_at(tree, (key,)), f"{key}-name", message, hint))
    return None


def _explain_other_family(name: str, family: Family) -> tuple[str, str]:
    """Return the message and hint for a model that the names of a family do not match."""
    message = f"{quote(name)} is not a model of the family {family.family}: no glob of its names matches it"
    return message, "add a glob that matches it to the names of the family, or remove it here"


def _check_profiles(family: Family, tree: Table) -> Iterator[SpecProblem]:
    """Yield a problem for each name, trait, `like` and null of a profile that cannot mean what it says."""
    names, taken = family.make_model_names(), dict[str, str]()
    groups = {family.family, *family.groups}
    known, others = family.profiles, family.other_names()
    for name, profile in family.profiles.items():
        here: Path = ("profiles", name)
        for place, each in (
            (here, name),
            *[((*here, "names", n), each) for n, each in enumerate(profile.names)],
        ):
            form, message, hint = to_form(each), "", "give each model one profile"
            if "*" in each:
                message = f"{quote(each)} is a glob; a profile has names, which also mean their dated forms"
            elif form in taken:
                message = f"{quote(each)} is already a name of the profile {taken[form]}"
                hint += "; names are compared in lower case, with dots in versions"
            elif not names.holds(each):
                message, hint = _explain_other_family(each, family)
            taken.setdefault(form, name)
            if message:
                yield SpecProblem(locate(tree, place, at_key=place is here), "profile", message, hint)
        for index, trait in enumerate(profile.traits or ()):
            if trait in groups:
                message = (
                    f"{quote(trait)} is a group of this page already, whose globs say which models are in it"
                )
                yield SpecProblem(
                    locate(tree, (*here, "traits", index)), "profile", message, "use another word"
                )
        message = _explain_bad_likeness(family.profiles, name)
        if message:
            meant = others.get(profile.like or "")
            near = did_you_mean(profile.like or "", known) if profile.like not in known else None
            hint = (
                f"write like: {meant}"
                if meant
                else near or "name a profile of this page that states its own facts"
            )
            yield SpecProblem(span_at(tree, (*here, "like")), "profile", message, hint)
        else:
            yield from _check_inherited(family.profiles, name, tree)


def _check_inherited(profiles: Mapping[str, ProfileSpec], name: str, tree: Table) -> Iterator[SpecProblem]:
    """Yield a problem for a source without `like`, and for each null where nothing is taken over."""
    profile = profiles[name]
    if profile.source is not None and profile.like is None:
        message = f"{quote(name)} cites a source for the facts of another profile, and names none"
        hint = "write like: OTHER, or cite the source beside each fact"
        yield SpecProblem(span_at(tree, ("profiles", name, "source"), key=True), "profile", message, hint)
    for place, field in find_idle_nulls(profiles, name):
        message = f"{quote(name)} takes over no fact about {field} that null could take away"
        hint = "remove it, or write accepted: true for what the model takes and others refuse"
        yield SpecProblem(span_at(tree, place, key=True), "profile", message, hint)


def check_named_wires(
    families: Mapping[str, FamilyPage | None],
    readers: Mapping[str, Collection[str]],
    wires: Collection[str],
    judged: Collection[str],
) -> Iterator[SpecProblem]:
    """Yield a problem for each API that a profile names under `on`, and that does not exist or reads no such fact.

    `readers` are the families that specs use, with these specs and those that they extend. `judged` are the APIs of
    which it is known whether they use one.
    """
    for name, heard in readers.items():
        page = families.get(name)
        if page is None:
            continue
        keys = [(model, key) for model, profile in page.family.profiles.items() for key in profile.on]
        for model, key in keys:
            at = span_at(page.tree, ("profiles", model, "on", key), key=True)
            for wire in key.split(", "):
                if wire not in wires:
                    hint = did_you_mean(wire, wires) or "gen list prints the names of all APIs"
                    yield SpecProblem(at, "unknown-wire", f"there is no API {quote(wire)}", hint)
                elif wire in judged and wire not in heard:
                    message = f"{quote(wire)} does not use the family {name}, so these facts hold nowhere"
                    yield SpecProblem(
                        at, "unknown-wire", message, f"write families: {{{name}: {{}}}} in its spec"
                    )


def _explain_bad_likeness(profiles: Mapping[str, ProfileSpec], name: str) -> str:
    """Return why the profile that another one is like cannot be found; empty if it can."""
    profile, steps = profiles[name], 0
    is_new, other = profile.is_new, profile.like
    while other is not None:
        steps += 1
        if other not in profiles:
            return f"there is no profile {quote(other)}"
        if steps > MOST_STEPS:
            return f"{quote(name)} takes its facts from another profile over more than {MOST_STEPS} steps"
        if profiles[other].is_new and not is_new:
            return f"{quote(name)} takes over the facts of {quote(other)}, of which its own are not known"
        # what a new model is taken for has facts of its own, wherever they come from
        other = None if is_new and not profiles[other].is_new else profiles[other].like
    return ""


def _validate(
    model: type[Any], data: Any, table: Table, sources: Sources, problems: list[SpecProblem]
) -> Any:
    try:
        return model.model_validate(data, context=sources)
    except ValidationError as error:
        problems += explain(error, table, model)
        return None
