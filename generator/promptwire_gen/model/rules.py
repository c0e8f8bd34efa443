"""Checks on rules: every field they name must exist."""

from __future__ import annotations

from ..problems import did_you_mean, quote
from ..spec.load import LoadedSpec
from ..spec.notation import Notation
from .neutral import DOTTED, MESSAGE, OPTIONS, PARTS, REQUEST, RESPONSE_FORMAT, ROLES, TOOLS
from .wire import WireModel

_HEADS = {
    "response_format": frozenset(RESPONSE_FORMAT.fields),
    "message": frozenset({"role", "parts", *MESSAGE.fields}),
    "last_message": frozenset({"role", "part", *MESSAGE.fields}),
    "cache": frozenset({"ttl"}),
    "tools": frozenset(name for kind in TOOLS.values() for name in kind.fields) | {"kind"},
    "reasoning": frozenset({"kind", *DOTTED["reasoning"].fields}),
    **{name: frozenset(kind.fields) for name, kind in DOTTED.items() if name != "reasoning"},
    **{role: frozenset(name for kind in PARTS.values() for name in kind.fields) | {"part"} for role in ROLES},
}


def check_rules(model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    """Check the paths of reject, allow and given, the keys of rename, and the settings of when."""
    for index, rule in enumerate(spec.model.rules):
        for section, entries in (("reject", rule.reject), ("allow", rule.allow)):
            for place, entry in enumerate(entries):
                _check_path(entry, spec.span_of(("rules", index, section, place)), notation)
        for place, entry in enumerate(rule.when.given):
            _check_path(entry, spec.span_of(("rules", index, "when", "given", place)), notation)
        known = {entry.key: entry.synonyms for entry in model.body.shape.fields}
        for key, synonym in rule.rename.items():
            if key not in known or synonym not in known[key]:
                span = spec.span_of(("rules", index, "rename", key))
                notation.problem(span, "unknown-key", f"{quote(key)} has no synonym {quote(synonym)} in the body")


def _check_path(entry: str, span: object, notation: Notation) -> None:
    path = entry.partition("=")[0]
    head, _, tail = path.partition(".")
    if head in ROLES and "." in tail:
        kind, _, name = tail.partition(".")
        known = kind in PARTS and name in PARTS[kind].fields
    elif head in _HEADS and tail:
        known = tail in _HEADS[head]
    else:
        known = not tail and (head in OPTIONS or head in REQUEST or head in ("part", "tool", "continuation"))
        known = known or (head == "vendor" and bool(tail))
    if not known:
        choices = [*OPTIONS, *REQUEST, *(f"{h}.{t}" for h, tails in _HEADS.items() for t in tails)]
        hint = did_you_mean(path, choices) or "write a field of the request, such as temperature or reasoning.effort"
        notation.problem(span, "unknown-field", f"{quote(path)} is not a field that a rule can name", hint)  # type: ignore[arg-type]
