"""Read recorded bodies and build them for other wires.

Every row has one outcome for a wire:

- built    a strict build succeeds: nothing is lost
- noted    a strict build fails and a lenient one succeeds: its notes name the losses
- refused  both fail with an error that gives the reason: usually a value that only the caller can supply
- crashed  any other exception
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from promptwire_cli.views.generated import in_one_line, refusals

from .corpus import RecordedRow

OUTCOMES = ("built", "noted", "refused", "crashed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """The outcome of one row for one wire; `why` is the reason in one line, empty if it was built."""

    row: RecordedRow
    to: str
    outcome: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class PairResult:
    """The counts of one pair of wires; the four outcomes add up to `rows`."""

    wire: str
    to: str
    rows: int
    built: int
    noted: int
    refused: int
    crashed: int


@dataclass(slots=True)
class Crossings:
    """All outcomes, by pair of wires; `skipped` counts the rows of unknown wires."""

    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict[tuple[str, str], Counter[str]])
    reasons: Counter[tuple[str, str, str]] = field(default_factory=Counter[tuple[str, str, str]])
    crashes: list[Crossing] = field(default_factory=list[Crossing])
    skipped: Counter[str] = field(default_factory=Counter[str])

    def add(self, crossing: Crossing) -> None:
        """Count one row for one wire."""
        self.counts.setdefault((crossing.row.wire, crossing.to), Counter())[crossing.outcome] += 1
        if crossing.why:
            self.reasons[crossing.to, crossing.outcome, crossing.why] += 1
        if crossing.outcome == "crashed":
            self.crashes.append(crossing)

    def pairs(self) -> list[PairResult]:
        """Return the counts, sorted by pair."""
        return [
            PairResult(wire, to, counts.total(), **{name: counts[name] for name in OUTCOMES})
            for (wire, to), counts in sorted(self.counts.items())
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the counts as JSON: `pairs`, `reasons` (most common first) and `skipped` (wire -> rows)."""
        return {
            "pairs": [asdict(pair) for pair in self.pairs()],
            "reasons": [
                {"to": to, "outcome": outcome, "why": why, "rows": count}
                for (to, outcome, why), count in self.reasons.most_common()
            ],
            "skipped": dict(sorted(self.skipped.items())),
        }


def cross(
    rows: Iterable[RecordedRow],
    targets: Sequence[str],
    load: Callable[[str], Any],
    names: Iterable[str],
) -> Crossings:
    """Read every row and build it for every target; rows of a wire that is not among `names` are skipped."""
    known_wires, crossings = frozenset(names), Crossings()
    for row in rows:
        if row.wire not in known_wires:
            crossings.skipped[row.wire] += 1
            continue
        for target in targets:
            crossings.add(cross_row(row, load(row.wire), target, load(target)))
    return crossings


def cross_row(row: RecordedRow, source: Any, to: str, target: Any) -> Crossing:
    """Read one row and build it for one wire. All failures are outcomes; nothing is raised."""
    refused, invalid = refusals()
    why = ""
    for outcome, policies in (("built", "strict"), ("noted", "lenient")):
        try:
            # each build gets its own request, so that none can change another's
            request = source.read(json.loads(row.line)["body"], row.url).request
            target.build(request, policies=policies)
        except Exception as error:  # noqa: BLE001 - any failure of a generated module is what this command is to show
            # an invalid request with a cause was raised by an unexpected error
            if not isinstance(error, refused) or (isinstance(error, invalid) and error.__cause__ is not None):
                return Crossing(row=row, to=to, outcome="crashed", why=in_one_line(error))
            field = getattr(error, "field", None)
            why = f"{type(error).__name__} {field}" if field is not None else in_one_line(error)
        else:
            return Crossing(row=row, to=to, outcome=outcome, why=why)
    return Crossing(row=row, to=to, outcome="refused", why=why)
