"""Plausible mistakes of a spec's author, each tried with the compiler and with the spec's own examples."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.checkout import ROOT
from tests.internals.compiler import Layout, SpecError, compile_project, judge
from tests.spec_texts import SPECS, spec_text

_KEY = re.compile(r"^(\s*(?:- )?\{?)([A-Za-z_][\w.@>#!?|-]*)(:)")
_HOLE = re.compile(r"\$\{?[a-z_][a-z_.]*")


class Mistake(NamedTuple):
    """One changed line of a spec."""

    kind: str
    line: int
    text: str


class Verdict(NamedTuple):
    """The outcome of a mistake: `refused` at its line, `elsewhere`, `judged` by an example, or `accepted`."""

    mistake: Mistake
    outcome: str
    said: str


def _swap(line: str) -> str | None:
    """Swap two letters of the key."""
    match = _KEY.match(line)
    if match is None or len(match[2].strip("?")) < 3:
        return None
    key = match[2]
    return line[: match.start(2)] + key[0] + key[2] + key[1] + key[3:] + line[match.end(2) :]


def _forget_dollar(line: str) -> str | None:
    return None if _HOLE.search(line) is None else re.sub(r"\$(?=[a-z{])", "", line, count=1)


def _misspell_hole(line: str) -> str | None:
    match = _HOLE.search(line)
    return None if match is None else f"{line[: match.end() - 1]}{line[match.end() :]}"


def _wrong_type(line: str) -> str | None:
    match = re.fullmatch(r"(\s*(?:- )?[\w?|.@>#!-]+: )([^{\[#&*|>\s].*)", line)
    return None if match is None else f"{match[1]}[{match[2]}]"


def _number(line: str) -> str | None:
    match = re.fullmatch(r"(\s*(?:- )?[\w?|.@>#!-]+: ).+", line)
    return None if match is None else f"{match[1]}5"


def _other_word(line: str) -> str | None:
    match = re.search(r"(: )([a-z_]{3,})(?=[,}\]\s]|$)", line)
    return None if match is None else f"{line[: match.end(2)]}s{line[match.end(2) :]}"


def _optional(line: str) -> str | None:
    return line.replace("?:", ":", 1) if "?:" in line else None


def _required(line: str) -> str | None:
    match = re.search(r"[a-z](?=: \$)", line)
    return None if match is None else f"{line[: match.end()]}?{line[match.end() :]}"


def _open_bracket(line: str) -> str | None:
    return None if not line.rstrip().endswith(("}", "]")) else line.rstrip()[:-1]


def _no_filter(line: str) -> str | None:
    return (
        None
        if (match := re.search(r"\|[a-z_]+(\([^)]*\))?", line)) is None or "$" not in line
        else line[: match.start()] + line[match.end() :]
    )


_KINDS: dict[str, Callable[[str], str | None]] = {
    "a line left out": lambda _: "",
    "a typo in a key": _swap,
    "indented too far": lambda line: f"  {line}",
    "not indented enough": lambda line: line[2:] if line.startswith("  ") else None,
    "a forgotten $": _forget_dollar,
    "a misspelt hole": _misspell_hole,
    "a list for a value": _wrong_type,
    "a number for a value": _number,
    "another word": _other_word,
    "a forgotten ?": _optional,
    "a ? too many": _required,
    "a bracket left open": _open_bracket,
    "a forgotten filter": _no_filter,
    "a line twice": lambda line: f"{line}\n{line}",
}


def mistakes(text: str, seed: int, count: int) -> list[Mistake]:
    """Return some mistakes of each kind, at random lines."""
    draw = random.Random(seed)  # noqa: S311  # the same lines each time
    lines = text.splitlines()
    chosen: list[Mistake] = []
    kinds = list(_KINDS)
    order = [index for index, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    draw.shuffle(order)
    for turn, index in enumerate(order):
        for kind in kinds[turn % len(kinds) :] + kinds[: turn % len(kinds)]:
            changed = _KINDS[kind](lines[index])
            if changed is not None and changed != lines[index]:
                chosen.append(Mistake(kind, index + 1, changed))
                break
        if len(chosen) == count:
            break
    return chosen


class Workshop:
    """A project with one spec, in which mistakes are tried."""

    def __init__(self, folder: Path, wire: str) -> None:
        self.wire = wire
        self.text = spec_text(wire)
        self.file = folder / "provider_specs" / f"{wire}.yaml"
        # the sources and families that the spec cites
        for page in (SPECS / "sources.yaml", *(SPECS / "models").glob("*.yaml")):
            copy = self.file.parent / page.relative_to(SPECS)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(page.read_bytes())
        self.layout = Layout(folder, self.file.parent, ROOT / "templates", folder / "generated")

    def try_out(self, mistake: Mistake) -> Verdict:
        """Compile the spec with one mistake, and judge its examples."""
        lines = self.text.splitlines()
        lines[mistake.line - 1 : mistake.line] = [mistake.text] if mistake.text else []
        self.file.write_text("\n".join(lines) + "\n", "utf-8")
        try:
            compilation = compile_project(self.layout, wires=[self.wire], plugins=None)
        except SpecError as error:
            places = [abs(problem.span.line - mistake.line) for problem in error.problems]
            found = error.problems[places.index(min(places))]
            outcome = "refused" if min(places) <= 1 else "elsewhere"
            return Verdict(mistake, outcome, f"{found.span.line}: {found.message} ({len(places)})")
        problems = judge(compilation, [self.wire])
        if problems:
            return Verdict(
                mistake, "judged", f"{problems[0].span.line}: {problems[0].message} ({len(problems)})"
            )
        return Verdict(mistake, "accepted", "")

    def verdicts(self, seed: int, count: int) -> Iterator[Verdict]:
        """Try mistakes at random lines."""
        for mistake in mistakes(self.text, seed, count):
            yield self.try_out(mistake)
