"""Print what becomes of recorded requests; runs by itself, with whatever promptwire is on the path.

Standard input has one JSON object a line, with `wire`, `body` and `url`. For each, a line of JSON is printed: `error`
(its class and text), or `body`, `url` and `notes` of a strict build. The body is built without form memory, as a
request that an application makes is.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib import import_module
from typing import Any


def outcome(wire: str, body: Any, url: str | None) -> dict[str, Any]:
    """Return what becomes of one request."""
    package = import_module("promptwire")
    if wire not in package.WIRES:
        return {"error": f"UnknownWire: there is no wire {wire}"}
    # finds those of other packages too
    module: Any = package.wire(wire)
    try:
        reading = module.read(body, url)
        built = module.build(without_memory(reading.request), settings=dict(reading.settings))
    except Exception as error:  # noqa: BLE001  # every failure is an outcome
        return {"error": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
    # without a recorded URL, the settings of the host are unknown
    address = built.shown_url if url else None
    return {"body": built.body, "url": address, "notes": [str(note) for note in built.notes]}


def without_memory(value: Any) -> Any:
    """Return a node, or a tuple of nodes, without what reading remembered of its spelling."""
    cls: Any = value.__class__
    if cls is tuple:
        return tuple([without_memory(item) for item in value])
    names: tuple[str, ...] = tuple(getattr(cls, "__dataclass_fields__", ()))
    if not names:
        return value
    changes = {name: without_memory(getattr(value, name)) for name in names if name != "kept"}
    changed = {name: new for name, new in changes.items() if new is not getattr(value, name)}
    if getattr(value, "kept", None) is not None:
        changed["kept"] = None
    return replace(value, **changed) if changed else value


if __name__ == "__main__":
    for line in sys.stdin:
        row = json.loads(line)
        sys.stdout.write(json.dumps(outcome(row["wire"], row["body"], row["url"])) + "\n")
