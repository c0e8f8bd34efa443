"""Use a value as a table key by identity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar, cast

ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True, eq=False)
class ByIdentity(Generic[ValueT]):
    """Equal only to a wrapper of the same object."""

    value: ValueT

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and cast("ByIdentity[object]", other).value is self.value

    def __hash__(self) -> int:
        return id(self.value)
