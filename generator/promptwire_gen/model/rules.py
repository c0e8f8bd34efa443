"""Checks on rules: every field they name must exist."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from ..problems import Span, did_you_mean, quote
from ..spec.explain import Path
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

# paths whose values are words of the neutral model
_WORDS: dict[str, tuple[str, ...]] = {"part": tuple(PARTS), "tool": tuple(TOOLS), "message.role": ROLES}
_SPEAKERS = ("system", "developer", "user")
_OMITTED = tuple(name for name in (*REQUEST, "continuation") if name not in ("model", "messages"))


def check_rules(model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    """Check the paths of reject, allow and given, and the keys and values of rename and set."""
    for index, rule in enumerate(spec.model.rules):
        lists = ((("reject",), rule.reject), (("allow",), rule.allow), (("when", "given"), rule.when.given))
        for section, entries in lists:
            for place, entry in enumerate(entries):
                _check_entry(entry, spec.span_of(("rules", index, *section, place)), notation)
        _check_rename(rule.rename, ("rules", index, "rename"), model, spec, notation)
        _check_set(rule.set, ("rules", index, "set"), spec, notation)


def _check_rename(
    rename: Mapping[str, str], path: Path, model: WireModel, spec: LoadedSpec, notation: Notation
) -> None:
    known = {entry.key: entry.synonyms for entry in model.body.shape.fields}
    for key, synonym in rename.items():
        if "." in key or "." in synonym:
            _check_move(key, synonym, path, model, spec, notation)
        elif key not in known:
            hint = did_you_mean(key, known) or f"the body has {', '.join(known)}"
            notation.problem(
                spec.key_span_of((*path, key)), "unknown-key", f"{quote(key)} is not a key of the body", hint
            )
        elif synonym not in known[key]:
            hint = did_you_mean(synonym, known[key]) or f'write "{key}|{synonym}" in body'
            message = f"{quote(key)} has no synonym {quote(synonym)} in the body"
            notation.problem(spec.span_of((*path, key)), "unknown-synonym", message, hint)


def _check_move(
    key: str, target: str, path: Path, model: WireModel, spec: LoadedSpec, notation: Notation
) -> None:
    """Both ends are keys of the body, the value is written at the first, and both read the same holes."""
    ends = {end: model.body.at(end.split(".")) for end in (key, target)}
    for end, span in ((key, spec.key_span_of((*path, key))), (target, spec.span_of((*path, key)))):
        if ends[end] is None:
            hint = "write the path of a key, such as config.top_k"
            notation.problem(span, "unknown-key", f"{quote(end)} is not a key of the body", hint)
    first, second = ends[key], ends[target]
    if first is None or second is None:
        return
    held, read = ([hole.path for hole in entry.shape.holes] for entry in (first, second))
    if not held or not set(held) <= set(read):
        message = f"{quote(target)} does not hold what {quote(key)} holds"
        wanted = f"write =${'.'.join(held[0])} there" if held else None
        notation.problem(spec.span_of((*path, key)), "other-value", message, wanted)


def _check_set(assigned: Mapping[str, Any], path: Path, spec: LoadedSpec, notation: Notation) -> None:
    for key, value in assigned.items():
        place = (*path, key)
        if key == "instructions.role":
            if value not in _SPEAKERS:
                message = f"instructions.role must be {', '.join(_SPEAKERS[:-1])} or {_SPEAKERS[-1]}"
                notation.problem(
                    spec.span_of(place), "bad-value", message, did_you_mean(str(value), _SPEAKERS)
                )
        elif key not in _OMITTED:
            hint = (
                did_you_mean(key, ("instructions.role", *_OMITTED))
                or "set instructions.role, or a field to omit"
            )
            notation.problem(
                spec.key_span_of(place), "unknown-field", f"{quote(key)} cannot be set by a rule", hint
            )
        elif value != "omit":
            notation.problem(
                spec.span_of(place), "bad-value", f"a rule can only omit {key}", f"write {key}: omit"
            )


def _check_entry(entry: str, span: Span, notation: Notation) -> None:
    path, equals, values = entry.partition("=")
    head, _, tail = path.partition(".")
    if head in ROLES and "." in tail:
        kind, _, name = tail.partition(".")
        known = kind in PARTS and name in PARTS[kind].fields
    elif head in _HEADS and tail:
        known = tail in _HEADS[head] or (head == "last_message" and tail.startswith("vendor."))
    else:
        known = not tail and (head in OPTIONS or head in REQUEST or head in ("part", "tool", "continuation"))
        known = known or (head == "vendor" and bool(tail))
    if not known:
        choices: list[str] = [*OPTIONS, *REQUEST, *(f"{h}.{t}" for h, tails in _HEADS.items() for t in tails)]
        hint = (
            did_you_mean(path, choices)
            or "write a field of the request, such as temperature or reasoning.effort"
        )
        notation.problem(span, "unknown-field", f"{quote(path)} is not a field that a rule can name", hint)
    elif equals:
        known_words = _WORDS.get("part" if tail == "part" else path, ())
        for value in values.split("|") if known_words else ():
            if not any(fnmatchcase(word, value) for word in known_words):
                hint = did_you_mean(value, known_words) or f"the values are {', '.join(known_words)}"
                notation.problem(span, "bad-value", f"{quote(value)} is not a value of {path}", hint)
