"""Rules that reach into messages and tools: what writes such nodes points them out, and only they pay for it."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from ..model.neutral import ROLES
from ..model.rule_entries import RuleEntry, parse_entry
from ..model.wire import Alternative, WireModel
from ..problems import Span
from ..spec.shapes import Hole
from .conditions import all_of, any_of, at_most, bracketed, differs, is_given, negated
from .function import Function
from .places import Place
from .printing import code
from .python import Expression, Statement, call, literal

_SIMPLE = re.compile(r"(?P<letters>\.|\[a-zA-Z0-9_-\])(?:\+|\{(?P<least>[01]),(?P<most>\d+)\})")
_SIDES = ("after", "before")


def rejected(model: WireModel) -> list[RuleEntry]:
    """All entries that some rule refuses."""
    return [parse_entry(text) for rule in model.rules for text in rule.reject]


def watched_roles(model: WireModel) -> frozenset[str]:
    """The roles whose messages a rule may refuse, whatever they hold."""
    roles = [word for entry in rejected(model) if entry.path == "message.role" for word in entry.words]
    return frozenset([*roles, *(entry.head for entry in rejected(model) if entry.tail in _SIDES)])


def message_watched(role: str, model: WireModel) -> list[Statement]:
    """Point a message out, where a rule may refuse it or one of its fields."""
    if role in watched_roles(model):
        return ["built.watch(message)"]
    fields = sorted({entry.tail for entry in rejected(model) if entry.head == "message"} - {"role"})
    test = " or ".join(f"message.{field} is not None" for field in fields)
    return [(f"if {test}:", ["built.watch(message)"])] if fields else []


def watched(function: Function, alternative: Alternative, place: Place, model: WireModel) -> Function:
    """Add the lines that point a node out, where a rule may refuse it."""
    if alternative.union == "part":
        line, tests = f"built.watch({place.subject})", _part_tests(alternative, place, model)
    elif alternative.union == "tool":
        line, tests = "built.watch_tools()", _tool_tests(alternative, place, model)
    else:
        line, tests = "", {}
    marked = is_given(place.value(_hole("cache"))) if _cache_is_watched(alternative, model) else None
    early: list[Statement] = []
    late: list[Statement] = []
    for field, test in tests.items():
        if test is None:
            early = [line]
            late = []
            break
        # what even a plain node may have is looked at before plain nodes are done
        (early if field in alternative.kind.looked_at else late).append((f"if {code(test)}:", [line]))
    if marked is not None:
        late.append((f"if {code(marked)}:", [f"built.watch({place.subject})"]))
    if alternative.mode in ("tool_call", "custom_tool_call") and model.tool_names:
        name = code(place.value(_hole("name")))
        early.insert(0, (f"if {name} not in _NAMES:", [f"built.check_name({place.subject})"]))
    body = [*early, *function.body]
    gate = next((i for i, s in enumerate(body) if not isinstance(s, str) and s[0].endswith(".plain:")), -1)
    return Function(function.header, function.doc, [*body[: gate + 1], *late, *body[gate + 1 :]])


def _part_tests(alternative: Alternative, place: Place, model: WireModel) -> dict[str, Expression | None]:
    """Field -> the test that makes a part worth a look; None where every part of this kind is."""
    found: dict[str, Expression | None] = {}
    for entry in rejected(model):
        kind, _, field = entry.tail.rpartition(".")
        if entry.path == "part" or (entry.head in ROLES and entry.tail == "part"):
            if _names(entry, alternative.mode):
                found["part"] = None
        elif entry.head in ROLES and kind in ("", alternative.mode) and field in alternative.kind.fields:
            _also(found, field, _worth_a_look(place.value(_hole(field)), entry))
    return found


def _tool_tests(alternative: Alternative, place: Place, model: WireModel) -> dict[str, Expression | None]:
    """Field -> the test that makes the tools worth a look; rules about kinds of tools look at the request."""
    found: dict[str, Expression | None] = {}
    for entry in rejected(model):
        field, _, key = (entry.selector.path if entry.selector is not None else entry.tail).partition(".")
        if entry.head == "tools" and field in alternative.kind.fields:
            value = place.value(_hole(field))
            if entry.operator == "!=" and key and len(entry.words) == 1:
                # a rare schema, told from the usual one without a look at the rules
                other = differs(call(f"{code(value)}.get", literal(key)), literal(entry.operand))
                _also(found, field, all_of([is_given(value), other]))
            else:
                _also(found, field, is_given(value))
    return found


def _also(found: dict[str, Expression | None], field: str, test: Expression | None) -> None:
    """Add a test of a field; one that another rule asks for already stands once."""
    earlier = found.get(field)
    if earlier is None:
        found[field] = test
    elif test is not None and code(test) not in code(earlier).split(" or "):
        found[field] = any_of([earlier, test])


def _worth_a_look(value: Expression, entry: RuleEntry) -> Expression | None:
    """The quick test whether an entry may mean a value: what is surely fine is not looked at again."""
    simple = _SIMPLE.fullmatch(entry.operand) if entry.operator == "!~" else None
    fine: list[Expression] = []
    if simple is not None and simple["letters"] != ".":
        # what Python takes for a name, in ASCII
        fine += [call(f"{code(value)}.isidentifier"), call(f"{code(value)}.isascii")]
    elif simple is not None and simple["least"] != "0":
        fine.append(value)
    if simple is not None and simple["most"]:
        fine.append(at_most(call("len", value), int(simple["most"])))
    surely = all_of(fine)
    return is_given(value) if surely is None else all_of([is_given(value), negated(bracketed(surely))])


def _names(entry: RuleEntry, word: str) -> bool:
    """Tell whether an entry means this kind of node."""
    return not entry.words or any(fnmatchcase(word, glob) for glob in entry.words)


def _cache_is_watched(alternative: Alternative, model: WireModel) -> bool:
    has_cache = "cache" in alternative.kind.fields and alternative.union != "cache"
    return has_cache and any(entry.head == "cache" and entry.tail for entry in rejected(model))


def _hole(field: str) -> Hole:
    return Hole((field,), Span("", 1, 1, 1))
