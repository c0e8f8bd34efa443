"""Specs read ahead, by a process of its own, while this one is still loading the rest of the compiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from .forking import Fork, can_fork
from .installed import plugin_points
from .layout import Layout

if TYPE_CHECKING:
    from .lowering import Lowered


@dataclass(frozen=True, slots=True)
class Ahead:
    """The text of every spec, and what a process beside this one makes of it."""

    sources: Mapping[str, str]
    lowering: Fork[Lowered]

    def lowered(self) -> Lowered:
        """Wait for the models and problems; where the process failed, lower the specs here."""
        return next(iter(self.lowering.made()), None) or _lower(self.sources)


def begin_lowering(layout: Layout) -> Ahead | None:
    """Begin now; None where another process cannot do it, or where plugins have a say in what is read."""
    if not can_fork() or plugin_points():
        return None
    sources = layout.read_specs()
    return Ahead(sources, Fork(partial(_lower, sources)))


def _lower(sources: Mapping[str, str]) -> Lowered:
    from .lowering import lower_all  # noqa: PLC0415  # the process that reads loads it, this one goes on

    return lower_all(sources)
