"""The checks of some rules by path: options, fields of the request, tools, cache marks, and parts of messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from promptwire_text.conditions import WORDED_KINDS, is_about_held

from ..model.options import LAYER_ROLES, OPTION_NAMES
from ..model.request import Request
from ..nodes.plain import BEGUN, INSTRUCTED_LAST, PICTURED, RETURNED, SHOWN
from ..nodes.records import replace
from ..predicates.conditions import FieldCondition, FieldPath
from ..reporting.report import Report
from ..reporting.spec_words import kind_of
from ..schemas.counting import COUNTED, RARELY_COUNTED
from .field_values import is_deep, is_part_count
from .held_parts import ToolsView
from .paths import TEXT_PATHS, node_of, values_of
from .rule import COUNTED_BY_APIS, Rule, each_value, means
from .schemas import SchemaFacts

_LAST_ROLE = "last_message.role"
# who speaks last, where no plain request ends so
_ENDS = {"assistant": BEGUN, **dict.fromkeys(LAYER_ROLES, INSTRUCTED_LAST)}
# how a request ends while a turn is not over
_IN_TURN = BEGUN | RETURNED
# which requests may hold parts of a kind
_PICTURES = frozenset({"messages.image.count", "user.image.count"})
_HOLDING = {**dict.fromkeys(WORDED_KINDS), "image": PICTURED | SHOWN}


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """One `reject` or `allow` of a rule."""

    rule: Rule
    rejects: bool
    condition: FieldCondition


class PathChecks:
    """The checks of one path in order; the last one that means a value decides.

    rejecting      those that reject
    rejects_absent whether one of these may reject a field that is not set
    rejects_given  whether one of these may reject a field that is set
    """

    __slots__ = ("path", "rejecting", "rejects_absent", "rejects_given", "rows")

    def __init__(self, path: FieldPath, rows: list[RuleCheck]) -> None:
        self.path = path
        self.rows = rows
        self.rejecting = [check for check in rows if check.rejects]
        self.rejects_absent = any(check.condition.means(None) for check in self.rejecting)
        self.rejects_given = not all(_means_absent_alone(check.condition) for check in self.rejecting)

    def may_reject(self, value: Any) -> bool:
        """Return whether some check may reject a value; None is a field that is not set."""
        return self.rejects_absent if value is None else self.rejects_given

    def refusals(self, values: Iterable[Any], request: Request, wire: str) -> Iterator[RuleCheck]:
        """Yield the check that rejects each of some values, and each of their elements, as far as one does."""
        for value in each_value(values):
            found = self.refusing(value, request, wire) if self.may_reject(value) else None
            if found is not None:
                yield found

    def refusing(self, value: Any, request: Request, wire: str) -> RuleCheck | None:
        """Return the check of the rule that rejects a value, or None; the last one that means it decides.

        The reason is that of the last rule, though a rule about every value takes precedence over one about this value.
        """
        refusing: RuleCheck | None = None
        for check in self.rows:
            if not (means(check.condition, value, request, wire) and check.rule.is_met(request, wire)):
                continue
            if not check.rejects:
                refusing = None
            elif refusing is None or refusing.condition.operator or not check.condition.operator:
                refusing = check
        return refusing

    def values(self, request: Request, wire: str) -> list[Any]:
        """Return the values of the path; the text of a conversation only if a rule that rejects it is met."""
        if self.path.text not in TEXT_PATHS:
            return values_of(self.path, request, wire)
        # reading a whole conversation is expensive
        met = [check.condition for check in self.rejecting if check.rule.is_met(request, wire)]
        values = values_of(self.path, request, wire) if met else []
        return [value for value in values if any(condition.means(value) for condition in met)]


def _means_absent_alone(condition: FieldCondition) -> bool:
    """Return whether a condition (`!=*`) means nothing but a field that is not set."""
    return condition.operator == "!=" and tuple(condition.words) == ("*",)


class Plan:
    """The checks of some rules by path, grouped by the moment at which builders ask for them."""

    __slots__ = (
        "_held_kinds",
        "changing",
        "deep",
        "fields",
        "fine_schemas",
        "held",
        "held_tools",
        "ignoring",
        "kinds",
        "limits",
        "marks",
        "options",
        "schemas",
        "tools",
    )  # fmt: skip

    def __init__(self, rules: Sequence[Rule]) -> None:
        # rules that change something before the messages are written, and a field without which each is not met
        self.changing = tuple([(rule.first_given, rule) for rule in rules if rule.changes])
        self.options: dict[str, PathChecks] = {}
        # builders compare these numbers themselves, and ask only about what is beyond
        self.limits: dict[str, PathChecks] = {}
        self.fields: list[PathChecks] = []
        # builders ask about the kinds and the number of all tools, and about the others when one is worth a look
        self.kinds: list[PathChecks] = []
        self.tools: list[PathChecks] = []
        self.schemas: list[PathChecks] = []
        # what was found in schemas that no rule refuses together, by identity; None where a rule asks for more
        self.fine_schemas: dict[tuple[int, ...], list[SchemaFacts]] | None = {}
        self.marks: list[PathChecks] = []
        self.deep: list[PathChecks] = []
        # options and fields without effect, each with its rule
        self.ignoring = tuple([(condition, rule) for rule in rules for condition in rule.ignore])
        # kinds of parts that are looked for in the request as a whole, and whether kinds of tools are
        held = [condition for rule in rules for condition in rule.reject if _is_about_held(rule, condition)]
        self.held = tuple([condition for condition in held if condition.path.text != "tool"])
        self.held_tools = len(held) > len(self.held)
        self._held_kinds: dict[str, bool] = {}
        for checks in checks_by_path(checks_of(rules)):
            if checks.rejecting and checks.path.head not in COUNTED_BY_APIS:
                self._place(checks)

    def looks_at(self, part: object) -> bool:
        """Return whether a rule is about the kind of a part that the messages hold."""
        kind = kind_of(part)
        known = self._held_kinds.get(kind)
        if known is None:
            known = self._held_kinds[kind] = any(condition.means(kind) for condition in self.held)
        return known

    def _place(self, checks: PathChecks) -> None:
        """Put the checks of one path into the group in which builders ask for them."""
        path = checks.path
        limited = path.head in OPTION_NAMES or path.text in ("messages.count", "tools.count")
        if limited:
            self.limits[path.text] = checks
        # builders ask about every key and value of an option
        if limited and (
            path.tail in ("keys", "values") or all(check.condition.is_limit for check in checks.rejecting)
        ):
            return
        if path.text in OPTION_NAMES:
            self.options[path.text] = checks
            return
        if path.head == "strict_schemas" and any(
            check.rule.given or check.rule.unless for check in checks.rows
        ):
            self.fine_schemas = None
        self._rows_of(path).append(checks)

    def _rows_of(self, path: FieldPath) -> list[PathChecks]:
        """Return the group of a path."""
        if path.head == "strict_schemas":
            return self.schemas
        if path.text in ("tool", "tools.count"):
            return self.kinds
        if path.head == "tools" and path.text != "tools":
            return self.tools
        if path.head == "cache" and path.keys:
            return self.marks
        return self.deep if is_deep(path) else self.fields


def checks_of(rules: Iterable[Rule]) -> Iterator[RuleCheck]:
    """Yield what rules reject and allow, in the order in which the last that means a value decides."""
    for rule in rules:
        for rejects, conditions in ((True, rule.reject), (False, rule.allow)):
            for condition in conditions:
                yield RuleCheck(rule, rejects, condition)


def checks_by_path(checks: Iterable[RuleCheck]) -> list[PathChecks]:
    """Return checks by their path."""
    rows: dict[str, list[RuleCheck]] = {}
    for check in checks:
        rows.setdefault(check.condition.path.text, []).append(check)
    return [PathChecks(found[0].condition.path, found) for found in rows.values()]


def _is_about_held(rule: Rule, condition: FieldCondition) -> bool:
    """Return whether a rule for some models rejects kinds of parts that plain messages do not hold, or of tools."""
    path = condition.path
    for_some = bool(rule.model or rule.not_model)
    return for_some and is_about_held(path.text, path.tail, condition.operator, condition.words)


def most_pictures(fields: Iterable[PathChecks]) -> float | None:
    """Return up to how many images no rule refuses a request, if rules look at their number alone; else None."""
    conditions = [check.condition for checks in fields for check in checks.rejecting]
    if not all(each.path.text in _PICTURES and each.is_limit and each.operator == ">" for each in conditions):
        return None
    return min([float(each.operand) for each in conditions], default=None)


def may_speak(check: RuleCheck, turns: int) -> bool:
    """Return whether a check may reject a request with these bits of `Request.turns`."""
    meant = [_turns_of(condition) for condition in (check.condition, *check.rule.given)]
    return all(each is None or each & turns for each in meant)


def _turns_of(condition: FieldCondition) -> int | None:
    """Return the bits of requests for which a condition may hold; None if it may hold for plain requests."""
    if condition.path.head in ("turn", "calls"):
        return _IN_TURN
    if condition.path.head in ("documents", "items", "references"):
        return SHOWN
    if is_part_count(condition.path):
        where = condition.path.where
        if where is not None and where.path.text == "parts" and WORDED_KINDS.isdisjoint(where.words):
            return SHOWN
        if condition.means(0):
            return None
        return _HOLDING.get(condition.path.keys[0], SHOWN)
    if condition.path.text != _LAST_ROLE or condition.operator != "=":
        return None
    known = _ENDS.keys() >= set(condition.words)
    return sum({_ENDS[role] for role in condition.words}) if known else None


def note_ignored(condition: FieldCondition, rule: Rule, request: Request, report: Report) -> None:
    """Note a value that the API takes without effect."""
    wire = report.wire.name
    values = [
        value for value in each_value(values_of(condition.path, request, wire)) if condition.means(value)
    ]
    if values and rule.is_met(request, wire):
        report.note("ignored", node_of(condition.path, request), condition.path.text, rule.reason)


_PARAMETERS = "parameters."
# paths into the parameters of tools -> the words of `strict_schemas` that mean the same
_WORDS = {
    "parameters.*": "keywords",
    "parameters.type": "root",
    **{_PARAMETERS + word: word for word in (*COUNTED, *RARELY_COUNTED)},
}


class SchemaRules:
    """The rules about one schema: called with a word and a value, it returns why they refuse that, or an empty text.

    Attributes:
        key: Equal for schemas of one wire to which the same rules apply.
        is_fixed: Whether the rules are the same for every request.
    """

    def __init__(self, plan: Plan, request: Request, wire: str, tool: Any = None, *, strict: bool) -> None:
        """Collect the rules.

        Args:
            plan: The rules for one model and one choice of settings.
            request: The request, for rules that hold for some requests only.
            wire: The name of the wire.
            tool: The tool whose parameters the schema describes; None for a response format.
            strict: Whether the API follows the schema to the letter.
        """
        self._request, self._wire = request, wire
        rows = [(checks.path.tail, checks) for checks in plan.schemas if strict]
        if tool is not None:
            # a tool that a message adds is not among the tools of the request
            rows += _rows_of_tool(plan, ToolsView(replace(request, tools=(tool,)), wire), tool)
        self._rows: dict[str, list[PathChecks]] = {}
        for word, checks in rows:
            self._rows.setdefault(word, []).append(checks)
        self.key = tuple([id(checks) for _, checks in rows])
        self.is_fixed = not any(
            row.rule.given or row.rule.unless for _, checks in rows for row in checks.rows
        )

    def __call__(self, word: str, value: Any) -> str:
        """Return why the rules refuse a value of a word, or an empty text."""
        if word == "root_keywords":
            # a rule about a keyword at the root of a tool's parameters is asked about its value
            word, value = f"{_PARAMETERS}{value}", {}
        found = [checks.refusing(value, self._request, self._wire) for checks in self._rows.get(word, ())]
        return next((check.rule.because for check in found if check is not None), "")


def _rows_of_tool(plan: Plan, view: ToolsView, tool: Any) -> list[tuple[str, PathChecks]]:
    """Return the rules about the parameters of a tool, each with its word."""
    return [
        (_WORDS.get(checks.path.tail, checks.path.tail), checks)
        for checks in plan.tools
        if checks.path.tail.startswith(_PARAMETERS)
        # other shapes than JSON Schema have no schema of anything, which items could be
        and (checks.path.where is None or checks.path.tail != "parameters.loose_lists")
        and any(other is tool for other in view.chosen(checks.path.where))
    ]
