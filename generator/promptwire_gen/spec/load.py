"""Load spec files into checked specs, collecting the problems of every file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from pydantic import BaseModel, ValidationError

from ..problems import Span, SpecError, SpecProblem, quote
from .answer_sections import ANSWER_SHAPES
from .checks import check
from .declared import FACTS
from .explain import explain, find_misplaced
from .extends import begins_anew, keep_own_sections, resolve
from .nodes import Node, Scalar, Sequence as Rows, Table, plain, span_at
from .pages import group_pages, is_shared, merge_pages
from .read import read, read_or_report
from .schema import SHAPE_SECTIONS, Spec
from .shared_pages import FamilyPage, SharedPages, read_shared
from .wire_rules import FamilyRules, WireRule, make_family_rules, make_wire_rules

# problems only if no parent has the key
_LACKING = ("missing-key", "unknown-setting")


@dataclass(frozen=True, slots=True)
class LoadedSpec:
    """One checked spec: `model` holds its sections, `tree` all its nodes (`extends` merged in).

    Attributes:
        file: The name of its file, or of its first page.
        model: The sections; sections of shapes are raw nodes, see `section`.
        invalid: The sections for which `model` holds placeholders, because their problems are reported.
        rules: The rules of its facts and families, followed by its own.
        families: The rules of each family that it names, without what it says of them.
        api: The spec at the end of its chain of parents.
        parent: The wire that it extends.
        chain: The spec and all specs that it extends, the nearest first, abstract ones too.
    """

    file: str
    model: Spec
    tree: Table
    invalid: frozenset[str] = frozenset()
    api: str = ""
    parent: str | None = None
    chain: tuple[str, ...] = ()
    rules: tuple[WireRule, ...] = ()
    families: tuple[FamilyRules, ...] = ()

    @property
    def wire(self) -> str:
        """The spec's name."""
        return self.model.wire

    def get_section(self, name: str) -> Table | None:
        """Return a section's mapping as nodes, or None if the spec does not have it."""
        node = self.tree.get(name)
        return node if isinstance(node, Table) else None


def load_specs(files: Mapping[str, str]) -> tuple[LoadedSpec, ...]:
    """Load specs from texts: `files` maps file names to text. The result is sorted by wire.

    Raises SpecError with all problems of all files.
    """
    problems: list[SpecProblem] = []
    loaded = sorted(load_each(files, problems), key=lambda spec: spec.wire)
    if problems:
        raise SpecError(problems)
    return tuple(loaded)


def load_each(
    files: Mapping[str, str], problems: list[SpecProblem], others: Collection[str] = ()
) -> Iterator[LoadedSpec]:
    """Yield the specs of `load_specs` one at a time, parents first, without keeping them.

    Problems are added to the list, which is complete after the last spec. A spec with problems is yielded with its
    valid sections, unless it is unreadable or its chain of parents is broken. `others` are the names of specs that are
    not among the files, for hints.
    """
    specs = group_pages(files)
    shared = read_shared(files, [key for key in specs if is_shared(key)], problems)
    trees, names, unreadable = read_trees(files, specs, problems)
    resolved = resolve(trees, unreadable, others)
    problems += resolved.problems
    abstract = frozenset([wire for wire, tree in trees.items() if _is_abstract(tree)])
    chains = {wire: _follow_parents(wire, trees, trees.__getitem__) for wire in trees}
    wires = {wire: [each for each in chain if each not in abstract] for wire, chain in chains.items()}
    parents = {wire: next((each for each in above if each != wire), None) for wire, above in wires.items()}
    extended = abstract.union(parents.values())
    recorded: dict[str, tuple[Sequence[str], Table]] = {}
    known = _Known()
    for wire in sorted(trees, key=lambda wire: (wire not in extended, wire)):
        tree = resolved.tables.get(wire)
        patch = tree or keep_own_sections(trees[wire])
        # a spec without its parent is still checked, but its missing keys are unknown
        whole = tree is not None
        model, invalid = _validate(wire, patch, problems, known, shared, whole=whole)
        if tree is None:
            continue
        heard = _find_inherited(trees, chains[wire])
        rules = known.find_rules(model, tree, shared, problems, heard)
        if wire in extended and not invalid:
            known.remember(model, tree)
        if wire in abstract:
            continue
        recorded[wire] = model.recorded, tree
        api, served = wires[wire][-1], known.find_family_rules(model, shared.families)
        yield LoadedSpec(names[wire], model, tree, invalid, api, parents[wire], chains[wire], rules, served)
    problems += check_recorded(
        {wire: words for wire, (words, _) in recorded.items()},
        {wire: tree for wire, (_, tree) in recorded.items()},
    )


class _Known:
    """Validated sections of extended specs and rules of families, for all specs that have the same."""

    def __init__(self) -> None:
        # id of a node -> (the node, which keeps its id unique; its validated section)
        self._sections: dict[int, tuple[Node, Any]] = {}
        # ids of all facts and rules of a spec, and the APIs that profiles name -> (those nodes; the resulting rules)
        self._rules: dict[tuple[int | str, ...], tuple[tuple[Node | None, ...], tuple[WireRule, ...]]] = {}
        self._families: dict[str, FamilyRules] = {}

    def find_rules(
        self, model: Spec, tree: Table, shared: SharedPages, problems: list[SpecProblem], chain: Sequence[str]
    ) -> tuple[WireRule, ...]:
        """Return all rules of a spec; a dialect with the same facts and rules has the same objects.

        `chain` has the spec and those whose facts it inherits, the nearest first.
        """
        named = _select_named(model, shared.families, chain)
        nodes = tuple([tree.get(name) for name in (*FACTS, "rules", *(["transport"] if model.hosts else []))])
        key: tuple[int | str, ...] = (*map(id, nodes), *named)
        if key not in self._rules:
            self._rules[key] = nodes, make_wire_rules(model, tree, shared, problems, named)
        return self._rules[key][1]

    def find_family_rules(
        self, model: Spec, families: Mapping[str, FamilyPage | None]
    ) -> tuple[FamilyRules, ...]:
        """Return the rules of each family that a spec names; the rules of a family are made once."""
        named = [
            (use, page) for name, use in model.families.items() if (page := families.get(name)) is not None
        ]
        for _, page in named:
            if page.family.family not in self._families:
                self._families[page.family.family] = make_family_rules(page)
        return tuple([replace(self._families[page.family.family], use=use) for use, page in named])

    def remember(self, model: Spec, tree: Table) -> None:
        """Keep the sections that are models, or lists of models."""
        for key, node in tree.entries:
            section = getattr(model, str(key.value))
            if isinstance(section[0] if isinstance(section, tuple) and section else section, BaseModel):
                self._sections[id(node)] = node, section

    def find_section(self, node: Node) -> Any:
        """Return the validated section of a node; None if it is unknown."""
        return self._sections.get(id(node), (None, None))[1]


def _select_named(
    model: Spec, families: Mapping[str, FamilyPage | None], chain: Sequence[str]
) -> tuple[str, ...]:
    """Return those APIs of a chain for which profiles of the families that a spec names have facts of their own."""
    pages = [page for name in model.families if (page := families.get(name)) is not None]
    keys = [key for page in pages for profile in page.family.profiles.values() for key in profile.on]
    named = {wire for key in keys for wire in key.split(", ")}
    return tuple([wire for wire in chain if wire in named])


def _find_inherited(trees: Mapping[str, Table], chain: Sequence[str]) -> tuple[str, ...]:
    """Return the specs of a chain whose facts the first one inherits: up to one whose rules begin anew."""
    anew = next((at for at, wire in enumerate(chain) if begins_anew(trees[wire].get("rules"))), len(chain))
    return tuple(chain[: anew + 1])


def _follow_parents(wire: str, names: Collection[str], find_tree: Callable[[str], Table]) -> tuple[str, ...]:
    """Return a spec and all specs that it extends, the nearest first, as far as there are such specs."""
    chain: list[str] = []
    above: object = wire
    while isinstance(above, str) and above in names and above not in chain:
        chain.append(above)
        extended = find_tree(above).get("extends")
        above = extended.value if isinstance(extended, Scalar) else None
    return tuple(chain)


def _is_abstract(tree: Table) -> bool:
    said = tree.get("abstract")
    return isinstance(said, Scalar) and said.value is True


def read_trees(
    files: Mapping[str, str], specs: Mapping[str, Sequence[str]], problems: list[SpecProblem]
) -> tuple[dict[str, Table], dict[str, str], frozenset[str]]:
    """Return wire -> tree and wire -> file for readable specs, and the names of the others."""
    trees: dict[str, Table] = {}
    names: dict[str, str] = {}
    unreadable: set[str] = set()
    for key, (first, *others) in specs.items():
        if is_shared(key):
            continue
        wire = PurePosixPath(key).name.removesuffix(".yaml")
        if wire in names:
            message = f"there are two specs {quote(wire)}"
            problems.append(
                SpecProblem(Span(first, 1, 1, 1), "duplicate-wire", message, f"the other is {names[wire]}")
            )
            continue
        names[wire] = first
        tables = [read_or_report(files[file], file, problems) for file in (first, *others)]
        whole = [table for table in tables if table is not None]
        found = [problem for table in whole for problem in find_misplaced(table)]
        problems += found
        # the consequences of a misplaced section would hide it
        if len(whole) == len(tables) and not found:
            trees[wire] = merge_pages(whole, problems)
        else:
            unreadable.add(wire)
    return trees, names, frozenset(unreadable)


def _validate(
    wire: str, tree: Table, problems: list[SpecProblem], known: _Known, shared: SharedPages, *, whole: bool
) -> tuple[Spec, frozenset[str]]:
    """Return the checked sections, and the names of the invalid ones, which hold placeholders."""
    data = _convert_sections(tree, known)
    spec_problems: list[SpecProblem] = []
    invalid: frozenset[str] = frozenset()
    try:
        model = Spec.model_validate(data, context=shared.sources)
    except ValidationError as error:
        spec_problems += explain(error, tree)
        invalid = frozenset(str(detail["loc"][0]) for detail in error.errors())
        model = Spec.model_validate(
            {key: data[key] for key in data if key not in invalid} | _make_placeholders(invalid),
            context=shared.sources,
        )
    spec_problems += check(model, tree, wire, invalid)
    problems += (problem for problem in spec_problems if whole or problem.rule not in _LACKING)
    return model, invalid


def _make_placeholders(invalid: Collection[str]) -> dict[str, Any]:
    """Return minimal valid values for invalid sections."""
    nothing = Table((), Span("", 1, 1, 1))
    least: dict[str, Any] = {
        "wire": "unnamed",
        "title": "untitled",
        "transport": {"method": "POST", "url": "https://unknown"},
        "instructions": {"native": "unknown"},
        "continuation": {"mode": "resend"},
        "body": nothing,
        "messages": nothing,
        "parts": nothing,
    }
    return {key: least[key] for key in least if key in invalid}


def _convert_sections(tree: Table, known: _Known) -> dict[str, Any]:
    """Convert all sections to plain data, except shapes and sections that are already known."""
    return {
        str(key.value): known.find_section(value) or _convert_section(value, str(key.value))
        for key, value in tree.entries
    }


def _keep_shapes(node: Node) -> Any:
    """Return a shape as it is, and a list of shapes as such a list."""
    if isinstance(node, Rows):
        return [item if isinstance(item, Table) else plain(item) for item in node.items]
    return node if isinstance(node, Table) else plain(node)


def _convert_section(value: Node, section: str) -> Any:
    if section == "unions" and isinstance(value, Table):
        return {key.value: inside for key, inside in value.entries}
    if section == "answer" and isinstance(value, Table):
        return {
            key.value: _keep_shapes(inside) if key.value in ANSWER_SHAPES else plain(inside)
            for key, inside in value.entries
        }
    return value if section in SHAPE_SECTIONS and isinstance(value, Table) else plain(value)


def check_recorded(names: Mapping[str, Sequence[str]], trees: Mapping[str, Table]) -> Iterator[SpecProblem]:
    """Yield a problem for each name that stands for several wires; `names` maps wires to names, `trees` to specs."""
    owners: dict[str, str] = {wire: wire for wire in trees}
    for wire, recorded in names.items():
        for index, name in enumerate(recorded):
            owner = owners.setdefault(name, wire)
            if owner != wire or name == wire or name in recorded[:index]:
                span = span_at(trees[wire], ("recorded", index))
                message = f"{quote(name)} already stands for {quote(owner)}"
                yield SpecProblem(
                    span, "duplicate-name", message, "a pair api/wire tells rows of one api apart"
                )


def find_chain(wire: str, sources: Mapping[str, str], names: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return a spec and the specs that it extends, the nearest first. Raises SpecError for an unreadable page."""
    return _follow_parents(wire, names, lambda name: read(sources[names[name][0]], names[name][0]))


def find_files_of_chains(
    wires: Iterable[str], sources: Mapping[str, str], names: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Return the files of some specs and of all specs that they extend, and the shared files."""
    files = {file: text for file, text in sources.items() if is_shared(file)}
    for member in dict.fromkeys(name for wire in wires for name in find_chain(wire, sources, names)):
        files |= {file: sources[file] for file in names[member]}
    return files
