"""What form memory holds beside neutral fields: keys that are only read, and keys that no shape knows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..model.options import OPTION_NAMES
from ..model.wire_memory import Form, Swap
from ..wire_json.kinds import class_of, same


def echoed(form: Form) -> Iterator[tuple[str, Any]]:
    """Give the fields that stand under keys which are only read, each with its value there."""
    yield from form.echoed.values()
    for below in form.inside.values():
        for inner in [below] if isinstance(below, Form) else below.values():
            yield from echoed(inner)


def says(node: object, path: str, value: Any, wire: str) -> bool:
    """Tell whether a field or option of a node (`user_id`, `reasoning.effort`, `vendor.model`) has this value."""
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
    """Tell whether two values differ only in case, or are texts of the same JSON."""
    return same(_meaning(swap.fresh), _meaning(swap.read))


def _meaning(value: Any) -> Any:
    if type(value) is not str:
        return value
    try:
        return json.loads(value) if value[:1] in ("{", "[") else value.casefold()
    except (ValueError, RecursionError):
        return value


def unknown_paths(form: object, *, spelled: bool = True) -> Iterator[str]:
    """List the dotted paths of the keys that no shape of the wire knows, or whose value no neutral field holds.

    `spelled`: also those of values that a neutral field holds in another spelling.
    """
    if not isinstance(form, Form):
        return
    yield from form.added
    yield from (
        key for key, swap in form.swapped.items() if swap.unread and (spelled or not _says_the_same(swap))
    )
    for key, below in form.inside.items():
        for inner in [below] if isinstance(below, Form) else below.values():
            yield from (f"{key}.{path}" for path in unknown_paths(inner, spelled=spelled))
