"""Quick tests that decide whether rules must check a node; they are true whenever a rule may match."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ...model.condition_checks import COUNTED_AT_ONCE, COUNTED_IN_SCHEMAS, DERIVED_FIELDS
from ...model.neutral import ROLES
from ...model.rules import list_conditions_on_tools
from ...model.wire import Variant, WireModel
from ...spec.patterns import IDENTIFIER, LetterRun, find_letter_run
from ...spec.rule_conditions import Condition
from .rule_facts import find_exempting_fields, list_inspected, list_rejected, split_field


@dataclass(frozen=True)
class Look:
    """One quick test of a field.

    Attributes:
        how: The name of the test in `templates/writing/looks.j2`.
        field: The field that is tested.
        always: Whether the field always has a value.
        about: The value that the field is compared with.
    """

    how: str
    field: str = ""
    always: bool = True
    about: Any = None


def find_quick_test(pattern: str) -> LetterRun | None:
    """Return a regular expression as a run of letters, all of identifiers among them; None if it is anything else."""
    run = find_letter_run(pattern)
    if run is None or run.first is not None or run.least > 1 or not run.letters >= IDENTIFIER:
        return None
    return run


def find_part_looks(variant: Variant, wire: WireModel) -> dict[str, list[Look] | None]:
    """Return field -> the quick tests of a part; None if rules check every part of its kind."""
    kind_of = variant.kind
    found = _find_derived_looks(variant, wire)
    for condition in _join_conditions(wire):
        kind, name = split_field(condition)
        of_role = condition.head in ROLES
        if condition.path == "part":
            if condition.means(variant.mode):
                excuses = find_exempting_fields(condition, wire)
                if not excuses:
                    return {"part": None}
                found.setdefault("part", []).append(Look("unless", about=excuses))
        elif of_role and name in kind_of.sources and name != variant.source_key:
            # this shape is for a medium that is given otherwise
            continue
        elif of_role and kind in ("", variant.mode) and name in kind_of.fields:
            # type checkers do not know that a shape is only for parts with its source
            always = kind_of.fields[name].always if condition.measures else _is_there(name, variant)
            found.setdefault(name, []).append(_make_look(condition, name, always=always))
        elif of_role and kind == variant.mode and "|" in name:
            found.setdefault("part", []).append(Look("none_of", about=tuple(name.split("|"))))
        elif of_role and kind == variant.mode and name.startswith("vendor."):
            found["vendor"] = [Look("given", "vendor")]
        elif of_role and kind == variant.mode and "." in name:
            # the keys inside a JSON value are for the rule to find
            return {"part": None}
    return dict(found)


def _make_look(condition: Condition, name: str, *, always: bool) -> Look:
    """Return the quick test of a field that is true whenever a condition may be."""
    if condition.operator == "!=" and not condition.has_globs:
        return Look("other", name, always, condition.words)
    if condition.pattern is not None:
        return Look("unlike", name, always, condition.pattern)
    if condition.measures:
        return Look("measured", name, always, (condition.operator[-1], condition.operand))
    return Look("given", name)


def _find_derived_looks(variant: Variant, wire: WireModel) -> dict[str, list[Look]]:
    """Return the quick tests for rules about values that are derived from other fields."""
    pairs = map(split_field, list_inspected(wire))
    names = {name for kind, name in pairs if kind == variant.mode and kind in DERIVED_FIELDS.get(name, ())}
    if "actual_type" in names and variant.source_key == "data":
        # plain parts begin as they should
        return {"actual_type": [Look("begins_otherwise")]}
    if "data_type" in names:
        return {"data": [Look("given", "data")]} if variant.source_key == "data" else {}
    if "arguments_type" in names:
        return {"arguments_type": [Look("is_text", "arguments")]}
    if "empty" in names:
        # no text that is written at once is empty
        return {"empty": [Look("empty", "text")]}
    return {"is_error": [Look("true", "is_error")]} if names - {"actual_type"} else {}


@lru_cache(maxsize=4)
def _join_conditions(wire: WireModel) -> tuple[Condition, ...]:
    """Return the conditions of `pointed_at`, in which word lists for the same field of a part are intersected."""
    found: dict[object, Condition] = {}
    for condition in list_inspected(wire):
        is_list = condition.head in ROLES and condition.operator == "!=" and not condition.has_globs
        key = condition.tail if is_list else condition
        words = tuple([word for word in found.get(key, condition).words if word in condition.words])
        if is_list and words:
            found[key] = replace(found.get(key, condition), operand=words)
        else:
            found[condition] = condition
    return tuple(found.values())


def find_tool_looks(
    variant: Variant, wire: WireModel, *, complete: bool = False
) -> dict[str, list[Look] | None]:
    """Return field -> the quick tests of a tool; `complete` states that every field has a value."""
    fields = variant.kind.fields
    found: dict[str, list[Look] | None] = {}
    inside: dict[str, list[tuple[Condition, str]]] = {}
    adding = [condition for rule in wire.rules for condition in list_conditions_on_tools(rule)]
    for condition in (*list_rejected(wire), *adding):
        path = condition.where.path if condition.where is not None else condition.tail
        name, _, key = path.partition(".")
        if condition.head == "strict_schemas" and "strict" in fields:
            found["strict"] = [Look("given", "strict")]
        elif condition.head == "tools" and name == "shape":
            found["kept"] = [Look("given", "kept")]
        elif condition.head == "tools" and name in fields:
            inside.setdefault(name, []).append((condition, key))
    for name, pairs in inside.items():
        always = complete or _is_there(name, variant)
        found[name] = [*(found.get(name) or ()), _look_at_schema(pairs, name, always=always)]
    return found


def _look_at_schema(pairs: Iterable[tuple[Condition, str]], name: str, *, always: bool) -> Look:
    """Return the quick test for unusual values of a tool's field, from conditions about it or a key of its schema."""
    pairs = list(pairs)
    at_once = len({key for _, key in pairs if key in COUNTED_AT_ONCE}) > 1
    looks = [_look_inside(condition, name, key, at_once=at_once) for condition, key in pairs]
    unusual = [look for look in looks if look is not None]
    if len(unusual) < len(looks):
        return Look("given", name)
    return Look("some", name, always, tuple(dict.fromkeys(unusual)))


def _look_inside(condition: Condition, name: str, key: str, *, at_once: bool) -> Look | None:
    """Return the quick test of a tool's field or of a key of its schema; None if only the rule itself can decide."""
    words, operator = condition.words, condition.operator
    if not key and condition.pattern is not None:
        return Look("no_match", name, about=condition.pattern) if find_quick_test(condition.pattern) else None
    if not key:
        measured = Look("measured", name, True, (operator[-1:], condition.operand))
        return measured if condition.measures else None
    if "." in key:
        return None
    if key == "odd_names" or key in COUNTED_IN_SCHEMAS:
        return Look("counted", name, about="is_unusual" if at_once and key in COUNTED_AT_ONCE else key)
    if not operator:
        return Look("has_key", name, about=key)
    if operator == "!=" and words == ("*",):
        return Look("lacks_key", name, about=key)
    if operator == "=" and not condition.has_globs:
        return Look("key_in", name, about=(key, words))
    return Look("key_not", name, about=(key, words[0])) if operator == "!=" and len(words) == 1 else None


def _is_there(name: str, variant: Variant) -> bool:
    """Return whether a field has a value once missing ones are reported."""
    always = variant.kind.fields[name].always or name == variant.source_key
    return always or any(hole.path == (name,) for hole in variant.required_fields)
