"""Moves: values of a body that stand in another place for some models. Objects of the caller are not changed."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_object

if TYPE_CHECKING:
    from typing import Any

    from .context import BuildContext


_NOTHING: Any = object()


def move(body: dict[str, Any], build: BuildContext) -> None:
    """Put values where the rules for this model say; raises InvalidRequest where something stands already."""
    for rule in build.moving:
        there = [row for row in rule.moves if _holds(body, row[0])]
        if not (there and rule.is_met(build.request, build.wire.name)):
            continue
        for path, target, constants in there:
            value = _take(body, path)
            if value is not _NOTHING:
                for key, constant in constants.items():
                    _parent(body, target).setdefault(key, constant)
                if target[-1] in (parent := _parent(body, target)):
                    name = ".".join(target)
                    raise InvalidRequest(f'"{name}" is given twice', wire=build.wire.name, field=target[-1])
                parent[target[-1]] = value


def _holds(body: dict[str, Any], path: tuple[str, ...]) -> bool:
    """Tell whether something stands at a path."""
    value: Any = body
    for key in path:
        if not (is_object(value) and key in value):
            return False
        value = value[key]
    return True


def _take(body: dict[str, Any], path: tuple[str, ...]) -> Any:
    """Take a value out, and every object that is empty without it."""
    if not path[1:]:
        return body.pop(path[0], _NOTHING)
    inner = body.get(path[0])
    if not is_object(inner):
        return _NOTHING
    inner = dict(inner)
    value = _take(inner, path[1:])
    if value is not _NOTHING:
        body[path[0]] = inner
        if not inner:
            del body[path[0]]
    return value


def _parent(body: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Give the object that holds the last key of a path, as an object of this body alone."""
    for key in path[:-1]:
        inner = body.get(key)
        body[key] = dict(inner) if is_object(inner) else {}
        body = body[key]
    return body
