"""Changes of a request and its settings that a rule makes before anything is written."""

from __future__ import annotations

from typing import Any

from ..model.request import Request
from ..nodes.records import replace
from ..reporting.report import Report
from .rule import Rule

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
