"""The faults of a case: places where it and the modules of a wire differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..wire_json.places import Path, differences

_STEP = re.compile(r"[^.\[\]]+|\[\d+\]")


class CaseFault(NamedTuple):
    """A difference between a case and the modules. `path` leads to the place inside the case."""

    path: Path
    message: str
    hint: str | None = None


def differing(expected: Any, got: Any, path: Path, has: str, is_: str) -> Iterator[CaseFault]:
    """Yield a fault for each place where two JSON values differ; `has` and `is_` say whose values they are."""
    for place, wanted, value in differences(expected, got, path):
        yield CaseFault(place, f"`{_dotted(place)}`: {has} {wanted}, {is_} {value}")


def _dotted(path: Path) -> str:
    return "".join([f"[{step}]" if isinstance(step, int) else f".{step}" for step in path]).removeprefix(".")


def count_faults(counted: Any) -> Iterator[CaseFault]:
    """Yield a fault if a reading, all of whose keys are known, did not understand each value."""
    if not counted.unknown and (counted.understood, counted.kept) != (counted.leaves, 0):
        yield CaseFault(
            ("body",),
            f"{counted.understood} of its {counted.leaves} values are understood, {counted.kept} kept",
        )


def steps(path: str) -> Path:
    """Return the steps of a dotted path with numbers in brackets."""
    return tuple([int(step[1:-1]) if step[0] == "[" else step for step in _STEP.findall(path)])
