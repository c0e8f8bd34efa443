"""The request types of Ollama's SDK, read strictly: an independent witness for built bodies."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Any, Final, Literal

from ollama._types import ChatRequest, Message, Options, Tool
from pydantic import create_model

from tests.conformance.model_types import fields_of, findings

Body = dict[str, Any]

# the types that the client validates with, where it lets anything pass: any mapping, any file
_ROLES: Any = Literal["system", "user", "assistant", "tool"]
_MESSAGE: Final = create_model(
    "StrictMessage",
    __base__=Message,
    role=(_ROLES, ...),
    images=(list[str] | None, None),
)
_REQUEST: Final = create_model(
    "StrictRequest",
    __base__=ChatRequest,
    messages=(list[_MESSAGE], ...),  # type: ignore[valid-type]
    options=(Options | None, None),
    tools=(list[Tool] | None, None),
)


def problems(body: Body) -> list[str]:
    """Return what the SDK's types refuse in a body, and pictures that are no bare base64."""
    return [*findings(fields_of(_REQUEST), body), *_pictures(body)]


def _pictures(body: Body) -> Iterator[str]:
    for place, message in enumerate(body["messages"]):
        for index, picture in enumerate(message.get("images", ())):
            try:
                base64.b64decode(picture, validate=True)
            except (binascii.Error, TypeError):
                yield f"messages[{place}].images[{index}]: is not base64"
