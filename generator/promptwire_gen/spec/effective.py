"""What a spec says with all that it takes over: one mapping, in which each value stands where it was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..problems import Problem, Span, SpecError
from .chains import chain_of
from .extends import identity, is_shape, resolve
from .load import read_trees
from .nodes import Scalar, Table


@dataclass(frozen=True, slots=True)
class Effective:
    """A spec made whole.

    chain    the spec, and those that it extends, the nearest first
    own      the files of the spec itself
    tree     its sections, without `extends`
    removed  what one of the chain takes out of the one above, and no other puts back: path -> where
    """

    chain: tuple[str, ...]
    own: frozenset[str]
    tree: Table
    removed: Mapping[tuple[str, ...], Span]


def effective(wire: str, sources: Mapping[str, str], names: Mapping[str, Sequence[str]]) -> Effective:
    """Make a spec whole; `names` are the files of each spec. Raises SpecError with what is wrong in its chain."""
    chain = chain_of(wire, sources, names)
    problems: list[Problem] = []
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
    """Note what a patch removes; forget what it puts back. Paths are told by the identity of their keys."""
    for key, value in patch.entries:
        below = (*path, str(key.value))
        name = (*shown, identity(key, is_shape(path)))
        is_removed = isinstance(value, Scalar) and value.value is None
        if not isinstance(value, Table):
            for other in [other for other in removed if other[: len(name)] == name]:
                del removed[other]
        if is_removed:
            removed[name] = key.span
        elif isinstance(value, Table):
            removed.pop(name, None)
            _note_removed(value, below, name, removed)
