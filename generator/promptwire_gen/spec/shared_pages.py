"""Pages that belong to no spec alone: `sources.yaml`, and the families of models in `models/`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Annotated, Any, NamedTuple

from pydantic import Field, ValidationError

from ..layout import SOURCES
from ..problems import SpecProblem, quote
from .citing import Source, Sources
from .declared import Facts, GroupOfModels, Groups, ModelFacts, Needs
from .explain import explain
from .fields import Line, Many, Word
from .nodes import Table, plain
from .read import read_or_report
from .schema import RuleSection
from .sections import Strict, listed, maybe, named

# projects whose shared pages one process remembers
_REMEMBERED = 4


class Family(Strict):
    """Facts about a maker's models that hold wherever they are hosted."""

    family: Word = Field(description="The name, the same as the file's.")
    title: Line = Field(description="A readable title.")
    names: GroupOfModels | None = maybe("Globs of all its models, for facts and rules that name none.")
    groups: Groups = named("Groups of models, by globs of their names.")
    values: Facts = named("Which values of a field all its models take.")
    needs: Needs = named("Fields that need others.")
    models: ModelFacts = named("Which values of a field a group of models takes.")
    rules: Annotated[tuple[RuleSection, ...], Many] = listed("What is true under conditions.")


class FamilyPage(NamedTuple):
    """A family of models, and its nodes."""

    family: Family
    tree: Table


@dataclass(frozen=True, slots=True)
class SharedPages:
    """The sources that facts cite, and the families that specs may name."""

    sources: Sources
    families: Mapping[str, FamilyPage]


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
    tables = [
        (PurePosixPath(file).name, table)
        for file, text in pages
        if (table := read_or_report(text, file, problems)) is not None
    ]
    for name, table in tables:
        if name == SOURCES:
            sources.update(_sources(table, problems))
    for name, table in tables:
        word = name.removesuffix(".yaml")
        if name != SOURCES and (family := _family(word, table, sources, problems)) is not None:
            families[word] = FamilyPage(family, table)
    return SharedPages(sources, families), problems


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


def _family(name: str, table: Table, sources: Sources, problems: list[SpecProblem]) -> Family | None:
    family: Family | None = _validated(Family, plain(table), table, sources, problems)
    if family is not None and family.family != name:
        message = f"family is {quote(family.family)}, and the file is named {quote(name)}"
        problems.append(
            SpecProblem(table.span, "family-name", message, f"rename the file to {family.family}.yaml")
        )
    return family


def _validated(
    model: type[Any], data: Any, table: Table, sources: Sources, problems: list[SpecProblem]
) -> Any:
    try:
        return model.model_validate(data, context=sources)
    except ValidationError as error:
        problems += explain(error, table, model)
        return None
