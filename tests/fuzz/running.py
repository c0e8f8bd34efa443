"""Trying the inputs of one target for a while: what came of them, how long they took, and the faults among them."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic, process_time
from types import FrameType, TracebackType
from typing import Any

from tests.checkout import ROOT

from .target import Target, Turn, WrongOutcome

# seconds of the processor, so that a busy machine makes no fault
SLOW = 2.0
_STUCK = 20.0
_LARGE = 100_000
_OURS = tuple([f"{ROOT / name}/" for name in ("runtime", "generator", "generated")])


class _Stuck(BaseException):
    """An input took so long that nobody would wait for it; not to be caught by what is tried."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: similar ones share a `kind`; its turn draws the input again."""

    turn: Turn
    kind: str
    details: str
    given: Any


@dataclass(slots=True)
class Tally:
    """The outcome of one target's inputs; `slowest` in seconds, at the turn `slowest_turn`."""

    target: str
    inputs: int = 0
    accepted: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_turn: int = 0
    faults: dict[str, Fault] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)

    def add(self, fault: Fault) -> None:
        """Count a fault, and keep the first of its kind."""
        self.faults.setdefault(fault.kind, fault)
        self.times[fault.kind] = self.times.get(fault.kind, 0) + 1


def run(
    target: Target, seed: int, seconds: float, most: int | None, progress: Callable[[Tally], None]
) -> Tally:
    """Try inputs of a target for so many seconds, at most `most`; `progress` is called now and then."""
    tally = Tally(target.name)
    # the first draw loads all that inputs are made of, which is not of the time
    with suppress(Exception):
        target.draw(first := Turn(target.name, seed, 0), first.random())
    began = monotonic()
    with _limited():
        while (tally.seconds < seconds or not tally.inputs) and tally.inputs != most:
            try_one(target, Turn(target.name, seed, tally.inputs), tally)
            tally.seconds = monotonic() - began
            progress(tally)
    return tally


def try_one(target: Target, turn: Turn, tally: Tally) -> None:
    """Draw one input, try it, and count what came of it."""
    given: Any = "no input: it could not be made"
    signal.setitimer(signal.ITIMER_PROF, _STUCK)
    began = process_time()
    try:
        # nodes are made here, and what makes them is tried as well
        given = target.draw(turn, turn.random())
        began = process_time()
        tally.accepted += target.check(given)
    except (Exception, _Stuck) as error:  # noqa: BLE001  # whatever it is, it is what was looked for
        tally.add(_fault(turn, error, given))
    took = process_time() - began
    signal.setitimer(signal.ITIMER_PROF, 0)
    tally.inputs += 1
    if took > tally.slowest:
        tally.slowest, tally.slowest_turn = took, turn.index
    if SLOW < took < _STUCK and len(shown(given)) < _LARGE:
        tally.add(Fault(turn, f"slower than {SLOW:.0f} s", f"{took:.1f} s", given))


@contextmanager
def _limited() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _Stuck(f"more than {_STUCK:.0f} s")

    before = signal.signal(signal.SIGPROF, stop)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _fault(turn: Turn, error: BaseException, given: Any) -> Fault:
    kind = (
        error.kind
        if isinstance(error, WrongOutcome)
        else f"{type(error).__name__} in {_place(error.__traceback__)}"
    )
    # a recursion without end has a thousand frames that say the same
    details = "".join(traceback.format_exception(error, limit=-12))
    return Fault(turn, kind, details, given)


def _place(trace: TracebackType | None) -> str:
    """Name the innermost function of ours; wires share theirs."""
    place = "nowhere of ours"
    while trace is not None:
        place = _named(trace.tb_frame) or place
        trace = trace.tb_next
    return place


def _named(frame: FrameType) -> str:
    path = frame.f_code.co_filename
    root = next((root for root in _OURS if path.startswith(root)), None)
    return (
        "" if root is None else f"{'/'.join(path.removeprefix(root).split('/')[-2:])} {frame.f_code.co_name}"
    )


def shown(given: Any) -> str:
    """Write an input as Python has it; what is too deep for that is drawn again from its turn."""
    try:
        return repr(given)
    except (RecursionError, ValueError) as error:
        return f"cannot be shown: {error}"
