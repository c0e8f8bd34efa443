"""Consecutive messages of one wire role become one, for APIs that ask for turns (parallel tool results ...)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..request import Message

if TYPE_CHECKING:
    from ..built import Built


def may_merge(previous: Message | None, message: Message, built: Built[Any]) -> bool:
    """Tell whether two neighbours are merged: not when both were read from this very wire."""
    if previous is None or built.policies.neighbours != "merge":
        return False
    wire = built.wire.name
    both = (previous.provenance, message.provenance)
    return not all(origin is not None and origin.wire == wire for origin in both)


def merge_neighbours(out: list[Any], repeats: list[int], built: Built[Any]) -> None:
    """Merge each item at `repeats` into the one before it, in place of the list `out` that the build owns."""
    joining = set(repeats)
    merged: list[Any] = []
    for index, item in enumerate(out):
        if index in joining and merged and set(item) == {"role", "content"} and set(merged[-1]) == {"role", "content"}:
            first = merged[-1]
            merged[-1] = {"role": item["role"], "content": [*_blocks(first["content"]), *_blocks(item["content"])]}
        else:
            merged.append(item)
    built.note("merged", built.request, "messages", f"{len(out) - len(merged)} into their neighbours of the same role")
    out[:] = merged


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content)
