"""The smallest requests with one field, to find out whether a wire has a place for the field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from promptwire_text.words import nearest

from ..constructors import user
from ..errors import InvalidRequest
from ..model.calls import ToolCall
from ..model.media import Audio, Document, Image, Video
from ..model.options import OPTION_NAMES, Options, ReasoningOptions, ResponseFormat, ToolChoice
from ..model.parts import Cache, Text
from ..model.request import Message, Request
from ..model.returns import ToolResult
from ..model.tools import Tool
from ..rules.rule import COUNTED_BY_APIS

_SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
_TOOLS = (Tool("lookup", "Look a word up.", _SCHEMA),)
_CALL, _RESULT = ToolCall("c1", "lookup", {}), ToolResult("c1", "x")
# valid values of fields for which 1 is not valid
_OPTIONS: Mapping[str, Any] = {
    "stop": ("x",),
    "logprobs": True,
    "logit_bias": {"1": 1},
    "service_tier": "auto",
    "cache_key": "key",
    "store": True,
    "temperature": 1.0,
    "top_p": 1.0,
}
_PICTURE = "iVBORw0KGgo="
_MEDIA: Mapping[str, Any] = {
    "image": Image(data=_PICTURE, media_type="image/png"),
    "document": Document(data="JVBERi0=", media_type="application/pdf", filename="a.pdf"),
    "audio": Audio(data="UklGRg==", media_type="audio/wav"),
    "video": Video(data="AAAA", media_type="video/mp4"),
}
_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "instructions": {"instructions": "Be brief."},
    "tools": {"tools": _TOOLS},
    "tools.name": {"tools": _TOOLS},
    "tool_call.id": {
        "messages": (user("x"), Message("assistant", (_CALL,)), Message("tool", (_RESULT,))),
        "tools": _TOOLS,
    },
    "tool_choice": {"tools": _TOOLS, "tool_choice": ToolChoice("auto")},
    "tool_choice.parallel": {"tools": _TOOLS, "tool_choice": ToolChoice(parallel=False)},
    "response_format": {"response_format": ResponseFormat("json_schema", _SCHEMA, "answer")},
    "message.name": {"messages": (Message("user", (Text("x"),), name="ann"),)},
    "reasoning.effort": {"reasoning": ReasoningOptions(effort="low")},
    "reasoning.budget": {"reasoning": ReasoningOptions(budget=2048), "options": Options(max_tokens=4096)},
    "reasoning.summary": {"reasoning": ReasoningOptions(summary="auto")},
    "metadata": {"metadata": {"a": "b"}},
    "metadata.keys": {"metadata": {"a": "b"}},
    "metadata.values": {"metadata": {"a": "b"}},
    "user_id": {"user_id": "u1"},
    "stream": {"stream": True},
    "stream_usage": {"stream": True, "stream_usage": True},
    "include": {"include": ("x",)},
    "verbosity": {"verbosity": "low"},
    "modalities": {"modalities": ("text",)},
}
_VENDOR = "vendor."
# the fields that can be asked about, the API's own options aside
FIELDS = (*COUNTED_BY_APIS, *OPTION_NAMES, *_FIELDS, "cache", *_MEDIA)


def probe_of(model: str, field: str, wire: str) -> Request:
    """Return the smallest request with a field: `top_k`, `reasoning.effort`, `image`, `vendor.NAME`.

    Raises InvalidRequest for a field that no request has.
    """
    if field in OPTION_NAMES:
        return Request(model, user("x"), options=Options(**{field: _OPTIONS.get(field, 1)}))
    if field in _MEDIA:
        return Request(model, Message("user", (_MEDIA[field],)))
    if field == "cache":
        return Request(model, Message("user", (Text("x", cache=Cache()),)))
    if field.startswith(_VENDOR):
        return Request(model, user("x"), vendor={wire: {field[len(_VENDOR) :]: True}})
    if field not in _FIELDS:
        near = nearest(field, FIELDS)
        hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(FIELDS)}, or vendor.NAME"
        raise InvalidRequest(f'"{field}" is not a field of requests; {hint}', wire=wire, field=field)
    fields: Mapping[str, Any] = {"messages": user("x"), **_FIELDS[field]}
    return Request(model, **fields)
