"""Rules that reach into messages and tools: what writes such nodes points them out, and only they pay for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from ..model.neutral import ROLES
from ..model.rule_entries import RuleEntry, parse_entry
from ..model.rules import looks_at_tools, looks_inside
from ..model.wire import Alternative, WireModel
from ..problems import Span
from ..spec.shapes import Hole
from .function import Function
from .looks import schemas_worth_a_look, unless_given, worth_a_look
from .places import Place
from .python import Expression, Statement, attribute, code, literal, name
from .python.conditions import any_of, is_given, is_one_of

_SIDES = ("after", "before")


def rejected(model: WireModel) -> list[RuleEntry]:
    """All entries that some rule refuses."""
    return [parse_entry(text) for rule in model.rules for text in rule.reject]


def pointed_at(model: WireModel) -> list[RuleEntry]:
    """All entries that some rule refuses, or looks for inside messages to add to a setting."""
    return [*rejected(model), *(entry for rule in model.rules for entry in looks_inside(rule))]


def watched_roles(model: WireModel) -> frozenset[str]:
    """The roles whose messages a rule may refuse, whatever they hold, or where they hold one part."""
    named = [entry for entry in pointed_at(model) if entry.path == "message.role"]
    roles = [role for role in ROLES if any(names_kind(entry, role) for entry in named)]
    beside = [entry for entry in rejected(model) if entry.tail in _SIDES and not roles_before(entry)]
    counted = [entry for entry in rejected(model) if entry.head in ROLES and entry.tail == "count"]
    return frozenset([*roles, *(entry.head for entry in beside), *(e.head for e in counted if means_one(e))])


def counted_roles(model: WireModel) -> frozenset[str]:
    """The roles of whose messages a rule may refuse some for holding several parts."""
    counted = [entry for entry in rejected(model) if entry.head in ROLES and entry.tail == "count"]
    return frozenset([entry.head for entry in counted if _means_several(entry)])


def _means_several(entry: RuleEntry) -> bool:
    """Tell whether an entry may mean a count of two or more."""
    if not entry.compares or not entry.operand.isdigit():
        return True
    return entry.operator[0] == ">" or int(entry.operand) >= (2 if entry.operator == "<=" else 3)


def means_one(entry: RuleEntry) -> bool:
    """Tell whether an entry may mean the count 1: such messages take the short way otherwise."""
    if not entry.compares or not entry.operand.isdigit():
        return True
    most = int(entry.operand)
    return {"<": most > 1, "<=": most >= 1, ">": most < 1, ">=": most <= 1}[entry.operator]


def roles_before(entry: RuleEntry) -> tuple[str, ...]:
    """The roles of the messages before one that an entry means; empty where only the rules can tell."""
    roles = tuple(word.partition(".")[0] for word in entry.words)
    known = entry.tail == "after" and entry.operator == "=" and all(role in ROLES for role in roles)
    return tuple(dict.fromkeys(roles)) if known else ()


def neighbours_watched(model: WireModel) -> list[Statement]:
    """Point a message out where one of some other role stands before it; `beside` is the role before."""
    found: dict[str, list[str]] = {}
    for entry in rejected(model):
        found.setdefault(entry.head, []).extend(roles_before(entry))
    # what stands before -> the roles behind it that are watched
    behind: dict[tuple[str, ...], list[str]] = {}
    for role, others in found.items():
        if others:
            behind.setdefault(tuple(dict.fromkeys(others)), []).append(role)
    out: list[Statement] = []
    for first, roles in behind.items():
        before = is_one_of(name("beside"), list(map(literal, first)))
        test = f"if {code(before)} and {code(is_one_of(name('role'), list(map(literal, roles))))}:"
        out.append((test, ["build.watch(message)"]))
    return [*out, "beside = role"] if out else []


def kind_watched(roles: Collection[str], kind: str, model: WireModel) -> list[Statement]:
    """Point a part of this kind out, where a rule may refuse it in a message of one of these roles."""
    tests: list[Expression] = []
    for entry in pointed_at(model):
        if entry.head in roles and entry.tail == "part" and names_kind(entry, kind):
            found = unless_given(entry, model)
            if found is None:
                return ["build.watch(part)"]
            tests.append(found)
    return _if_any(tests, "build.watch(part)")


def order_watched(role: str, kind: str, model: WireModel) -> list[Statement]:
    """Point a message, or a part of this kind, out where a rule may refuse it here, or what is before or behind it."""
    return [*kind_watched({role}, kind, model), *_place_watched(role, kind, model)]


def _place_watched(role: str, kind: str, model: WireModel) -> list[Statement]:
    about = [entry for entry in rejected(model) if entry.path == f"{role}.{kind}.after"]
    if any(names_kind(entry, "start") for entry in about):
        return ["build.watch(message)", *_next_watched(role, kind, model)]
    if not about:
        return _next_watched(role, kind, model)
    test = "if part is not message.parts[0] and len({*map(type, message.parts)}) > 1:"
    return [(test, ["build.watch(message)"]), *_next_watched(role, kind, model)]


def _next_watched(role: str, kind: str, model: WireModel) -> list[Statement]:
    """Point a part of this kind out, where a rule may refuse what stands behind it: as a rule, the next message."""
    about = [entry for entry in rejected(model) if entry.path == f"{role}.{kind}.before"]
    if not about:
        return []
    outside = all(entry.operator == "=" and _are_messages(entry.words) for entry in about)
    return [("if part is message.parts[-1]:", ["build.watch(part)"])] if outside else ["build.watch(part)"]


def _are_messages(words: Sequence[str]) -> bool:
    return all(word == "end" or "." in word for word in words)


def message_watched(role: str, model: WireModel) -> list[Statement]:
    """Point a message out, where a rule may refuse it or one of its fields."""
    if role in watched_roles(model):
        return ["build.watch(message)"]
    found = {entry.tail.partition(".")[0] for entry in pointed_at(model) if entry.head == "message"}
    fields = sorted(found - {"role"})
    tests = [f"message.{field} is not None" for field in fields]
    tests += [
        f"len(message.parts) {entry.operator} {int(entry.operand)}" if entry.operand.isdigit() else "True"
        for entry in rejected(model)
        if entry.path == f"{role}.count" and entry.compares
    ]
    return [(f"if {' or '.join(tests)}:", ["build.watch(message)"])] if tests else []


def watched(function: Function, alternative: Alternative, place: Place, model: WireModel) -> Function:
    """Add the lines that point a node out, where a rule may refuse it."""
    if alternative.union == "part":
        line, tests = f"build.watch({place.subject})", _part_tests(alternative, place, model)
    elif alternative.union == "tool":
        line, tests = "build.watch_tools()", tool_tests(alternative, place, model)
    else:
        line, tests = "", {}
    early: list[Statement] = [line] if None in tests.values() else []
    late: list[Statement] = []
    if not early:
        # what even a plain node may have is looked at before plain nodes are done
        first = {field for field in tests if field == "part" or field in alternative.kind.looked_at}
        early = _if_any([test for field, test in tests.items() if field in first], line)
        late = _if_any([test for field, test in tests.items() if field not in first], line)
    if alternative.mode in ("tool_call", "custom_tool_call") and model.tool_names:
        name = code(place.value(_hole("name")))
        early.insert(0, (f"if {name} not in build.wire.known_names:", [f"build.check_name({place.subject})"]))
    if alternative.kind.name == "tool_addition" and any(e.head in ("tool", "tools") for e in rejected(model)):
        early.append(f"build.watch_added({place.subject})")
    start = _first_after_missing(function.body)
    body = [*function.body[:start], *early, *function.body[start:]]
    gate = next((i for i, s in enumerate(body) if not isinstance(s, str) and s[0].endswith(".plain:")), -1)
    return Function(function.header, function.doc, [*body[: gate + 1], *late, *body[gate + 1 :]])


def _if_any(tests: Sequence[Expression | None], line: str) -> list[Statement]:
    """The line, where one of these tests is true."""
    found = _once([test for test in tests if test is not None])
    test = any_of(found)
    return [] if test is None else [(f"if {code(test)}:", [line])]


def _first_after_missing(body: Sequence[Statement]) -> int:
    """The place behind the statements that return where a required value is missing."""
    found = 0
    for index, statement in enumerate(body):
        if isinstance(statement, str) or not (statement[0].endswith(" is None:") and _returns(statement[1])):
            break
        found = index + 1
    return found


def _returns(block: Sequence[Statement]) -> bool:
    return len(block) == 1 and isinstance(block[0], str) and block[0].startswith("return ")


def _part_tests(alternative: Alternative, place: Place, model: WireModel) -> dict[str, Expression | None]:
    """Field -> the test that makes a part worth a look; None where every part of this kind is."""
    tests: dict[str, list[Expression]] = {}
    for entry in pointed_at(model):
        kind, field = kind_and_field(entry)
        if entry.path == "part":
            if names_kind(entry, alternative.mode):
                found = unless_given(entry, model)
                if found is None:
                    return {"part": None}
                tests.setdefault("part", []).append(found)
        elif entry.head in ROLES and kind in ("", alternative.mode) and field in alternative.kind.fields:
            tests.setdefault(field, []).append(
                worth_a_look(entry, place.value(_hole(field)), place, always=_is_there(field, alternative))
            )
        elif entry.head in ROLES and kind == alternative.mode and field.startswith("vendor."):
            tests["vendor"] = [is_given(attribute(name(place.subject), "vendor"))]
    return {field: any_of(_once(found)) for field, found in tests.items()}


def kind_and_field(entry: RuleEntry) -> tuple[str, str]:
    """Split `tool_call.vendor.partial_args` into the kind of part, which may be empty, and its field."""
    kind, dot, field = entry.tail.partition(".")
    return (kind, field) if dot else ("", kind)


def tool_tests(
    alternative: Alternative, place: Place, model: WireModel, *, given: bool = False
) -> dict[str, Expression | None]:
    """Field -> the test that makes the tools worth a look; see `tools_watched` for what needs none.

    `given` says that every field has a value.
    """
    rows: dict[str, list[tuple[RuleEntry, str]]] = {}
    tests: dict[str, list[Expression]] = {}
    adding = [entry for rule in model.rules for entry in looks_at_tools(rule)]
    for entry in [*rejected(model), *adding]:
        field, _, key = (entry.selector.path if entry.selector is not None else entry.tail).partition(".")
        if entry.head == "strict_schemas" and "strict" in alternative.kind.fields:
            tests.setdefault("strict", []).append(is_given(place.value(_hole("strict"))))
        elif entry.head == "tools" and field in alternative.kind.fields:
            rows.setdefault(field, []).append((entry, key))
    for field, found in rows.items():
        always = given or _is_there(field, alternative)
        worth = schemas_worth_a_look(found, place.value(_hole(field)), always=always)
        tests.setdefault(field, []).append(worth)
    return {field: any_of(_once(found)) for field, found in tests.items()}


def tools_watched(model: WireModel) -> list[Statement]:
    """Point the tools out, where a rule may refuse their kinds or their number."""
    named = any(
        entry.path == "tool" or (entry.path == "tools.count" and entry.selector is None)
        for entry in rejected(model)
    )
    return ["build.watch_kinds()"] if named else []


def _once(tests: Sequence[Expression]) -> list[Expression]:
    return list({code(test): test for test in tests}.values())


def _is_there(field: str, alternative: Alternative) -> bool:
    """Whether a field has a value once missing ones are reported."""
    always = alternative.kind.fields[field].always
    return always or any(hole.path == (field,) for hole in alternative.needs)


def names_kind(entry: RuleEntry, word: str) -> bool:
    """Tell whether an entry means this kind of node, or this role."""
    named = not entry.words or any(fnmatchcase(word, glob) for glob in entry.words)
    return named is not (entry.operator == "!=")


def _hole(field: str) -> Hole:
    return Hole((field,), Span("", 1, 1, 1))
