"""Read recorded bodies and build them again: count exact results and understood leaves.

A row is reproduced if the built body equals the recorded one, including types but not key order.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from promptwire_cli.views.generated import in_one_line
from promptwire_cli.views.json_values import count_leaves, first_difference

from .corpus import RecordedRow

VERBATIM = "verbatim"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTripOutcome:
    """The outcome of one row.

    Attributes:
        trouble: Why it is not reproduced, in one line; None if it is.
        understood: The leaves in neutral fields or known options, out of `leaves`.
        unknown: Dotted key paths that were only kept.
        url_again: Whether the row's URL, read with the body, is rebuilt exactly.
    """

    row: RecordedRow
    trouble: str | None
    leaves: int
    understood: int
    unknown: tuple[str, ...] = ()
    url_again: bool = False


@dataclass(frozen=True, slots=True)
class ApiResult:
    """The counts of one API on one wire."""

    api: str
    wire: str
    rows: int
    reproduced: int
    shapes: int
    shapes_reproduced: int
    leaves: int
    understood: int
    urls: int
    urls_reproduced: int


@dataclass(slots=True)
class Tally:
    """All outcomes, by API and wire; `skipped` counts the rows of unknown wires."""

    outcomes: dict[tuple[str, str], list[RoundTripOutcome]] = field(
        default_factory=lambda: defaultdict[tuple[str, str], list[RoundTripOutcome]](list)
    )
    skipped: Counter[str] = field(default_factory=Counter[str])

    @property
    def all_reproduced(self) -> bool:
        """Return whether every row was reproduced."""
        return all(outcome.trouble is None for outcome in self._all())

    def apis(self) -> list[ApiResult]:
        """Return the counts, sorted by API and wire."""
        return [_result(api, wire, outcomes) for (api, wire), outcomes in sorted(self.outcomes.items())]

    def as_json(self) -> dict[str, Any]:
        """Return the counts as JSON: `apis` (one object for each API and wire) and `skipped` (wire -> rows)."""
        return {
            "apis": [asdict(result) for result in self.apis()],
            "skipped": dict(sorted(self.skipped.items())),
        }

    def worst(self, count: int) -> list[RoundTripOutcome]:
        """Return the worst rows first: not reproduced, then by number of leaves not understood.

        Rows that were reproduced and fully understood are left out.
        """
        flawed = [
            outcome for outcome in self._all() if outcome.trouble or outcome.understood < outcome.leaves
        ]
        return sorted(flawed, key=_badness)[:count]

    def unknown_paths(self) -> Counter[tuple[str, str]]:
        """Count the leaves that were not understood, by wire and key path."""
        return Counter((outcome.row.wire, path) for outcome in self._all() for path in outcome.unknown)

    def _all(self) -> Iterable[RoundTripOutcome]:
        return (outcome for outcomes in self.outcomes.values() for outcome in outcomes)


def replay(rows: Iterable[RecordedRow], load: Callable[[str], Any], names: Iterable[str]) -> Tally:
    """Replay every row on its wire; rows of a wire that is not among `names` are counted as skipped."""
    modules: dict[str, Any] = {}
    known_wires, tally = frozenset(names), Tally()
    for row in rows:
        if row.wire not in known_wires:
            tally.skipped[row.wire] += 1
            continue
        if row.wire not in modules:
            modules[row.wire] = load(row.wire)
        tally.outcomes[row.api, row.wire].append(try_row(row, modules[row.wire]))
    return tally


def try_row(row: RecordedRow, module: Any) -> RoundTripOutcome:
    """Read one row and build it again. All failures are the row's `trouble`; nothing is raised."""
    # the module gets a copy of the body, so that it cannot change the original
    body = json.loads(row.line)["body"]
    try:
        reading = module.read(body, row.url)
        leaves, understood, unknown = _understanding(reading)
    except Exception as error:  # noqa: BLE001 - any failure of a generated module is what this command is to show
        return RoundTripOutcome(
            row=row, trouble=f"read: {in_one_line(error)}", leaves=count_leaves(row.body), understood=0
        )
    try:
        built = module.build(reading.request, policies=VERBATIM)
        trouble = first_difference(row.body, built.body)
    except Exception as error:  # noqa: BLE001 - as above
        trouble = f"build: {in_one_line(error)}"
    return RoundTripOutcome(
        row=row,
        trouble=trouble,
        leaves=leaves,
        understood=understood,
        unknown=unknown,
        url_again=row.url is not None and _url_again(reading, module) == row.url,
    )


def _url_again(reading: Any, module: Any) -> str | None:
    """Build the URL from the read request; None if that fails."""
    try:
        built = module.build(reading.request, settings=reading.settings or None, policies=VERBATIM)
        url: str | None = built.url
    except Exception:  # noqa: BLE001 - as above
        return None
    return url


def _understanding(reading: Any) -> tuple[int, int, tuple[str, ...]]:
    if reading.understood + reading.kept != reading.leaves:
        text = f"understood {reading.understood} + kept {reading.kept} is not {reading.leaves} leaves"
        raise ValueError(text)
    return reading.leaves, reading.understood, tuple(reading.unknown)


def _result(api: str, wire: str, outcomes: list[RoundTripOutcome]) -> ApiResult:
    broken = {outcome.row.shape for outcome in outcomes if outcome.trouble is not None}
    shapes = {outcome.row.shape for outcome in outcomes}
    return ApiResult(
        api=api,
        wire=wire,
        rows=len(outcomes),
        reproduced=sum(outcome.trouble is None for outcome in outcomes),
        shapes=len(shapes),
        shapes_reproduced=len(shapes - broken),
        leaves=sum(outcome.leaves for outcome in outcomes),
        understood=sum(outcome.understood for outcome in outcomes),
        urls=sum(outcome.row.url is not None for outcome in outcomes),
        urls_reproduced=sum(outcome.url_again for outcome in outcomes),
    )


def _badness(outcome: RoundTripOutcome) -> tuple[bool, int, str]:
    return (outcome.trouble is None, outcome.understood - outcome.leaves, outcome.row.name)
