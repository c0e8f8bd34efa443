"""A digest of instructions or tools: loaded where a request continues what a server holds."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .records import fields, is_node

HELD = ("instructions", "tools")
"""The fields of the previous request that a continuation remembers, besides its messages."""


def digest_of(value: Any) -> str | None:
    """Return the SHA-256 of nodes and their JSON, independent of key order; None if they are not JSON."""
    try:
        text = json.dumps(value, sort_keys=True, default=_fields, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()
    except (TypeError, ValueError, RecursionError):
        return None


def _fields(node: object) -> dict[str, Any]:
    """Return a node's class and its set fields, without form memory."""
    if not is_node(node):
        raise TypeError(type(node).__name__)
    rows = {
        field.name: getattr(node, field.name)
        for field in fields(node)
        if field.compare and field.name != "kept"
    }
    return {"": type(node).__name__} | {name: value for name, value in rows.items() if value is not None}
