"""Convert files of requests for another wire: recorded requests, batch files and fine-tuning files, one line each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from promptwire_batch.source_lines import SourceLine, source_line

from .generated import in_one_line, refusals, wire_module
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
    """The counts of a conversion: lines that are whole, changed and refused, and changes by kind."""

    whole: int = 0
    changed: int = 0
    refused: int = 0
    changes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    reasons: Counter[str] = field(default_factory=Counter[str])

    def add(self, line: ConvertedLine) -> None:
        """Count one line."""
        self.changes.update(set(line.changes))
        if line.text is None:
            self.refused += 1
            self.reasons[line.why] += 1
        elif line.changes:
            self.changed += 1
        else:
            self.whole += 1

    def lines(self) -> Iterator[str]:
        """Yield the report as text: totals, then changes and refusals with the number of lines that each is in."""
        yield f"{self.whole} whole, {self.changed} changed, {self.refused} refused"
        yield from (f"{count:>6}  {action} {name}" for (action, name), count in self.changes.most_common())
        yield from (f"{count:>6}  refused: {why}" for why, count in self.reasons.most_common())

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
            "refusals": [{"why": why, "lines": count} for why, count in self.reasons.most_common()],
        }


def source_lines(files: Sequence[str], wire: str | None, aliases: Mapping[str, str]) -> Iterator[SourceLine]:
    """Yield the requests of files; `wire` is the one of lines that do not name theirs.

    Raises BatchError for a line of another form, and ReplayError for one that is not JSON.
    """
    for file in files:
        for number, line in lines_from(file):
            if not line.isspace():
                where = f"{'standard input' if file == STDIN else file}:{number}"
                yield source_line(parse_json(line.rstrip(b"\n"), file, number), where, wire, aliases)


def convert_lines(
    lines: Iterable[SourceLine],
    to: str,
    *,
    model: str | None = None,
    policies: str = "portable",
    settings: Sequence[str] = (),
    form: str | None = None,
) -> Iterator[ConvertedLine]:
    """Yield each line converted.

    Args:
        lines: The requests.
        to: The wire to build them for.
        model: The model there; the own one by default.
        policies: The policies for `build`.
        settings: `name=value` texts.
        form: `body`, `batch` or `tuning`; by default the form that each line came in.
    """
    target = wire_module(to)
    chosen = public_settings(target, settings)
    ours, _ = refusals()
    for line in lines:
        try:
            request = wire_module(line.wire).read(line.body, line.url).request
            if model is not None:
                request = replace(request, model=model)
            if (form or line.form) == "batch":
                request = replace(request, stream=None)
            built = target.build(request, settings=chosen, policies=policies)
            text = _written(built, line.name, form or line.form, to)
        except Exception as error:
            if not isinstance(error, ours):
                raise
            why = getattr(error, "reason", None) or in_one_line(error)
            yield ConvertedLine(line.name, None, why=" ".join(str(why).split()))
            continue
        changes = [(note.action, note.field) for note in built.notes]
        if (form or line.form) == "tuning":
            changes += [("dropped", key) for key in line.body if key not in _OF_TUNING]
        yield ConvertedLine(line.name, text, tuple(changes))


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
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
