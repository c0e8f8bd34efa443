"""A parent's table after the patch that the compiler writes is the dialect's own table."""

from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st

from tests.internals.compiler import REMOVED as WRITTEN_REMOVED, keeps_order, merge_patch
from tests.internals.runtime import REMOVED, patched
from tests.laws.strategies import searching

WORDS = st.sampled_from(("a", "b", "c", "d"))
# values of JSON, null and empty ones among them, and lists, which are replaced whole
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(0, 2), WORDS, st.lists(st.integers(0, 1), max_size=2)
)
TABLES = st.fixed_dictionaries({
    "word": WORDS,
    "value": VALUES,
    "rows": st.dictionaries(WORDS, VALUES, max_size=4),
    "others": st.dictionaries(WORDS, VALUES, max_size=2),
})  # fmt: skip


def loaded(value: Any) -> Any:
    """Return a value of a patch as generated code has it."""
    if isinstance(value, dict):
        return {key: loaded(row) for key, row in value.items()}
    return REMOVED if value is WRITTEN_REMOVED else value


@searching(300)
@given(own=TABLES, parent=TABLES)
def test_a_patch_makes_the_own_table_of_the_parents(own: dict[str, Any], parent: dict[str, Any]) -> None:
    patch = merge_patch(own, parent)
    made = parent | {field: patched(parent[field], loaded(value)) for field, value in patch.items()}
    assert made == own
    # what is the same is not said again
    assert not any(own[field] == parent[field] for field in patch)
    for field in ("rows", "others"):
        assert ([*made[field]] == [*own[field]]) is keeps_order(own[field], parent[field])
