"""Files of specs into checked specs, with every problem of every file at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from pydantic import BaseModel, ValidationError

from ..problems import Problem, Span, SpecError, quote
from .answer_sections import ANSWER_SHAPES
from .checks import check
from .declared import FACTS
from .explain import Path, explain
from .extends import alone, resolve
from .nodes import Node, Scalar, Table, plain, span_at
from .pages import joined, pages
from .read import read
from .recorded import check_recorded
from .schema import SHAPE_SECTIONS, Spec
from .shared_pages import FamilyPage, SharedPages, is_shared, read_shared
from .wire_rules import WireRule, wire_rules

# what is wrong only if no parent has it
_LACKING = ("missing-key", "unknown-setting")


@dataclass(frozen=True, slots=True)
class LoadedSpec:
    """One checked spec: `model` holds its sections, `tree` all its nodes (`extends` merged in).

    Sections of shapes are raw nodes: `section("parts")`. `file` is the name of its file, or of its first page.
    `invalid` names the sections for which `model` holds placeholders, because their problems are reported.
    `rules` are those of its facts and families, and its own behind them.
    `parent` is the wire that it extends, `api` the one at the end of that chain.
    """

    file: str
    model: Spec
    tree: Table
    invalid: frozenset[str] = frozenset()
    api: str = ""
    parent: str | None = None
    rules: tuple[WireRule, ...] = ()

    @property
    def wire(self) -> str:
        """The spec's name."""
        return self.model.wire

    def section(self, name: str) -> Table | None:
        """Return a section's mapping as nodes, or None when the spec has none of that name."""
        node = self.tree.get(name)
        return node if isinstance(node, Table) else None

    def span_of(self, path: Path) -> Span:
        """Return where the value at `path` stands; where the path leaves the tree, the last value met."""
        return span_at(self.tree, path)

    def key_span_of(self, path: Path) -> Span:
        """Return where the key at the end of `path` stands."""
        return span_at(self.tree, path, key=True)


def load_specs(files: Mapping[str, str]) -> tuple[LoadedSpec, ...]:
    """Load specs from their text: `files` maps file names to text. The result is sorted by wire.

    Raises SpecError with all problems of all files.
    """
    problems: list[Problem] = []
    loaded = sorted(load_each(files, problems), key=lambda spec: spec.wire)
    if problems:
        raise SpecError(problems)
    return tuple(loaded)


def load_each(files: Mapping[str, str], problems: list[Problem]) -> Iterator[LoadedSpec]:
    """Load specs as `load_specs`, but give one after the other, parents first, and keep none.

    Problems are added to the list, all of them once the last spec is given; the sound sections of a spec that has some
    can be looked at still. What could not be read, or has a broken chain of parents, is in no LoadedSpec.
    """
    specs = pages(files)
    shared = read_shared(files, [key for key in specs if is_shared(key)], problems)
    trees, names, unreadable = read_trees(files, specs, problems)
    resolved = resolve(trees, unreadable)
    problems += resolved.problems
    abstract = frozenset([wire for wire, tree in trees.items() if _is_abstract(tree)])
    parents = {wire: _parent(trees, wire, abstract) for wire in trees}
    extended = abstract.union(parents.values())
    recorded: dict[str, tuple[Sequence[str], Table]] = {}
    known = _Known()
    for wire in sorted(trees, key=lambda wire: (wire not in extended, wire)):
        tree = resolved.tables.get(wire)
        patch = tree or alone(trees[wire])
        # without its parent a spec still shows its own mistakes, but what it lacks is unknown
        whole = tree is not None
        model, invalid = _validate(wire, patch, problems, known, shared, whole=whole)
        if tree is None:
            continue
        rules = known.rules(model, tree, shared.families, problems)
        if wire in extended and not invalid:
            known.remember(model, tree)
        if wire in abstract:
            continue
        recorded[wire] = model.recorded, tree
        yield LoadedSpec(names[wire], model, tree, invalid, _api(parents, wire), parents[wire], rules)
    problems += check_recorded(
        {wire: words for wire, (words, _) in recorded.items()},
        {wire: tree for wire, (_, tree) in recorded.items()},
    )


class _Known:
    """Sections of wires that others extend, as they were validated, for dialects that take them over whole."""

    def __init__(self) -> None:
        # the identity of a node -> the node, so that the identity stays its own, and what became of it
        self._sections: dict[int, tuple[Node, Any]] = {}
        # the identities of all facts and rules of a spec -> those, and the rules that they become
        self._rules: dict[tuple[int, ...], tuple[tuple[Node | None, ...], tuple[WireRule, ...]]] = {}

    def rules(
        self, model: Spec, tree: Table, families: Mapping[str, FamilyPage], problems: list[Problem]
    ) -> tuple[WireRule, ...]:
        """Return all rules of a spec; a dialect with the same facts and rules has the same objects."""
        nodes = tuple([tree.get(name) for name in (*FACTS, "rules")])
        key = tuple(map(id, nodes))
        if key not in self._rules:
            self._rules[key] = nodes, wire_rules(model, tree, families, problems)
        return self._rules[key][1]

    def remember(self, model: Spec, tree: Table) -> None:
        """Keep the sections that are models, or lists of them."""
        for key, node in tree.entries:
            section = getattr(model, str(key.value))
            if isinstance(section[0] if isinstance(section, tuple) and section else section, BaseModel):
                self._sections[id(node)] = node, section

    def of(self, node: Node) -> Any:
        """Give what became of a node; None where it is not known."""
        return self._sections.get(id(node), (None, None))[1]


def _api(parents: Mapping[str, str | None], wire: str) -> str:
    """Follow a sound chain of parents to its end."""
    parent = parents[wire]
    return wire if parent is None else _api(parents, parent)


def _parent(trees: Mapping[str, Table], wire: str, abstract: Collection[str]) -> str | None:
    """Name the nearest wire that a spec extends: not one that is there to be extended only."""
    seen = {wire}
    above = _extended(trees[wire])
    while above is not None and above in abstract and above not in seen:
        seen.add(above)
        above = _extended(trees[above])
    return above


def _extended(tree: Table) -> str | None:
    parent = tree.get("extends")
    return str(parent.value) if isinstance(parent, Scalar) and parent.value is not None else None


def _is_abstract(tree: Table) -> bool:
    said = tree.get("abstract")
    return isinstance(said, Scalar) and said.value is True


def read_trees(
    files: Mapping[str, str], specs: Mapping[str, Sequence[str]], problems: list[Problem]
) -> tuple[dict[str, Table], dict[str, str], frozenset[str]]:
    """Return wire -> tree and wire -> file for what could be read, and the names of what could not."""
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
                Problem(Span(first, 1, 1, 1), "duplicate-wire", message, f"the other is {names[wire]}")
            )
            continue
        names[wire] = first
        tables = [_read_page(files[file], file, problems) for file in (first, *others)]
        whole = [table for table in tables if table is not None]
        if len(whole) == len(tables):
            trees[wire] = joined(whole, problems)
        else:
            unreadable.add(wire)
    return trees, names, frozenset(unreadable)


def _read_page(text: str, file: str, problems: list[Problem]) -> Table | None:
    """Read one file; None where it has problems, which are added to the list."""
    try:
        return read(text, file)
    except SpecError as error:
        problems += error.problems
        return None


def _validate(
    wire: str, tree: Table, problems: list[Problem], known: _Known, shared: SharedPages, *, whole: bool
) -> tuple[Spec, frozenset[str]]:
    """Return the checked sections, and the names of those that are invalid and hold placeholders."""
    data = _data(tree, known)
    spec_problems: list[Problem] = []
    invalid: frozenset[str] = frozenset()
    try:
        model = Spec.model_validate(data, context=shared.sources)
    except ValidationError as error:
        spec_problems += explain(error, tree)
        invalid = frozenset(str(detail["loc"][0]) for detail in error.errors())
        model = Spec.model_validate(
            {key: data[key] for key in data if key not in invalid} | _stand_ins(invalid),
            context=shared.sources,
        )
    spec_problems += check(model, tree, wire, invalid)
    problems += (problem for problem in spec_problems if whole or problem.rule not in _LACKING)
    return model, invalid


def _stand_ins(invalid: Collection[str]) -> dict[str, Any]:
    """Return the least that makes a spec valid again without its invalid sections."""
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


def _data(tree: Table, known: _Known) -> dict[str, Any]:
    """Turn all but the shapes and what is known already into plain data; the shapes stay nodes."""
    return {str(key.value): known.of(value) or _kept(value, str(key.value)) for key, value in tree.entries}


def _kept(value: Node, section: str) -> Any:
    if section == "unions" and isinstance(value, Table):
        return {key.value: inside for key, inside in value.entries}
    if section == "answer" and isinstance(value, Table):
        return {
            key.value: inside if key.value in ANSWER_SHAPES and isinstance(inside, Table) else plain(inside)
            for key, inside in value.entries
        }
    return value if section in SHAPE_SECTIONS and isinstance(value, Table) else plain(value)
