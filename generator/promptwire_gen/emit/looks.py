"""Quick tests whether a node is worth a look of the rules: cheaper than they are, and true whenever they mean it."""

from __future__ import annotations

import re

from ..model.neutral import REQUEST
from ..model.rule_entries import RuleEntry, parse_entry
from ..model.wire import WireModel
from .conditions import all_of, at_most, bracketed, differs, is_given, is_none_of, negated
from .places import Place
from .printing import code
from .python import Expression, attribute, call, literal, name

_SIMPLE = re.compile(r"(?P<letters>\.|\[a-zA-Z0-9_[.:-]*\])(?:\+|\{(?P<least>[01]),(?P<most>\d+)\})")


def worth_a_look(entry: RuleEntry, value: Expression, place: Place, *, always: bool) -> Expression:
    """The test of a part's field; `always` where it has a value."""
    tests = [] if always else [is_given(value)]
    if entry.operator == "!=" and not set("*?[") & set(entry.operand):
        tests.append(is_none_of(value, [literal(word) for word in entry.words]))
    elif entry.operator == "!~":
        place.imports.use("promptwire_runtime.rule_entries", "is_unlike")
        fine = _surely_fine(value, entry.operand)
        tests += [] if fine is None else [negated(bracketed(fine))]
        tests.append(call("is_unlike", value, literal(entry.operand)))
    return all_of(tests) or is_given(value)


def _surely_fine(value: Expression, pattern: str) -> Expression | None:
    """A test of text that is quicker than the regular expression, and true only where that matches."""
    simple = _SIMPLE.fullmatch(pattern)
    if simple is None:
        return None
    # what Python takes for a name, in ASCII
    named = [call(f"{code(value)}.isidentifier"), call(f"{code(value)}.isascii")]
    some = [] if simple["least"] == "0" else [value]
    short = [at_most(call("len", value), int(simple["most"]))] if simple["most"] else []
    return all_of([*(some if simple["letters"] == "." else named), *short])


def schema_worth_a_look(entry: RuleEntry, value: Expression, key: str, *, always: bool) -> Expression:
    """The test of a tool's field, or of a key of its schema: a rare one is told from the usual one."""
    given = is_given(value)
    if entry.operator != "!=" or not key or len(entry.words) != 1:
        return given
    other = differs(call(f"{code(value)}.get", literal(key)), literal(entry.operand))
    return all_of([other] if always else [given, other]) or given


def unless_given(entry: RuleEntry, model: WireModel) -> Expression | None:
    """The test of a kind of part that is refused unless the request gives some field; None where more decides."""
    fields: list[str] = []
    for rule in model.rules:
        conditions = (rule.when.model, rule.when.not_model, rule.when.settings)
        if any(parse_entry(text) == entry for text in rule.reject):
            fields = []
        if any(parse_entry(text) == entry for text in rule.allow) and not any(conditions):
            fields += [field for field in rule.when.given if rule.when.given == (field,) and field in REQUEST]
    request = attribute(name("built"), "request")
    return all_of([negated(attribute(request, field)) for field in fields])
