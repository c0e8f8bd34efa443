"""Check the names of APIs in recorded requests: each stands for one wire only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..problems import Problem, quote
from .nodes import Table, span_at


def check_recorded(names: Mapping[str, Sequence[str]], trees: Mapping[str, Table]) -> Iterator[Problem]:
    """Return problems for names that stand for several wires; `names` maps wires to names, `trees` to specs."""
    owners: dict[str, str] = {wire: wire for wire in trees}
    for wire, recorded in names.items():
        for index, name in enumerate(recorded):
            owner = owners.setdefault(name, wire)
            if owner != wire or name == wire or name in recorded[:index]:
                span = span_at(trees[wire], ("recorded", index))
                message = f"{quote(name)} already stands for {quote(owner)}"
                yield Problem(span, "duplicate-name", message, "a pair api/wire tells rows of one api apart")
