"""The merge patch that makes a parent's table a dialect's: RFC 7386, in the fields of a table and in their rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeGuard

from .literals import CodeName

# field -> value, or the rows of a mapping
Table: TypeAlias = Mapping[Any, Any]
REMOVED = CodeName("REMOVED")


def merge_patch(
    own: Table, parent: Table, is_same: Callable[[Any, Any], bool] = lambda own, parent: bool(own == parent)
) -> dict[Any, Any]:
    """Return the fields that differ from the parent's; of a mapping, the rows that differ, and `REMOVED` rows.

    Args:
        own: the table of a dialect.
        parent: the table of the same class that the dialect inherits.
        is_same: whether a value of the parent's may stand for an own one.
    """
    patch: dict[Any, Any] = {}
    for key, value in own.items():
        above = parent.get(key)
        if _has_rows(value) and _has_rows(above):
            rows = merge_patch(value, above, is_same)
            patch |= {key: rows} if rows else {}
        elif key not in parent or not is_same(value, above):
            patch[key] = value
    return patch | {key: REMOVED for key in parent if key not in own}


def keeps_order(own: object, parent: object) -> bool:
    """Return whether a patch, which adds rows behind the parent's, gives the rows of a field in their order."""
    if not _has_rows(own) or not _has_rows(parent):
        return True
    return [*own] == [key for key in {**parent, **own} if key in own]


def _has_rows(value: object) -> TypeGuard[Table]:
    return isinstance(value, Mapping)
