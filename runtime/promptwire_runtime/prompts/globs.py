"""Path patterns: `*`, `?`, `[abc]`, `{a,b}` inside a name, `**` across folders.

Pattern and path are normalised first: a backslash is a slash, `./` and doubled slashes are removed. Matching is
case-sensitive. A name that begins with a dot is matched only by a pattern with that dot, and `**` does not enter such
a folder. There is no escape character; a character in brackets (`[*]`) is literal.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise

from ..errors import InvalidRequest
from ..nodes.coercion import as_names
from ..nodes.type_errors import check_class

_MOST_ALTERNATIVES = 1000
_MOST_CHARACTERS = 4096


def normalise(path: str) -> str:
    """Return a path with forward slashes and without empty or `.` segments; a leading slash is kept."""
    check_class(path, str, "a path")
    slashed = path.replace("\\", "/")
    names = [name for name in slashed.split("/") if name not in ("", ".")]
    return ("/" if slashed.startswith("/") else "") + "/".join(names)


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Return whether any pattern matches a path.

    Raises:
        InvalidRequest: a pattern is empty, negated, too long, or has too many alternatives.
    """
    names = normalise(path).split("/")
    return any(
        _match(names, alternative)
        for pattern in as_names(patterns, "patterns")
        for alternative in expanded(pattern)
    )


@lru_cache(maxsize=256)
def expanded(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Return the alternatives of a pattern, each as the names of its path; raises as `matches` does."""
    subject = f'the pattern "{pattern[:60]}"'
    if not pattern.strip():
        raise InvalidRequest(f"{subject} is empty")
    if pattern.startswith("!"):
        raise InvalidRequest(f"{subject} is negated: write only what is meant")
    if len(pattern) > _MOST_CHARACTERS:
        raise InvalidRequest(f"{subject} is longer than {_MOST_CHARACTERS} characters")
    waiting, done = [pattern], list[str]()
    while waiting:
        text = waiting.pop()
        braces = _braces(text)
        if braces is None:
            done.append(text)
        else:
            start, end, inside = braces
            waiting += [text[:start] + alternative + text[end:] for alternative in inside]
        if len(waiting) + len(done) > _MOST_ALTERNATIVES:
            raise InvalidRequest(f"{subject} has more than {_MOST_ALTERNATIVES} alternatives")
    return tuple([tuple(normalise(alternative).replace("[^", "[!").split("/")) for alternative in done])


def _braces(text: str) -> tuple[int, int, list[str]] | None:
    """Find the first `{a,b}`: where it starts and ends, and its alternatives. Braces without a comma are text."""
    opened: list[tuple[int, list[int]]] = []
    best: tuple[int, int, list[str]] | None = None
    for index, sign in enumerate(text):
        if sign == "{":
            opened.append((index, []))
        elif sign == "," and opened:
            opened[-1][1].append(index)
        elif sign == "}" and opened:
            start, commas = opened.pop()
            if commas and (best is None or start < best[0]):
                edges = [start, *commas, index]
                pieces = [text[left + 1 : right] for left, right in pairwise(edges)]
                best = (start, index + 1, pieces)
    return best


def _match(names: list[str], pattern: tuple[str, ...]) -> bool:
    """Match name by name; `reached` are the numbers of names that the pattern so far may have taken."""
    reached = {0}
    for piece in pattern:
        if piece == "**":
            reached = _onward(names, reached)
        else:
            reached = {at + 1 for at in reached if at < len(names) and _match_name(names[at], piece)}
        if not reached:
            return False
    return len(names) in reached


def _onward(names: list[str], reached: set[int]) -> set[int]:
    """Go on from every place over any folders that are not hidden."""
    positions: set[int] = set()
    going = False
    for at in range(len(names) + 1):
        if at in reached or going:
            positions.add(at)
            going = at < len(names) and not names[at].startswith(".")
    return positions


def _match_name(name: str, piece: str) -> bool:
    return (not name.startswith(".") or piece.startswith(".")) and fnmatchcase(name, piece)
