"""Syntax check of Python text with libcst."""

from __future__ import annotations

import ast
import reprlib
from typing import NamedTuple


class SyntaxFault(NamedTuple):
    """A syntax error: line and column count from 1, `shown` is the line cut short."""

    line: int
    column: int
    message: str
    shown: str


def syntax_fault(text: str) -> SyntaxFault | None:
    """Find the first thing in a module that is no Python; None where all of it is."""
    import libcst  # loaded for what others hand in, and for what is broken

    try:
        libcst.parse_module(text)
    except libcst.ParserSyntaxError as error:
        return _placed(text) or SyntaxFault(error.editor_line, error.editor_column, error.message, "")
    return None


def _placed(text: str) -> SyntaxFault | None:
    """Return Python's own error, because libcst names the token where it stopped, which may be lines below."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        return SyntaxFault(line, column, error.msg, reprlib.repr((error.text or "").strip()))
    return None
