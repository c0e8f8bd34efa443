"""All that writes a wire, in one table; a dialect says only which functions and tables it has otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..python import display, literal, name, tuple_of
from .changes import Argument, Changed, differing

# what stands for an argument that the parent has and a dialect has not: no writer, or a flag that is not set
_ABSENT = {False: "no_shape", True: "False"}
_FLAGS = {"True": literal(True), "False": literal(False)}


@dataclass(frozen=True, slots=True)
class WritersTable:
    """`WRITERS = Writers(roles=..., contents=..., sources=..., optional_keys=..., tool=write_tool, ...)`.

    tables  of roles, contents and sources: key -> what the table is called
    pages   the functions that write what most requests leave out of the body
    values  the other arguments -> code
    """

    tables: Mapping[str, tuple[tuple[str, str], ...]]
    pages: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    uses: frozenset[str]
    name: str = "WRITERS"
    macro: ClassVar[str] = "writers"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """All that the table is made of."""
        return _arguments(self.tables, self.pages or None, self.values)

    def changed_from(
        self, other: WritersTable, wire: str, inherited: frozenset[str]
    ) -> WritersTable | Changed:
        """The same table as a change of another wire's, where that can be said."""
        own = self.uses - inherited
        # sources of a medium that has no place are never looked up
        placed = [(self.tables[word], other.tables[word]) for word in ("roles", "contents")]
        if any(dict(others).keys() - dict(rows).keys() for rows, others in placed):
            return self
        tables = {word: differing(rows, other.tables[word], own) for word, rows in self.tables.items()}
        pages = None if self.pages == other.pages and not own.intersection(self.pages) else self.pages
        values = differing(self.values, other.values, own)
        named = {value for rows in (*tables.values(), values) for _, value in rows}
        given = dict(self.values)
        values += tuple([(word, _ABSENT[code == "True"]) for word, code in other.values if word not in given])
        arguments = _arguments(tables, pages, values)
        return Changed(self.name, wire, arguments, self.uses & {*named, *(pages or ())})


def _arguments(
    tables: Mapping[str, Sequence[tuple[str, str]]],
    pages: Sequence[str] | None,
    values: Sequence[tuple[str, str]],
) -> tuple[Argument, ...]:
    named = [
        (word, display([(key, name(table)) for key, table in rows])) for word, rows in tables.items() if rows
    ]
    optional_keys = [("optional_keys", tuple_of([name(page) for page in pages]))] if pages is not None else []
    return (*named, *optional_keys, *[(word, _FLAGS.get(code) or name(code)) for word, code in values])
