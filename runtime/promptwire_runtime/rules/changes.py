"""What rules change before a body is written: what the server holds is left out, settings get what they lack."""

from __future__ import annotations

from ..nodes.records import replace
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Request
    from ..reporting.report import Report
    from .rule import Rule


def change(request: Request, rule: Rule, report: Report) -> Request:
    """Do what a rule that is met says."""
    if rule.add and report.policies.refusals != "ignore":
        add(rule, report)
    return _omit(request, rule, report)


def _omit(request: Request, rule: Rule, report: Report) -> Request:
    for name, what in rule.assign.items():
        if what == "omit" and getattr(request, name) is not None:
            report.note("dropped", request, name, rule.because)
            nothing: dict[str, Any] = {name: None}
            request = replace(request, **nothing)
    return request


def add(rule: Rule, report: Report) -> None:
    """Give a list among the settings the word that the API asks for."""
    for name, words in rule.add.items():
        setting = report.setting(name) or ()
        listed = setting.split(",") if isinstance(setting, str) else list(setting)
        if not any(words.mean(item.strip()) for item in listed):
            word = words.texts[0]
            report.change_setting(name, (*listed, word))
            report.note("added", report.request, f"settings.{name}", f"{word}: {rule.because}")
