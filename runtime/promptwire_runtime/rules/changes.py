"""What rules change before a body is written: what the server holds is left out, settings get what they lack."""

from __future__ import annotations

from ..model.nodes import replace
from ..typed import TYPE_CHECKING
from .entries import is_word

if TYPE_CHECKING:
    from typing import Any

    from ..build.context import BuildContext
    from ..model.request import Request
    from .rule import Rule


def change(request: Request, rule: Rule, build: BuildContext) -> Request:
    """Do what a rule that is met says."""
    if rule.add and build.policies.refusals != "ignore":
        add(rule, build)
    return _omit(request, rule, build)


def _omit(request: Request, rule: Rule, build: BuildContext) -> Request:
    for name, what in rule.assign.items():
        if what == "omit" and getattr(request, name) is not None:
            build.note("dropped", request, name, rule.because)
            nothing: dict[str, Any] = {name: None}
            request = replace(request, **nothing)
    return request


def add(rule: Rule, build: BuildContext) -> None:
    """Give a list among the settings the word that the API asks for."""
    for name, words in rule.add.items():
        given = build.setting(name) or ()
        held = given.split(",") if isinstance(given, str) else list(given)
        if not any(is_word(each.strip(), words) for each in held):
            word = words.partition("|")[0]
            build.settings = {**(build.settings or {}), name: (*held, word)}
            build.note("added", build.request, f"settings.{name}", f"{word}: {rule.because}")
