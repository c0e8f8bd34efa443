"""JSON values as Python literals: the only way in which text of a spec reaches code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast


def literal_text(value: Any) -> str:
    """Write any JSON value as a literal; nothing in it can become code."""
    match value:
        case str():
            return quoted(value)
        case None | True | False:
            return str(value)
        case int() | float():
            return repr(value)
        case dict():
            entries = cast("dict[str, Any]", value).items()
            return (
                f"{{{', '.join([f'{quoted(str(key))}: {literal_text(below)}' for key, below in entries])}}}"
            )
        case list() | tuple():
            return f"[{', '.join([literal_text(below) for below in cast('Sequence[Any]', value)])}]"
        case _:
            raise TypeError(f"{type(value).__name__} is no JSON value")


def quoted(text: str) -> str:
    """Write text as a Python string literal in double quotes where that needs no escaping."""
    written = repr(text)
    if written[0] == "'" and '"' not in text and "\\'" not in written:
        return f'"{written[1:-1]}"'
    return written
