"""Draft a spec from the type of an SDK, or from an OpenAPI description."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic.alias_generators import to_snake

from .drafts import draft_of
from .installed_types import declared_record
from .kinds import SdkError
from .openapi import operation_of

_PARAMETER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_MODELS = ("model", "model_id", "model_name", "modelId")


def drafted_from(sdk: str | None, description: str | None) -> dict[str, Any] | None:
    """Return what the template of a draft needs; None without a source.

    Raises SdkError if the source cannot be read, or describes no body.
    """
    if sdk is not None:
        return _from_sdk(sdk)
    return None if description is None else _from_openapi(description)


def _from_sdk(path: str) -> dict[str, Any]:
    module, _, name = path.partition(":")
    if not module or not name:
        raise SdkError(f"{path} is not MODULE:TYPE, such as openai.types.chat:CompletionCreateParams")
    body = declared_record(path)
    top = module.partition(".")[0]
    packages = metadata.packages_distributions().get(top)
    # types of a module outside of any package have no version that gen verify could compare
    sdk = None
    if packages:
        version = f"{packages[0]} {metadata.version(packages[0])}"
        sdk = {"name": packages[0], "version": version, "types": path}
    return {
        "source": path,
        "draft": draft_of(body),
        "path": "/chat",
        "address": None,
        "header": "authorization",
        "prefix": "Bearer ",
        "settings": [],
        "sdk": sdk,
    }


def _from_openapi(description: str) -> dict[str, Any]:
    file, colon, path = description.rpartition(":/")
    operation = operation_of(Path(file if colon else description), f"/{path}" if colon else None)
    names = dict.fromkeys(_PARAMETER.findall(operation.path))
    settings = [to_snake(name) for name in names if name not in _MODELS]
    return {
        "source": f"{Path(file if colon else description).name}, {operation.path}",
        "draft": draft_of(operation.body),
        "path": _PARAMETER.sub(_placed, operation.path),
        "address": operation.server,
        "header": operation.header,
        "prefix": operation.prefix,
        "settings": settings,
        "sdk": None,
    }


def _placed(match: re.Match[str]) -> str:
    """Return the hole of a parameter of a path."""
    name = "model" if match[1] in _MODELS else to_snake(match[1])
    return f"${{{name}|segment}}"
