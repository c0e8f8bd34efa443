"""A wire that goes wrong as its body says."""

from __future__ import annotations

from typing import Any

from . import Built, Reading, Wire

WIRE = Wire("faulty_chat", {})


def build(request: dict[str, Any], **_: Any) -> Built:
    """Build what the request's `fault` asks for."""
    body = dict(request)
    match request["fault"]:
        case "build":
            raise KeyError("oops")
        case "type":
            body["n"] = True
        case "extra":
            body["a/b~c"] = {"long": "x" * 100}
        case "lost":
            del body["n"]
        case "short":
            body["list"] = [{"k": 1}]
    return Built("https://faulty", {}, body)


def read(body: dict[str, Any], url: str | None = None) -> Reading:
    """Read a body; some faults are here."""
    match body["fault"]:
        case "read":
            raise RecursionError("too\ndeep")
        case "count":
            return Reading(body, 5, 3, 1)
        case "changes":
            body["n"] = 2
    return Reading(body, 2, 2, 0)
