"""Law 5: what is built strictly from a sensible request passes the vendor's own types.

The requests leave out what those types want or refuse beyond what the APIs do:

- `openai_responses`: tools without `strict` and images without `detail` (the types want the keys, the API
  does not); text of the assistant (its item wants an id, a status and annotations, the API takes it without).
- all wires: citations, hosted tools and other JSON of one API alone, which a caller writes as that API wants it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import reject, strategies as st

import promptwire
from promptwire import Built, Image, Message, Part, Request, RequestError, Text
from tests.conformance.strict_types import WIRES, problems
from tests.laws.fitting import fitting
from tests.laws.strategies import law
from tests.laws.traces import module

WITNESSED = [wire for wire in promptwire.WIRES if wire in WIRES]


def conservative(wire: str, request: Request) -> Request:
    """Take away what the types of this wire want otherwise than its API."""
    if wire != "openai_responses":
        return request
    messages = [each for each in request.messages if each.role != "assistant" or not _speaks(each)]
    called = {part.id for each in messages for part in each.parts if isinstance(part, promptwire.ToolCall)}
    kept = [each for each in messages if each.role != "tool" or called]
    kept = [replace(each, parts=tuple(map(_detailed, each.parts))) for each in kept]
    tools = [replace(tool, strict=False) for tool in request.tools or () if isinstance(tool, promptwire.Tool)]
    return replace(request, messages=tuple(kept), tools=tuple(tools) or None)


def _detailed(part: Part) -> Part:
    return replace(part, detail="auto") if isinstance(part, Image) else part


def _speaks(message: Message) -> bool:
    return any(isinstance(part, (Text, promptwire.parts.Refusal)) for part in message.parts)


@pytest.mark.parametrize("wire", WITNESSED)
@law(25)
def test_bodies_pass_the_types(wire: str, data: st.DataObject) -> None:
    request = conservative(wire, data.draw(fitting(wire), "request"))
    try:
        built: Built[Any] = module(wire).build(request)
    except RequestError:
        reject()
    assert problems(wire, json.loads(built.json()), api_version="2023-06-01") == []
