"""The functions of a run, by the names that the model calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, cast

from ..errors import InvalidRequest
from ..model.parts import Opaque
from ..model.request import Request
from ..model.tools import Tool
from ..nodes.checks import as_tuple
from ..nodes.records import replace
from ..toolkits.kits import Member, marks_of, member_of
from ..toolkits.showing import names_of
from .tools import name_of

Functions: TypeAlias = Iterable[Callable[..., Any]] | Mapping[str, Callable[..., Any]]


def declared_names(request: Request) -> set[str]:
    """Return the names that calls of the request's tools may have."""
    tools = request.tools or ()
    return {
        *names_of(tools),
        *[name for tool in tools if isinstance(tool, Opaque) and (name := name_of(tool))],
    }


def functions_by_name(tools: Functions, declared: set[str]) -> dict[str, Member]:
    """Return name -> function; the tools that the request declares need no description."""
    if isinstance(tools, Mapping):
        given = cast("Mapping[str, Any]", tools)
        return {name: _named(name, function, declared) for name, function in given.items()}
    members: dict[str, Member] = {}
    for function in as_tuple(tools, "tools"):
        member = _runnable(function)
        if member.name in members:
            raise InvalidRequest(
                f"two functions are named {member.name!r}; pass a mapping of names", field="tools"
            )
        members[member.name] = member
    return members


def _named(name: str, function: Any, declared: set[str]) -> Member:
    if name in declared and callable(function):
        marks = marks_of(function)
        return Member(Tool(name), function, marks is not None and marks.permission)
    member = _runnable(function, name)
    return replace(member, tool=replace(member.tool, name=name))


def _runnable(function: Any, name: str | None = None) -> Member:
    member = member_of(function, name) if isinstance(function, Member) or callable(function) else None
    if member is None or member.function is None:
        kind = type(function).__name__
        raise InvalidRequest(
            f"tools are functions, not {kind}; pass toolkits as toolkits=[...]", field="tools"
        )
    return member
