"""The frozen dataclasses of the neutral model, made without work at import.

`dataclass` here is `dataclasses.dataclass(frozen=True, slots=True)` in effect, and the very same to type checkers.
Comparison, hash and repr are shared by all classes, and the constructor of a class is compiled when its first value is
made: forty classes would otherwise cost more to import than everything else together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["Node", "dataclass"]
_COMPARED: dict[type, Callable[[Any], Any]] = {}
_set = object.__setattr__


def _compared(cls: type[Any]) -> Callable[[Any], Any]:
    getter = attrgetter(*(f.name for f in fields(cls) if f.compare))
    _COMPARED[cls] = getter
    return getter


class Node:
    """Base of all nodes: compared, hashed and shown by their fields, and never changed."""

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

    if not TYPE_CHECKING:  # type checkers know frozen dataclasses

        def __setattr__(self, name: str, value: object) -> None:
            """Refuse: nodes are frozen."""
            raise FrozenInstanceError(f"cannot assign to field {name!r}")

        def __delattr__(self, name: str) -> None:
            """Refuse: nodes are frozen."""
            raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """Give all fields, for copies and pickles."""
        cls: type[Any] = type(self)
        return {field.name: getattr(self, field.name) for field in fields(cls)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take all fields back."""
        for name, value in state.items():
            _set(self, name, value)


if not TYPE_CHECKING:
    _whole_dataclass = dataclass

    def dataclass(*, kw_only: bool = False, **_: bool) -> Callable[[type], type]:
        """Make a frozen dataclass with slots, whose constructor is compiled when it is first called."""

        def make(cls: type) -> type:
            made = _whole_dataclass(init=False, repr=False, eq=False, kw_only=kw_only, slots=True)(cls)
            made.__init__ = _first_call(made)
            return made

        return make


def _first_call(cls: Any) -> Callable[..., None]:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  # it stands for the real one
        cls.__init__ = _constructor(cls)
        cls.__init__(self, *args, **kwargs)

    return __init__


def _constructor(cls: Any) -> Callable[..., None]:
    """Compile `__init__` from the fields: positional ones first, keyword-only ones after them."""
    scope: dict[str, Any] = {"_set": _set}
    positional: list[str] = ["self"]
    named: list[str] = []
    body: list[str] = []
    for field in fields(cls):
        value = field.name
        if field.init:
            shown = field.name
            if field.default is not MISSING:
                scope[f"_default_{field.name}"] = field.default
                shown += f"=_default_{field.name}"
            elif field.default_factory is not MISSING:
                scope[f"_make_{field.name}"] = field.default_factory
                shown += "=_set"  # no caller can mean this function
                value = f"_make_{field.name}() if {field.name} is _set else {field.name}"
            (named if field.kw_only else positional).append(shown)
        elif field.default is MISSING:
            continue
        else:
            scope[f"_default_{field.name}"] = field.default
            value = f"_default_{field.name}"
        body.append(f"    _set(self, {field.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()")
    arguments = ", ".join(positional + (["*", *named] if named else []))
    exec(f"def __init__({arguments}):\n" + "\n".join(body), scope)  # noqa: S102  # field names of our own classes
    made: Callable[..., None] = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made
