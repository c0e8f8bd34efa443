"""The rules that hold for one model and one choice of settings: sorted once, used by every build."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeAlias

from ..model.request import ROLES, UNCOMMON_FIELDS
from ..nodes.plain import BEGUN, BLANK_LAYER, INSTRUCTED, INSTRUCTED_LAST, PICTURED, RETURNED, SHOWN
from ..nodes.records import replace
from ..reporting.spec_words import kind_of_class
from ..schemas.adapting import adapt
from ..schemas.content import content_of
from ..schemas.correcting import SchemaEdits
from ..wire_json.places import unwritable
from .doubts import doubts_of, note_doubts
from .field_table import FieldTable
from .field_values import mark_values, may_concern, values_here, watched_values
from .held_parts import ToolsView, held_parts, tool_values, unusual_turns, values_of_tools, with_grouped
from .paths import field_rows, node_of, values_of
from .plans import PathChecks, Plan, SchemaRules, may_speak, most_pictures, note_ignored
from .rule import IN_MESSAGES, Rule, add_settings, changed_by, each_value, means, respelled

if TYPE_CHECKING:
    from ..model.request import Message, Request
    from ..predicates.conditions import FieldCondition
    from ..reporting.report import Report
    from ..schemas.adapting import AdaptedSchema
    from .field_values import Marks
    from .plans import RuleCheck

    # names of given fields, bits of the turns
    _Features: TypeAlias = tuple[frozenset[str], int]
    _Watched: TypeAlias = tuple[list[PathChecks], list[tuple[FieldCondition, Rule]]]

_MOST_PLAIN = 256
_MOST_SCHEMAS = 256
_UNCOMMON_HEADS = frozenset(UNCOMMON_FIELDS)
# what decides which rules a request may meet, and what is no matter of rules at all
_DECIDING = BEGUN | INSTRUCTED_LAST | RETURNED | PICTURED | SHOWN
_MOVED = INSTRUCTED | BLANK_LAYER


class Decision:
    """The rules that hold for one model and one choice of settings."""

    __slots__ = (
        "_adding",
        "_adding_for_tools",
        "_common",
        "_deep",
        "_few_pictures",
        "_full",
        "_guessed",
        "_hoist",
        "_looked_at",
        "_plans",
        "_schemas",
        "_table",
        "known_plain",
        "limits",
        "moved",
        "moving",
        "renames",
        "role",
        "rules",
    )

    def __init__(
        self,
        rules: tuple[Rule, ...],
        common: frozenset[str],
        *,
        hoist: bool,
        guessed: tuple[Rule, ...] = (),
    ) -> None:
        """Sort the rules of a wire.

        Args:
            rules: The rules, in order.
            common: The sampling options that builders always look at.
            hoist: Whether first messages of the system stand at the top of the body.
            guessed: For a model that its family does not know, the rules for the nearest one that it knows.
        """
        self._guessed = FieldTable(guessed) if guessed else None
        self.role: str | None = None
        for rule in rules:
            self.role = rule.assign.get("instructions.role", self.role)
        self.rules = rules
        self._full = Plan(rules)
        self._looked_at = frozenset([checks.path.text for checks in self._full.deep])
        # uncommon fields and ending of a request -> the rules that may concern it
        self._plans: dict[_Features, Plan] = {}
        # class of a node -> the rules that may concern it
        self._deep: dict[type, _Watched] = {}
        # content of a schema and the rules about it -> what it became, and the content of that
        self._schemas: dict[tuple[bytes, tuple[int, ...]], tuple[AdaptedSchema, bytes | None]] = {}
        self._table: FieldTable | None = None
        self._common = common
        self._hoist = hoist
        # fields and turns of requests that no rule looks at, as far as they were met
        self.known_plain: set[_Features] = set()
        # the same, but for the number of images -> up to how many no rule refuses
        self._few_pictures: dict[_Features, float] = {}
        self._adding = tuple([(condition, rule) for rule in rules if (condition := rule.inside) is not None])
        self._adding_for_tools = tuple([rule for rule in rules if rule.adds_for_tools])
        self.moving = tuple([rule for rule in rules if rule.moves])
        # the keys of a body that the rules may take something out of
        self.moved = frozenset([path[0] for rule in self.moving for path, _, _ in rule.moves])
        self.renames = tuple([pair for rule in rules for pair in rule.rename.items()])
        # field -> the highest number that the rules accept, with its rule; as far as it was looked up
        self.limits: dict[str, tuple[float, Rule] | None] = {}

    @property
    def table(self) -> FieldTable:
        """The rules by field, sorted when they are first looked up."""
        if self._table is None:
            self._table = FieldTable(self.rules)
        return self._table

    def is_plain(self, request: Request) -> bool:
        """Return whether a request has only common fields; remember sets of fields that no rule looks at."""
        names, turns = request.given, unusual_turns(request)
        if turns & (BEGUN | INSTRUCTED_LAST) or not names <= self._common:
            return False
        plan = self._plan_of(names, turns)
        held = plan.held or plan.held_tools or any(row[0].path.head in names for row in plan.ignoring)
        needs_rules = held or plan.changing or self._guessed or not names.isdisjoint(plan.options)
        moved = turns & (_MOVED if self._hoist else BLANK_LAYER)
        if not (needs_rules or moved) and len(self.known_plain) + len(self._few_pictures) < _MOST_PLAIN:
            if not plan.fields:
                self.known_plain.add((names, turns))
            elif not turns & SHOWN and (most := most_pictures(plan.fields)) is not None:
                self._few_pictures[names, turns] = most
        return True

    def is_under_image_limit(self, request: Request) -> bool:
        """Return whether no rule looks at a request but for the number of its images, and these are few."""
        most = self._few_pictures.get((request.given, request.turns))
        if most is None:
            return False
        # each part beside images is a text: as many images at most
        return (
            sum([len(message.parts) for message in request.messages if message.fast_path == "media"]) <= most
        )

    def _plan_of(self, names: frozenset[str], turns: int) -> Plan:
        """Return the rules that may concern requests with these fields and turns: none about fields that they lack."""
        deciding = names & _UNCOMMON_HEADS, turns & _DECIDING
        plan = self._plans.get(deciding)
        if plan is None:
            if len(self._plans) >= _MOST_PLAIN:
                self._plans.clear()
            plan = self._plans[deciding] = self._planned(*deciding)
        return plan

    def _planned(self, names: frozenset[str], turns: int) -> Plan:
        """Sort the rules that may concern requests with these uncommon fields and turns."""
        lacking = _UNCOMMON_HEADS - names
        plan = Plan(
            [
                rule
                for rule in self.rules
                if lacking.isdisjoint([condition.path.head for condition in rule.given])
            ]
        )
        plan.fields = [
            checks
            for checks in plan.fields
            if checks.path.head not in lacking and any(may_speak(check, turns) for check in checks.rejecting)
        ]
        if not turns & SHOWN:
            # images and nothing else: those of messages of the user
            heads = {"part", "user"} if turns & PICTURED else ()
            plan.held = tuple([each for each in plan.held if each.path.head in heads and each.means("image")])
        return plan

    def apply(self, request: Request, report: Report) -> Request:
        """Apply rules that omit fields or add settings; report options and fields that the rules reject."""
        plan = self._plan_of(request.given, unusual_turns(request))
        for name, rule in plan.changing:
            if getattr(request, name) is not None and rule.is_met(request, report.wire.name):
                request = changed_by(rule, request, report)
                plan = self._plan_of(request.given, unusual_turns(request))
        if report.policies.refusals != "ignore":
            self._check(request, plan, report)
        for condition, rule in plan.ignoring:
            note_ignored(condition, rule, request, report)
        if self._guessed is not None and report.policies.refusals != "ignore":
            note_doubts(self.doubts(request, report.wire.name), request, report)
        return request

    def doubts(self, request: Request, wire: str) -> list[RuleCheck]:
        """Return the checks of rules about known models that reject something in the request of an unknown one."""
        return [] if self._guessed is None else list(doubts_of(self._guessed, self.rules, request, wire))

    def _check(self, request: Request, plan: Plan, report: Report) -> None:
        options = request.options
        if plan.options and not options.given.isdisjoint(plan.options):
            for name, checks in plan.options.items():
                if name in options.given:
                    _refuse(checks, [(options, getattr(options, name))], report)
        for checks in plan.fields:
            values = checks.values(request, report.wire.name)
            _refuse(checks, field_rows(checks.path, request, values), report)
        if plan.held_tools and request.tools:
            self.check_kinds(report)
        for part in held_parts(request) if plan.held else ():
            if plan.looks_at(part):
                self.check_watched(part, report)

    def check_ends(self, request: Request, sent: tuple[Message, ...], report: Report) -> None:
        """Report what the rules reject in the first and last of the messages that are sent."""
        fields = [
            checks for checks in self._full.fields if checks.path.head in ("first_message", "last_message")
        ]
        if fields:
            shorter = replace(request, messages=sent)
            for checks in fields:
                values = checks.values(shorter, report.wire.name)
                _refuse(checks, field_rows(checks.path, shorter, values), report)

    def measures_answers(self, request: Request) -> bool:
        """Return whether a rule that may concern a request looks at strict schemas."""
        return bool(self._plan_of(request.given, unusual_turns(request)).schemas)

    def is_about(self, paths: tuple[str, ...]) -> bool:
        """Return whether one of the rules may reject a value at one of these paths into messages."""
        return not self._looked_at.isdisjoint(paths)

    def check_watched(self, node: object, report: Report) -> None:
        """Report what the rules reject in a message or part, and add the settings that it asks for."""
        request, wire = report.request, report.wire.name
        here: list[Any] | None
        deep, adding = self._deep.get(type(node)) or self._look_at(type(node))
        for checks in deep:
            path = checks.path
            # what a tool returned may stand in a message of any role
            if path.head in ROLES and path.head != "tool" and path.head not in report.roles:
                continue
            here = values_here(path, node, wire)
            values = list(each_value(here or ()))
            # finding the position of a node is expensive
            if here is None or any(
                means(check.condition, value, request, wire) for check in checks.rejecting for value in values
            ):
                standing = watched_values(report, path, node, here)
                _refuse(checks, [(node, value) for value in standing], report)
        for condition, rule in adding:
            values = [
                item
                for item in each_value(values_here(condition.path, node, wire) or ())
                if condition.means(item)
            ]
            if values and watched_values(report, condition.path, node, values) and rule.is_met(request, wire):
                add_settings(rule, report)

    def _look_at(self, cls: type) -> _Watched:
        """Return the rules that may concern messages or parts of a class."""
        if len(self._deep) >= _MOST_PLAIN:
            self._deep.clear()
        deep = [checks for checks in self._full.deep if may_concern(checks.path, cls)]
        adding = [row for row in self._adding if _may_add(row[0], cls)]
        self._deep[cls] = deep, adding
        return self._deep[cls]

    def check_mark(self, node: Any, marks: Marks, report: Report) -> None:
        """Report what the rules reject in the cache mark of a node, or in the number of marks."""
        marks.count += 1
        for checks in self._full.marks:
            values = mark_values(checks.path, node, marks, report.request)
            _refuse(checks, [(node, value) for value in values], report)
        if node is not report.request:
            marks.last = node

    def check_option(self, path: str, report: Report) -> None:
        """Report an option, or a number of messages or tools, beyond a limit."""
        checks = self._full.limits.get(path)
        if checks is not None:
            node = node_of(checks.path, report.request)
            values = values_of(checks.path, report.request, report.wire.name)
            _refuse(checks, [(node, value) for value in values], report)

    def check_kinds(self, report: Report) -> None:
        """Report what the rules reject in the kinds of tools, and in their number."""
        if self._full.kinds:
            view = ToolsView(report.request, report.wire.name)
            for checks in self._full.kinds:
                _refuse(checks, tool_values(checks.path, view), report)

    def check_tools(self, report: Report) -> None:
        """Report what the rules reject in the fields of tools; add the settings that tools ask for."""
        view = ToolsView(report.request, report.wire.name)
        for checks in self._full.tools if view.tools else ():
            _refuse(checks, tool_values(checks.path, view), report)
        for rule in self._adding_for_tools:
            # tools are looked at once for all of them
            if _means_tools(rule, view) and rule.is_met(report.request, report.wire.name):
                add_settings(rule, report)

    def check_schemas(self, report: Report) -> None:
        """Report what the rules reject in strict schemas; remember schemas without a problem."""
        implied = "response_format.strict" in report.wire.defaults
        view = ToolsView(report.request, report.wire.name, implied=implied)
        schemas = view.schemas() if self._full.schemas else []
        fine, known = self._full.fine_schemas, tuple(map(id, schemas))
        if not schemas or (fine is not None and known in fine):
            return
        refused = False
        for checks in self._full.schemas:
            refused = _refuse(checks, tool_values(checks.path, view), report) or refused
        if fine is not None and not refused:
            if len(fine) >= _MOST_PLAIN:
                fine.clear()
            fine[known] = schemas

    def adapted_schema(
        self, schema: Any, request: Request, wire: str, tool: Any = None, *, strict: bool
    ) -> AdaptedSchema:
        """Return a schema of a tool, or of the response format, as the rules accept it, with the edits.

        The result is remembered by the content of the schema. `strict` says whether the API follows the schema to the
        letter.
        """
        rules = SchemaRules(self._full, request, wire, tool, strict=strict)
        content = content_of(schema)
        known = self._schemas.get((content, rules.key)) if content is not None else None
        # the caller may have changed the body that holds the result
        if known is not None and content_of(known[0][0]) == known[1]:
            return known[0]
        if unwritable(schema) is not None:  # one that holds itself, among others
            return schema, SchemaEdits()
        if content is None:
            return adapt(schema, rules)
        # what stays as it is must not be the caller's
        adapted = adapt(deepcopy(schema), rules)
        if rules.is_fixed:
            if len(self._schemas) >= _MOST_SCHEMAS:
                self._schemas.clear()
            self._schemas[content, rules.key] = (adapted, content_of(adapted[0]))
        return adapted

    def refused_schema_words(self, request: Request, wire: str, *, implied: bool) -> frozenset[str]:
        """Return the words of `strict_schemas` of which the rules reject a value, in all strict schemas together."""
        view = ToolsView(request, wire, implied=implied)
        if not view.schemas():
            return frozenset()
        return frozenset(
            [
                checks.path.tail
                for checks in self._full.schemas
                for _, value in tool_values(checks.path, view)
                if checks.refusing(value, request, wire) is not None
            ]
        )

    def check_added(self, tools: Iterable[Any], report: Report) -> None:
        """Report tools that a message adds and the rules reject; rules about some tools or their number skip them.

        Limits on all strict schemas together are applied to each schema alone.
        """
        every = with_grouped(tools)
        for checks in (*self._full.kinds, *self._full.tools):
            if checks.path.where is None and checks.path.tail != "count":
                _refuse(checks, values_of_tools(every, checks.path, report.wire.name), report)
        for tool in every if self._full.schemas else ():
            view = ToolsView(replace(report.request, tools=(tool,), response_format=None), report.wire.name)
            for checks in self._full.schemas:
                _refuse(checks, [(tool, value) for _, value in tool_values(checks.path, view)], report)

    def rename(self, body: dict[str, Any], report: Report) -> None:
        """Switch keys of the body and of messages to the spellings that the rules ask for, each in its place.

        What memory spells otherwise is switched back. A verbatim build keeps each word as it is.
        """
        if report.policies.refusals == "ignore":
            return
        for key, spelling in self.renames:
            if key.startswith(IN_MESSAGES):
                name = key.removeprefix(IN_MESSAGES)
                body["messages"] = [
                    respelled(item, name, spelling) if name in item else item for item in body["messages"]
                ]
            elif key in body:
                rows = respelled(body, key, spelling)
                body.clear()
                body.update(rows)


def _refuse(checks: PathChecks, rows: list[tuple[object, Any]], report: Report) -> bool:
    """Report the values of a path that rules reject, the last rule deciding; return whether there was one."""
    refused = False
    for node, values in rows:
        if not checks.may_reject(values):
            continue
        for value in each_value([values]):
            found = checks.refusing(value, report.request, report.wire.name)
            if found is not None:
                rule, condition = found.rule, found.condition
                report.refused(
                    checks.path,
                    value,
                    rule.because,
                    node,
                    rule.source,
                    fix=rule.fix,
                    no_repair=rule.no_repair,
                    rule=rule.name,
                    condition=condition,
                )
                refused = True
                break
    return refused


def _means_tools(rule: Rule, view: ToolsView) -> bool:
    """Return whether the tools meet the conditions of a rule about tools."""
    conditions = [condition for condition in rule.about_tools if condition.other is None]
    return all(
        any(condition.means(value) for _, value in tool_values(condition.path, view))
        for condition in conditions
    )


def _may_add(condition: FieldCondition, cls: type) -> bool:
    """Return whether a condition may hold for a message or part of a class."""
    names_kind = "part" in (condition.path.head, condition.path.tail)
    return may_concern(condition.path, cls) and (not names_kind or condition.means(kind_of_class(cls)))
