"""Support of a field by a model, from the shapes and rules of a wire, with source and date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..build.wire import Wire
from ..errors import NoPlace
from ..predicates.conditions import FieldCondition, unlike
from ..repairs.engine import errors_of
from ..repairs.registry import usual_repair
from ..reporting.losses import loss_of
from ..rules.rule import COUNTED_BY_APIS, Rule, highest_accepted
from .dates import newest_date
from .probes import FIELDS, probe_of

# the paths of a number itself, of the entries of a list, and of the parts of a kind
_LIMITED = ("{}", "{}.count", "messages.{}.count", "user.{}.count")
# fields that rules know under another path
_PATHS = {"tool_call.id": "assistant.tool_call.id"}
_KINDS = frozenset({"part", "user.part"})


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
    fix: str = ""
    by_rule: bool = True

    def __str__(self) -> str:
        """Show it as one line."""
        text = "; ".join(
            [f"{self.answer}: {self.reason}", *[f"but {condition}" for condition in self.conditions]]
        )
        return text + (f" ({self.source})" if self.source else "")


def supports(
    build: Callable[..., Any],
    wire: Wire,
    model: str,
    field: str,
    settings: Mapping[str, Any] | None = None,
) -> Support:
    """Return whether a model accepts a field: `top_k`, `reasoning.effort`, `tools`, `image`, `vendor.NAME`.

    The answer is `no` if the API does not have the field, or a rule rejects it for this model in every case. It is
    `unknown` if some rule on the field depends on the model and no rule of the wire names this one; for `input_tokens`
    and `request_bytes`, if no fact states a limit. Otherwise it is `yes`, with the conditions of the rules.

    Raises:
        InvalidRequest: requests do not have the field.
        SettingError: the wire does not have these settings.
    """
    chosen = wire.take_settings(settings) if settings is not None else None
    if field in COUNTED_BY_APIS:
        return _counted_limit(wire, field, wire.holding(model, chosen))
    probe = probe_of(model, field, wire.name)
    for error in errors_of(build, probe, settings):
        if isinstance(error, NoPlace):
            fix = "" if loss_of(error.node, field) == "meaning" else "drop"
            source = f"the spec {wire.name}"
            return Support(answer="no", reason=error.reason, source=source, fix=fix, by_rule=False)
    field = _PATHS.get(field, field)
    holding = (*_rule_on_names(wire), *wire.holding(model, chosen))
    found = _support_by_rules(wire, model, field, holding)
    idle = [rule for rule in holding for each in rule.ignore if _is_about(each, field)]
    if idle and found.answer == "yes":
        found = _with_citation("yes", found.reason, (*found.conditions, idle[0].because), idle[0])
    found = replace(found, fix=", ".join(_usual_repairs(holding, field)))
    limits = [highest_accepted(holding, path.format(field)) for path in _LIMITED]
    limit = next((limit for limit in limits if limit is not None), None)
    return found if limit is None or found.answer == "no" else replace(found, limit=limit[0])


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


def _usual_repairs(rules: Sequence[Rule], field: str) -> dict[str, None]:
    """Return the repairs of the rules that reject a field or some of its values, each once."""
    fixes: dict[str, None] = {}
    for rule, rejects, condition in _conditions_about(rules, field):
        if rejects:
            usual, why_none = usual_repair(rule, condition)
            fixes[usual or f"none: {why_none}"] = None
    return fixes


def _support_by_rules(wire: Wire, model: str, field: str, holding: Sequence[Rule]) -> Support:
    """Return the answer of the rules for a model about a field that the wire has."""
    rules = wire.rules
    last, conditions = _deciding_rule(holding, field)
    if last is not None and not last[1]:
        return _with_citation("no", last[0].because, conditions, last[0])
    about = [rule for rule, _, _ in _conditions_about(rules, field)]
    if any(rule.model for rule in about) and not _is_named(model, rules):
        reason = f"{wire.title} has rules on {field} for some models, and none of them names this one"
        return Support(answer="unknown", reason=reason, conditions=conditions)
    if last is not None:
        return _with_citation("yes", last[0].because, conditions, last[0])
    reason = f"{wire.title} supports it, and no rule rejects it"
    speaking = [rule for rule in holding if rule in about]
    if conditions and speaking:
        return replace(_with_citation("yes", reason, conditions, speaking[0]), by_rule=False)
    source = f"the spec {wire.name}"
    return Support(answer="yes", reason=reason, conditions=conditions, source=source, by_rule=False)


def table_of(
    build: Callable[..., Any], wire: Wire, model: str, settings: Mapping[str, Any] | None = None
) -> dict[str, Support]:
    """Return for every known field whether a model accepts it."""
    return {field: supports(build, wire, model, field, settings) for field in FIELDS}


def _deciding_rule(rules: Sequence[Rule], field: str) -> tuple[tuple[Rule, bool] | None, tuple[str, ...]]:
    """Return the last rule that rejects or allows a whole field, and the reasons of rules about some of its values."""
    last: tuple[Rule, bool] | None = None
    conditions: dict[str, None] = {}
    for rule, rejects, condition in _conditions_about(rules, field):
        whole = condition.path.text in _KINDS or not condition.operator
        is_exempted = any(not _is_refused(rules, exempting) for exempting in rule.unless)
        if whole and not (rule.given or is_exempted):
            last = rule, not rejects
            conditions.clear()
        elif rejects:
            if last is None or last[1]:
                conditions[rule.because] = None
        elif last is not None and not last[1] and not whole and not rule.given:
            # one accepted value of a rejected field
            conditions[rule.because] = None
        elif (
            whole
            and last is not None
            and not last[1]
            and not any(_is_refused(rules, given) for given in rule.given)
        ):
            # rejected in general, and allowed beside another field that is not rejected itself
            conditions[last[0].because] = None
            last = None
    return last, tuple(conditions)


def _is_about(condition: FieldCondition, field: str) -> bool:
    path = condition.path.text
    return path == field or path.startswith(f"{field}.")


def _is_refused(rules: Sequence[Rule], given: FieldCondition) -> bool:
    """Return whether rules reject a field that another rule asks for."""
    last, _ = _deciding_rule(rules, given.path.text)
    return last is not None and not last[1]


def _conditions_about(rules: Iterable[Rule], field: str) -> Iterator[tuple[Rule, bool, FieldCondition]]:
    """Yield each condition about a field, its values or its keys."""
    for rule in rules:
        for rejects, conditions in ((True, rule.reject), (False, rule.allow)):
            for condition in conditions:
                path = condition.path.text
                is_kind = path in _KINDS
                speaks = condition.means(field) if is_kind else path == field or path.startswith(f"{field}.")
                if speaks and (path == field or condition.operator or is_kind):
                    yield rule, rejects, condition


def _is_named(model: str, rules: Iterable[Rule]) -> bool:
    """Return whether any rule names a model."""
    return any(rule.model.match(model) or rule.not_model.match(model) for rule in rules)


def _with_citation(answer: str, reason: str, conditions: tuple[str, ...], rule: Rule) -> Support:
    """Return an answer with the source and date of a rule."""
    date = newest_date(rule.source)
    return Support(answer=answer, reason=reason, conditions=conditions, source=rule.source, date=date)
