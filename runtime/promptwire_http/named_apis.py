"""The API of a client by its name, with or without a model: `openai_chat`, `openai_chat/gpt-5.4`, `mistral/...`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from promptwire_runtime import Api
from promptwire_runtime.errors import InvalidRequest

_PACKAGE = "promptwire"


def named_api(name: str) -> tuple[Api, str | None]:
    """Return the API of a name, and the model behind its first slash; None without one.

    A name is that of an API or another one of it, as `promptwire.wire` takes it, or the first word of a single API.

    Raises:
        InvalidRequest: several APIs begin with this word.
        PromptwireError: no API has this name.
    """
    package: Any = import_module(_PACKAGE)
    word, _, model = name.partition("/")
    suffix = f"/{model}" if model else ""
    if word not in (*package.WIRES, *package.ALIASES):
        meant = [wire for wire in package.WIRES if wire.startswith(f"{word}_")]
        if len(meant) > 1:
            ways = ", ".join([f'"{wire}{suffix}"' for wire in meant])
            raise InvalidRequest(f'"{name}" may be several APIs; use one of {ways}', field="api")
        word = meant[0] if meant else word
    api: Api = package.wire(word)
    return api, model or None
