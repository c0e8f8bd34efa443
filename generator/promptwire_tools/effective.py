"""A spec merged with the specs that it extends; each value keeps its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from promptwire_gen.problems import Span, SpecError, SpecProblem
from promptwire_gen.spec.extends import identify_key, is_shape, resolve
from promptwire_gen.spec.load import find_chain, read_trees
from promptwire_gen.spec.nodes import Scalar, Table


@dataclass(frozen=True, slots=True)
class Effective:
    """A merged spec.

    Attributes:
        chain: The spec and the specs that it extends, the nearest first.
        own: The files of the spec itself.
        tree: Its sections, without `extends`.
        removed: The paths that one spec of the chain removes and no other restores, each with its place.
    """

    chain: tuple[str, ...]
    own: frozenset[str]
    tree: Table
    removed: Mapping[tuple[str, ...], Span]


def merge_chain(wire: str, sources: Mapping[str, str], names: Mapping[str, Sequence[str]]) -> Effective:
    """Return a merged spec; `names` maps specs to their files. Raises SpecError with the problems of its chain."""
    chain = find_chain(wire, sources, names)
    problems: list[SpecProblem] = []
    trees, _, unreadable = read_trees(sources, {f"{name}.yaml": names[name] for name in chain}, problems)
    resolved = resolve(trees, unreadable)
    problems += resolved.problems
    tree = resolved.tables.get(wire)
    if problems or tree is None:
        raise SpecError(problems)
    entries = tuple([entry for entry in tree.entries if entry[0].value != "extends"])
    removed: dict[tuple[str, ...], Span] = {}
    for name in reversed(chain):
        if trees[name].get("extends") is not None:
            _note_removed(trees[name], (), (), removed)
    return Effective(chain, frozenset(names[wire]), Table(entries, tree.span), removed)


def _note_removed(
    patch: Table, path: tuple[str, ...], shown: tuple[str, ...], removed: dict[tuple[str, ...], Span]
) -> None:
    """Add the paths that a patch removes, and drop those that it restores. Keys are compared by `identity`."""
    for key, value in patch.entries:
        below = (*path, str(key.value))
        name = (*shown, identify_key(key, is_shape(path)))
        is_removed = isinstance(value, Scalar) and value.value is None
        if not isinstance(value, Table):
            for other in [other for other in removed if other[: len(name)] == name]:
                del removed[other]
        if is_removed:
            removed[name] = key.span
        elif isinstance(value, Table):
            removed.pop(name, None)
            _note_removed(value, below, name, removed)
