"""Checks on rules: every field they name must exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..problems import did_you_mean, quote
from ..spec.explain import Path
from ..spec.load import LoadedSpec
from ..spec.notation import Notation
from ..spec.schema import Rule
from .body_model import Body
from .neutral import REQUEST
from .rule_entries import RuleEntry, parse_entry
from .rule_entry_checks import check_entry, is_inside_messages, is_pointed_out
from .wire import WireModel

_SPEAKERS = ("system", "developer", "user")
_OMITTED = tuple(name for name in (*REQUEST, "continuation") if name not in ("model", "messages"))


def rules_about(rules: Iterable[Rule], body: Body) -> tuple[Rule, ...]:
    """Leave out what a spec inherits about continuations that its own body has no place for."""
    named = body.dotted["continuation"]

    def is_held(entry: RuleEntry) -> bool:
        return entry.head != "continuation" or entry.tail in named

    return tuple([rule for rule in rules if all(is_held(parse_entry(text)) for text in rule.when.given)])


def check_rules(model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    """Check the paths of reject, allow and given, and the keys and values of rename and set."""
    for index, rule in enumerate(spec.model.rules):
        if rule.family is not None:
            continue
        lists = ((("reject",), rule.reject), (("allow",), rule.allow), (("when", "given"), rule.when.given))
        for section, entries in lists:
            for place, entry in enumerate(entries):
                span = spec.span_of(("rules", index, *section, place))
                check_entry(entry, span, model, notation, given=section[-1] == "given")
        _check_rename(rule.rename, ("rules", index, "rename"), model, spec, notation)
        _check_set(rule.set, ("rules", index, "set"), spec, notation)
        _check_add(rule, index, model, spec, notation)
        _check_conditions(rule, index, spec, notation)
        _check_given(rule, index, spec, notation)


def looks_inside(rule: Rule) -> list[RuleEntry]:
    """The conditions of a rule that look at any message or part."""
    return [entry for entry in map(parse_entry, rule.when.given) if is_inside_messages(entry)]


def looks_at_tools(rule: Rule) -> list[RuleEntry]:
    """The conditions about tools of a rule that adds to a setting, which builders ask for where they write tools."""
    if not rule.add or "omit" in rule.set.values() or looks_inside(rule):
        return []
    entries = [entry for entry in map(parse_entry, rule.when.given) if entry.head == "tools" and entry.tail]
    return [entry for entry in entries if entry.path != "tools.count" or entry.selector is not None]


def _check_given(rule: Rule, index: int, spec: LoadedSpec, notation: Notation) -> None:
    """A condition looks inside messages where the rule adds to a setting, which is needed when they are written."""
    only_adds = bool(rule.add) and not (rule.reject or rule.allow or rule.rename or rule.set)
    inside = looks_inside(rule)
    for place, text in enumerate(rule.when.given):
        entry = parse_entry(text)
        if entry not in inside or (only_adds and entry is inside[0] and is_pointed_out(entry)):
            continue
        if only_adds and not is_pointed_out(entry):
            why, hint = "no condition looks there", "name a message, a part, or a field of one"
        elif only_adds:
            why, hint = "one condition of a rule looks there", "write a second rule"
        else:
            why, hint = (
                "only a rule that adds, and does nothing else, looks there",
                "name a field of the request",
            )
        span = spec.span_of(("rules", index, "when", "given", place))
        notation.problem(span, "bad-value", f"{quote(text)} is inside messages: {why}", hint)


def _check_rename(
    rename: Mapping[str, str], path: Path, model: WireModel, spec: LoadedSpec, notation: Notation
) -> None:
    synonyms_of = {entry.key: entry.synonyms for entry in model.body.shape.fields}
    for key, synonym in rename.items():
        if "." in key or "." in synonym:
            _check_move(key, synonym, path, model, spec, notation)
        elif key in synonyms_of.get(synonym, ()):
            # what was read under a synonym is written under its key
            continue
        elif key not in synonyms_of:
            hint = did_you_mean(key, synonyms_of) or f"the body has {', '.join(synonyms_of)}"
            notation.problem(
                spec.key_span_of((*path, key)), "unknown-key", f"{quote(key)} is not a key of the body", hint
            )
        elif synonym not in synonyms_of[key]:
            hint = did_you_mean(synonym, synonyms_of[key]) or f'write "{key}|{synonym}" in body'
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
    written, read = ([hole.path for hole in entry.shape.holes] for entry in (first, second))
    if not written or not set(written) <= set(read):
        message = f"{quote(target)} does not hold what {quote(key)} holds"
        advice = f"write =${'.'.join(written[0])} there" if written else None
        notation.problem(spec.span_of((*path, key)), "other-value", message, advice)


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


def _check_add(rule: Rule, index: int, model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    settings = model.transport.settings
    lists = [name for name, setting in settings.items() if setting.type == "list"]
    for name in rule.add if "transport" not in spec.invalid else ():
        if name not in lists:
            message = f"{quote(name)} is no list among the settings"
            hint = did_you_mean(name, lists) or (
                f"the lists are {', '.join(lists)}"
                if lists
                else f"write {name}: {{type: list}} in transport.settings"
            )
            notation.problem(spec.key_span_of(("rules", index, "add", name)), "unknown-field", message, hint)


def _check_conditions(rule: Rule, index: int, spec: LoadedSpec, notation: Notation) -> None:
    """What is decided before the fields of a request are looked at depends on model and settings only."""
    others = [text for text in rule.when.given if parse_entry(text).path != "instructions"]
    for key, other in rule.rename.items():
        if rule.when.given and not ("." in key or "." in other):
            message = f"{quote(key)} is renamed for a model or a setting, whatever is given"
            span = spec.key_span_of(("rules", index, "rename", key))
            notation.problem(span, "bad-value", message, "leave out given")
    if others and "instructions.role" in rule.set:
        message = "instructions.role is set for a model or a setting, whatever else is given"
        span = spec.key_span_of(("rules", index, "set", "instructions.role"))
        notation.problem(span, "bad-value", message, f"leave out given: {others[0]}")
