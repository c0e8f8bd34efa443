"""Merging a request with defaults: what is given wins; lists and mappings are combined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ContextError
from ..model.nodes import fields, replace
from ..model.options import OPTION_NAMES, Options
from ..model.request import Request

# what only the request itself can say
_OWN = ("messages", "instructions", "continuation", "kept")
_LISTS = ("tools", "include", "modalities")
_MAPPINGS = ("metadata", "vendor", "extra")


def merge_options(given: Options, defaults: Options, lists: str = "append") -> Options:
    """Merge options: a given value wins; `stop` strings are appended or replaced, `logit_bias` is merged by token."""
    if not defaults.given:
        return given
    changes: dict[str, Any] = {}
    for name in sorted(defaults.given & OPTION_NAMES):
        own, default = getattr(given, name), getattr(defaults, name)
        if own is None:
            changes[name] = default
        elif name == "stop":
            changes[name] = _lists(own, default, lists)
        elif name == "logit_bias":
            changes[name] = {**default, **own}
    return replace(given, **changes) if changes else given


def merge_request(request: Request, defaults: Request, lists: str = "append") -> Request:
    """Merge a request with defaults: a given value wins, lists by policy, mappings key by key.

    Defaults of a list come behind what is given, without what is there already; a tool is there when its name is.

    Raises:
        ContextError: the defaults hold messages, instructions or a continuation.
    """
    check_defaults(defaults)
    changes: dict[str, Any] = {}
    for each in fields(Request):
        own, default = getattr(request, each.name), getattr(defaults, each.name)
        if each.name in _OWN or not each.init or default is None:
            continue
        if each.name == "options":
            changes[each.name] = merge_options(own, default, lists)
        elif own is None:
            changes[each.name] = default
        elif each.name in _LISTS:
            changes[each.name] = _lists(own, default, lists)
        elif each.name in _MAPPINGS:
            changes[each.name] = _mappings(own, default)
    return replace(request, **changes)


def check_defaults(defaults: Request) -> None:
    """Refuse defaults that hold what only a request itself can say."""
    for name in _OWN:
        if getattr(defaults, name):
            raise ContextError(f"{name} belong to a request of their own", where="defaults")


def _lists(own: tuple[Any, ...], defaults: tuple[Any, ...], lists: str) -> tuple[Any, ...]:
    if lists == "replace":
        return own
    names = {name for each in own if (name := getattr(each, "name", None)) is not None}
    fresh = [each for each in defaults if each not in own and getattr(each, "name", None) not in names]
    return (*own, *fresh)


def _mappings(own: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two mappings; those of one API (`vendor`, `extra`) are merged in turn, wire JSON below them is not."""
    merged = {**default, **own}
    for key in own.keys() & default.keys():
        mine, theirs = own[key], default[key]
        if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
            merged[key] = {**theirs, **mine}
    return merged
