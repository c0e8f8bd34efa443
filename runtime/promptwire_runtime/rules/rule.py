"""Rules of a wire: what one model or setting rejects, renames or decides. Later rules win."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from promptwire_text.model_names import with_dots

from ..model.request import UNCOMMON_FIELDS, Request
from ..nodes.checks import CheckedRecord
from ..nodes.records import replace
from ..predicates.conditions import Compared, FieldCondition, LengthCompared, Unlike
from ..predicates.words import NO_WORDS, Words
from ..reporting.report import Report
from .field_values import is_deep
from .paths import values_of


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Rule(CheckedRecord):
    """One rule: when it holds, and what it does.

    model, not_model  names of models (`*` stands for any text)
    settings          build settings that must have one of these values, in which `*` stands for any text
    since, until      the first and the last day on which it holds, as ISO dates; empty for no limit
    given             conditions of the request that must all hold
    unless            conditions of the request of which none may hold
    reject, allow     fields, or some of their values
    ignore            options and fields of the request that the API takes without effect, or some of their values
    rename            body key, or `messages[].` and a key of messages -> the word in its place; memory may have either
    moves             (path of keys, path of keys, constants beside the second): where a value of the body belongs
    assign            what the wire should assume (`instructions.role`), or `omit` because the server holds it
    add               a list among the settings -> what it must hold: the first word, unless one of them fits
    because, source   the reason, and who says so
    fix               the repair of a request that the rule rejects: `drop`, `nearest`, `set: VALUE`; empty for the
                      default of the field
    no_repair         why no repair keeps the meaning, where that is so
    name              the name by which callers may give a repair of their own
    """

    model: Words = NO_WORDS
    not_model: Words = NO_WORDS
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    since: str = ""
    until: str = ""
    given: tuple[FieldCondition, ...] = ()
    unless: tuple[FieldCondition, ...] = ()
    reject: tuple[FieldCondition, ...] = ()
    allow: tuple[FieldCondition, ...] = ()
    ignore: tuple[FieldCondition, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict[str, str])
    moves: tuple[tuple[tuple[str, ...], tuple[str, ...], Mapping[str, Any]], ...] = ()
    assign: Mapping[str, str] = field(default_factory=dict[str, str])
    add: Mapping[str, Words] = field(default_factory=dict[str, Words])
    because: str = ""
    source: str = ""
    fix: str = ""
    no_repair: str = ""
    name: str = ""

    def holds(self, names: Iterable[str | None], settings: Mapping[str, Any], day: str) -> bool:
        """Return whether a model, with all of its names, settings and day match.

        `given` and `unless` are checked against a request.
        """
        if day < self.since or (self.until and day > self.until):
            return False
        if self.model and not any(map(self.model.match, names)):
            return False
        if self.not_model and any(map(self.not_model.match, names)):
            return False
        return all(_has_one(settings.get(name), values) for name, values in self.settings.items())

    @property
    def reason(self) -> str:
        """The reason with its source."""
        return self.because + (f" ({self.source})" if self.source else "")

    @property
    def first_given(self) -> str:
        """A field of the request without which the rule is not met."""
        first = self.given[0].path.head if self.given else ""
        return first if first in UNCOMMON_FIELDS else "messages"

    @property
    def changes(self) -> bool:
        """Return whether the rule leaves out a field, or adds to a setting, before messages and tools are written."""
        return self.omits or (bool(self.add) and self.inside is None and not self.adds_for_tools)

    @property
    def omits(self) -> bool:
        """Return whether the rule leaves out a field because the server stores it."""
        return "omit" in self.assign.values()

    def is_met(self, request: Request, wire: str) -> bool:
        """Return whether a request meets all of `given` and none of `unless`; `wire` is the API whose options count.

        Conditions on messages and parts are checked where those are written.
        """
        if any(_is_given(condition, request, wire) for condition in self.unless):
            return False
        return all(is_deep(condition.path) or _is_given(condition, request, wire) for condition in self.given)

    @property
    def inside(self) -> FieldCondition | None:
        """The condition on messages or parts that must hold before the rule adds to a setting, or None."""
        return next((condition for condition in self.given if is_deep(condition.path)), None)

    @property
    def about_tools(self) -> tuple[FieldCondition, ...]:
        """The conditions on fields of tools."""
        return tuple(
            [
                condition
                for condition in self.given
                if condition.path.head == "tools" and condition.path.text != "tools"
            ]
        )

    @property
    def adds_for_tools(self) -> bool:
        """Return whether the rule adds to a setting because of some tools; checked when tools are written."""
        looks = any(condition.path.text != "tools.count" for condition in self.about_tools)
        return looks and bool(self.add) and self.inside is None and not self.omits


def spelled(
    rules: Iterable[Rule], *, prefix: str = "", dots: bool = False, of_all: Words = NO_WORDS
) -> tuple[Rule, ...]:
    """Return rules of a family of models with the names that an API gives the models.

    Args:
        rules: The rules, with the names of the family's page.
        prefix: What stands before each name there: `openai/`.
        dots: Whether versions have dots there: `orca-2.1` for `orca-2-1`.
        of_all: The names of all models of the family, for an API that serves no others: there, rules about all of
            them hold for any name.
    """

    def named(names: Words) -> Words:
        return Words(*[prefix + (with_dots(name) if dots else name) for name in names])

    def of(rule: Rule) -> Rule:
        if of_all and rule.model is of_all:
            return replace(rule, model=NO_WORDS, not_model=NO_WORDS)
        if not (prefix or dots):
            return rule
        return replace(rule, model=named(rule.model), not_model=named(rule.not_model))

    return tuple([of(rule) for rule in rules])


def _has_one(value: Any, values: tuple[str, ...]) -> bool:
    """Return whether a setting, or a condition of one that is a list, has one of these values."""
    words = Words(*values)
    return any(map(words.match, value)) if type(value) in (list, tuple) else words.match(value)


def _is_given(condition: FieldCondition, request: Request, wire: str) -> bool:
    return any(
        means(condition, value, request, wire)
        for value in each_value(values_of(condition.path, request, wire))
    )


def means(condition: FieldCondition, value: Any, request: Request, wire: str) -> bool:
    """Return whether a value meets a condition, which may compare it with the value of another path."""
    if condition.other is None or not isinstance(condition, Compared):
        return condition.means(value)
    return any(condition.compares(value, bound) for bound in values_of(condition.other, request, wire))


def each_value(values: Iterable[Any]) -> Iterable[Any]:
    """Yield each value, and each element of lists such as `include`."""
    for value in values:
        if type(value) is tuple:
            yield from value
        else:
            yield value


IN_MESSAGES = "messages[]."
"""What the key of a message begins with among the keys that a rule renames."""


def changed_by(rule: Rule, request: Request, report: Report) -> Request:
    """Apply a rule: add settings, and return the request without the fields that it omits."""
    if rule.add and report.policies.refusals != "ignore":
        add_settings(rule, report)
    return _omit(request, rule, report)


def _omit(request: Request, rule: Rule, report: Report) -> Request:
    for name, what in rule.assign.items():
        if what == "omit" and getattr(request, name) is not None:
            report.note("dropped", request, name, rule.because)
            nothing: dict[str, Any] = {name: None}
            request = replace(request, **nothing)
    return request


def add_settings(rule: Rule, report: Report) -> None:
    """Add the word that the API asks for to a list among the settings."""
    for name, words in rule.add.items():
        setting = report.setting(name) or ()
        listed = setting.split(",") if isinstance(setting, str) else list(setting)
        if not any(words.mean(item.strip()) for item in listed):
            word = words.texts[0]
            report.change_setting(name, (*listed, word))
            report.note("added", report.request, f"settings.{name}", f"{word}: {rule.because}")


def respelled(item: dict[str, Any], key: str, other: str) -> dict[str, Any]:
    """Return a copy whose key has another name, in its place; an equal one where both are there with unlike values."""
    if key not in item or (other in item and item[other] != item[key]):
        return dict(item)
    return {other if name == key else name: value for name, value in item.items()}


# numbers of a request that only its API counts: rules state their limits, and builds do not check them
COUNTED_BY_APIS = ("input_tokens", "request_bytes")


def highest_accepted(rules: Iterable[Rule], field: str) -> tuple[float, Rule] | None:
    """Return the highest number (of characters, of a text) that rules accept, with the rule; None without a limit.

    `rules` are those that hold for a model. A limit that a later rule lifts does not count, and neither does one that
    depends on other fields of a request.
    """
    limits: dict[str, tuple[float, Rule]] = {}
    for rule in rules:
        for condition in rule.allow:
            if condition.path.text == field:
                limits.pop(str(condition), None)
        if rule.given or rule.unless:
            continue
        for condition in rule.reject:
            if condition.path.text == field and isinstance(condition, (Compared, LengthCompared, Unlike)):
                limits |= _limit(condition, rule)
    return min(limits.values(), key=lambda limit: limit[0], default=None)


def _limit(condition: Compared | LengthCompared | Unlike, rule: Rule) -> dict[str, tuple[float, Rule]]:
    if isinstance(condition, Unlike):
        longest = _longest(condition.pattern)
        return {} if longest is None else {str(condition): (longest, rule)}
    bound = condition.bound
    sign = condition.operator.removeprefix("len")
    if not isinstance(bound, (int, float)) or not sign.startswith(">"):
        return {}
    # numbers of tokens are whole
    return {str(condition): (bound - 1 if sign == ">=" else bound, rule)}


def _longest(pattern: str) -> int | None:
    """Return how many characters the longest text has that matches a regular expression; None without a limit."""
    parser: Any = vars(re)["_parser"]
    most = parser.parse(pattern).getwidth()[1]
    return None if most >= parser.MAXREPEAT else int(most)
