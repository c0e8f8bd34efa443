"""Parse the keys of shapes: `kind.source#variant!~@roles>slot` for parts, `kind#variant~` in unions."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..problems import did_you_mean, hint_of, quote
from ..spec.nodes import Scalar
from ..spec.notation import Notation
from .neutral import CONTAINERS, PARTS, ROLES, Kind
from .wire import ShapeKey

_KEY = re.compile(
    r"(?P<kind>[a-z_]+)(?:\.(?P<source>[a-z_0-9]+))?(?:#(?P<variant>[a-z_0-9]+))?"
    r"(?P<way>[!~])?(?:@(?P<roles>[a-z_,]+))?(?:>(?P<slot>[a-z_]+))?"
)


def part_key(key: Scalar, slots: Collection[str], notation: Notation) -> ShapeKey | None:
    """Parse the key of a part shape."""
    text = str(key.value)
    match = _KEY.fullmatch(text)
    if match is None:
        hint = "write kind.source#variant@roles>slot"
        notation.problem(key.span, "bad-part-key", f"{quote(text)} is not a part key", hint)
        return None
    kind = match["kind"]
    if kind not in PARTS:
        hint = hint_of(kind, PARTS, "kinds")
        notation.problem(key.span, "unknown-part", f"{quote(kind)} is not a part kind", hint)
        return None
    _check_source(key, PARTS[kind], match["source"], notation)
    roles = tuple(match["roles"].split(",")) if match["roles"] else ()
    for role in roles:
        if role not in ROLES and role not in CONTAINERS:
            hint = did_you_mean(role, (*ROLES, *CONTAINERS)) or f"the roles are {', '.join(ROLES)}"
            notation.problem(key.span, "unknown-role", f"{quote(role)} is not a role", hint)
    slot = match["slot"] or "content"
    if slot not in ("messages", *slots):
        hint = did_you_mean(slot, slots) or f"the slots are {', '.join(sorted(slots)) or 'not declared'}"
        notation.problem(key.span, "unknown-slot", f"{quote(slot)} is not a slot of this wire", hint)
    if slot in ("messages", "results") and not roles:
        hint = f"write {kind}@assistant>messages"
        notation.problem(key.span, "missing-role", "an item of its own needs the role of its message", hint)
    way = match["way"]
    return ShapeKey(kind, match["source"], match["variant"], roles, slot, way == "!", way == "~")


def _check_source(key: Scalar, kind: Kind, source: str | None, notation: Notation) -> None:
    if not kind.sources:
        return
    allowed = ", ".join(kind.sources)
    if source is None:
        hint = f"write {kind.name}.{kind.sources[0]}"
        notation.problem(key.span, "missing-source", f"{kind.name} needs a source", hint)
    elif source not in kind.sources:
        hint = did_you_mean(source, kind.sources) or f"use one of {allowed}"
        notation.problem(key.span, "unknown-source", f"{quote(source)} is not a source of {kind.name}", hint)


def union_key(key: Scalar, union: str, kinds: tuple[str, ...] | None, notation: Notation) -> ShapeKey | None:
    """Parse the key of a union's shape; `kinds` are the allowed kinds, or None if the wire may name its own."""
    match = _KEY.fullmatch(str(key.value))
    if match is None or match["roles"] or match["slot"]:
        hint = "write kind or kind#variant" + (f", where kind is {', '.join(kinds)}" if kinds else "")
        notation.problem(key.span, "bad-union-key", f"{quote(str(key.value))} is not a key of {union}", hint)
        return None
    if kinds is not None and match["kind"] not in kinds:
        hint = did_you_mean(match["kind"], kinds) or f"use one of {', '.join(kinds)}"
        notation.problem(key.span, "unknown-kind", f"{quote(match['kind'])} is not a kind of {union}", hint)
        return None
    return ShapeKey(match["kind"], match["source"], match["variant"], refused=match["way"] == "~")
