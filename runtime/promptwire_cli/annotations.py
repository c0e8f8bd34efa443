"""Output formats, and findings as GitHub annotations."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """Output format: text goes to stderr, the others to stdout."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


def as_annotation(path: str, line: int, title: str, message: str) -> str:
    """Format one finding as a workflow command, which GitHub shows beside the line."""
    text = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::error file={property_text(path)},line={line},title={property_text(title)}::{text}"


def property_text(text: str) -> str:
    """Escape the characters that end a property of a workflow command."""
    for mark in "%:,\r\n":
        text = text.replace(mark, f"%{ord(mark):02X}")
    return text
