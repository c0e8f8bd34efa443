r"""The regular expressions that specs may have: their grammar, their cost and their letters.

    pattern  = ["(?i)" | "(?s)" | "(?is)"] choice
    choice   = sequence *("|" sequence)
    sequence = *(atom [repeat ["?" | "+"]])
    atom     = letter | "." | class | "\w" and its like | "^" | "$" | group
    group    = ("(" | "(?:" | "(?>" | "(?=" | "(?!") choice ")"
    repeat   = "*" | "+" | "?" | "{m}" | "{m,}" | "{,n}" | "{m,n}"

Python's `re` backtracks. `work` is an upper bound for the steps on the worst text of 20,000 letters: a pattern that
repeats something which can match the same text in two ways has no bound, and repeats in sequence multiply. The accepted
patterns take time proportional to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Literal, NamedTuple, TypeAlias

_LONGEST = 20_000
_LONGEST_PATTERN = 1_000
_MOST_WORK = 50 * _LONGEST
_ASCII = frozenset(map(chr, range(128)))
# all letters beyond ASCII, in three classes
_WORD, _SPACE, _REST = "other letters", "other spaces", "other signs"
_BEYOND = frozenset({_WORD, _SPACE, _REST})
ALL = _ASCII | _BEYOND
IDENTIFIER = frozenset(letter for letter in _ASCII if letter.isalnum() or letter == "_")
_DIGITS = frozenset("0123456789")
_SPACES = frozenset(letter for letter in _ASCII if letter.isspace())
# the letters that a class may match; of `\d` and `\D`, both match some letters beyond ASCII
_CLASSES: dict[str, frozenset[str]] = {
    "w": IDENTIFIER | {_WORD},
    "W": ALL - IDENTIFIER - {_WORD},
    "d": _DIGITS | {_WORD},
    "D": ALL - _DIGITS,
    "s": _SPACES | {_SPACE},
    "S": ALL - _SPACES - {_SPACE},
}
_CONTROLS = dict(zip("ntrfva", "\n\t\r\f\v\a", strict=True))
_FLAGS = re.compile(r"\(\?[is]+\)")
_ATOM = re.compile(
    r"(?P<group>\((?:\?[:=!>]|(?!\?)))|\[(?P<negated>\^?)(?P<members>\]?(?:\\.|[^]\\])*)\]"
    r"|(?P<anchor>[\^$])|(?P<letter>\\.|[^()\[\\])",
    re.DOTALL,
)
_MEMBER = re.compile(r"(\\.|.)(?:-(\\.|.))?", re.DOTALL)
_REPEAT = re.compile(
    r"(?:(?P<sign>[*+?])|\{(?=,?\d)(?P<least>\d*)(?:(?P<comma>,)(?P<most>\d*))?\})(?P<mode>[?+])?"
)
_BOUNDS = {"*": (0, _LONGEST), "+": (1, _LONGEST), "?": (0, 1)}


@dataclass(frozen=True, slots=True)
class PatternPiece:
    """A piece of a pattern: one letter of some, an anchor, a group, a lookahead, or a repeat of another piece.

    Attributes:
        letters: Of one letter: a superset of those that match.
        inside: The alternatives inside, each a sequence.
        least: Of a repeat: the fewest rounds; `most`: the most.
        gives_back: Whether `re` tries other ways of a match inside when what follows fails.
    """

    kind: Literal["letter", "anchor", "group", "ahead", "repeat"]
    letters: frozenset[str] = frozenset()
    inside: Choice = ()
    least: int = 1
    most: int = 1
    gives_back: bool = True


Sequence: TypeAlias = tuple[PatternPiece, ...]
Choice: TypeAlias = tuple[Sequence, ...]


class _Unknown(Exception):
    """Raised for a pattern outside the grammar; the message names the piece."""


class _Endless(Exception):
    """Raised for a piece without a known bound; the message gives the reason."""


def find_pattern_trouble(pattern: str) -> str | None:
    """Return the problem of a regular expression of a spec, as a predicate; None if it is accepted."""
    if len(pattern) > _LONGEST_PATTERN:
        return f"must be a regular expression of at most {_LONGEST_PATTERN:,} letters"
    try:
        re.compile(pattern, re.DOTALL)
        _cost_choice(tuple(map(_drop_final_rest, _parse(pattern))))
    except (re.error, OverflowError, RecursionError) as error:
        return f"must be a regular expression: {error}"
    except _Unknown as error:
        return f"must be made of letters, classes, ., ^, $, |, repeats, groups and lookaheads: {error}"
    except _Endless as error:
        return f"takes too long for some texts: {error}; a repeat like [a-z]++ never gives back what it took"
    return None


class LetterRun(NamedTuple):
    """A pattern that matches one letter of `first`, if any, and from `least` to `most` letters of some."""

    first: frozenset[str] | None
    letters: frozenset[str]
    least: int
    most: int

    @property
    def longest(self) -> int | None:
        """The most letters of a text that it matches; None for any number."""
        return None if self.most == _LONGEST else self.most

    @property
    def takes_all(self) -> bool:
        """Return whether it matches any letters."""
        return self.letters == ALL


def find_letter_run(pattern: str) -> LetterRun | None:
    """Return a pattern as a run of letters; None if it is more, or ignores case."""
    sequence, *others = _parse(pattern)
    pieces = [piece for piece in sequence if piece.kind != "anchor"]
    letters = [_find_letters(piece.inside) if piece.kind == "repeat" else piece.letters for piece in pieces]
    is_run = [piece.kind for piece in pieces] in (["repeat"], ["letter", "repeat"]) and all(letters)
    if not is_run or others or pattern.startswith("(?"):
        return None
    return LetterRun(
        letters[0] if len(pieces) > 1 else None, letters[-1] or ALL, pieces[-1].least, pieces[-1].most
    )


# ---- parsing --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _parse(pattern: str) -> Choice:
    """Parse a pattern that `re` accepts. Raises _Unknown if it is outside the grammar."""
    flags = _FLAGS.match(pattern)
    return (
        _parse_choice(pattern, flags.end(), "i" in flags[0])[0]
        if flags
        else _parse_choice(pattern, 0, False)[0]
    )


def _parse_choice(pattern: str, at: int, ignores_case: bool) -> tuple[Choice, int]:
    """Parse alternatives up to the end of the pattern or of the group; return where that is, too."""
    branches: list[list[PatternPiece]] = [[]]
    while at < len(pattern) and pattern[at] != ")":
        if pattern[at] == "|":
            branches.append([])
            at += 1
            continue
        found = _ATOM.match(pattern, at)
        if found is None:
            raise _Unknown("it has a group that is not (...), (?:...), (?>...), (?=...) or (?!...)")
        at, opening = found.end(), found["group"]
        if opening:
            inside, at = _parse_choice(pattern, at, ignores_case)
            at += 1
            piece = PatternPiece(
                "ahead" if opening[-1] in "=!" else "group",
                frozenset(),
                inside,
                gives_back=opening[-1] != ">",
            )
        else:
            piece = (
                PatternPiece("anchor")
                if found["anchor"]
                else PatternPiece("letter", _find_atom_letters(found, ignores_case))
            )
        repeat = _REPEAT.match(pattern, at)
        at = repeat.end() if repeat else at
        branches[-1].append(_repeat(piece, repeat) if repeat else piece)
    return tuple(map(tuple, branches)), at


def _repeat(piece: PatternPiece, repeat: re.Match[str]) -> PatternPiece:
    least = int(repeat["least"] or 0)
    most = int(repeat["most"] or _LONGEST) if repeat["comma"] else least
    least, most = _BOUNDS.get(repeat["sign"]) or (min(least, _LONGEST), min(most, _LONGEST))
    return PatternPiece("repeat", frozenset(), ((piece,),), least, most, repeat["mode"] != "+")


def _find_atom_letters(atom: re.Match[str], ignores_case: bool) -> frozenset[str]:
    """Return the letters that may match an atom."""
    if atom["letter"] == ".":
        return ALL
    members = _MEMBER.finditer(atom["members"] or atom["letter"])
    letters = frozenset[str]().union(*[_find_member_letters(member[1], member[2]) for member in members])
    if atom["negated"]:
        # the others of a class beyond ASCII, and of both cases, may match as well
        return ALL if ignores_case else ALL - (letters & _ASCII)
    if ignores_case:
        letters |= {letter.swapcase() for letter in letters & _ASCII}
        # a few letters beyond ASCII have an ASCII letter as their other case
        letters |= _BEYOND if any(letter.isalpha() for letter in letters) else frozenset()
    return letters


def _find_member_letters(first: str, last: str | None) -> frozenset[str]:
    r"""Return the letters of `a`, of `\w`, or of `a-z`."""
    if first[-1] in _CLASSES and len(first) > 1:
        return _CLASSES[first[-1]]
    begin, end = (ord(_unescape(text)) for text in (first, last or first))
    if begin == end > 127:
        return frozenset({_WORD if chr(end).isalnum() else _SPACE if chr(end).isspace() else _REST})
    return frozenset(map(chr, range(begin, min(end, 127) + 1))) | (_BEYOND if end > 127 else frozenset[str]())


def _unescape(text: str) -> str:
    if len(text) == 1 or not text[1].isalnum():
        return text[-1]
    if text[1] not in _CONTROLS:
        raise _Unknown(f"nothing is known of {text}")
    return _CONTROLS[text[1]]


# ---- costs ----------------------------------------------------------------------------------------------------------


class _Cost(NamedTuple):
    """The cost of a piece at one position of the text.

    Attributes:
        ways: The number of ways in which it can match there.
        work: The number of steps for all of them.
        runs: The steps that depend on the length of the text, shared by the rounds of a repeat around it.
        nullable: Whether it can match the empty text.
    """

    ways: int
    work: int
    runs: int = 0
    nullable: bool = False

    def check_bound(self) -> _Cost:
        """Return the cost. Raises _Endless if it is too high."""
        if max(self.ways, self.work + self.runs * _LONGEST) > _MOST_WORK:
            raise _Endless("what it repeats in sequence may begin at too many places")
        return self

    def add(self, other: _Cost) -> _Cost:
        """Return the cost of this piece followed by another."""
        work, runs = self.work + self.ways * other.work, self.runs + self.ways * other.runs
        return _Cost(self.ways * other.ways, work, runs, self.nullable and other.nullable).check_bound()


def _drop_final_rest(sequence: Sequence) -> Sequence:
    """Drop a final `.*`, which matches the remaining text in one step."""
    last = sequence[-1] if sequence else None
    is_rest = (
        last is not None and (last.least, last.most) == (0, _LONGEST) and _find_letters(last.inside) == ALL
    )
    return sequence[:-1] if is_rest else sequence


def _cost_choice(branches: Choice) -> _Cost:
    costs = [_cost_sequence(branch) for branch in branches]
    if len(costs) == 1:
        return costs[0]
    nullable, ways = any(cost.nullable for cost in costs), [cost.ways for cost in costs]
    together = max(ways) if not nullable and _are_apart(map(_find_first_letters, branches)) else sum(ways)
    work, runs = sum(cost.work for cost in costs), sum(cost.runs for cost in costs)
    return _Cost(together, work, runs, nullable).check_bound()


def _cost_sequence(sequence: Sequence) -> _Cost:
    costs = list(map(_cost_piece, sequence))
    for index, cost in enumerate(costs):
        piece, behind = sequence[index], sequence[index + 1 :]
        own = _find_letters(piece.inside) if piece.kind == "repeat" else None
        if cost.ways > 1 and own and behind and _are_apart([own, _find_first_letters(behind)]):
            # if it stops too early, the next letter shows that within a few steps
            costs[index] = cost._replace(ways=1, work=cost.work + 2 * cost.ways)
    return reduce(_Cost.add, costs, _Cost(1, 0, nullable=True))


def _cost_piece(piece: PatternPiece) -> _Cost:
    match piece.kind:
        case "letter" | "anchor":
            return _Cost(1, 1, nullable=piece.kind == "anchor")
        case "ahead":
            inside = _cost_choice(piece.inside)
            return _Cost(1, inside.work + inside.runs * _LONGEST, nullable=True)
        case "group":
            inside = _cost_choice(piece.inside)
            return inside if piece.gives_back else inside._replace(ways=1)
        case "repeat":
            return _cost_repeat(piece, _cost_choice(piece.inside))


def _cost_repeat(piece: PatternPiece, inside: _Cost) -> _Cost:
    least, most = piece.least, piece.most
    if most < 2:
        ways = inside.ways + most - least if piece.gives_back else 1
        return inside._replace(ways=ways, nullable=inside.nullable or least == 0)
    if inside.nullable:
        raise _Endless("it repeats what may be nothing")
    if inside.ways > 1:
        raise _Endless("it repeats what may match the same text in two ways")
    if not piece.gives_back and most == _LONGEST and _find_letters(piece.inside):
        return _Cost(1, 1, 1, least == 0)
    ways = most - least + 1 if piece.gives_back else 1
    return _Cost(ways, most * (inside.work + 1), inside.runs, least == 0).check_bound()


def _find_letters(branches: Choice) -> frozenset[str] | None:
    """Return the letters of a choice that is one letter."""
    is_one = [len(branch) for branch in branches] == [1] and branches[0][0].kind == "letter"
    return branches[0][0].letters if is_one else None


def _find_first_letters(sequence: Sequence) -> frozenset[str] | None:
    """Return a superset of the letters with which a sequence can begin; None if that is unknown."""
    first = next((piece for piece in sequence if piece.kind != "anchor"), None)
    if first is None or first.kind == "ahead" or first.least == 0:
        return None
    if first.kind == "letter":
        return first.letters
    known = list(map(_find_first_letters, first.inside))
    return None if None in known else frozenset[str]().union(*[letters for letters in known if letters])


def _are_apart(letters: Iterable[frozenset[str] | None]) -> bool:
    """Return whether no letter is in two of these sets, all of which are known."""
    every = list(letters)
    known = [some for some in every if some is not None]
    return len(known) == len(every) and len(frozenset[str]().union(*known)) == sum(map(len, known))
