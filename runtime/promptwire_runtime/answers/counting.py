"""Counts of tokens: from an API's own object and back."""

from __future__ import annotations

from typing import Any

from ..nodes.light_dataclasses import construct
from ..wire_json.kinds import is_object
from .answer import Usage
from .table import AnswerTable


def read_counts(counts: dict[str, Any], table: AnswerTable) -> Usage:
    """Read an API's counts; what it gives beside its input or output becomes a part of them."""
    known: dict[str, int] = {}
    for name, path in table.counts.items():
        count = counts.get(path[0])
        if len(path) > 1:
            count = _at(count, path[1:])
        if type(count) is int:
            known[name] = count
        elif type(count) is float and count.is_integer():
            # some clients have counts as floating point numbers
            known[name] = int(count)
    for name, whole in table.beside.items():
        if name in known and whole in known:
            known[whole] += known[name]
    return construct(Usage, **known, raw=counts)


def write_counts(usage: Usage, table: AnswerTable, *, own: bool) -> dict[str, Any]:
    """Write counts as an API gives them: its own object where it came from there and still says the same."""
    raw: Any = usage.raw
    if own and is_object(raw) and read_counts(raw, table) == usage:
        return raw
    known: dict[str, int] = {
        name: count for name in table.counts if (count := getattr(usage, name)) is not None
    }
    if "total" in table.counts and "total" not in known and {"input", "output"} <= known.keys():
        known["total"] = known["input"] + known["output"]
    for name, whole in table.beside.items():
        if name in known and whole in known:
            known[whole] -= known[name]
    item: dict[str, Any] = {}
    for name, count in known.items():
        *above, last = table.counts[name]
        place = item
        for key in above:
            place = place.setdefault(key, {})
        place[last] = count
    return item


def _at(item: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        item = item.get(key) if is_object(item) else None
    return item
