"""What `@tool` leaves on a function, for the toolkit that it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from ..nodes.light_dataclasses import dataclass
from ..nodes.records import Record

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
_MARKS = "__promptwire_tool__"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Marks(Record):
    """What is said of a function beside its signature and docstring; None is what those say."""

    name: str | None = None
    description: str | None = None
    permission: bool = False
    always: bool = False


def marks_of(function: object) -> Marks | None:
    """Give what `@tool` said of a function; None where it said nothing."""
    marks = getattr(function, _MARKS, None)
    return marks if isinstance(marks, Marks) else None


@overload
def tool(function: FunctionT, /) -> FunctionT: ...


@overload
def tool(
    description: str | None = None,
    /,
    *,
    name: str | None = None,
    permission: bool = False,
    always: bool = False,
) -> Callable[[FunctionT], FunctionT]: ...


def tool(
    what: Callable[..., Any] | str | None = None,
    /,
    *,
    name: str | None = None,
    permission: bool = False,
    always: bool = False,
) -> Any:
    """Mark a function, or a method of a class under `@toolkit`, as one that a model may call.

    Args:
        what: the function; or its description, where its docstring is not for the model.
        name: its name, where that of the function is not for the model.
        permission: whether a person is to be asked first. Data alone: nothing here acts on it.
        always: whether it is shown from the start, whatever its toolkit.
    """
    description = what if isinstance(what, str) else None
    marks = Marks(name=name, description=description, permission=permission, always=always)

    def mark(function: FunctionT) -> FunctionT:
        """Leave the marks on the function itself, below a staticmethod too."""
        setattr(getattr(function, "__func__", function), _MARKS, marks)
        return function

    return mark(what) if callable(what) else mark
