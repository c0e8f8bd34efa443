"""What rules change before a body is written: what the server holds is left out, settings get what they lack."""

from __future__ import annotations

from .nodes import replace
from .rule_entries import is_word
from .typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from .built import Built
    from .request import Request
    from .rules import Rule


def change(request: Request, rule: Rule, built: Built[Any]) -> Request:
    """Do what a rule that is met says."""
    if rule.add and built.policies.refusals != "ignore":
        add(rule, built)
    return _omit(request, rule, built)


def _omit(request: Request, rule: Rule, built: Built[Any]) -> Request:
    for name, what in rule.assign.items():
        if what == "omit" and getattr(request, name) is not None:
            built.note("dropped", request, name, rule.because)
            nothing: dict[str, Any] = {name: None}
            request = replace(request, **nothing)
    return request


def add(rule: Rule, built: Built[Any]) -> None:
    """Give a list among the settings the word that the API asks for."""
    for name, words in rule.add.items():
        given = built.setting(name) or ()
        held = given.split(",") if isinstance(given, str) else list(given)
        if not any(is_word(each.strip(), words) for each in held):
            word = words.partition("|")[0]
            built.settings = {**(built.settings or {}), name: (*held, word)}
            built.note("added", built.request, f"settings.{name}", f"{word}: {rule.because}")
