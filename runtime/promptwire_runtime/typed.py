"""Names for annotations without importing `typing`, which costs more than the whole runtime.

Type checkers see the real names. At run time `typing.get_type_hints` can resolve every node class with these: the
abstract classes are those that the interpreter has loaded already, and `Any` is `object`. Names that no node class
is annotated with are imported under `if TYPE_CHECKING:` where they are used.
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
        """Return the value unchanged."""
        return value

    def dataclass_transform(**_: object) -> object:
        """Return the class unchanged. It tells type checkers that subclasses have fields."""
        return lambda cls: cls

    class Generic:
        """A generic base class; its parameters are for type checkers."""

        __slots__ = ()

        def __class_getitem__(cls, _parameters: object) -> type:
            """Return the class itself."""
            return cls


__all__ = [
    "TYPE_CHECKING", "Any", "BodyT", "Callable", "ClassVar", "Generic", "Iterable", "Mapping", "NodeT", "TypeAlias",
    "cast", "dataclass_transform", "new_dict",
]  # fmt: skip
