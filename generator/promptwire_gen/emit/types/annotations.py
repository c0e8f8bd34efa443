"""Single annotations: their text, and which types of their own module they name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..python import literal_text


@dataclass(frozen=True, slots=True)
class Annotation:
    """The type of one value; it prints as its text, so that templates can place it.

    uses     the types of the same module that the text names
    element  what it is a list of, where it is a list
    """

    text: str
    uses: frozenset[str] = frozenset()
    element: Annotation | None = None

    def __str__(self) -> str:
        """The text."""
        return self.text


ANY = Annotation("Any")
TEXT = Annotation("str")
OBJECT = Annotation("Mapping[str, Any]")


def named(record: str) -> Annotation:
    """A type of the same module."""
    return Annotation(record, frozenset({record}))


def list_of(element: Annotation) -> Annotation:
    """`list[element]`."""
    return Annotation(f"list[{element}]", element.uses, element)


def union_of(members: Iterable[Annotation]) -> Annotation:
    """`first | second`, each once; anything where there is none."""
    distinct = list(dict.fromkeys(members))
    if len(distinct) < 2:
        return distinct[0] if distinct else ANY
    text = " | ".join([member.text for member in distinct])
    return Annotation(text, frozenset[str]().union(*[member.uses for member in distinct]))


def literals(values: Iterable[object]) -> Annotation:
    """`Literal["a", "b"]`; numbers with a fraction cannot stand there."""
    words = tuple(values)
    if any(isinstance(value, float) for value in words):
        return Annotation("float")
    return Annotation(f"Literal[{', '.join([literal_text(value) for value in words])}]")
