"""Texts of others in logs, headers and terminals: their control characters are shown, not obeyed."""

from __future__ import annotations

import re

# line breaks of Unicode too, at which some programs split lines
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_IN_A_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def one_line(text: str) -> str:
    """Return a text with its control characters escaped, so that it stays on one line of a log or a header."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def printable(text: str) -> str:
    """Return a text with the control characters that a terminal would obey escaped as in JSON; line breaks stay."""
    return _IN_A_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
