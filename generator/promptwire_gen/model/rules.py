"""Checks on rules: every field they name must exist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from ..problems import Span, did_you_mean, quote
from ..spec.explain import Path
from ..spec.load import LoadedSpec
from ..spec.notation import Notation
from ..spec.schema import Rule
from .neutral import DOTTED, MESSAGE, OPTIONS, PARTS, REQUEST, RESPONSE_FORMAT, ROLES, TOOLS, NeutralField
from .rule_entries import OPERATORS, RuleEntry, parse_entry
from .wire import Body, WireModel

_PART_FIELDS = frozenset(name for kind in PARTS.values() for name in kind.fields)
_HEADS = {
    "response_format": frozenset(RESPONSE_FORMAT.fields),
    "message": frozenset({"role", *MESSAGE.fields}),
    "last_message": frozenset({"role", "part", *MESSAGE.fields}),
    "first_message": frozenset({"role", *MESSAGE.fields}),
    "cache": frozenset({"ttl", "count"}),
    "tools": frozenset(name for kind in TOOLS.values() for name in kind.fields) | {"count"},
    "reasoning": frozenset({"kind", *DOTTED["reasoning"].fields}),
    **{name: frozenset(kind.fields) for name, kind in DOTTED.items() if name != "reasoning"},
    **{role: _PART_FIELDS | {"part", "after", "before", "count"} for role in ROLES},
}
_COUNTED = ("strings", "messages", "tools", "object")
_SCALAR = NeutralField("str")
_NUMBERS = ("int", "number", "float")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")

# paths whose values are words of the neutral model
_WORDS: dict[str, tuple[str, ...]] = {"part": tuple(PARTS), "tool": tuple(TOOLS), "message.role": ROLES}
_SPEAKERS = ("system", "developer", "user")
_OMITTED = tuple(name for name in (*REQUEST, "continuation") if name not in ("model", "messages"))


def rules_about(rules: Iterable[Rule], body: Body) -> tuple[Rule, ...]:
    """Leave out what a spec inherits about continuations that its own body has no place for."""
    held = {hole.path for hole in body.shape.holes}

    def is_held(entry: RuleEntry) -> bool:
        return entry.head != "continuation" or (entry.head, entry.tail) in held

    return tuple([rule for rule in rules if all(is_held(parse_entry(text)) for text in rule.when.given)])


def check_rules(model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    """Check the paths of reject, allow and given, and the keys and values of rename and set."""
    for index, rule in enumerate(spec.model.rules):
        lists = ((("reject",), rule.reject), (("allow",), rule.allow), (("when", "given"), rule.when.given))
        for section, entries in lists:
            for place, entry in enumerate(entries):
                span = spec.span_of(("rules", index, *section, place))
                _check_entry(entry, span, notation)
                if section[-1] == "given" and _is_inside_messages(parse_entry(entry)):
                    message = f"{quote(entry)} is inside messages: no condition looks there"
                    notation.problem(span, "bad-value", message, "name a field of the request")
        _check_rename(rule.rename, ("rules", index, "rename"), model, spec, notation)
        _check_set(rule.set, ("rules", index, "set"), spec, notation)
        _check_conditions(rule, index, spec, notation)


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


def _check_entry(text: str, span: Span, notation: Notation) -> None:
    entry = parse_entry(text)
    if entry.selector is not None and entry.selector.operator and not entry.selector.words:
        _check_operand(entry.selector, span, notation)
    if not _is_known(entry):
        choices: list[str] = [*OPTIONS, *REQUEST, *(f"{h}.{t}" for h, tails in _HEADS.items() for t in tails)]
        hint = (
            did_you_mean(entry.path, choices)
            or "write a field of the request, such as temperature or reasoning.effort"
        )
        shown = quote(text[: len(text) - len(entry.operator + entry.operand)])
        notation.problem(span, "unknown-field", f"{shown} is not a field that a rule can name", hint)
    elif _means_plain_text(entry):
        message = "a rule cannot refuse text itself, which stands in every conversation"
        notation.problem(span, "bad-value", message, "name a field of text, such as user.text.citations")
    elif entry.words:
        _check_words(entry, span, notation)
    else:
        _check_operand(entry, span, notation)


def _check_words(entry: RuleEntry, span: Span, notation: Notation) -> None:
    """Check what values are compared with, where they are words."""
    if entry.operand[:1] in ("<", ">", "="):
        message = f"{quote(entry.operator + entry.operand[:1])} is not an operator"
        wanted = f"write {entry.path}{entry.operand[:1]}={entry.operand[1:]}"
        notation.problem(span, "bad-value", message, wanted)
    elif entry.tail in ("after", "before"):
        for value in entry.words:
            if not _is_neighbour(value):
                hint = "write start, end, or a role and a kind of part, such as assistant.tool_call or user.*"
                notation.problem(span, "bad-value", f"{quote(value)} is no message beside one", hint)
    else:
        known_words = _WORDS.get("part" if entry.tail == "part" else entry.path, ())
        for value in entry.words if known_words else ():
            if not any(fnmatchcase(word, value) for word in known_words):
                hint = did_you_mean(value, known_words) or f"the values are {', '.join(known_words)}"
                notation.problem(span, "bad-value", f"{quote(value)} is not a value of {entry.path}", hint)


def _is_inside_messages(entry: RuleEntry) -> bool:
    """Tell whether an entry looks at any message or part; the first and the last message are known."""
    inside = entry.head in ("part", "message", *(role for role in ROLES if role != "tool"))
    return inside or entry.path == "cache.count" or (entry.head == "tool" and bool(entry.tail))


def _means_plain_text(entry: RuleEntry) -> bool:
    """Tell whether an entry looks at text that is nothing else: such text is written without a look."""
    if entry.path == "part" or (entry.head in ROLES and entry.tail == "part"):
        named = not entry.words or any(fnmatchcase("text", glob) for glob in entry.words)
        return named is not (entry.operator == "!=")
    return entry.head in ROLES and entry.tail in ("text", "text.text")


def _is_neighbour(value: str) -> bool:
    role, _, kind = value.partition(".")
    if not kind:
        return value in ("start", "end", "*")
    return any(fnmatchcase(each, role) for each in ROLES) and any(fnmatchcase(each, kind) for each in PARTS)


def _is_known(entry: RuleEntry) -> bool:
    head, tail = entry.head, entry.tail
    if entry.selector is not None and not _is_known_selector(entry):
        return False
    if head in ROLES and "." in tail:
        kind, _, name = tail.partition(".")
        return kind in PARTS and (name in PARTS[kind].fields or name.startswith("vendor."))
    if head in ("first_message", "last_message") and tail.startswith("vendor."):
        return True
    if head == "tools" and tail.partition(".")[0] in ("parameters", "config"):
        return True
    if head in _HEADS and tail:
        return tail in _HEADS[head]
    if head == "vendor":
        return bool(tail)
    if tail == "count":
        return (OPTIONS.get(head) or REQUEST.get(head) or _SCALAR).type in _COUNTED
    return not tail and (head in OPTIONS or head in REQUEST or head in ("part", "tool", "continuation"))


def _is_number(entry: RuleEntry) -> bool:
    """Tell whether the values of an entry are numbers, or may be (options of one API are of any type)."""
    if entry.tail == "count" or "vendor" in (entry.head, *entry.tail.split(".")):
        return True
    fields = DOTTED[entry.head].fields if entry.head in DOTTED else {}
    field = fields.get(entry.tail) or (OPTIONS.get(entry.head) if not entry.tail else None)
    if entry.head in ROLES and "." in entry.tail:
        kind, _, name = entry.tail.partition(".")
        field = PARTS[kind].fields.get(name)
    return field is not None and field.type in _NUMBERS


def _is_known_selector(entry: RuleEntry) -> bool:
    """Tell whether the nodes that an entry begins with have the field in its brackets."""
    selector = entry.selector
    if selector is None or selector.selector is not None:
        return False
    if entry.head == "tools":
        return selector.path in _HEADS["tools"]
    named = selector.path in ("parts", *MESSAGE.fields) or (selector.head == "vendor" and bool(selector.tail))
    return entry.head in ROLES and named


def _check_operand(entry: RuleEntry, span: Span, notation: Notation) -> None:
    """Check what numbers are compared with, and regular expressions."""
    if entry.operator == "!~":
        try:
            re.compile(entry.operand)
        except (re.error, OverflowError, RecursionError) as error:
            message = f"{quote(entry.operand)} is not a regular expression: {error}"
            notation.problem(span, "bad-value", message, "write one that all of the text must match")
    elif entry.compares:
        other = parse_entry(entry.operand)
        named = _is_known(other) and not other.operator and _is_number(other)
        if not (_NUMBER.fullmatch(entry.operand) or named):
            message = f"{quote(entry.operand)} is neither a number nor a field of the request that holds one"
            notation.problem(span, "bad-value", message, "write a number, such as temperature>2")
        if not _is_number(entry):
            message = f"{entry.path} is no number to compare"
            notation.problem(
                span, "bad-value", message, "compare numbers, such as temperature>2 or stop.count>4"
            )
    elif entry.operator:
        message = (
            f"{quote(entry.operator)} is not followed by a word"
            if entry.operator in OPERATORS
            else (f"{quote(entry.operator)} is not an operator")
        )
        notation.problem(span, "bad-value", message, f"the operators are {' '.join(OPERATORS)}")
