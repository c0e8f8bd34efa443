"""The dates of facts: which sources are old, and which facts begin or end."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from ..build.wire import Wire
from ..rules.rule import Rule

_DATE = re.compile(r"20[0-9]{2}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
_DECEMBER = 12
YEAR = 365


@dataclass(frozen=True, slots=True)
class DatedFact:
    """A rule with its dates, and the wires that have it.

    Attributes:
        date: The newest year, month or day of its source; empty if the source has no date.
        since: The first day on which it holds; empty for no limit.
        until: The last day on which it holds; empty for no limit.
        fields: The conditions that the rule rejects or allows, as specs write them.
        models: Globs of the models that it is about; empty for all.
        because: Its reason.
        source: Its citation.
        wires: The names of the wires.
    """

    date: str
    since: str
    until: str
    fields: tuple[str, ...]
    models: tuple[str, ...]
    because: str
    source: str
    wires: tuple[str, ...]


def newest_date(source: str) -> str:
    """Return the newest year, month or day that a source states; empty if it states none."""
    return max(_DATE.findall(source), default="")


def is_stale(stated: str, today: date, days: int = YEAR) -> bool:
    """Return whether a stated year, month or day ended more than `days` before `today`; no date is stale."""
    return not stated or _last_day(stated) + timedelta(days=days) < today


def stale_facts(wires: Iterable[Wire], today: date, days: int = YEAR) -> list[DatedFact]:
    """Return the facts that somebody should look up again, each once, the oldest first.

    These are facts whose newest source is older than `days` or has no date, facts that hold no more, and facts that
    began after their newest source.
    """
    day = today.isoformat()

    def is_meant(fact: DatedFact) -> bool:
        if fact.until and fact.until < day:
            return True
        if fact.since and fact.since <= day and _last_day(fact.date or day) < date.fromisoformat(fact.since):
            return True
        return is_stale(fact.date, today, days)

    return sorted(_facts(wires, is_meant), key=lambda fact: (fact.date, fact.source))


def coming_facts(wires: Iterable[Wire], today: date, days: int = YEAR) -> list[DatedFact]:
    """Return the facts that begin or end after `today` and within `days`, each once, the next first."""
    day, horizon = today.isoformat(), (today + timedelta(days=days)).isoformat()

    def next_turn(fact: DatedFact) -> str:
        """Return the next day on which the fact begins, or on which it still holds; empty if there is none."""
        return min([turn for turn in (fact.since, fact.until) if day < turn <= horizon], default="")

    facts = _facts(wires, lambda fact: bool(next_turn(fact)))
    return sorted(facts, key=lambda fact: (next_turn(fact), fact.source))


def _facts(wires: Iterable[Wire], is_meant: Callable[[DatedFact], bool]) -> Iterable[DatedFact]:
    """Return the rules about fields that are meant, each once with all of its wires."""
    found: dict[DatedFact, DatedFact] = {}
    for wire in wires:
        for rule in wire.rules:
            fact = _fact_of(rule)
            if not fact.fields or not is_meant(fact):
                continue
            known = found.get(fact, fact)
            if wire.name not in known.wires:
                found[fact] = replace(known, wires=(*known.wires, wire.name))
    return found.values()


def _fact_of(rule: Rule) -> DatedFact:
    fields = tuple(map(str, (*rule.reject, *rule.allow, *rule.ignore)))
    date_of_source = newest_date(rule.source)
    return DatedFact(
        date_of_source, rule.since, rule.until, fields, (*rule.model,), rule.because, rule.source, ()
    )


def _last_day(stated: str) -> date:
    """Return the last day of a stated year or month, or the stated day."""
    year, month, *day = [*map(int, stated.split("-")), *([] if "-" in stated else [_DECEMBER])]
    return date(year, month, *(day or [monthrange(year, month)[1]]))
