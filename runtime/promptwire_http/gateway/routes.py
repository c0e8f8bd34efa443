"""The paths of an API: those of its requests, from its spec, and those of its lists of models and token counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from promptwire_runtime import Api

_HOLE = re.compile(r"\$\{(\w+)(?:\|\w+)*\}")


def request_paths(front: Api) -> Iterator[str]:
    """Yield the paths of an API's requests, with `{model}` and the like for what varies.

    Only the forms of the URL that begin with `base_url` and depend on no setting are served. The path of the base URL
    is that of the API itself, so that official clients only need another host.
    """
    wire = front.WIRE
    base = wire.settings.get("base_url")
    prefix = urlsplit(str((base.default if base is not None else None) or "")).path.rstrip("/")
    for template, _, conditions in wire.urls:
        if conditions or not template.startswith("${base_url}"):
            continue
        path = template.removeprefix("${base_url}").partition("?")[0]
        yield prefix + _HOLE.sub(lambda hole: "{" + hole[1] + "}", path)


@dataclass(frozen=True, slots=True)
class ModelList:
    """The route and the form of an API's list of models.

    Attributes:
        paths: The paths of the list; `path/NAME` is one model.
        item: Returns the object of one model.
        whole: Returns the object of the list.
        header: A request header that only clients of this API send; None if the list needs none.
    """

    paths: tuple[str, ...]
    item: Callable[[str], dict[str, Any]]
    whole: Callable[[Sequence[dict[str, Any]]], dict[str, Any]]
    header: str | None = None


_OPENAI = ModelList(
    ("/v1/models",),
    lambda name: {"id": name, "object": "model", "created": 0, "owned_by": "promptwire"},
    lambda items: {"object": "list", "data": items},
)
_ANTHROPIC = ModelList(
    ("/v1/models",),
    lambda name: {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "1970-01-01T00:00:00Z",
    },
    lambda items: {
        "data": items,
        "has_more": False,
        "first_id": items[0]["id"] if items else None,
        "last_id": items[-1]["id"] if items else None,
    },
    header="anthropic-version",
)
_GEMINI = ModelList(
    ("/v1beta/models", "/v1/models"),
    lambda name: {
        "name": f"models/{name}",
        "displayName": name,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    },
    lambda items: {"models": items},
    header="x-goog-api-key",
)
MODEL_LISTS = {
    "anthropic_messages": _ANTHROPIC,
    "gemini_generate": _GEMINI,
    "openai_chat": _OPENAI,
    "openai_responses": _OPENAI,
}


@dataclass(frozen=True, slots=True)
class TokenCount:
    """The route that counts the tokens of a request, and the key of the count in its answer."""

    path: str
    key: str


TOKEN_COUNTS = {
    "anthropic_messages": TokenCount("/v1/messages/count_tokens", "input_tokens"),
    "gemini_generate": TokenCount("/{api_version}/models/{model}:countTokens", "totalTokens"),
    "openai_responses": TokenCount("/v1/responses/input_tokens", "input_tokens"),
}
