"""Doubts about an unknown model: what the rules for its relatives reject, though nobody knows whether it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..nodes.records import replace
from .field_values import is_deep, values_here
from .paths import node_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..model.request import Request
    from ..reporting.report import Report
    from .field_table import FieldTable
    from .plans import PathChecks, RuleCheck
    from .rule import Rule


def doubts_of(
    guessed: FieldTable, certain: Iterable[Rule], request: Request, wire: str
) -> Iterator[RuleCheck]:
    """Yield each check that rejects something in a request by a rule that is a guess."""
    known = set(map(id, certain))
    for checks in guessed.paths():
        found = checks.refusals(_values(checks, request, wire), request, wire)
        doubt = next((check for check in found if id(check.rule) not in known), None)
        if doubt is not None:
            yield doubt


def without_stated(guesses: tuple[Rule, ...], nearest: str, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules for the known model nearest to an unknown one, without what `rules` state of the latter."""
    own = [rule for rule in rules if rule.model and not rule.model.match(nearest)]
    stated = {condition.path.text for rule in own for condition in (*rule.reject, *rule.allow)}
    certain = set(map(id, rules))

    def drop_stated(rule: Rule) -> Rule:
        kept = tuple([condition for condition in rule.reject if condition.path.text not in stated])
        return rule if id(rule) in certain or kept == rule.reject else replace(rule, reject=kept)

    return tuple(map(drop_stated, guesses))


def words_of_doubt(check: RuleCheck, model: str, nearest: str) -> str:
    """Return why a value may be rejected, with the known model that the guess is made from."""
    return (
        f"{check.condition.path}: {model} is not a model that promptwire knows; this is a guess from {nearest}, the "
        f"nearest one: {check.rule.because}"
    )


def note_doubts(found: Iterable[RuleCheck], request: Request, report: Report) -> None:
    """Add a note for each doubt: the value is sent."""
    model = report.wire.judged(request.model, report.settings) or ""
    nearest = report.wire.nearest_model(model)
    for check in found:
        path, source = check.condition.path, check.rule.source
        why = words_of_doubt(check, model, nearest) + (f" ({source})" if source else "")
        report.note("refused", node_of(path, request), path.text, why)


def _values(checks: PathChecks, request: Request, wire: str) -> Iterable[Any]:
    """Return the values of a path in a request, also in its messages."""
    if not is_deep(checks.path):
        return checks.values(request, wire)
    nodes: list[Any] = []
    for message in request.messages:
        if checks.path.head in ("message", "part", message.role):
            nodes += [message, *message.parts]
    return [value for node in nodes for value in values_here(checks.path, node, wire) or ()]
