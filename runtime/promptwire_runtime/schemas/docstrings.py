"""What a docstring says of a function and of its parameters: in the styles of Google, NumPy and reStructuredText."""

from __future__ import annotations

import re
from typing import NamedTuple

_SECTION = re.compile(
    r"(args|arguments|parameters|params|returns?|yields?|raises|examples?|notes?|attributes):?\s*",
    re.IGNORECASE,
)
_PARAMETERS = ("args", "arguments", "parameters", "params")
_GOOGLE = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
_NUMPY = re.compile(r"\*{0,2}(\w+)\s*(?::.*)?")
_FIELD = re.compile(r":(\w+)(?:\s+([^:]*))?:\s*(.*)")


class Described(NamedTuple):
    """What a function does, without the sections of its docstring, and what each parameter is."""

    text: str
    parameters: dict[str, str]


def described(docstring: str) -> Described:
    """Read a docstring whose indent is taken away."""
    text: list[str] = []
    parameters: dict[str, str] = {}
    lines = docstring.splitlines()
    place = 0
    while place < len(lines):
        line = lines[place]
        field = _FIELD.fullmatch(line)
        if field is not None:
            words = (field[2] or "").split()
            if field[1] in ("param", "parameter", "arg") and words:
                place = _row(lines, place + 1, words[-1], field[3], parameters)
                continue
            place = _skip(lines, place + 1)
        elif _is_head(lines, place):
            place = _section(lines, place, parameters)
        else:
            text.append(line)
            place += 1
    return Described("\n".join(text).strip(), parameters)


def _is_head(lines: list[str], place: int) -> bool:
    """Tell whether a section begins: with a colon in Google's style, underlined in NumPy's."""
    line = lines[place]
    return _SECTION.fullmatch(line) is not None and (line.rstrip().endswith(":") or _underlined(lines, place))


def _underlined(lines: list[str], place: int) -> bool:
    return place + 1 < len(lines) and re.fullmatch(r"-{3,}\s*", lines[place + 1]) is not None


def _section(lines: list[str], place: int, parameters: dict[str, str]) -> int:
    """Read one section; give where the next begins."""
    wanted = lines[place].strip().rstrip(":").lower() in _PARAMETERS
    numpy = _underlined(lines, place)
    place += 2 if numpy else 1
    indent = None
    while place < len(lines):
        line = lines[place]
        depth = len(line) - len(line.lstrip())
        if line.strip() and ((numpy and _is_head(lines, place)) or (not numpy and depth == 0)):
            return place
        indent = depth if indent is None and line.strip() else indent
        row = (_NUMPY if numpy else _GOOGLE).fullmatch(line.strip()) if depth == indent else None
        if row is not None and line.strip() and wanted:
            place = _row(lines, place + 1, row[1], "" if numpy else row[2], parameters)
        else:
            place += 1
    return place


def _row(lines: list[str], place: int, name: str, text: str, parameters: dict[str, str]) -> int:
    """Take what is said of one parameter, with the deeper lines behind it; give the place of the next line."""
    depth = len(lines[place - 1]) - len(lines[place - 1].lstrip())
    pieces = [text]
    while place < len(lines) and (not lines[place].strip() or _depth(lines[place]) > depth):
        pieces.append(lines[place].strip())
        place += 1
    parameters[name] = " ".join(filter(None, pieces))
    return place


def _skip(lines: list[str], place: int) -> int:
    while place < len(lines) and lines[place].strip() and _depth(lines[place]) > 0:
        place += 1
    return place


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
