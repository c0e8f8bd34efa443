"""Reject regular expressions of specs that take too long for some text.

Python's `re` backtracks. `work` is an upper bound for the steps on the worst text of 20,000 letters: a pattern that
repeats something which can match the same text in two ways has no bound, and repeats in sequence multiply. The accepted
patterns take time proportional to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
from typing import Any, NamedTuple

from .first_letters import first_letters, with_flags

# the parser of `re` has no public name
_PARSER: Any = vars(re)["_parser"]
_LONGEST = 20_000
_LONGEST_PATTERN = 1_000
_MOST_WORK = 50 * _LONGEST
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_ONE_LETTER = ("LITERAL", "NOT_LITERAL", "ANY", "IN")


class _Cost(NamedTuple):
    """The cost of a piece of an expression at one position of the text.

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

    @property
    def whole(self) -> int:
        """All steps."""
        return self.work + self.runs * _LONGEST


class _Endless(Exception):
    """Raised for a piece without a known bound; the message gives the reason."""


def trouble_of(pattern: str) -> str | None:
    """Return what is wrong with a regular expression of a spec, as a predicate; None if it is accepted."""
    if len(pattern) > _LONGEST_PATTERN:
        return f"must be a regular expression of at most {_LONGEST_PATTERN:,} letters"
    try:
        re.compile(pattern, re.DOTALL)
        tree = _PARSER.parse(pattern, re.DOTALL)
        _of_all([*_without_end(list(tree), tree.state.flags)], tree.state.flags)
    except (re.error, OverflowError, RecursionError) as error:
        return f"must be a regular expression: {error}"
    except _Endless as error:
        return f"takes too long for some texts: {error}; a repeat like [a-z]++ never gives back what it took"
    return None


def _without_end(pieces: list[Any], flags: int) -> list[Any]:
    """Drop a final `.*`, which matches the remaining text at once."""
    last = pieces[-1:]
    if last and str(last[0][0]) in _REPEATS and flags & re.DOTALL:
        least, most, body = last[0][1]
        if least == 0 and most == _PARSER.MAXREPEAT and [str(piece[0]) for piece in body] == ["ANY"]:
            return pieces[:-1]
    return pieces


def _of_all(pieces: Iterable[Any], flags: int) -> _Cost:
    """Return the cost of pieces in sequence."""
    sequence = list(pieces)
    costs = [_of(str(kind), value, flags) for kind, value in sequence]
    for index, cost in enumerate(costs):
        if cost.ways > 1 and _ends_at_once(sequence[index:], flags):
            # if it stops too early, the next letter shows that within a few steps
            costs[index] = cost._replace(ways=1, work=cost.work + 2 * cost.ways)
    return reduce(_then, costs, _Cost(1, 0, nullable=True))


def _ends_at_once(pieces: list[Any], flags: int) -> bool:
    """Return whether the first piece repeats a class of letters none of which can follow it."""
    (kind, value), *others = pieces
    if str(kind) not in _REPEATS or not _is_one_letter(value[2]) or not others:
        return False
    return _are_apart([first_letters(value[2], flags), first_letters(others, flags)])


def _then(first: _Cost, second: _Cost) -> _Cost:
    work, runs = (before + first.ways * after for before, after in zip(first[1:3], second[1:3], strict=True))
    return _bounded(_Cost(first.ways * second.ways, work, runs, first.nullable and second.nullable))


def _bounded(cost: _Cost) -> _Cost:
    if max(cost.ways, cost.whole) > _MOST_WORK:
        raise _Endless("what it repeats in sequence may begin at too many places")
    return cost


def _of(kind: str, value: Any, flags: int) -> _Cost:
    if kind in _ONE_LETTER:
        return _Cost(1, 1)
    if kind in _REPEATS:
        return _of_repeat(kind == "POSSESSIVE_REPEAT", value, flags)
    match kind:
        case "AT":
            return _Cost(1, 1, nullable=True)
        case "SUBPATTERN":
            return _of_all(value[3], with_flags(flags, value[1], value[2]))
        case "ATOMIC_GROUP":
            return _of_all(value, flags)._replace(ways=1)
        case "ASSERT" | "ASSERT_NOT":
            return _Cost(1, _of_all(value[1], flags).whole, nullable=True)
        case "BRANCH":
            return _of_branches(value[1], flags)
        case _:
            raise _Endless("it looks back at what it matched")


def _of_branches(branches: Iterable[Any], flags: int) -> _Cost:
    costs = [_of_all(branch, flags) for branch in branches]
    letters = [first_letters(branch, flags) for branch in branches]
    nullable = any(cost.nullable for cost in costs)
    ways = [cost.ways for cost in costs]
    together = max(ways) if _are_apart(letters) and not nullable else sum(ways)
    return _bounded(
        _Cost(together, sum(cost.work for cost in costs), sum(cost.runs for cost in costs), nullable)
    )


def _are_apart(letters: list[frozenset[str] | None]) -> bool:
    known = [some for some in letters if some is not None]
    return len(known) == len(letters) and len(frozenset[str]().union(*known)) == sum(map(len, known))


def _of_repeat(possessive: bool, repeat: tuple[int, int, Any], flags: int) -> _Cost:
    *bounds, body = repeat
    inside = _of_all(body, flags)
    least, most = (min(int(bound), _LONGEST) for bound in bounds)
    if most < 2:
        ways = inside.ways + most - least
        return inside._replace(ways=1 if possessive else ways, nullable=inside.nullable or least == 0)
    if inside.nullable:
        raise _Endless("it repeats what may be nothing")
    if inside.ways > 1:
        raise _Endless("it repeats what may match the same text in two ways")
    ways, nullable = 1 if possessive else most - least + 1, least == 0
    if possessive and most == _LONGEST and _is_one_letter(body):
        return _Cost(ways, 1, 1, nullable)
    return _bounded(_Cost(ways, most * (inside.work + 1), inside.runs, nullable))


def _is_one_letter(body: Any) -> bool:
    return [str(kind) in _ONE_LETTER for kind, _ in body] == [True]
