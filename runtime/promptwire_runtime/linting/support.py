"""Support of a field by a model, from the shapes and rules of a wire, with source and date."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from promptwire_text.words import nearest

from ..build.wire import Wire
from ..errors import InvalidRequest
from ..model.options import OPTION_NAMES
from ..model.request import Request
from ..predicates.conditions import FieldCondition, unlike
from ..repairs.registry import usual_repair
from ..reporting.losses import loss_of
from ..rules.field_places import MEDIA
from ..rules.plans import RuleCheck, checks_of
from ..rules.profile import Profile
from ..rules.rule import COUNTED_BY_APIS, Rule, highest_accepted
from .dates import newest_date

# the paths of a number itself, of the entries of a list, and of the parts of a kind
_LIMITED = ("{}", "{}.count", "messages.{}.count", "user.{}.count")
# fields that rules know under another path
_PATHS = {"tool_call.id": "assistant.tool_call.id"}
_KINDS = frozenset({"part", "user.part"})
_REQUEST = Request(None)
_MOST_REMEMBERED = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The answer whether a model accepts a field.

    Attributes:
        answer: `yes`, `no` or `unknown`.
        reason: Why, in words.
        conditions: For yes, the values and combinations that rules reject; for no, the values that they still accept.
        source: The citation; empty if there is none.
        date: The newest year or month of the citation.
        limit: The highest number that the model accepts, if a limit is known: of a number, of the entries of a list
            (`stop`, `tools`), of the characters of a text (`user_id`, `tools.name`, `tool_call.id`), of the parts of a
            kind in a request or a message (`image`), or of the tokens or bytes of a request (`input_tokens`,
            `request_bytes`).
        values: The words that the model accepts, if the field takes words of a fixed list: `low`, `medium`, `high`.
        fix: The repair of a portable build for a value that is not accepted: `drop`, `nearest`, `set: VALUE`;
            `none: WHY` for an error; empty if every value is accepted.
        by_rule: Whether the answer comes from a rule, not only from the shapes of the wire.
    """

    answer: str
    reason: str
    conditions: tuple[str, ...] = ()
    source: str = ""
    date: str = ""
    limit: float | None = None
    values: tuple[str, ...] = ()
    fix: str = ""
    by_rule: bool = True

    @property
    def accepted(self) -> str:
        """The answer in a few words, for tables: the accepted words, the limit, or yes, no or unknown."""
        if self.values:
            return ("only " if self.answer == "no" else "") + ", ".join(self.values)
        if self.limit is None or self.answer != "yes":
            return self.answer
        # no cache mark is accepted where there may be up to none
        return f"up to {self.limit:,.15g}" if self.limit else "no"

    def __str__(self) -> str:
        """Show it as one line."""
        text = "; ".join(
            [f"{self.answer}: {self.reason}", *[f"but {condition}" for condition in self.conditions]]
        )
        return text + (f" ({self.source})" if self.source else "")


def supports(wire: Wire, model: str, field: str, settings: Mapping[str, Any] | None = None) -> Support:
    """Return whether a model accepts a field: `top_k`, `reasoning.effort`, `tools`, `image`, `vendor.NAME`.

    The answer is `no` if the API does not have the field, or a rule rejects it for this model in every case. It is
    `unknown` if rules on the field depend on the model, and none of them names this one or its family does not know
    it; for `input_tokens` and `request_bytes`, if no fact states a limit. Otherwise it is `yes`, with the conditions of
    the rules.

    Raises:
        InvalidRequest: requests do not have the field.
        SettingError: the wire does not have these settings.
    """
    chosen = wire.take_settings(settings) if settings is not None else None
    profile = wire.profile(model, chosen)
    # the answer about a model that is not known names it
    key = (field, profile.is_named, wire.judged(model, chosen) if profile.nearest_model else "")
    remembered = profile.table.remembered
    found: Support | None = remembered.get(key)
    if found is None:
        check_field(field, wire.name)
        found = _look_up(wire, profile, field, chosen)
        if len(remembered) < _MOST_REMEMBERED:
            remembered[key] = found
    return found


def _look_up(wire: Wire, profile: Profile, field: str, settings: Mapping[str, Any] | None) -> Support:
    """Return the answer for a field from the capabilities of the API and the rules for the model."""
    rules = profile.table.rules
    if field in COUNTED_BY_APIS:
        return _counted_limit(wire, field, rules)
    if not profile.has(field):
        fix = "" if loss_of(_REQUEST, field) == "meaning" else "drop"
        reason = f"{field}: {wire.title} {_why_no_place(wire, field)}"
        return Support(answer="no", reason=reason, source=f"the spec {wire.name}", fix=fix, by_rule=False)
    field = _PATHS.get(field, field)
    checks = (*checks_of(_rule_on_names(wire)), *profile.table.checks)
    found = _support_by_rules(wire, profile, field, checks, settings)
    idle = [rule for rule in rules for each in rule.ignore if _is_about(each, field)]
    if idle and found.answer == "yes":
        found = _with_citation("yes", found.reason, (*found.conditions, idle[0].because), idle[0])
    found = replace(found, fix=", ".join(_usual_repairs(checks, field)), values=profile.values(field))
    rules = (*_rule_on_names(wire), *rules)
    limits = [highest_accepted(rules, path.format(field)) for path in _LIMITED]
    limit = next((limit for limit in limits if limit is not None), None)
    return found if limit is None or found.answer == "no" else replace(found, limit=limit[0])


def _why_no_place(wire: Wire, field: str) -> str:
    """Return why an API has no place for a field; a kind of parts may be accepted in another way."""
    ways = wire.capabilities["parts"].get(field)
    return f"does not accept it as data, only as {' or '.join(ways)}" if ways else "does not support it"


def _rule_on_names(wire: Wire) -> Iterator[Rule]:
    """Yield the rule that follows from a wire's pattern of tool names."""
    if wire.names:
        because = f"{wire.title} accepts tool names that match {wire.names}"
        yield Rule(
            reject=(unlike("tools.name", wire.names),), because=because, source=f"the spec {wire.name}"
        )


def _counted_limit(wire: Wire, field: str, holding: Sequence[Rule]) -> Support:
    """Return the limit of a number that only the API counts."""
    limit = highest_accepted(holding, field)
    if limit is None:
        return Support(answer="unknown", reason=f"no fact of {wire.title} states a limit for this model")
    number, rule = limit
    return replace(_with_citation("yes", rule.because, (), rule), limit=number)


def _usual_repairs(checks: Iterable[RuleCheck], field: str) -> dict[str, None]:
    """Return the repairs of the rules that reject a field or some of its values, each once."""
    fixes: dict[str, None] = {}
    for check in _checks_about(checks, field):
        if check.rejects:
            usual, why_none = usual_repair(check.rule, check.condition)
            fixes[usual or f"none: {why_none}"] = None
    return fixes


def _support_by_rules(
    wire: Wire,
    profile: Profile,
    field: str,
    checks: Sequence[RuleCheck],
    settings: Mapping[str, Any] | None,
) -> Support:
    """Return the answer of the rules for a model about a field that the wire has."""
    last, conditions = _deciding_check(checks, field)
    if last is not None and last.rejects:
        return _with_citation("no", last.rule.because, conditions, last.rule)
    if not profile.is_named and _depends_on_model(wire, profile, field):
        reason = _why_unknown(wire, profile, field, settings)
        return Support(answer="unknown", reason=reason, conditions=conditions)
    if last is not None:
        return _with_citation("yes", last.rule.because, conditions, last.rule)
    reason = f"{wire.title} supports it, and no rule rejects it"
    speaking = next((check.rule for check in _checks_about(profile.table.checks, field)), None)
    if conditions and speaking is not None:
        return replace(_with_citation("yes", reason, conditions, speaking), by_rule=False)
    source = f"the spec {wire.name}"
    return Support(answer="yes", reason=reason, conditions=conditions, source=source, by_rule=False)


def _depends_on_model(wire: Wire, profile: Profile, field: str) -> bool:
    """Return whether some rule of an API on a field is for some models only, or for some of the model's family."""
    rules = [check.rule for check in _checks_about(checks_of(wire.rules), field)]
    return any(wire.depends_on_model(rule) if profile.nearest_model else rule.model for rule in rules)


def _why_unknown(wire: Wire, profile: Profile, field: str, settings: Mapping[str, Any] | None) -> str:
    """Return why nobody can say whether a model accepts a field."""
    if not profile.nearest_model:
        return f"{wire.title} has rules on {field} for some models, and none of them names this one"
    name, nearest = wire.judged(profile.model, settings), profile.nearest_model
    others = {key: value for key, value in (settings or {}).items() if key != wire.stand_in}
    answer = supports(wire, nearest, field, others or None).answer
    return (
        f"{name} is not a model that promptwire knows, and models differ in {field}; {nearest} is the nearest one, "
        f"whose answer is {answer}"
    )


def table_of(wire: Wire, model: str, settings: Mapping[str, Any] | None = None) -> dict[str, Support]:
    """Return for every known field whether a model accepts it."""
    return {field: supports(wire, model, field, settings) for field in FIELDS}


def _deciding_check(checks: Sequence[RuleCheck], field: str) -> tuple[RuleCheck | None, tuple[str, ...]]:
    """Return the last check that rejects or allows a whole field, and the reasons of rules about some of its values."""
    last: RuleCheck | None = None
    conditions: dict[str, None] = {}
    for check in _checks_about(checks, field):
        rule, condition = check.rule, check.condition
        whole = condition.path.text in _KINDS or not condition.operator
        is_exempted = any(not _is_refused(checks, exempting) for exempting in rule.unless)
        if whole and not (rule.given or is_exempted):
            last = check
            conditions.clear()
        elif check.rejects:
            if last is None or not last.rejects:
                conditions[rule.because] = None
        elif last is not None and last.rejects and not whole and not rule.given:
            # one accepted value of a rejected field
            conditions[rule.because] = None
        elif (
            whole
            and last is not None
            and last.rejects
            and not any(_is_refused(checks, given) for given in rule.given)
        ):
            # rejected in general, and allowed beside another field that is not rejected itself
            conditions[last.rule.because] = None
            last = None
    return last, tuple(conditions)


def _is_about(condition: FieldCondition, field: str) -> bool:
    path = condition.path.text
    return path == field or path.startswith(f"{field}.")


def _is_refused(checks: Sequence[RuleCheck], given: FieldCondition) -> bool:
    """Return whether rules reject a field that another rule asks for."""
    last, _ = _deciding_check(checks, given.path.text)
    return last is not None and last.rejects


def _checks_about(checks: Iterable[RuleCheck], field: str) -> Iterator[RuleCheck]:
    """Yield each check of a field, its values or its keys."""
    inside = f"{field}."
    for check in checks:
        path = check.condition.path.text
        is_kind = path in _KINDS
        speaks = check.condition.means(field) if is_kind else path == field or path.startswith(inside)
        if speaks and (path == field or check.condition.operator or is_kind):
            yield check


def _with_citation(answer: str, reason: str, conditions: tuple[str, ...], rule: Rule) -> Support:
    """Return an answer with the source and date of a rule."""
    date = newest_date(rule.source)
    return Support(answer=answer, reason=reason, conditions=conditions, source=rule.source, date=date)


# the API's own options aside
FIELDS = (
    *COUNTED_BY_APIS,
    *OPTION_NAMES,
    "instructions",
    "tools",
    "tools.name",
    "tool_call.id",
    "tool_choice",
    "tool_choice.parallel",
    "response_format",
    "message.name",
    "reasoning.effort",
    "reasoning.budget",
    "reasoning.summary",
    "metadata",
    "metadata.keys",
    "metadata.values",
    "user_id",
    "stream",
    "stream_usage",
    "include",
    "verbosity",
    "modalities",
    "cache",
    *MEDIA,
)
_KNOWN = frozenset(FIELDS)


def check_field(field: str, wire: str) -> None:
    """Raise InvalidRequest for a field that no request has; `vendor.NAME` is an option of the API `wire`."""
    if field in _KNOWN or field.startswith("vendor."):
        return
    near = nearest(field, FIELDS)
    hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(FIELDS)}, or vendor.NAME"
    raise InvalidRequest(f'"{field}" is not a field of requests; {hint}', wire=wire, field=field)
