"""Tool outcomes from a JSON array, as a readable block of text or as results of any API."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from ..loading.file_format import show_path
from ..loading.problems import Path, Problems, quoted
from ..loading.value_readers import Entry, read_fields
from ..model.parts import Text, ToolResult
from ..nodes.checks import CheckedRecord
from ..reporting.notes import Note
from .json_lists import read_objects, unknown_key
from .policies import ExecutionPolicies

_MARKS = re.compile("`+")
_PLAIN_NAME = re.compile(r"[\w.:/-]{1,200}")


def fenced(text: str, word: str = "") -> str:
    """Fence text, unchanged, with more backticks than it contains in a row."""
    longest = max(map(len, _MARKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{word}\n{text}\n{fence}"


def on_one_line(name: str) -> str:
    """Return a name, quoted as JSON if it has other characters than letters, digits and `._:/-`."""
    return name if _PLAIN_NAME.fullmatch(name) else json.dumps(name)


_NAME = "tool_results_json"
HEADING = "[TOOL_RESULTS]"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ToolOutcome(CheckedRecord):
    """The outcome of one tool call."""

    call_id: str | None = None
    name: str | None = None
    was_executed: bool | None = None
    result_json: Any = None
    error_message: str | None = None

    @property
    def result(self) -> str | None:
        """The result as text; JSON that came as text is unchanged."""
        value = self.result_json
        return value if isinstance(value, str | None) else json.dumps(value, ensure_ascii=False)

    @property
    def heading(self) -> str:
        """One line with the tool, the call id, and whether it was executed."""
        name = on_one_line(self.name) if self.name else "a tool"
        call = f" (call {on_one_line(self.call_id)})" if self.call_id else ""
        done = {None: "", True: ", executed", False: ", not executed"}[self.was_executed]
        return f"{name}{call}{done}"

    @property
    def block(self) -> str:
        """The outcome as readable text; the tool's own text is fenced."""
        rows = [("result", self.result), ("error", self.error_message)]
        said = [f"{label}:\n{fenced(text)}" for label, text in rows if text]
        return "\n".join([self.heading, *(said or ["no result"])])

    @property
    def said(self) -> str:
        """The result, with the error or "not executed" in words."""
        error = f"Error: {self.error_message}" if self.error_message else None
        undone = "The tool was not executed." if self.was_executed is False else None
        return "\n".join([text for text in (undone, error, self.result) if text])


_KEYS = {
    name.replace("_", ""): name
    for name in ("call_id", "name", "was_executed", "result_json", "error_message")
}


def text_block(text: str, policies: ExecutionPolicies, notes: list[Note]) -> str | None:
    """Return the text block of all outcomes; None if there are none. Raises LoadError if the policies say so."""
    outcomes = read_objects(_NAME, text, _OutcomeReader(notes, native=False), policies, notes)
    return "\n\n".join([HEADING, *[outcome.block for outcome in outcomes]]) if outcomes else None


def native_results(text: str, policies: ExecutionPolicies, notes: list[Note]) -> tuple[ToolResult, ...]:
    """Build the results of calls, each of which has its id. Raises LoadError where policies say so."""
    outcomes = read_objects(_NAME, text, _OutcomeReader(notes, native=True), policies, notes)
    return tuple([ToolResult(row.call_id, (Text(row.said),), name=row.name) for row in outcomes])


class _OutcomeReader:
    """Reads one object as an outcome; a native one needs the id of its call."""

    def __init__(self, notes: list[Note], *, native: bool) -> None:
        self.notes = notes
        self.native = native

    def __call__(self, item: dict[str, Any], path: Path, problems: Problems) -> ToolOutcome | None:
        names = {key: _KEYS.get(key.replace("_", "").lower()) for key in item}
        rows = [Entry(name, item[key], (*path, key)) for key, name in names.items() if name is not None]
        outcome = read_fields(ToolOutcome, rows, path, problems)
        if outcome == ToolOutcome():
            keys = ", ".join(map(quoted, item)) or "nothing"
            self.notes.append(
                Note("dropped", f"{_NAME}{show_path(path)}", "", f"it is not a result: it has {keys}")
            )
            return None
        if outcome is not None and self.native and not outcome.call_id:
            why = "a result names the call that it answers: CallId is missing"
            problems.add(path, f'{why}; tool_results="text_block" needs none')
            return None
        if outcome is not None:
            self.notes += [unknown_key(_NAME, (*path, key)) for key, name in names.items() if name is None]
        return outcome
