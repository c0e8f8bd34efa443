"""Quick tests whether a node is worth a look of the rules: cheaper than they are, and true whenever they mean it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...model.neutral import REQUEST
from ...model.rule_entries import RuleEntry, parse_entry
from ...model.wire import WireModel
from ..field_access import FieldAccess
from ..python import Expression, attribute, bracketed, call, literal, name
from ..python.conditions import (
    all_of,
    any_of,
    at_most,
    contains,
    differs,
    inverted,
    is_given,
    is_none_of,
    is_one_of,
    negated,
)

_SIMPLE = re.compile(r"(?P<letters>\.|\[a-zA-Z0-9_[.:-]*\])(?:\+|\{(?P<least>[01]),(?P<most>\d+)\})")


def worth_a_look(entry: RuleEntry, value: Expression, access: FieldAccess, *, always: bool) -> Expression:
    """The test of a part's field; `always` where it has a value."""
    tests = [] if always else [is_given(value)]
    if entry.operator == "!=" and not set("*?[") & set(entry.operand):
        tests.append(is_none_of(value, [literal(word) for word in entry.words]))
    elif entry.operator == "!~":
        access.imports.use("promptwire_runtime.predicates.words", "is_unlike")
        plain_match = _surely_fine(value, entry.operand)
        tests += [] if plain_match is None else [negated(bracketed(plain_match))]
        tests.append(call("is_unlike", value, literal(entry.operand)))
    return all_of(tests) or is_given(value)


def _surely_fine(value: Expression, pattern: str) -> Expression | None:
    """A test of text that is quicker than the regular expression, and true only where that matches."""
    simple = _SIMPLE.fullmatch(pattern)
    if simple is None:
        return None
    # what Python takes for a name, in ASCII
    identifier_tests = [call(f"{value}.isidentifier"), call(f"{value}.isascii")]
    some = [] if simple["least"] == "0" else [value]
    short = [at_most(call("len", value), int(simple["most"]))] if simple["most"] else []
    return all_of([*(some if simple["letters"] == "." else identifier_tests), *short])


def schemas_worth_a_look(
    entries: Sequence[tuple[RuleEntry, str]], value: Expression, *, always: bool
) -> Expression:
    """The test of a tool's field, by entries about it or a key of its schema: the unusual is told from the usual."""
    is_there = is_given(value)
    tests: list[Expression] = []
    for entry, key in entries:
        if "." in key:
            return is_there
        said = _surely_fine(value, entry.operand) if entry.operator == "!~" and not key else None
        if said is not None:
            tests.append(inverted(said))
            continue
        if key and not entry.operator:
            tests.append(contains(key, value))
        elif key and entry.operator == "=" and not set("*?[") & set(entry.operand):
            words = [literal(word) for word in entry.words]
            tests.append(is_one_of(call(f"{value}.get", literal(key)), words))
        elif key and entry.operator == "!=" and len(entry.words) == 1:
            tests.append(differs(call(f"{value}.get", literal(key)), literal(entry.operand)))
        else:
            return is_there
    unusual = any_of(tests)
    return all_of([*([] if always else [is_there]), *([] if unusual is None else [unusual])]) or is_there


def excusing_fields(entry: RuleEntry, model: WireModel) -> tuple[str, ...]:
    """The fields of a request any of which excuses a kind of part that is refused otherwise."""
    fields: list[str] = []
    for rule in model.rules:
        conditions = (rule.when.model, rule.when.not_model, rule.when.settings)
        if any(parse_entry(text) == entry for text in rule.reject):
            fields = []
        if any(parse_entry(text) == entry for text in rule.allow) and not any(conditions):
            fields += [field for field in rule.when.given if rule.when.given == (field,) and field in REQUEST]
    return tuple(fields)


def unless_given(entry: RuleEntry, model: WireModel) -> Expression | None:
    """The test of a kind of part that is refused unless the request gives some field; None where more decides."""
    request = attribute(name("build"), "request")
    return all_of([negated(attribute(request, field)) for field in excusing_fields(entry, model)])
