"""Form memory: how a body that was read differs from the one that a fresh build would write."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..model.wire_memory import Form, Kept, Swap
from ..reporting.derived_keys import holds
from ..wire_json.kinds import as_value, bag, is_empty, is_list, is_object, leaves, same

Object = dict[str, Any]


@dataclass(slots=True)
class MemoryWords:
    """The words of a wire's shapes: keys, constants, aliases with their keys, only read keys with their fields."""

    keys: frozenset[str]
    constants: frozenset[Any]
    aliases: frozenset[tuple[str, str]] = frozenset()
    echoes: frozenset[tuple[str, str]] = frozenset()

    def explain(self, leaf: Any) -> bool:
        """Return whether a leaf is a constant of the wire's shapes."""
        return type(leaf) in (str, bool) and leaf in self.constants

    def without(self, **words: Collection[Any]) -> MemoryWords:
        """Return the same words, but for some; each set goes by the name of its field."""
        return replace(self, **{name: getattr(self, name).difference(gone) for name, gone in words.items()})

    def plus(self, **words: Collection[Any]) -> MemoryWords:
        """Return the same words, and some more; each set goes by the name of its field."""
        return replace(self, **{name: getattr(self, name).union(more) for name, more in words.items()})


@dataclass(slots=True)
class Comparison:
    """Compares JSON that was read as a node with the JSON that a fresh build writes for it."""

    words: MemoryWords
    node: object
    wire: str

    def list_unread(self, value: Any, held: Any) -> list[Any]:
        """Return the leaves of `value` that neither `held` contains nor the wire's own words explain."""
        spare = bag(held, as_value)
        missing: list[Any] = []
        for leaf in leaves(value):
            identity = as_value(leaf)
            if spare[identity] > 0:
                spare[identity] -= 1
            elif not (is_empty(leaf) or self.words.explain(leaf)):
                missing.append(leaf)
        return missing

    def compare(self, fresh: Object, read: Object) -> Form | None:
        """Describe `read` relative to `fresh`; None when they are equal."""
        gone: Object = {}
        if not fresh.keys() <= read.keys():
            gone = {key: value for key, value in fresh.items() if key not in read}
        new = {key: value for key, value in read.items() if key not in fresh}
        names: dict[str, tuple[str, ...]] = {}
        swaps: list[Swap] = []
        if gone and new:
            names = _pair_renames(gone, new)
            moved = self._match_moved(gone, new)
            if moved is not None:
                swaps.append(moved)
                gone, new = {}, {key: value for key, value in new.items() if key not in moved.read}
        swaps += [Swap({key: value}, {}) for key, value in gone.items()]
        added: Object = {}
        absent: Object = {}
        for key, value in new.items():
            repeated = self._find_repeated(key, value, fresh, read)
            if repeated is not None:
                names[repeated] = (*names.get(repeated, (repeated,)), key)
            elif key in self.words.keys and (self._is_blank(value) or self.words.explain(value)):
                absent[key] = value
            elif (field := self._find_field(key, value)) is not None:
                swaps.append(Swap({}, {key: value}, field=field))
            else:
                added[key] = value
        if absent:
            swaps.append(Swap({}, absent))
        listed, inside = self._compare_values(fresh, read, swaps)
        if not (added or swaps or names or listed or inside):
            return None
        return Form(added, tuple(swaps), names, listed, inside)

    def _match_moved(self, gone: Object, new: Object) -> Swap | None:
        """Return the known values under new keys, if these are the values of the keys that are gone."""
        known = {key: new[key] for key in new if key in self.words.keys and not is_empty(new[key])}
        held = bag([*gone.values()], as_value)
        moves = gone and any(held[as_value(leaf)] > 0 for leaf in leaves([*known.values()]))
        return (
            Swap(gone, known) if moves and not self.list_unread([*known.values()], [*gone.values()]) else None
        )

    def _is_blank(self, value: Any) -> bool:
        """Return whether a value is empty, or an object whose known keys hold nothing but empty values."""
        return is_empty(value) or (
            is_object(value)
            and all(key in self.words.keys and self._is_blank(inner) for key, inner in value.items())
        )

    def _find_repeated(self, alias: str, value: Any, fresh: Object, read: Object) -> str | None:
        """Return the key that has the same value as this alias."""
        for key in fresh if self.words.aliases else ():
            if (alias, key) in self.words.aliases and key in read and same(value, read[key]):
                return key
        return None

    def _find_field(self, key: str, value: Any) -> str | None:
        """Return the field of the node that has the value of a key that is only read."""
        if not self.words.echoes:
            return None
        paths = sorted(path for name, path in self.words.echoes if name == key)
        return next((path for path in paths if holds(self.node, path, value, self.wire)), None)

    def _compare_values(
        self, fresh: Object, read: Object, swaps: list[Swap]
    ) -> tuple[dict[str, tuple[Mapping[str, Any], str]], dict[str, Form | Mapping[int, Form]]]:
        """Describe the values that both have under one key, and that are not the same.

        Returns:
            Bare text that was a list of one element, and what differs inside; all others are added to `swaps`.
        """
        listed: dict[str, tuple[Mapping[str, Any], str]] = {}
        inside: dict[str, Form | Mapping[int, Form]] = {}
        for key, value in read.items():
            # most values are those that were read
            old = fresh.get(key, value)
            if old is value or same(old, value):
                continue
            element = _match_listed_text(old, value)
            if element is not None and not self.list_unread(value, old):
                listed[key] = element
                continue
            below = self._compare_inside(old, value)
            if below is not None:
                inside[key] = below
            else:
                swaps.append(Swap({key: old}, {key: value}, tuple(self.list_unread(value, old))))
        return listed, inside

    def _compare_inside(self, old: Any, value: Any) -> Form | Mapping[int, Form] | None:
        """Describe the difference between two objects, or two lists of as many objects; else None."""
        if is_object(old) and is_object(value):
            forms = self._compare_elements([old], [value])
            return forms[0] if forms is not None else None
        if is_list(old) and is_list(value) and len(old) == len(value):
            return self._compare_elements(old, value)
        return None

    def _compare_elements(self, old: list[Any], value: list[Any]) -> dict[int, Form] | None:
        forms: dict[int, Form] = {}
        for index, (a, b) in enumerate(zip(old, value, strict=True)):
            if same(a, b):
                continue
            below = self.compare(a, b) if is_object(a) and is_object(b) else None
            if below is None:
                return None
            forms[index] = below
        return forms


def _pair_renames(gone: Object, new: Object) -> dict[str, tuple[str, ...]]:
    """Pair keys that differ only in their name, and take them out of both."""
    renamed: dict[str, tuple[str, ...]] = {}
    for old, value in list(gone.items()):
        for key, other in new.items():
            if not is_empty(value) and same(value, other):
                renamed[old] = (key,)
                del gone[old], new[key]
                break
    return renamed


def _match_listed_text(old: Any, value: Any) -> tuple[Mapping[str, Any], str] | None:
    """Recognise bare text written as a list of one text element."""
    if type(old) is not str or not is_list(value) or len(value) != 1:
        return None
    element = value[0]
    if not is_object(element):
        return None
    for key, text in element.items():
        if type(text) is str and text == old and key != "type":
            return {k: v for k, v in element.items() if k != key}, key
    return None


def with_listed_text(form: Form | None, read: Object, value: list[Any], text: str) -> Form:
    """Return a memory of an object that also knows which of its values is a list of one text, written as bare text."""
    key = next(key for key, each in read.items() if each is value)
    form = form or Form()
    element = _match_listed_text(text, value)
    return form if element is None else form.replace(listed={**form.listed, key: element})


def names_only(form: Form | None) -> Form | None:
    """Return the keys that a memory marks as repeating a value."""
    if form is None:
        return None
    inside: dict[str, Form | Mapping[int, Form]] = {}
    for key, below in form.inside.items():
        if isinstance(below, Form):
            named = names_only(below)
            if named is not None:
                inside[key] = named
        else:
            elements = {index: named for index, inner in below.items() if (named := names_only(inner))}
            if elements:
                inside[key] = elements
    names = {key: names for key, names in form.names.items() if key in names}
    echoed = tuple([swap for swap in form.swapped if swap.field is not None])
    return Form(names=names, swapped=echoed, inside=inside) if names or echoed or inside else None


def kept_leaves(kept: Kept) -> list[Any]:
    """Return the leaves of a memory that no neutral field holds."""
    unheld: list[Any] = []
    # a form, and the number of keys that hold its object
    stack: list[tuple[Any, int]] = [(kept.form, 1)]
    while stack:
        form, times = stack.pop()
        if isinstance(form, Form):
            unheld += [*leaves(dict(form.added))] * times if form.added else ()
            for swap in form.swapped:
                unheld += [
                    leaf for key in swap.read for leaf in swap.unread * (times * _count_names(form, key))
                ]
            for key, below in form.inside.items():
                inner = [below] if isinstance(below, Form) else below.values()
                stack += [(each, times * _count_names(form, key)) for each in inner]
    return unheld


def _count_names(form: Form, key: str) -> int:
    """Return the number of keys under which the value of a key stands."""
    return len(form.names.get(key, (key,)))
