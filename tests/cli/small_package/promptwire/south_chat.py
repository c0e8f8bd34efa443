"""A wire whose bodies are the request's own keys; `x_` keys are only kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from . import Built, InvalidRequest, NoPlace, Note, PromptwireError, Reading, Setting, Signing, Wire

WIRE = Wire("south_chat", {"region": Setting(), "betas": Setting(listed=True), "api_key": Setting()})
PRESETS = ("strict", "lenient", "verbatim")


def build(
    request: dict[str, Any], *, settings: Mapping[str, Any] | None = None, policies: str = "strict"
) -> Built:
    """Build a body."""
    given = dict(settings or {})
    if policies not in PRESETS:
        raise PromptwireError(f'"{policies}" is not a preset')
    if given.keys() - WIRE.settings.keys():
        raise PromptwireError(f"unknown setting in {sorted(given)}")
    if "top_k" in request and policies == "strict":
        raise NoPlace("south_chat: top_k: no place for it")
    if "bad" in request:
        cause = TypeError("oops") if request["bad"] == "cause" else None
        raise InvalidRequest("south_chat: bad is bad") from cause
    headers = {"authorization": f"Bearer {given.get('api_key', '$SOUTH_KEY')}"}
    if "betas" in given:
        headers["betas"] = repr(given["betas"])
    body = {key: value for key, value in request.items() if key not in ("top_k", "kept")} | request.get(
        "kept", {}
    )
    notes = [Note("dropped", "", "top_k", "no place for it")] if "top_k" in request else []
    signing = Signing("odd_scheme", "south", given["region"]) if given.get("region") == "far" else None
    return Built(f"https://{given.get('region', 'main')}.south/chat", headers, body, notes, signing=signing)


def read(body: dict[str, Any], url: str | None = None) -> Reading:
    """Read a body whose values are all scalars."""
    if "messages" not in body:
        raise PromptwireError('south_chat: the body has no "messages"')
    kept = {key: value for key, value in body.items() if key.startswith("x_")}
    request = {key: value for key, value in body.items() if key not in kept} | (
        {"kept": kept} if kept else {}
    )
    moved = [Note("moved", "", "model", f"from {url}")] if url else []
    shown = re.fullmatch(r"https://(\w+)\.south/chat", url or "")
    settings = {"region": shown[1]} if shown and shown[1] != "main" else {}
    unknown = tuple(f"body.{key}" for key in kept)
    return Reading(request, len(body), len(body) - len(kept), len(kept), unknown, moved, settings)
