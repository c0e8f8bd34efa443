"""Names for annotations without importing `typing`, which costs more than all of the runtime.

Type checkers see the real ones. Here they are good enough for `typing.get_type_hints` to resolve every node class:
the abstract classes are those that the interpreter has loaded anyway, and `Any` is `object`. What no node is
annotated with stands below `if TYPE_CHECKING:` where it is used.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast, dataclass_transform

    BodyT = TypeVar("BodyT")
    NodeT = TypeVar("NodeT")
    new_dict: Callable[[], dict[Any, Any]]
else:
    from _collections_abc import Callable, Iterable, Mapping

    Any = ClassVar = TypeAlias = object
    BodyT = NodeT = None
    new_dict = dict

    def cast(_type: object, value: object) -> object:
        """Give the value as it is."""
        return value

    def dataclass_transform(**_: object) -> object:
        """Leave a class as it is: it tells type checkers that its subclasses have fields."""
        return lambda cls: cls

    class Generic:
        """A base whose parameters are for type checkers."""

        __slots__ = ()

        def __class_getitem__(cls, _parameters: object) -> type:
            """Give the class itself."""
            return cls


__all__ = [
    "TYPE_CHECKING", "Any", "BodyT", "Callable", "ClassVar", "Generic", "Iterable", "Mapping", "NodeT", "TypeAlias",
    "cast", "dataclass_transform", "new_dict",
]  # fmt: skip
