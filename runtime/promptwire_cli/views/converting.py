"""Convert files of requests for another wire: recorded requests, batch files and fine-tuning files, one line each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from promptwire_batch.errors import BatchError
from promptwire_batch.source_lines import SourceLine, source_line
from promptwire_runtime.build.encoding import encoded
from promptwire_runtime.wire_json.characters import whole_text

from .generated import CommandError, in_one_line, refusals, wire_module
from .inputs import STDIN, lines_from, parse_json
from .preview import public_settings

FORMS = ("body", "batch", "tuning")
# what a fine-tuning line keeps of a body: the conversation, without model and settings
_TAUGHT = ("system", "systemInstruction", "instructions", "messages", "contents", "input", "tools")
# what a fine-tuning line has of any API
_OF_TUNING = frozenset({*_TAUGHT, "functions", "parallel_tool_calls", "model", "stream"})


@dataclass(frozen=True, slots=True)
class ConvertedLine:
    """One line of the input, converted.

    Attributes:
        name: Its id, or file:line.
        text: The line of the output, without the line break; None if the target cannot carry the request.
        changes: What was changed on the way: an action and a field each.
        why: Why it cannot be converted.
    """

    name: str
    text: bytes | None
    changes: tuple[tuple[str, str], ...] = ()
    why: str = ""


@dataclass(slots=True)
class ConversionReport:
    """The counts of a conversion: lines that are whole, changed and refused, and changes by kind.

    `first` has the name of the first line that was refused for each reason.
    """

    whole: int = 0
    changed: int = 0
    refused: int = 0
    changes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    reasons: Counter[str] = field(default_factory=Counter[str])
    first: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, line: ConvertedLine) -> None:
        """Count one line."""
        self.changes.update(set(line.changes))
        if line.text is None:
            self.refused += 1
            self.reasons[line.why] += 1
            self.first.setdefault(line.why, line.name)
        elif line.changes:
            self.changed += 1
        else:
            self.whole += 1

    def lines(self) -> Iterator[str]:
        """Yield the report as text: totals, then changes and refusals with the number of lines that each is in."""
        yield f"{self.whole} whole, {self.changed} changed, {self.refused} refused"
        yield from (f"{count:>6}  {action} {name}" for (action, name), count in self.changes.most_common())
        for why, count in self.reasons.most_common():
            yield f"{count:>6}  refused: {why} (first: {self.first[why]})"

    def as_json(self) -> dict[str, Any]:
        """Return the same as JSON."""
        return {
            "whole": self.whole,
            "changed": self.changed,
            "refused": self.refused,
            "changes": [
                {"action": action, "field": name, "lines": count}
                for (action, name), count in self.changes.most_common()
            ],
            "refusals": [
                {"why": why, "lines": count, "first": self.first[why]}
                for why, count in self.reasons.most_common()
            ],
        }


def source_lines(
    files: Sequence[str], wire: str | None, aliases: Mapping[str, str]
) -> Iterator[SourceLine | ConvertedLine]:
    """Yield the requests of files, and a line that is no request as one that cannot be converted.

    `wire` is the one of lines that do not name theirs. Raises CommandError for a file that cannot be read.
    """
    for file in files:
        for number, line in lines_from(file):
            if line.isspace():
                continue
            where = f"{'standard input' if file == STDIN else file}:{number}"
            try:
                source = source_line(parse_json(line.rstrip(b"\n"), file, number), where, wire, aliases)
                yield replace(source, name=whole_text(source.name))
            except (BatchError, CommandError) as error:
                # the place is the name of the line
                place = rf"({re.escape(where)}|{re.escape(file)}:{number})(:\d+)?: "
                yield _refused(where, re.sub(rf"\A{place}", "", str(error)))


def convert_lines(
    lines: Iterable[SourceLine | ConvertedLine],
    to: str,
    *,
    model: str | None = None,
    policies: str = "portable",
    settings: Sequence[str] = (),
    form: str | None = None,
) -> Iterator[ConvertedLine]:
    """Yield each line converted.

    Args:
        lines: The requests; lines that cannot be converted are passed on.
        to: The wire to build them for.
        model: The model there; the own one by default.
        policies: The policies for `build`.
        settings: `name=value` texts.
        form: `body`, `batch` or `tuning`; by default the form that each line came in.
    """
    module = cache(wire_module)
    target = module(to)
    chosen = public_settings(target, settings)
    ours, _ = refusals()
    for line in lines:
        if isinstance(line, ConvertedLine):
            yield line
            continue
        becomes = form or line.form
        try:
            request = module(line.wire).read(line.body, line.url).request
            changed: dict[str, Any] = {} if model is None else {"model": model}
            if becomes == "batch":
                changed["stream"] = None
            request = request.replace(**changed) if changed else request
            built = target.build(request, settings=chosen, policies=policies)
            yield _converted(built, line, becomes, to)
        except RecursionError:
            yield _refused(line.name, "the line is nested too deep")
        except Exception as error:
            if not isinstance(error, ours):
                raise
            yield _refused(line.name, str(getattr(error, "reason", None) or in_one_line(error)))


def _converted(built: Any, line: SourceLine, form: str, to: str) -> ConvertedLine:
    changes = [(action, whole_text(name)) for action, name in built.report.changes]
    if form == "tuning":
        changes += [("dropped", whole_text(key)) for key in line.body if key not in _OF_TUNING]
    return ConvertedLine(line.name, _written(built, line.name, form, to), tuple(changes))


def _refused(name: str, why: str) -> ConvertedLine:
    return ConvertedLine(whole_text(name), None, why=whole_text(" ".join(why.split())))


def _written(built: Any, name: str, form: str, to: str) -> bytes:
    if form == "batch":
        line: bytes = built.batch_line(name)
        return line
    if form == "tuning":
        value = {key: inner for key, inner in built.body.items() if key in _TAUGHT}
    else:
        value = {"id": name, "wire": to, "body": built.body}
        if not built.local:
            value["url"] = built.shown_url
    return encoded(value)
