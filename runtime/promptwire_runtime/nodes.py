"""What all neutral values share: comparison, hash and repr by their fields.

One method for all classes instead of three generated for each keeps `import promptwire` short.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any

_COMPARED: dict[type, Callable[[Any], Any]] = {}


def _compared(cls: type[Any]) -> Callable[[Any], Any]:
    getter = attrgetter(*(f.name for f in fields(cls) if f.compare))
    _COMPARED[cls] = getter
    return getter


class Node:
    """Base of the frozen dataclasses of the neutral model."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Compare by class and fields."""
        cls = type(self)
        if cls is not type(other):
            return NotImplemented
        getter = _COMPARED.get(cls) or _compared(cls)
        return bool(getter(self) == getter(other))

    def __hash__(self) -> int:
        """Hash by fields; a node that holds a dict or list has no hash."""
        cls = type(self)
        return hash((cls, (_COMPARED.get(cls) or _compared(cls))(self)))

    def __repr__(self) -> str:
        """Show what differs from the defaults."""
        cls: type[Any] = type(self)
        shown = [
            f"{field.name}={value!r}"
            for field in fields(cls)
            if field.repr and (value := getattr(self, field.name)) != field.default
        ]
        return f"{cls.__name__}({', '.join(shown)})"
