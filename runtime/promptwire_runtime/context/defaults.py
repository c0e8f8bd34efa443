"""Merging a request with defaults: what is given wins; lists and mappings are combined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ContextError
from ..model.options import Options
from ..model.request import Request
from ..model.tools import AnyTool
from ..nodes.records import fields, replace
from ..nodes.type_errors import check_class
from ..reporting.notes import Note

# what only the request itself can say
_OWN = ("messages", "instructions", "continuation", "kept")
_LISTS = ("tools", "include", "modalities")
_MAPPINGS = ("metadata", "vendor", "extra")


def merge_options(options: Options, defaults: Options, lists: str = "append") -> Options:
    """Merge options: a given value wins; `stop` strings are appended or replaced, `logit_bias` is merged by token."""
    check_class(options, Options, "options")
    check_class(defaults, Options, "defaults")
    if not defaults.given:
        return options
    changes: dict[str, Any] = {}
    for name in sorted(defaults.given):
        value, default = getattr(options, name), getattr(defaults, name)
        if value is None:
            changes[name] = default
        elif name == "stop":
            changes[name] = _lists(value, default, lists)
        elif name == "logit_bias":
            changes[name] = {**default, **value}
    return replace(options, **changes) if changes else options


def merge_request(
    request: Request, defaults: Request, lists: str = "append", notes: list[Note] | None = None
) -> Request:
    """Merge a request with defaults: a given value wins, lists by policy, mappings key by key.

    Defaults of a list come behind what is given, without what is there already. A default tool whose name another
    tool of the request has is left out with one of the `notes`; without such a list it is an error.

    Raises:
        ContextError: the defaults hold messages, instructions or a continuation, or the name of a tool is taken.
    """
    check_class(request, Request, "request")
    check_defaults(defaults)
    if lists != "replace":
        _check_names(request.tools or (), defaults.tools or (), notes)
    changes: dict[str, Any] = {}
    for field in fields(Request):
        value, default = getattr(request, field.name), getattr(defaults, field.name)
        if field.name in _OWN or default is None:
            continue
        if field.name == "options":
            changes[field.name] = merge_options(value, default, lists)
        elif value is None:
            changes[field.name] = default
        elif field.name in _LISTS:
            changes[field.name] = _lists(value, default, lists)
        elif field.name in _MAPPINGS:
            changes[field.name] = _mappings(value, default)
    return replace(request, **changes)


def check_defaults(defaults: Request) -> None:
    """Check defaults: raise for anything but a request, and for fields that only a single request can set."""
    check_class(defaults, Request, "defaults")
    for name in _OWN:
        if getattr(defaults, name):
            raise ContextError(f"{name} belong to a request of their own", where="defaults")


def _check_names(tools: tuple[AnyTool, ...], defaults: tuple[AnyTool, ...], notes: list[Note] | None) -> None:
    """Report default tools that are not sent because another tool has their name."""
    taken = {name: index for index, tool in enumerate(tools) if (name := name_of(tool)) is not None}
    for index, tool in enumerate(defaults):
        name = name_of(tool)
        if name not in taken or _defines(tool, tools[taken[name]]):
            continue
        why = f'tools[{taken[name]}] of the request is another tool named "{name}"'
        if notes is None:
            raise ContextError(f"{why}: rename one of them", where=f"defaults.tools[{index}]")
        notes.append(Note("dropped", f"defaults.tools[{index}]", "", why))


def _defines(tool: AnyTool, other: AnyTool) -> bool:
    """Return whether two tools are equal apart from wire memory."""
    return tool == other or (type(tool) is type(other) and replace(tool, kept=other.kept) == other)


def name_of(tool: object) -> str | None:
    """Return the name of a tool, or None."""
    name: str | None = getattr(tool, "name", None)
    return name


def _lists(own: tuple[Any, ...], defaults: tuple[Any, ...], lists: str) -> tuple[Any, ...]:
    if lists == "replace":
        return own
    names = {name for item in own if (name := name_of(item)) is not None}
    # what has a name is told by it: only what has none is compared with all others
    fresh = [
        item
        for item in defaults
        if (item not in own if (name := name_of(item)) is None else name not in names)
    ]
    return (*own, *fresh)


def _mappings(own: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two mappings; those of one API (`vendor`, `extra`) are merged in turn, wire JSON below them is not."""
    merged = {**default, **own}
    for key in own.keys() & default.keys():
        if isinstance(own[key], Mapping):
            merged[key] = {**default[key], **own[key]}
    return merged
