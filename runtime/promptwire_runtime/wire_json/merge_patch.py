"""Merge patches of the tables of generated modules: the table of a dialect is its parent's with changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeGuard

REMOVED: Final[Any] = object()
"""In place of a row: the parent's row of this key is removed."""


def patched(value: Any, patch: Any) -> Any:
    """Return a field of a table after a merge patch: rows of a mapping are merged, any other value is replaced."""
    if not _has_rows(value) or not _has_rows(patch):
        return patch
    rows = {**value, **{key: patched(value.get(key), row) for key, row in patch.items()}}
    return {key: row for key, row in rows.items() if row is not REMOVED}


def _has_rows(value: object) -> TypeGuard[Mapping[Any, Any]]:
    return isinstance(value, Mapping)
