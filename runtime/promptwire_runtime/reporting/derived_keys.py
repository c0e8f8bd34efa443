"""Inspect form memory: keys that are derived from neutral fields, and keys that no shape knows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..model.options import OPTION_NAMES
from ..model.wire_memory import Form, Swap
from ..wire_json.kinds import class_of, is_list, same


def derived_fields(form: Form) -> Iterator[tuple[str, Any]]:
    """Yield the paths of fields that form memory writes into derived keys, each with its value."""
    for swap in form.swapped:
        if swap.field is not None:
            yield from ((swap.field, value) for value in swap.read.values())
    for below in form.inside.values():
        for inner in [below] if isinstance(below, Form) else below.values():
            yield from derived_fields(inner)


def holds(node: object, path: str, value: Any, wire: str) -> bool:
    """Return whether a field or option of a node (`user_id`, `reasoning.effort`, `vendor.model`) has this value."""
    head, _, tail = path.partition(".")
    owner: Any = getattr(node, "options", node) if head in OPTION_NAMES else node
    value_held: Any = getattr(owner, head, None)
    if head == "vendor":
        options: Any = value_held.get(wire) if value_held else None
        actual: Any = options.get(tail) if options else None
    else:
        actual = getattr(value_held, tail, None) if tail else value_held
    several = class_of(actual) is tuple
    return same(list(actual) if several else actual, value)


def _says_the_same(swap: Swap) -> bool:
    """Return whether two values (or lists of texts) differ only in case, or are texts of the same JSON."""
    return all(same(_meaning(swap.fresh.get(key)), _meaning(value)) for key, value in swap.read.items())


# how JSON begins that is no text, and words that are JSON
_JSON = frozenset("{[-0123456789")
_WORDS = frozenset({"true", "false"})


def _meaning(value: Any) -> Any:
    if is_list(value):
        return [item.casefold() if type(item) is str else item for item in value]
    if type(value) is not str:
        return value
    try:
        return json.loads(value) if value[:1] in _JSON or value in _WORDS else value.casefold()
    except (ValueError, RecursionError):
        return value


def unknown_paths(form: object, *, spelled: bool = True) -> Iterator[str]:
    """Yield the dotted paths of keys that no shape of the wire knows, or whose value no neutral field holds.

    With `spelled`, include values that a neutral field holds in another spelling.
    """
    for steps in unknown_steps(form, spelled=spelled):
        yield ".".join([step for step in steps if isinstance(step, str)])


def unknown_steps(form: object, *, spelled: bool = True) -> Iterator[tuple[str | int, ...]]:
    """Yield the same paths as tuples of keys and list indexes."""
    if not isinstance(form, Form):
        return
    yield from ((key,) for key in form.added)
    for swap in form.swapped:
        if swap.unread and (spelled or not _says_the_same(swap)):
            yield from ((key,) for key in swap.read)
    for key, below in form.inside.items():
        rows = (
            [((key,), below)] if isinstance(below, Form) else [((key, at), row) for at, row in below.items()]
        )
        for outer, inner in rows:
            yield from ((*outer, *steps) for steps in unknown_steps(inner, spelled=spelled))
