"""Jinja, set up so that a typo fails: StrictUndefined, and one filter for every literal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .header import commented, header
from .python import literal_text


def environment(folders: Sequence[Path]) -> Environment:
    """Make the environment for these template folders; the first that has a template wins."""
    jinja = Environment(
        loader=FileSystemLoader([str(folder) for folder in folders]),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  # Python and Markdown, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    jinja.filters["literal"] = literal_text
    jinja.filters["docstring"] = _docstring
    jinja.filters["block"] = _block
    jinja.filters["commented"] = commented
    # its stub names the types of the built-in ones only
    cast("dict[str, Any]", jinja.globals)["header"] = header
    return jinja


def _docstring(text: str) -> str:
    """Write text as a docstring that no text can leave."""
    safe = text.replace("\\", "\\\\").replace("\x00", "")
    # a quote at the end would join the closing ones
    quote = '"' if safe.endswith('"') else '"""'
    return f'"""{safe.replace(quote, quote.replace(chr(34), chr(92) + chr(34)))}"""'


def _block(text: str, depth: int = 1) -> str:
    """Indent a block of statements, each ended by a newline; no statements stay none."""
    return "".join([f"{'    ' * depth}{line}\n" for line in text.splitlines() if line])
