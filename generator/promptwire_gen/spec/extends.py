"""`extends`: apply a spec as a JSON merge patch (RFC 7386) to another; all values keep their places.

Mappings are merged key by key, all other values are replaced, and `null` removes a key. Beyond the RFC:

- In `body`, `transport.headers`, and inside the shapes of `messages`, `parts` and `unions`, keys are equal if they are
  equal without a trailing `?` and without `|aliases`: `temperature` replaces or removes `temperature?`, and
  `max_completion_tokens` is `max_completion_tokens|max_tokens?`. The child's spelling is used. Elsewhere, keys are
  compared as they are written.
- The source and the conditions of a claim replace the parent's as a whole.
- In a list (of rules, for example, but not in shapes), the element `...` stands for the parent's elements.
- A replaced key keeps its position. A new key is placed after its predecessor in the child, at the end, or at the
  position of the key that was removed just before it in the child.
- A spec whose rules do not contain `...` inherits no facts either.
- `abstract`, `recorded` and the examples of `answer` and `stream` are never inherited.
- Removing a missing key is a problem, because the key is probably misspelt.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..problems import SpecProblem, did_you_mean, quote
from .declared import FACTS
from .nodes import Node, Scalar, Sequence, Table, describe_place

# section -> levels below it whose keys are names of shapes (`user`, `text@assistant`), not keys of the wire
_SHAPE_LEVELS: dict[tuple[str, ...], int] = {
    ("body",): 0,
    ("transport", "headers"): 0,
    ("messages",): 1,
    ("parts",): 1,
    ("unions",): 2,
    ("answer", "body"): 0,
    ("answer", "candidate"): 0,
    ("answer", "usage"): 0,
    ("answer", "error"): 0,
}
# sections that are never inherited
_OWN = (
    ("abstract",),
    ("recorded",),
    ("answer", "examples"),
    ("answer", "error_examples"),
    ("stream", "examples"),
)
# sections whose claims have sources and conditions, and the keys of these
_CLAIMING = (*FACTS, "signatures", "tools", "transport")
_WHOLE = ("source", "given", "either", "without", "unless")
_LONGEST_SECTION = max(map(len, _SHAPE_LEVELS))


@dataclass(frozen=True, slots=True)
class Resolved:
    """The merged trees and the problems. A spec with a broken chain of parents has no tree."""

    tables: Mapping[str, Table]
    problems: tuple[SpecProblem, ...]


def resolve(
    specs: Mapping[str, Table], unreadable: Collection[str] = (), others: Collection[str] = ()
) -> Resolved:
    """Merge every spec that has `extends` into its parent, parents first.

    `specs` maps wire names to trees. `unreadable` names specs that exist but could not be read: their children are left
    out without a further problem. `others` names specs that no given one extends, for hints.
    """
    work = _Work(specs, frozenset(unreadable), others)
    for name in specs:
        work.resolve_spec(name, ())
    return Resolved(
        {name: tree for name in specs if (tree := work.done[name]) is not None}, tuple(work.problems)
    )


def keep_own_sections(patch: Table) -> Table:
    """Return the sections that a patch states itself, for an unknown parent: without removals and `...`."""
    return _Merge([]).merge_tables(Table((), patch.span), patch, ())


class _Work:
    """The merged specs so far: a spec's whole tree, or None if its chain of parents is broken."""

    def __init__(
        self, specs: Mapping[str, Table], unreadable: frozenset[str], others: Collection[str]
    ) -> None:
        self.specs = specs
        self.others = others
        self.unreadable = unreadable
        self.done: dict[str, Table | None] = {}
        self.problems: list[SpecProblem] = []

    def resolve_spec(self, name: str, below: tuple[str, ...]) -> Table | None:
        """Return the whole tree of a spec; `below` are its descendants that wait for it."""
        if name in self.done:
            return self.done[name]
        child = self.specs[name]
        parent = child.get("extends")
        if parent is None or (isinstance(parent, Scalar) and parent.value is None):
            self.done[name] = child
        elif not isinstance(parent, Scalar) or not isinstance(parent.value, str):
            # the schema check reports it; missing keys may be inherited
            self.done[name] = None
        elif parent.value in (*below, name):
            self._report_cycle(parent, parent.value, (*below, name))
        elif parent.value not in self.specs:
            self.done[name] = None
            self._report_unknown(parent, parent.value)
        else:
            over = self.resolve_spec(parent.value, (*below, name))
            # a cycle that was found deeper has already set this one to None
            if name not in self.done:
                self.done[name] = (
                    None if over is None else _Merge(self.problems).merge_tables(over, child, ())
                )
        return self.done[name]

    def _report_cycle(self, where: Scalar, start: str, waiting: tuple[str, ...]) -> None:
        members = waiting[waiting.index(start) :]
        for member in waiting:
            self.done[member] = None
        if len(members) == 1:
            self.problems.append(SpecProblem(where.span, "extends-cycle", f"{quote(start)} extends itself"))
            return
        chain = " -> ".join((*members, start))
        self.problems.append(
            SpecProblem(where.span, "extends-cycle", f"the specs extend each other: {chain}")
        )

    def _report_unknown(self, where: Scalar, parent: str) -> None:
        if parent not in self.unreadable:
            hint = did_you_mean(parent, (*self.specs, *self.others))
            self.problems.append(
                SpecProblem(where.span, "unknown-parent", f"there is no spec {quote(parent)}", hint)
            )


class _Merge:
    """One merge; adds problems to the given list."""

    def __init__(self, problems: list[SpecProblem]) -> None:
        self.problems = problems
        self.has_facts = False

    def merge_tables(self, parent: Table, patch: Table, path: tuple[str, ...]) -> Table:
        """Apply `patch` to `parent` at `path`. The result has the place of the patch."""
        of_shape = is_shape(path)
        if not path:
            self.has_facts = any(parent.get(name) for name in FACTS)
        left = FACTS if not path and begins_anew(patch.get("rules")) else ()
        merged: dict[str, tuple[Scalar, Node]] = {
            identify_key(entry[0], of_shape): entry
            for entry in parent.entries
            if (*path, entry[0].value) not in _OWN and entry[0].value not in left
        }
        seen: dict[str, Scalar] = {}
        previous: str | None = None
        place: int | None = None
        for key, value in patch.entries:
            name = identify_key(key, of_shape)
            if name in seen:
                message = f"{quote(str(key.value))} and {quote(str(seen[name].value))} are one key"
                first = f"first at {describe_place(seen[name].span, key.span)}"
                self.problems.append(SpecProblem(key.span, "duplicate-key", message, first))
            seen[name] = key
            if isinstance(value, Scalar) and value.value is None:
                place = self._remove(merged, name, key)
                continue
            below = (*path, str(key.value))
            _insert_entry(
                merged, name, (key, self._merge_value(merged.get(name), value, below)), previous, place
            )
            previous, place = name, None
        return Table(tuple(merged.values()), patch.span)

    def _merge_value(self, old: tuple[Scalar, Node] | None, new: Node, path: tuple[str, ...]) -> Node:
        if isinstance(new, Sequence) and not is_shape(path):
            # all rules may be stated as facts
            may_lack = path == ("rules",) and self.has_facts
            return self._merge_list(old[1] if old is not None else None, new, may_lack=may_lack)
        if not isinstance(new, Table):
            return new
        if old is not None and isinstance(old[1], Table) and not _replaces_whole(path):
            return self.merge_tables(old[1], new, path)
        # over any other value a mapping starts empty, so that a null inside removes nothing
        return self.merge_tables(Table((), new.span), new, path)

    def _merge_list(self, old: Node | None, new: Sequence, *, may_lack: bool) -> Sequence:
        """Replace `...` by the parent's elements."""
        items: list[Node] = []
        for element in new.items:
            if not isinstance(element, Scalar) or element.value != "..." or element.quoted:
                items.append(element)
            elif isinstance(old, Sequence):
                items += old.items
            elif not may_lack:
                message = "... stands for the elements of the parent's list, and there is none"
                self.problems.append(SpecProblem(element.span, "nothing-to-repeat", message))
        return Sequence(tuple(items), new.span)

    def _remove(self, merged: dict[str, tuple[Scalar, Node]], name: str, key: Scalar) -> int | None:
        """Remove an entry and return its position."""
        if name not in merged:
            message = f"null removes a key, and there is no {quote(str(key.value))} to remove"
            self.problems.append(
                SpecProblem(key.span, "nothing-to-remove", message, did_you_mean(name, merged))
            )
            return None
        place = list(merged).index(name)
        del merged[name]
        return place


def _replaces_whole(path: tuple[str, ...]) -> bool:
    """Return whether a mapping replaces the parent's as a whole, as sources and conditions do."""
    return path[0] in _CLAIMING and path[-1] in _WHOLE


def begins_anew(rules: Node | None) -> bool:
    """Return whether a patch has rules and does not include its parent's."""
    return isinstance(rules, Sequence) and not any(
        isinstance(item, Scalar) and item.value == "..." for item in rules.items
    )


def _insert_entry(
    merged: dict[str, tuple[Scalar, Node]],
    name: str,
    entry: tuple[Scalar, Node],
    previous: str | None,
    place: int | None,
) -> None:
    """Replace an entry at its position, or insert it at `place`, else after `previous`, else at the end."""
    if name in merged or (place is None and previous not in merged):
        merged[name] = entry
        return
    later = list(merged.items())
    at = place
    if at is None:
        at = next(index for index, (other, _) in enumerate(later) if other == previous) + 1
    for other, _ in later[at:]:
        del merged[other]
    merged[name] = entry
    merged.update(later[at:])


def is_shape(path: tuple[str, ...]) -> bool:
    """Return whether the keys of the mapping at `path` are keys of the wire."""
    for length in range(1, _LONGEST_SECTION + 1):
        levels = _SHAPE_LEVELS.get(path[:length])
        if levels is not None and len(path) >= length + levels:
            return True
    return False


def identify_key(key: Scalar, of_shape: bool) -> str:
    """Return the text by which a key is compared with others."""
    text = str(key.value)
    return text.removesuffix("?").split("|", 1)[0] if of_shape else text
