"""Compare two kinds key by key: which fields of one side does the other know?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import product
from typing import Literal, TypeAlias

from promptwire_text.words import nearest

from .kinds import ANY, SCALAR, AnyJson, Kind, ListKind, MappingKind, RecordKind

State: TypeAlias = Literal["known", "kept", "missing"]
_WORST: tuple[State, ...] = ("known", "kept", "missing")
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class ComparedField:
    """One field of a body at one place, and how the other side knows it.

    Attributes:
        path: `messages[user].content[].text`; brackets name the alternative in a list, and parentheses elsewhere:
            `thinking(enabled)`.
        owner: The object that contains the key `name`.
        state: `known` by its name, `kept` inside a value that is taken whole, or `missing`.
        top: The outermost missing place: the field itself, or an object around it.
        near: A similar key of the other side; empty if there is none.
    """

    path: str
    owner: RecordKind = field(repr=False)
    name: str
    state: State
    top: str = ""
    near: str = ""


def compare(theirs: Kind, ours: Kind) -> list[ComparedField]:
    """Return every field of the first kind as the second one knows it, in order; recursive types are entered once.

    Alternatives that cannot be distinguished have the same paths.
    """
    comparison = _Comparison()
    comparison.kind(theirs, ours, "", (), "")
    return comparison.fields


def by_path(fields: Iterable[ComparedField]) -> list[ComparedField]:
    """Return one field for each path, in order: the alternative that the other side knows least."""
    rows: dict[str, ComparedField] = {}
    for row in fields:
        rows[row.path] = max(rows.get(row.path, row), row, key=lambda each: _WORST.index(each.state))
    return [*rows.values()]


def nowhere(fields: Iterable[ComparedField]) -> list[ComparedField]:
    """Return the keys that the other side has in none of the places where their object occurs, each once."""
    rows = [*fields]
    met = {(row.owner, row.name) for row in rows if row.state != "missing"}
    first: dict[tuple[RecordKind, str], ComparedField] = {}
    for row in rows:
        if (row.owner, row.name) not in met:
            first.setdefault((row.owner, row.name), row)
    return [*first.values()]


@dataclass(slots=True)
class _Comparison:
    fields: list[ComparedField] = field(default_factory=list[ComparedField])

    def kind(self, theirs: Kind, ours: Kind, path: str, above: tuple[RecordKind, ...], top: str) -> None:
        """Visit all alternatives of a place; `above` are the enclosing types, `top` the enclosing missing place."""
        records = [row for row in theirs if isinstance(row, RecordKind) and row.keys]
        free = ANY if any(isinstance(row, AnyJson) for row in ours) else SCALAR
        for row in theirs:
            match row:
                case RecordKind() if row in records and row not in above:
                    place = _tagged(path, row, records)
                    self._record(row, ours, place, (*above, row), top, alone=len(records) == 1)
                case ListKind(kind=inner):
                    items = [kind for mine in ours if isinstance(mine, ListKind) for kind in mine.kind]
                    self.kind(inner, (*items, *free), f"{path}[]", above, top)
                case MappingKind(kind=inner):
                    values = [kind for mine in ours if isinstance(mine, MappingKind) for kind in mine.kind]
                    self.kind(inner, (*values, *free), f"{path}.*", above, top)
                case _:
                    continue

    def _record(
        self,
        record: RecordKind,
        ours: Kind,
        path: str,
        above: tuple[RecordKind, ...],
        top: str,
        *,
        alone: bool,
    ) -> None:
        # the root is always the body, whatever it lacks
        fitting = (
            _fitting(record, ours, alone=alone)
            if path
            else [row for row in ours if isinstance(row, RecordKind)]
        )
        # a hole for any JSON applies only if no shape next to it does
        is_open = (
            any(row.is_open for row in fitting)
            if fitting
            else any(isinstance(row, (AnyJson, MappingKind)) for row in ours)
        )
        if not fitting and not is_open:
            top = top or path
        for name, key in record.keys.items():
            place = f"{path}.{name}" if path else name
            mine = [row.keys[name] for row in fitting if name in row.keys]
            state: State = "known" if mine else "kept" if is_open else "missing"
            here = (top or place) if state == "missing" else ""
            beside = {other for row in fitting for other in row.keys.keys() - record.keys.keys()}
            near = nearest(name, beside) if here else None
            self.fields.append(ComparedField(place, record, name, state, here, near or ""))
            inner = (
                tuple([kind for other in mine for kind in other.kind]) if mine else ANY if is_open else SCALAR
            )
            self.kind(key.kind, inner, place, above, here)


def _fitting(record: RecordKind, ours: Kind, *, alone: bool) -> list[RecordKind]:
    """Return the objects of the other side that best match an object by their constant words.

    An object that takes any key matches only if no other does. One object on each side match unless words disagree.
    """
    others = [row for row in ours if isinstance(row, RecordKind)]
    rows = [(score, row) for row in others if (score := _score(record, row)) >= 0]
    whole = [(score, row) for score, row in rows if row.required <= record.keys.keys()]
    rows = whole or (rows if alone and len(others) == 1 else [(score, row) for score, row in rows if score])
    best = [row for score, row in rows if score == max(score for score, _ in rows)]
    return [row for row in best if not row.is_open] or best


def _score(record: RecordKind, other: RecordKind) -> int:
    """Count the keys whose words agree; return -1 if some disagree."""
    telling = [name for name, words in other.words.items() if len(words) == 1 or other.keys[name].required]
    pairs = [(record.words[name], other.words[name]) for name in telling if name in record.words]
    agree = [any(_same(*pair) for pair in product(*words)) for words in pairs]
    return len(agree) if all(agree) else -1


def _same(word: str, other: str) -> bool:
    return word == other or fnmatchcase(word, other) or fnmatchcase(other, word)


def _tagged(path: str, record: RecordKind, records: Sequence[RecordKind]) -> str:
    """Append to a path what distinguishes an alternative: the words of one key, or the name of its type.

    The key is the one with the most different words.
    """
    if len(records) < 2 or not path:
        return path
    words = {key: {row.words.get(key) for row in records} - {None} for row in records for key in row.words}
    telling = max(words, key=lambda key: len(words[key]), default="")
    own = record.words.get(telling, ()) if len(words.get(telling, ())) > 1 else ()
    label = "|".join(own[:_MOST_NAMED]) + ("|..." if len(own) > _MOST_NAMED else "") or record.name
    return f"{path[:-1]}{label}]" if path.endswith("[]") else f"{path}({label})"
