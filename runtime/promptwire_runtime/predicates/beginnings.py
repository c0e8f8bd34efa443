"""How files begin, for quick tests that builders make before they ask the rules."""

from __future__ import annotations


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
