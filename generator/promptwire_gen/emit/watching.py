"""Rules that reach into messages: the functions that write such parts point them out, and only they pay for it."""

from __future__ import annotations

from ..model.wire import Alternative, WireModel
from .function import Function
from .places import Place
from .printing import code
from .python import Statement, is_given

_ROLES = frozenset({"system", "developer", "user", "assistant"})


def watched_kinds(model: WireModel) -> dict[str, set[str]]:
    """Part kind -> fields that a rule names; an empty set of fields means the kind itself."""
    found: dict[str, set[str]] = {}
    for rule in model.rules:
        for entry in rule.reject:
            path, _, words = entry.partition("=")
            pieces = path.split(".")
            if pieces == ["part"] or (pieces[0] in _ROLES and pieces[1:] == ["part"]):
                for kind in words.split("|") if words else [part.mode for part in model.parts]:
                    found.setdefault(kind, set())
            elif pieces[0] in _ROLES and len(pieces) == 3:
                found.setdefault(pieces[1], set()).add(pieces[2])
            elif pieces[0] in _ROLES and len(pieces) == 2:
                for part in model.parts:
                    if pieces[1] in part.kind.fields:
                        found.setdefault(part.mode, set()).add(pieces[1])
    return found


def watched_roles(model: WireModel) -> frozenset[str]:
    """The roles that a rule may refuse."""
    words = [
        word for rule in model.rules for entry in rule.reject
        if entry.startswith("message.role=") for word in entry.partition("=")[2].split("|")
    ]  # fmt: skip
    return frozenset(words)


def _cache_is_watched(model: WireModel) -> bool:
    return any(entry.startswith("cache.") for rule in model.rules for entry in rule.reject)


def watched(function: Function, alternative: Alternative, place: Place, model: WireModel) -> Function:
    """Add the line that points a part out, where a rule may refuse it."""
    fields = watched_kinds(model).get(alternative.mode) if alternative.union == "part" else None
    whole = fields is not None and not fields
    if "cache" in alternative.kind.fields and _cache_is_watched(model):
        fields = (fields or set()) | {"cache"}
    if fields is None:
        return function
    line = f"built.watch({place.subject})"
    if whole:
        return Function(function.header, function.doc, [line, *function.body])
    from ..problems import Span
    from ..spec.shapes import Hole

    first: list[Statement] = []
    lines: list[Statement] = []
    for field in sorted(fields):
        test = is_given(place.value(Hole((field,), Span("", 1, 1, 1))))
        # what even a plain node may have is looked at before plain nodes are done
        (first if field in alternative.kind.looked_at else lines).append((f"if {code(test)}:", [line]))
    body = [*first, *function.body]
    gate = next((i for i, s in enumerate(body) if not isinstance(s, str) and s[0].endswith(".plain:")), -1)
    return Function(function.header, function.doc, [*body[: gate + 1], *lines, *body[gate + 1 :]])
