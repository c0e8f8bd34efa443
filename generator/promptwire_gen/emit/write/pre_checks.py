"""Pre-checks: quick tests of a node, so that the rules look only at nodes that one of them may match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ...model.condition_checks import DERIVED_FIELDS
from ...model.identity import ByIdentity
from ...model.neutral import ROLES
from ...model.rules import looks_at_tools
from ...model.wire import Variant, WireModel
from ...problems import Span
from ...spec.rule_conditions import Condition
from ...spec.shapes import Hole
from ..conditions import all_of, any_of, compared, is_given, is_missing, negated
from ..field_access import FieldAccess
from ..python import Binding, Expression, attribute, call, literal, name
from .quick_tests import may_match, schemas_may_match, unless_set
from .reports import ReportCall
from .rule_facts import kind_and_field, names_kind, pointed_at, rejected


@dataclass(frozen=True, slots=True)
class PreChecks:
    """`early` stands before anything is written, for any node; `late` for nodes that are not plain."""

    early: tuple[ReportCall, ...]
    late: tuple[ReportCall, ...]


def node_checks(variant: Variant, access: FieldAccess, model: WireModel) -> PreChecks:
    """Return the checks of one shape of a part or tool; other nodes need none."""
    early: list[ReportCall] = []
    if variant.mode in ("tool_call", "custom_tool_call") and model.tool_names:
        known_names = attribute(attribute(name("build"), "wire"), "known_names")
        strange = compared(access.value(_hole("name")), "not in", known_names)
        early.append(ReportCall(strange, call("build.check_name", name(access.subject))))
    checks = _shown_to_rules(variant, access, model)
    early += checks.early
    if variant.kind.name == "tool_addition" and any(
        condition.head in ("tool", "tools") for condition in rejected(model)
    ):
        early.append(ReportCall(None, call("build.check_added_tools", name(access.subject))))
    return PreChecks(tuple(early), checks.late)


def _shown_to_rules(variant: Variant, access: FieldAccess, model: WireModel) -> PreChecks:
    if variant.union == "part":
        watch, tests = call("build.check_node", name(access.subject)), _part_tests(variant, access, model)
    elif variant.union == "tool":
        watch, tests = call("build.check_tools"), tool_tests(variant, access, model)
    else:
        return PreChecks((), ())
    if None in tests.values():
        return PreChecks((ReportCall(None, watch),), ())
    # check the fields that even plain nodes may have before plain nodes return
    first = {field for field in tests if field == "part" or field in variant.kind.looked_at}
    return PreChecks(
        _if_any([test for field, test in tests.items() if field in first], watch),
        _if_any([test for field, test in tests.items() if field not in first], watch),
    )


def _if_any(tests: Sequence[Expression | None], watch: Expression) -> tuple[ReportCall, ...]:
    """Return the call, where one of these tests is true."""
    test = any_of(_once([test for test in tests if test is not None]))
    return () if test is None else (ReportCall(test, watch),)


def _once(tests: Sequence[Expression]) -> list[Expression]:
    return list({test.text: test for test in tests}.values())


def _part_tests(variant: Variant, access: FieldAccess, model: WireModel) -> dict[str, Expression | None]:
    """Field -> the test that makes a part worth a look; None where every part of this kind is."""
    tests = _derived_tests(variant, access, model)
    for condition in _pointed_at_once(ByIdentity(model)):
        kind, field = kind_and_field(condition)
        if condition.path == "part":
            if names_kind(condition, variant.mode):
                test = unless_set(condition, model)
                if test is None:
                    return {"part": None}
                tests.setdefault("part", []).append(test)
        elif condition.head in ROLES and field in variant.kind.sources and field != variant.source_key:
            # this shape is for a medium that is given otherwise
            continue
        elif condition.head in ROLES and kind in ("", variant.mode) and field in variant.kind.fields:
            # type checkers do not know that a shape is only for parts with its source
            there = variant.kind.fields[field].always if condition.measures else _is_there(field, variant)
            worth = may_match(condition, access.value(_hole(field)), always=there)
            tests.setdefault(field, []).append(worth)
        elif condition.head in ROLES and kind == variant.mode and "|" in field:
            fields = [attribute(name(access.subject), each) for each in field.split("|")]
            lacking = all_of([is_missing(value) for value in fields])
            tests.setdefault("part", []).extend([] if lacking is None else [lacking])
        elif condition.head in ROLES and kind == variant.mode and field == "value.*":
            # the keys inside the JSON are for the rule to find
            return {"part": None}
        elif condition.head in ROLES and kind == variant.mode and field.startswith("vendor."):
            tests["vendor"] = [is_given(attribute(name(access.subject), "vendor"))]
    return {field: any_of(_once(alternatives)) for field, alternatives in tests.items()}


def _derived_tests(variant: Variant, access: FieldAccess, model: WireModel) -> dict[str, list[Expression]]:
    """Field -> the test of what rules derive from it."""
    derived = {
        field
        for kind, field in map(kind_and_field, pointed_at(model))
        if kind == variant.mode and kind in DERIVED_FIELDS.get(field, ())
    }
    if "actual_type" in derived and variant.source_key == "data":
        data, media_type = access.value(_hole("data")), access.value(_hole("media_type"))
        begins = call(f"{data}.startswith", Expression(f"BEGINNINGS[{media_type}]"))
        test = all_of([is_given(data), negated(begins)])
        # plain parts begin as they should
        return {} if test is None else {"actual_type": [test]}
    if "empty" in derived:
        # no text that is written at once is empty
        return {"empty": [negated(access.value(_hole("text")))]}
    return {"is_error": [access.value(_hole("is_error"))]} if derived - {"actual_type"} else {}


@lru_cache(maxsize=4)
def _pointed_at_once(model: ByIdentity[WireModel]) -> tuple[Condition, ...]:
    """Return the conditions of `pointed_at`; lists of words for one field of a part are one list of what all accept."""
    found: dict[object, Condition] = {}
    for condition in pointed_at(model.value):
        is_list = condition.head in ROLES and condition.operator == "!=" and not condition.has_globs
        key = condition.tail if is_list else condition
        words = tuple([word for word in found.get(key, condition).words if word in condition.words])
        if is_list and words:
            found[key] = replace(found.get(key, condition), operand=words)
        else:
            found[condition] = condition
    return tuple(found.values())


def tool_tests(
    variant: Variant, access: FieldAccess, model: WireModel, *, complete: bool = False
) -> dict[str, Expression | None]:
    """Field -> the test that makes the tools worth a look; see `tools_checks` for what needs none.

    `complete` says that every field has a value.
    """
    conditions: dict[str, list[tuple[Condition, str]]] = {}
    tests: dict[str, list[Expression]] = {}
    adding = [condition for rule in model.rules for condition in looks_at_tools(rule)]
    for condition in [*rejected(model), *adding]:
        field, _, key = (condition.where.path if condition.where is not None else condition.tail).partition(
            "."
        )
        if condition.head == "strict_schemas" and "strict" in variant.kind.fields:
            tests.setdefault("strict", []).append(is_given(access.value(_hole("strict"))))
        elif condition.head == "tools" and field == "shape":
            tests["kept"] = [is_given(attribute(name(access.subject), "kept"))]
        elif condition.head == "tools" and field in variant.kind.fields:
            conditions.setdefault(field, []).append((condition, key))
    for field, pairs in conditions.items():
        always = complete or _is_there(field, variant)
        worth = schemas_may_match(pairs, access.value(_hole(field)), always=always)
        tests.setdefault(field, []).append(worth)
    return {field: any_of(_once(alternatives)) for field, alternatives in tests.items()}


def tools_checks(model: WireModel) -> tuple[ReportCall, ...]:
    """Show the rules the tools as a whole, where one may refuse their kinds or their number."""
    watch = call("build.check_kinds")
    tests: list[Expression] = []
    limits: list[Expression] = []
    every = False
    for condition in rejected(model):
        if condition.path == "tool":
            every = every or names_kind(condition, "function")
            tests.append(Expression("{*map(type, tools)} != {Tool}", Binding.COMPARISON))
        elif condition.path == "tools.count" and condition.where is None:
            if condition.limit is None:
                every = True
            else:
                count = f"len(tools) {condition.operator} {condition.limit}"
                limits.append(Expression(count, Binding.COMPARISON))
    kinds = (ReportCall(None, watch),) if every else _if_any(tests, watch)
    return (*kinds, *_if_any(limits, call("build.check_option", literal("tools.count"))))


def _is_there(field: str, variant: Variant) -> bool:
    """Return whether a field has a value once missing ones are reported."""
    always = variant.kind.fields[field].always or field == variant.source_key
    return always or any(hole.path == (field,) for hole in variant.required_fields)


def _hole(field: str) -> Hole:
    return Hole((field,), Span("", 1, 1, 1))
