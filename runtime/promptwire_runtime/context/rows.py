"""What a row of sources comes to: whether it is in order, and the text around its layers.

A conversation asks for the same few rows again and again, so policies remember them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

from .policies import REQUEST, ContextPolicies

Sources: TypeAlias = "tuple[str | None, ...]"
_MOST = 256


def separators_of(sources: Sources, policies: ContextPolicies) -> list[str]:
    """Give the text before each layer but the first: by edge, by the later source, or the usual one."""
    names = [source or REQUEST for source in sources]
    separators: list[str] = []
    for left, right in pairwise(names):
        usual = policies.separators.get(right, policies.separator)
        separators.append(policies.separators.get(f"{left}>{right}", usual))
    return separators


def row_of(sources: Sources, policies: ContextPolicies) -> tuple[bool, str]:
    """Tell whether sources stand in their order, and give their text with `%s` for each layer."""
    row = policies.rows.get(sources)
    return row if row is not None else _new_row(sources, policies)


def ranks_of(sources: Sources, policies: ContextPolicies) -> list[int]:
    """Give the place of each source in the order; those that are not listed come last."""
    last = len(policies.ranks)
    return [policies.ranks.get(source, last) for source in sources]


def _new_row(sources: Sources, policies: ContextPolicies) -> tuple[bool, str]:
    ranks = ranks_of(sources, policies)
    escaped = [separator.replace("%", "%%") for separator in separators_of(sources, policies)]
    row = (ranks == sorted(ranks), "".join([text + "%s" for text in ["", *escaped][: len(sources)]]))
    if len(policies.rows) >= _MOST:
        policies.rows.clear()
    policies.rows[sources] = row
    return row
