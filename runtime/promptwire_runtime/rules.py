"""Rules of a wire: what one model or setting refuses, renames or decides. Later rules win."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .rule_paths import kind_of, request_values, watched_values
from .values import fits

if TYPE_CHECKING:
    from .built import Built
    from .request import Request

_DEEP_HEADS = frozenset({"part", "message", "system", "developer", "user", "assistant", "cache"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: when it holds, and what it does.

    model, not_model  patterns for the model's name (`*` stands for any text)
    settings          build settings that must have one of these values
    given             neutral fields that must be set, also with values (`stream=true`)
    reject, allow     fields (`temperature`, `reasoning.effort=max|xhigh`, `message.role=system`, `part=document`)
    rename            body key -> synonym
    assign            what the wire should assume (`instructions.role`), or `omit` because the server holds it
    because, source   the reason, and who says so
    """

    model: tuple[str, ...] = ()
    not_model: tuple[str, ...] = ()
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    given: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict[str, str])
    assign: Mapping[str, str] = field(default_factory=dict[str, str])
    because: str = ""
    source: str = ""

    def holds(self, model: str | None, settings: Mapping[str, Any]) -> bool:
        """Tell whether model and settings match (`given` aside)."""
        if self.model and not any(fits(model, glob) for glob in self.model):
            return False
        if any(fits(model, glob) for glob in self.not_model):
            return False
        return all(settings.get(name) in values for name, values in self.settings.items())

    def is_met(self, request: Request) -> bool:
        """Tell whether every field of `given` is set."""
        return all(matching(entry, request_values(request, entry)) for entry in self.given)


def matching(entry: str, values: Iterable[Any]) -> list[Any]:
    """Keep the values that an entry such as `temperature` or `effort=max|xhigh` names."""
    _, equals, wanted = entry.partition("=")
    found: list[Any] = []
    for value in values:
        each = value if type(value) is tuple and equals else (value,)
        for one in each:
            shown = str(one).lower() if type(one) is bool else str(one)
            if not equals or any(fits(shown, word) for word in wanted.split("|")):
                found.append(one)
    return found


class Decision:
    """What the rules say for one model and setting."""

    __slots__ = ("_always", "_options", "_renames", "role", "rules")

    def __init__(self, rules: tuple[Rule, ...], options: frozenset[str]) -> None:
        """Sort out which requests need a closer look; `options` are the names of sampling options."""
        self.rules = rules
        self.role: str | None = None
        heads: set[str] = set()
        for rule in rules:
            self.role = rule.assign.get("instructions.role", self.role)
            heads |= {entry.partition("=")[0].partition(".")[0] for entry in rule.reject}
            heads |= {"continuation"} if "omit" in rule.assign.values() else set()
        self._options = frozenset(heads) & options
        self._always = bool(heads & {"tools", "tool", "last_message", "instructions"})
        self._renames = tuple((key, synonym) for rule in rules for key, synonym in rule.rename.items())

    def apply(self, request: Request, built: Built[Any]) -> Request:
        """Raise or note everything that the rules refuse in this request, its messages aside."""
        if not self._always and request.simple and self._options.isdisjoint(request.options.given):
            return request
        for rule in self.rules:
            if rule.assign and rule.is_met(request):
                request = _omit(request, rule, built)
        for entry, value, rule in self._refused(request, deep=False):
            built.refuse(entry, value, rule)
        return request

    def check_watched(self, request: Request, watched: list[Any], built: Built[Any]) -> None:
        """Raise or note what the rules refuse among the messages and parts that builders pointed out."""
        for entry, value, rule in self._refused(request, deep=True, watched=watched):
            built.refuse(entry, value, rule)

    def _refused(
        self, request: Request, *, deep: bool, watched: list[Any] | None = None
    ) -> Iterable[tuple[str, Any, Rule]]:
        refused: dict[str, Rule] = {}
        allowed: list[tuple[str, int]] = []
        for rule in self.rules:
            if not rule.is_met(request):
                continue
            for entry in rule.reject:
                refused.pop(entry, None)
                refused[entry] = rule
            for entry in rule.allow:
                refused.pop(entry, None)
                allowed.append((entry, self.rules.index(rule)))
        for entry, rule in refused.items():
            path = entry.partition("=")[0]
            if (path.partition(".")[0] in _DEEP_HEADS) is not deep:
                continue
            values = watched_values(request, path, watched or []) if deep else request_values(request, path)
            for value in matching(entry, values):
                exempt = [a for a, index in allowed if index >= self.rules.index(rule) and a.partition("=")[0] == path]
                if not any(matching(a, [value]) for a in exempt):
                    yield path, value, rule
                    break

    def rename(self, body: dict[str, Any]) -> None:
        """Switch body keys to the synonyms that the rules ask for."""
        for key, synonym in self._renames:
            if key in body:
                body[synonym] = body.pop(key)


def _omit(request: Request, rule: Rule, built: Built[Any]) -> Request:
    for name, what in rule.assign.items():
        if what == "omit" and getattr(request, name) is not None:
            built.note("dropped", request, name, rule.because)
            request = replace(request, **{name: None})
    return request


__all__ = ["Decision", "Rule", "kind_of", "matching"]
