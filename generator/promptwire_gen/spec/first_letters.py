"""Compute a superset of the letters with which a match of a regular expression can begin."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_ASCII = frozenset(map(chr, range(128)))
# all letters beyond ASCII, in three classes
_WORD, _SPACE, _REST = "other letters", "other spaces", "other signs"
_BEYOND = frozenset({_WORD, _SPACE, _REST})
_ANY = _ASCII | _BEYOND
_CLASSES = {
    "WORD": frozenset(letter for letter in _ASCII if letter.isalnum() or letter == "_") | {_WORD},
    "DIGIT": frozenset("0123456789") | {_WORD},
    "SPACE": frozenset(letter for letter in _ASCII if letter.isspace()) | {_SPACE},
}
# for each class, the non-ASCII letters that it contains completely; its complement has none of them
_WHOLE = {"WORD": {_WORD}, "DIGIT": set[str](), "SPACE": {_SPACE}}
_KNOWN_FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE | re.UNICODE


def first_letters(pieces: Iterable[Any], flags: int) -> frozenset[str] | None:
    """Return the letters with which a sequence of pieces can begin; None if that is unknown."""
    known = not flags & ~_KNOWN_FLAGS
    first = next(((str(kind), value) for kind, value in pieces if str(kind) != "AT"), None)
    return _of_piece(*first, flags) if known and first is not None else None


def _of_piece(kind: str, value: Any, flags: int) -> frozenset[str] | None:
    match kind:
        case "SUBPATTERN":
            return first_letters(value[3], with_flags(flags, value[1], value[2]))
        case "ATOMIC_GROUP":
            return first_letters(value, flags)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT" if value[0] > 0:
            return first_letters(value[2], flags)
        case "BRANCH":
            return _of_branches(value[1], flags)
        case _:
            return _of_one_letter(kind, value, flags)


def _of_one_letter(kind: str, value: Any, flags: int) -> frozenset[str] | None:
    match kind:
        case "ANY":
            return _ANY
        case "LITERAL":
            return _cased(_of_letter(value), flags)
        case "NOT_LITERAL":
            return _ANY if flags & re.IGNORECASE or value > 127 else _ANY - {chr(value)}
        case "IN":
            return _of_class(value, flags)
        case _:
            return None


def with_flags(flags: int, added: int, removed: int) -> int:
    """Return the flags inside a group."""
    return flags & ~removed | added


def _of_branches(branches: Iterable[Any], flags: int) -> frozenset[str] | None:
    letters = [first_letters(branch, flags) for branch in branches]
    return None if None in letters else frozenset[str]().union(*[some for some in letters if some])


def _of_letter(code: int) -> frozenset[str]:
    if code < 128:
        return frozenset({chr(code)})
    letter = chr(code)
    return frozenset({_WORD if letter.isalnum() else _SPACE if letter.isspace() else _REST})


def _of_class(members: Iterable[Any], flags: int) -> frozenset[str]:
    letters: set[str] = set()
    # the letters that certainly match, and are therefore missing from the complement
    surely: set[str] = set()
    negated = False
    for kind, value in members:
        match str(kind):
            case "NEGATE":
                negated = True
            case "LITERAL":
                letters |= _of_letter(value)
                surely |= _of_letter(value) & _ASCII
            case "RANGE":
                ascii_letters = frozenset(map(chr, range(value[0], min(value[1], 127) + 1)))
                letters |= ascii_letters | (_BEYOND if value[1] > 127 else frozenset())
                surely |= ascii_letters
            case _:
                name = str(value).removeprefix("CATEGORY_")
                of_category, whole = _of_category(name)
                letters |= of_category
                surely |= of_category & (_ASCII | whole)
    if negated:
        return _ANY - (frozenset[str]() if flags & re.IGNORECASE else surely)
    return _cased(frozenset(letters), flags)


def _of_category(name: str) -> tuple[frozenset[str], frozenset[str]]:
    r"""Return the ASCII letters of a category such as `\\w`, and the non-ASCII classes that it contains completely."""
    positive = name.removeprefix("NOT_")
    if positive not in _CLASSES:
        return _ANY, frozenset()
    if positive == name:
        return _CLASSES[name], frozenset(_WHOLE[name])
    gone = (_CLASSES[positive] & _ASCII) | _WHOLE[positive]
    return _ANY - gone, frozenset(_BEYOND - _CLASSES[positive])


def _cased(letters: frozenset[str], flags: int) -> frozenset[str]:
    """Return the letters in both cases if the expression ignores case."""
    if not flags & re.IGNORECASE:
        return letters
    both = {letter.swapcase() for letter in letters & _ASCII} | letters
    # a few non-ASCII letters have an ASCII letter as their other case
    return frozenset(both | (_BEYOND if any(letter.isalpha() for letter in both) else set[str]()))
