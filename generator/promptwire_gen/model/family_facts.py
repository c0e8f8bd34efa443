"""Facts of a family of models on one API: those about fields that its requests have."""

from __future__ import annotations

from collections.abc import Mapping

from ..problems import Span
from ..spec.load import LoadedSpec
from ..spec.notation import Notation
from ..spec.schema import Rule
from .rule_entry_checks import check_entry
from .wire import WireModel


def fitting(model: WireModel, spec: LoadedSpec) -> tuple[tuple[Rule, ...], Mapping[Span, bool]]:
    """Give the rules without facts that mean nothing on a wire, and for each entry of a fact whether it has a place."""
    rules: list[Rule] = []
    placed: dict[Span, bool] = {}
    for index, rule in enumerate(spec.model.rules):
        if rule.family is None:
            rules.append(rule)
            continue
        conditions = [_means(text, model, given=True) for text in rule.when.given]
        kept: dict[str, tuple[str, ...]] = {"reject": (), "allow": ()}
        for verb, entries in (("reject", rule.reject), ("allow", rule.allow)):
            for place, text in enumerate(entries):
                fits = all(conditions) and _means(text, model, given=False)
                placed[spec.span_of(("rules", index, verb, place))] = fits
                kept[verb] += (text,) if fits else ()
        if kept == {"reject": rule.reject, "allow": rule.allow}:
            rules.append(rule)
        elif any(kept.values()):
            rules.append(rule.model_copy(update=kept))
    return tuple(rules), placed


def _means(text: str, model: WireModel, *, given: bool) -> bool:
    notation = Notation()
    check_entry(text, Span(model.file, 1, 1, 1), model, notation, given=given)
    return not notation.problems
