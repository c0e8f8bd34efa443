"""The dates of facts: which sources were looked at longer than a year ago."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from ..build.wire import Wire

_DATE = re.compile(r"20[0-9]{2}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
_MONTHS = 12


@dataclass(frozen=True, slots=True)
class StaleFact:
    """A rule whose newest source is older than a year, with the wires that have it.

    Attributes:
        date: Its newest year, month or day; empty if the source has no date.
        fields: The conditions that the rule rejects or allows, as specs write them.
        models: Globs of the models that it is about; empty for all.
        because: Its reason.
        source: Its citation.
        wires: The names of the wires.
    """

    date: str
    fields: tuple[str, ...]
    models: tuple[str, ...]
    because: str
    source: str
    wires: tuple[str, ...]


def newest_date(source: str) -> str:
    """Return the newest year, month or day that a source states; empty if it states none."""
    return max(_DATE.findall(source), default="")


def is_stale(stated: str, today: date) -> bool:
    """Return whether a stated year, month or day ended more than a year before `today`; no date is stale."""
    if not stated:
        return True
    year, month, *_ = [*map(int, stated.split("-")), _MONTHS]
    return (today.year - year) * _MONTHS + today.month - month > _MONTHS


def stale_facts(wires: Iterable[Wire], today: date) -> list[StaleFact]:
    """Return the rules of some wires whose newest source is older than a year, each once, the oldest first."""
    found: dict[tuple[str, ...], StaleFact] = {}
    for wire in wires:
        for rule in wire.rules:
            stated = newest_date(rule.source)
            if not (rule.reject or rule.allow or rule.ignore) or not is_stale(stated, today):
                continue
            fields = tuple(map(str, (*rule.reject, *rule.allow, *rule.ignore)))
            key = (rule.because, rule.source, *rule.model, *fields)
            known = found.get(key)
            names = (*known.wires, wire.name) if known is not None else (wire.name,)
            found[key] = StaleFact(stated, fields, (*rule.model,), rule.because, rule.source, names)
    return sorted(found.values(), key=lambda fact: (fact.date, fact.source))
