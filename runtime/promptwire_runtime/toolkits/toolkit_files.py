"""Toolkits of a request file: the keys `toolkits` and `collapsing` beside those of the request."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..errors import InvalidRequest, LoadError, PolicyError
from ..loading.problems import describe
from ..loading.source import REQUEST, SourceDocument, load_request, open_document, read_with
from ..model.request import Request
from ..wire_json.kinds import is_list, is_mapping
from .catalogue import Toolkits
from .config import CollapsingConfig
from .kits import Member, Toolkit

_KEYS = ("toolkits", "collapsing")
# the keys of a tool of a toolkit in addition to the fields of a tool
_MARKS = ("permission", "always")
_FIELDS = ("name", "description", "function_result", "system_prompt", "uses", "collapsed", "kind")


def load_with_toolkits(source: Mapping[str, Any] | str | os.PathLike[str]) -> tuple[Request, Toolkits | None]:
    """Load a request as `load_request` does, and the toolkits under further keys; None if there are none.

    `toolkits` is a list: each has the fields of `Toolkit`, and in `tools` what a request has in its own, with
    `permission` and `always` beside it, or a toolkit under the key `toolkit`. `collapsing` has the fields of
    `CollapsingConfig`.

    Raises:
        LoadError: the source is no request, or its toolkits are none; the text names the place.
    """
    document = None if isinstance(source, Mapping) else open_document(source, "request")
    value: Any = source if document is None else document.value
    if not is_mapping(value) or not any(key in value for key in _KEYS):
        return _request(value, document), None
    beside = _request({key: item for key, item in value.items() if key not in _KEYS}, document)
    name = "" if document is None else f"{document.problems.name}: "
    try:
        return beside, _toolkits(value)
    except (InvalidRequest, PolicyError, TypeError, LoadError) as error:
        raise LoadError(f"{name}{error}") from None


def _request(value: Any, document: SourceDocument | None) -> Request:
    """Read a request; problems of a file have their lines."""
    if document is None:
        return load_request(value)
    request: Request = read_with(REQUEST, SourceDocument(value, document.problems, document.tree))
    return request


def _toolkits(value: Mapping[str, Any]) -> Toolkits:
    config = value.get("collapsing", {})
    if not is_mapping(config):
        raise LoadError("collapsing: an object with the fields of CollapsingConfig is expected")
    kits = _list(value.get("toolkits", []), "toolkits")
    made = [_toolkit(kit, f"toolkits[{number}]") for number, kit in enumerate(kits)]
    return Toolkits(made, CollapsingConfig(**config))


def _toolkit(value: Any, path: str) -> Toolkit:
    if not is_mapping(value) or not isinstance(value.get("name"), str):
        raise LoadError(f"{path}: an object with a name is expected")
    unknown = [key for key in value if key not in (*_FIELDS, "tools")]
    if unknown:
        raise LoadError(
            f'{path}: "{unknown[0]}" is not a field of a toolkit: {", ".join((*_FIELDS, "tools"))}'
        )
    rows = enumerate(_list(value.get("tools", []), f"{path}.tools"))
    tools = [_tool(item, f"{path}.tools[{number}]") for number, item in rows]
    return Toolkit(**{key: item for key, item in value.items() if key != "tools"}, tools=tools)


def _tool(item: Any, path: str) -> Any:
    if is_mapping(item) and set(item) == {"toolkit"}:
        return _toolkit(item["toolkit"], f"{path}.toolkit")
    marks = {key: item[key] for key in _MARKS if key in item} if is_mapping(item) else {}
    for key, value in marks.items():
        if not isinstance(value, bool):
            raise LoadError(f"{path}.{key}: expected true or false, found {describe(value)}")
    shown = {key: value for key, value in item.items() if key not in _MARKS} if marks else item
    try:
        tools: Any = load_request({"tools": [shown]}).tools
    except LoadError as error:
        raise LoadError(str(error).replace("tools[0]", path)) from None
    return Member(tools[0], **marks)


def _list(value: Any, path: str) -> list[Any]:
    if not is_list(value):
        raise LoadError(f"{path}: a list is expected")
    return value
