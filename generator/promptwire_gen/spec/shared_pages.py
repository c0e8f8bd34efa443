"""Pages that several specs share: `sources.yaml`, families of models in `models/`, and hosts in `hosts/`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Annotated, Any, NamedTuple

from pydantic import Field, ValidationError

from ..layout import HOSTS, SOURCES
from ..problems import SpecProblem, quote
from .citing import Source, Sources
from .declared import Facts, GroupOfModels, Groups, ModelFacts, Needs
from .explain import explain
from .fields import Line, Link, Many, OneOrMany, Strict, Word, listed, maybe, named
from .nodes import Table, plain
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


class Family(SharedFacts):
    """Facts about a maker's models that hold wherever they are hosted."""

    family: Word = Field(description="The name, the same as the file's.")
    names: GroupOfModels | None = maybe("Globs of all its models, for facts and rules that name none.")


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
    """The sources that facts cite, and the families and hosts that specs may name."""

    sources: Sources
    families: Mapping[str, FamilyPage]
    hosts: Mapping[str, HostPage]


def read_shared(files: Mapping[str, str], names: Iterable[str], problems: list[SpecProblem]) -> SharedPages:
    """Read the shared pages among some files, `names`; of two sources of one name, that of the later file counts."""
    shared, found = _shared(tuple([(file, files[file]) for file in sorted(names)]))
    problems += found
    return shared


@lru_cache(_REMEMBERED)
def _shared(pages: tuple[tuple[str, str], ...]) -> tuple[SharedPages, list[SpecProblem]]:
    problems: list[SpecProblem] = []
    sources: dict[str, Source] = {}
    families: dict[str, FamilyPage] = {}
    hosts: dict[str, HostPage] = {}
    tables = [
        (PurePosixPath(file), table)
        for file, text in pages
        if (table := read_or_report(text, file, problems)) is not None
    ]
    for path, table in tables:
        if path.name == SOURCES:
            sources.update(_sources(table, problems))
    for path, table in tables:
        if path.name == SOURCES:
            continue
        if path.parent.name == HOSTS:
            host: Host | None = _validated(Host, plain(table), table, sources, problems)
            if host is not None and _is_named(host.host, "host", path, table, problems):
                hosts[path.stem] = HostPage(host, table)
        else:
            family: Family | None = _validated(Family, plain(table), table, sources, problems)
            if family is not None and _is_named(family.family, "family", path, table, problems):
                families[path.stem] = FamilyPage(family, table)
    return SharedPages(sources, families, hosts), problems


def _sources(table: Table, problems: list[SpecProblem]) -> dict[str, Source]:
    sources: dict[str, Source] = {}
    for key, node in table.entries:
        page = Table(((key._replace(value="row"), node),), table.span)
        found = _validated(_Row, {"row": plain(node)}, page, {}, problems)
        if found is not None:
            sources[str(key.value)] = found.row
    return sources


class _Row(Strict):
    row: Source


def _is_named(name: str, key: str, path: PurePosixPath, table: Table, problems: list[SpecProblem]) -> bool:
    """Return whether a page has the name of its file; if not, add the problem."""
    if name != path.stem:
        message = f"{key} is {quote(name)}, and the file is named {quote(path.stem)}"
        problems.append(SpecProblem(table.span, f"{key}-name", message, f"rename the file to {name}.yaml"))
    return name == path.stem


def _validated(
    model: type[Any], data: Any, table: Table, sources: Sources, problems: list[SpecProblem]
) -> Any:
    try:
        return model.model_validate(data, context=sources)
    except ValidationError as error:
        problems += explain(error, table, model)
        return None
