"""The base of the neutral model's classes, and what lets a constructor fill a frozen node."""

from __future__ import annotations

from ..typed import TYPE_CHECKING, dataclass_transform
from .records import Record, replace

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# in a signature: a dict that every node makes for itself
NO_ITEMS: dict[str, Any] = {}
# `set_class(node, cls)`: from now on, the node is of a class that has the same slots
set_class: Callable[[Any, type], None] = vars(object)["__class__"].__set__


@dataclass_transform(frozen_default=True, eq_default=False)
class Node(Record):
    """Base of all nodes. Builders know the classes that there are; one below them has slots and a constructor."""

    __slots__ = ()

    if not TYPE_CHECKING:  # each class declares its own, with the types that its constructor takes

        def replace(self, **changes: Any) -> Node:
            """Return a copy of the node with some fields changed; takes what the constructor takes, by name."""
            return replace(self, **changes)

    def __init_subclass__(cls) -> None:
        """Refuse a class without slots: the constructor that it inherits makes no values of it."""
        if "__slots__" not in vars(cls):
            raise TypeError(
                f"{cls.__name__} cannot extend {cls.__mro__[1].__name__}: builders know no more nodes"
            )


def mutable_twin(cls: type) -> type:
    """Make the class that a node has while its constructor fills it: its fields may be set, soonest of all ways."""
    own = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    return type(cls.__name__, (cls,), {"__slots__": (), "__module__": cls.__module__, **own})
