"""Move values of a body that some models expect elsewhere. The caller's objects are not changed."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_object

if TYPE_CHECKING:
    from typing import Any

    from .context import BuildContext


_NOTHING: Any = object()


def move(body: dict[str, Any], build: BuildContext) -> None:
    """Move values as the rules for this model say. Raises InvalidRequest if the target exists already."""
    for rule in build.moving:
        there = [row for row in rule.moves if _has_path(body, row[0])]
        if not (there and rule.is_met(build.request, build.wire.name)):
            continue
        for path, target, constants in there:
            value = _pop_path(body, path)
            if value is not _NOTHING:
                for key, constant in constants.items():
                    _parent(body, target).setdefault(key, constant)
                if target[-1] in (parent := _parent(body, target)):
                    name = ".".join(target)
                    raise InvalidRequest(
                        f'the key "{name}" is set twice', wire=build.wire.name, field=target[-1]
                    )
                parent[target[-1]] = value


def _has_path(body: dict[str, Any], path: tuple[str, ...]) -> bool:
    """Return whether a path exists."""
    value: Any = body
    for key in path:
        if not (is_object(value) and key in value):
            return False
        value = value[key]
    return True


def _pop_path(body: dict[str, Any], path: tuple[str, ...]) -> Any:
    """Remove and return a value. Objects that are empty without it are removed too."""
    if not path[1:]:
        return body.pop(path[0], _NOTHING)
    inner = body.get(path[0])
    if not is_object(inner):
        return _NOTHING
    inner = dict(inner)
    value = _pop_path(inner, path[1:])
    if value is not _NOTHING:
        body[path[0]] = inner
        if not inner:
            del body[path[0]]
    return value


def _parent(body: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Return the object that holds the last key of a path. It is copied first, so that only this body changes."""
    for key in path[:-1]:
        inner = body.get(key)
        body[key] = dict(inner) if is_object(inner) else {}
        body = body[key]
    return body
