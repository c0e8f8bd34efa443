"""`make fuzz`: try inputs that nobody would write, for some time, and print what came of them.

Every input must give a result or an error of ours, within 2 s; a body that is read must come back. Whatever else happens
is a fault: it is saved with its input, printed with the command that repeats it, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from . import answers, bodies, commands, files, requests, specs
from .running import Fault, Tally, run, shown, try_one
from .target import Target, Turn

# one line each time on a terminal, else one every so many seconds
_OFTEN, _SELDOM = 0.2, 15.0


def _targets(corpus: Path | None) -> dict[str, Target]:
    every = (
        bodies.target(corpus),
        answers.answers_target(corpus),
        answers.streams_target(),
        requests.TARGET,
        files.REQUEST_FILES,
        files.CASE_FILES,
        specs.SPECS,
        specs.BUILDERS,
        commands.TARGET,
    )
    return {target.name: target for target in every}


def main(arguments: Sequence[str] | None = None) -> int:
    """Try all targets in turn, or one input again; 0 when no fault was found."""
    chosen = _parser().parse_args(arguments)
    targets = _targets(chosen.corpus)
    names = chosen.targets.replace(",", " ").split() or list(targets)
    if unknown := [name for name in names if name not in targets]:
        raise SystemExit(f"no target {', '.join(unknown)}: there are {', '.join(targets)}")
    if chosen.again:
        tallies = [_again(targets, chosen.again)]
    else:
        shares = sum(targets[name].share for name in names)
        tallies = [
            run(
                targets[name],
                chosen.seed,
                chosen.seconds * targets[name].share / shares,
                chosen.inputs,
                Progress(),
            )
            for name in names
        ]
    for tally in tallies:
        for fault in tally.faults.values():
            _tell(fault, tally.times[fault.kind], chosen.save, chosen.corpus)
    faults = sum(len(tally.faults) for tally in tallies)
    _say(f"{table(tallies)}\n\n{sum(tally.inputs for tally in tallies):,} inputs, {faults} kinds of faults")
    return int(faults > 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together (60)")
    parser.add_argument(
        "--inputs", type=int, help="at most so many of each target, however long it takes them"
    )
    parser.add_argument("--targets", default="", help="names, else all")
    parser.add_argument("--seed", type=int, default=0, help="the same seed draws the same inputs")
    parser.add_argument("--corpus", type=Path, help="recorded requests and answers, which are damaged too")
    parser.add_argument("--again", metavar="TARGET:SEED:INDEX", help="try one input again")
    parser.add_argument(
        "--save", type=Path, default=Path(".fuzz"), help="the folder for inputs with faults (.fuzz)"
    )
    return parser


def _again(targets: dict[str, Target], text: str) -> Tally:
    name, _, numbers = text.partition(":")
    seed, _, index = numbers.partition(":")
    if name not in targets or not (seed.isdigit() and index.isdigit()):
        raise SystemExit(f'"{text}" is no TARGET:SEED:INDEX')
    tally = Tally(name)
    try_one(targets[name], Turn(name, int(seed), int(index)), tally)
    tally.seconds = max(tally.slowest, 1e-6)
    return tally


class Progress:
    """Says now and then how far a target is."""

    def __init__(self) -> None:
        """Begin to count the time."""
        self._every = _OFTEN if sys.stderr.isatty() else _SELDOM
        self._next = monotonic() + self._every

    def __call__(self, tally: Tally) -> None:
        """Print one line when it is time."""
        if monotonic() < self._next:
            return
        self._next += self._every
        line = f"{tally.target}: {tally.inputs:,} inputs, {tally.inputs / tally.seconds:,.0f}/s, {len(tally.faults)} faults"
        sys.stderr.write(f"\r\033[K{line}\r" if sys.stderr.isatty() else f"{line}\n")
        sys.stderr.flush()


def _tell(fault: Fault, times: int, folder: Path, corpus: Path | None) -> None:
    """Save a fault with its input, and print it with the command that repeats it."""
    folder.mkdir(exist_ok=True)
    again = f"make fuzz AGAIN={fault.turn}" + (f" CORPUS={corpus}" if corpus else "")
    path = folder / f"{str(fault.turn).replace(':', '-')}.txt"
    text = f"{again}\n\n{fault.kind}\n\n{fault.details}\n\n{shown(fault.given)}\n"
    path.write_text(text, "utf-8", errors="backslashreplace")
    last = fault.details.strip().splitlines()[-1][:300].encode("ascii", "backslashreplace").decode()
    _say(f"\n{fault.turn.target}: {fault.kind} ({times} times)\n  {last}\n  input: {path}\n  again: {again}")


def table(tallies: Sequence[Tally]) -> str:
    """Lay out what came of all targets; `accepted` is the share of inputs that gave a result."""
    rows = [("target", "inputs", "per second", "accepted", "slowest", "faults")]
    rows += [
        (
            tally.target,
            f"{tally.inputs:,}",
            f"{tally.inputs / tally.seconds:,.0f}",
            f"{tally.accepted / tally.inputs:.0%}",
            f"{tally.slowest * 1000:,.0f} ms",
            str(len(tally.faults)),
        )
        for tally in tallies
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n" + "\n".join(
        [
            "  ".join(
                [
                    row[0].ljust(widths[0]),
                    *[cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)],
                ]
            )
            for row in rows
        ]
    )


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
