"""Consecutive messages of one wire role become one, for APIs that ask for turns (parallel tool results ...)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..request import Message

if TYPE_CHECKING:
    from ..built import Built


def may_merge(previous: Message | None, message: Message, built: Built[Any]) -> bool:
    """Tell whether two neighbours are merged: not when both were read from this very wire."""
    if previous is None:
        return False
    wire = built.wire.name
    both = (previous.provenance, message.provenance)
    return not all(origin is not None and origin.wire == wire for origin in both)


def join_last(out: list[Any], joined: list[Any] | None, text: str) -> list[Any] | None:
    """Move the content of the last item into the one before it, when both hold nothing but role and content.

    `joined` is the list that the last call made: only a list of our own is extended in place.
    `text` is the `type` of a text block.
    """
    item = out.pop()
    before: Any = out[-1] if out else None
    if not _is_turn(item) or not _is_turn(before) or item["role"] != before["role"]:
        out.append(item)
        return None
    if joined is None or before["content"] is not joined:
        joined = _blocks(before["content"], text)
        out[-1] = {"role": before["role"], "content": joined}
    content: list[Any] | str = item["content"]
    joined.extend(content if type(content) is list else _blocks(content, text))
    return joined


def _is_turn(item: dict[str, Any] | list[Any] | str | float | None) -> bool:
    """Tell whether an item holds nothing but role and content."""
    return type(item) is dict and len(item) == 2 and "role" in item and "content" in item


def _blocks(content: Any, text: str) -> list[Any]:
    if isinstance(content, str):
        return [{"type": text, "text": content}] if content else []
    return list(content)
