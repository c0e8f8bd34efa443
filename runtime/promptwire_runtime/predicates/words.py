"""Tests of text that builders and generated modules make; `promptwire_text` says what they mean."""

from __future__ import annotations

from promptwire_text.conditions import NO_WORDS, Words, is_unlike
from promptwire_text.model_names import ModelNames


class Beginnings(dict[str | None, str]):
    """Media types, each with the beginning of the base64 of its files; no data begin as those of other types."""

    __slots__ = ()

    def __missing__(self, media_type: str | None) -> str:
        """Return a text that base64 does not hold."""
        return "?"


BEGINNINGS = Beginnings({
    "image/png": "iVBORw0KGg",
    "image/jpeg": "/9j/",
    "image/gif": "R0lGOD",
    "image/webp": "UklGR",
    "application/pdf": "JVBERi0",
})  # fmt: skip


__all__ = ["NO_WORDS", "ModelNames", "Words", "is_unlike"]
