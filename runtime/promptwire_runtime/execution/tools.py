"""Tools of an agent's call: how JSON text is read, the schemas of tools, and the results of calls."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from ..errors import LoadError, PolicyError
from ..loading.json_text import json_tree, read_json
from ..loading.problems import KeyPath, Problems, StoppedError, describe, quoted, show_path
from ..loading.value_readers import JSON, Entry, make, read_as, read_fields
from ..model.parts import Opaque, Text, ToolResult
from ..model.tools import AnyTool, CustomTool, HostedTool, Tool
from ..nodes.checks import CheckedRecord
from ..nodes.records import replace
from ..reporting.notes import Note
from ..reporting.policies import check_choices, policies_from, presets_of, takes_old_names
from ..wire_json.kinds import is_list, is_object

_RESULT_PLACE = re.compile(r"\{(\w+)(?:\|([^{}]*))?\}")
RESULT_PLACES = (
    "call_id",
    "name",
    "arguments_json",
    "is_server_tool",
    "was_executed",
    "status",
    "result_json",
    "error_message",
)


@takes_old_names
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExecutionPolicies(CheckedRecord):
    r"""Policies for building a request from a call. Each lists its choices, the default (preset `openai`) first.

    Attributes:
        continuation_tools: Tools of a call that continues an answer: send them `always`, `omit` them, or send them
            `if_changed` since the last call.
        continuation_system: System texts of a call that continues an answer: `resend`, `omit`, or `if_changed`.
        instructions_placement: System texts are the instructions of the request (`top_level`; only with `resend`,
            because no server stores them), or a system message (`system_item`).
        empty_base_system: An empty base prompt: `drop` it, or `keep` it as an empty item.
        wrapper: The template of the first user text, with `{mode}` and `{instruction}`.
        tool_schemas: `neutral`: schemas of OpenAI (both APIs) and Anthropic become tools of any API. `raw`: each schema
            is sent unchanged to the wire `raw_wire`, and to no other.
        raw_wire: The wire that raw schemas are for.
        unknown_choice: A chosen tool that is not sent: `error`, or choose it with a `note`.
        tool_results: `native` results, matched by call id, or a `text_block` in the user message.
        results_heading: What the text block begins with.
        result_template: The template of each result in the text block, with `{call_id}`, `{name}`, `{arguments_json}`,
            `{is_server_tool}`, `{was_executed}`, `{status}` (`success`, `error` or `not_executed`), `{result_json}` and
            `{error_message}`. `{name|word}` has a word for a missing value; a line with a missing value and no word
            is left out. Without a template, results are fenced by marks that they do not contain.
        retrieved: The block of retrieved text: `fenced` by marks that the text does not contain, or `verbatim`.
        on_error: JSON that cannot be read: `raise` an error, or `omit` it with a note.
        blank: Text of only white space: `drop` it, or `keep` it; a blank system prompt of the call is never sent.
    """

    GROUPS: ClassVar[tuple[str, ...]] = ("execution",)

    continuation_tools: str = "always"
    continuation_system: str = "resend"
    instructions_placement: str = "top_level"
    empty_base_system: str = "drop"
    wrapper: str = "[MODE: {mode}]\n\n[INSTRUCTION]\n{instruction}"
    tool_schemas: str = "neutral"
    raw_wire: str = "aptix_responses"
    unknown_choice: str = "error"
    tool_results: str = "native"
    results_heading: str = "[TOOL_RESULTS]\n\n"
    result_template: str = ""
    retrieved: str = "fenced"
    on_error: str = "raise"
    blank: str = "drop"

    def __post_init__(self) -> None:
        """Check all choices, and that they do not exclude each other."""
        super().__post_init__()
        check_choices(self)
        if "{instruction}" not in self.wrapper:
            raise PolicyError(f"wrapper has no place for {{instruction}}: {self.wrapper!r}")
        unknown = [
            name for name, _ in _RESULT_PLACE.findall(self.result_template) if name not in RESULT_PLACES
        ]
        if unknown:
            raise PolicyError(
                f"result_template has the unknown place {{{unknown[0]}}}; use {', '.join(RESULT_PLACES)}"
            )
        if self.instructions_placement == "top_level" and self.continuation_system != "resend":
            raise PolicyError(
                f'continuation_system="{self.continuation_system}": no server keeps instructions of the top level: '
                'use resend, or instructions_placement="system_item"'
            )


PRESETS = presets_of(ExecutionPolicies)


def execution_policies_of(value: Any) -> ExecutionPolicies:
    """Return policies for a preset, choices in a text, a mapping, or policies. Raises PolicyError for unknown ones."""
    return policies_from(ExecutionPolicies, value)


T = TypeVar("T")
Read = Callable[[dict[str, Any], KeyPath, Problems], T | None]


def read_objects(
    name: str, text: str, read: Read[T], policies: ExecutionPolicies, notes: list[Note]
) -> list[T]:
    """Read the objects of a JSON array; what cannot be read is an error, or left out with a note.

    Args:
        name: what the text is called in errors and notes.
        text: the JSON.
        read: makes something of one object, or adds a problem.
        policies: `on_error` decides.
        notes: gets a note for all that is left out.

    Raises:
        LoadError: under `on_error="raise"`: all problems, each with line and column of the text and the path inside.
    """
    problems, items = Problems(name), None
    try:
        items = _array(text, problems)
    except StoppedError:
        items = None
    raising = policies.on_error == "raise"
    if items is None:
        if raising:
            raise problems.error(None)
        notes.append(_note(name, problems.error(None), name))
        return []
    objects: list[T] = []
    for index, item in enumerate(items):
        own = problems if raising else Problems(name)
        value = _read_one(item, (index,), read, own)
        if value is not None:
            objects.append(value)
        elif not raising and len(own):
            tree = json_tree(text, Problems(name))
            notes.append(_note(f"{name}{show_path((index,))}", own.error(tree), name))
    if len(problems):
        raise problems.error(json_tree(text, Problems(name)))
    return objects


def unknown_key(name: str, path: KeyPath) -> Note:
    """Return a note for an unknown key; `name` is the name of the JSON text."""
    return Note("dropped", f"{name}{show_path(path[:-1])}", str(path[-1]), "no field of ours means this")


def _array(text: str, problems: Problems) -> list[Any] | None:
    value: Any = read_json(text, problems)
    if not is_list(value):
        problems.add(
            (), f"expected a list of objects, between [ and ], found {describe(value)}", position=(1, 1)
        )
        return None
    return None if len(problems) else value


def _read_one(item: Any, path: KeyPath, read: Read[T], problems: Problems) -> T | None:
    """Read one element that is an object of JSON all the way down."""
    before = len(problems)
    try:
        read_as(JSON, item, path, problems)
        if not is_object(item):
            problems.add(path, f"expected an object, found {describe(item)}")
            return None
        value = read(item, path, problems) if len(problems) == before else None
    except StoppedError:
        value = None
    return value if len(problems) == before else None


def _note(path: str, error: LoadError, name: str) -> Note:
    lines = [line.removeprefix(f"{name}:") for line in str(error).splitlines()]
    return Note("dropped", path, "", "; ".join(lines))


_TOOLS_KEY = "tools_json"
# key of a schema -> field of the tool
_FUNCTION = {
    "name": "name",
    "description": "description",
    "parameters": "parameters",
    "input_schema": "parameters",
    "strict": "strict",
}
_CUSTOM = {"name": "name", "description": "description", "format": "format"}


def read_tools(text: str, policies: ExecutionPolicies, notes: list[Note]) -> tuple[AnyTool, ...]:
    """Read a JSON array of tools; raises LoadError where policies say so."""

    def raw(item: dict[str, Any], *_: object) -> AnyTool:
        return Opaque(policies.raw_wire, item, "tools")

    def neutral(item: dict[str, Any], path: KeyPath, problems: Problems) -> AnyTool | None:
        return _neutral(item, path, problems, notes)

    return tuple(
        read_objects(_TOOLS_KEY, text, raw if policies.tool_schemas == "raw" else neutral, policies, notes)
    )


def name_of(tool: AnyTool) -> str | None:
    """Return the name by which a tool is chosen."""
    if not isinstance(tool, Opaque):
        return tool.name
    inner: Any = tool.value.get("function")
    name = inner.get("name") if is_object(inner) else tool.value.get("name")
    return name if isinstance(name, str) else None


def _neutral(item: dict[str, Any], path: KeyPath, problems: Problems, notes: list[Note]) -> AnyTool | None:
    """Read the form of OpenAI Chat (nested), of OpenAI Responses (flat), or of Anthropic (`input_schema`)."""
    kind, inner = item.get("type"), item.get("function")
    if kind == "custom" and "input_schema" not in item:
        return _of_schemas(CustomTool, [(item, path)], _CUSTOM, problems, notes)
    if kind not in ("function", "custom", None):
        config = {key: value for key, value in item.items() if key not in ("type", "name")}
        return make(HostedTool, {"type": kind, "name": item.get("name"), "config": config}, path, problems)
    inside = [(inner, (*path, "function"))] if is_object(inner) else []
    return _of_schemas(Tool, [(item, path), *inside], _FUNCTION, problems, notes)


def _of_schemas(
    cls: type[Tool | CustomTool],
    schemas: list[tuple[dict[str, Any], KeyPath]],
    names: dict[str, str],
    problems: Problems,
    notes: list[Note],
) -> AnyTool | None:
    """Build a tool of an object and the one inside it; the keys of either that no tool has are noted."""
    outer, path = schemas[0]
    rows = [
        (key, value, (*place, key))
        for schema, place in schemas
        for key, value in schema.items()
        if not (schema is outer and key in ("type", "function"))
    ]
    entries = [Entry(names[key], value, place) for key, value, place in rows if key in names]
    tool = read_fields(cls, entries, path, problems)
    if tool is not None:
        notes += [unknown_key(_TOOLS_KEY, place) for key, _, place in rows if key not in names]
    return tool


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


_RESULTS_KEY = "tool_results_json"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ToolOutcome(CheckedRecord):
    """The outcome of one tool call."""

    call_id: str | None = None
    name: str | None = None
    arguments_json: Any = None
    is_server_tool: bool | None = None
    was_executed: bool | None = None
    result_json: Any = None
    error_message: str | None = None

    @property
    def result(self) -> str | None:
        """The result as text; JSON that came as text is unchanged."""
        return _as_text(self.result_json)

    @property
    def status(self) -> str:
        """Whether the tool succeeded, failed, or was not executed."""
        if self.error_message and not self.error_message.isspace():
            return "error"
        return "success" if self.was_executed else "not_executed"

    @property
    def heading(self) -> str:
        """One line with the tool, the call id, and whether it was executed."""
        name = on_one_line(self.name) if self.name else "a tool"
        call = f" (call {on_one_line(self.call_id)})" if self.call_id else ""
        done = {None: "", True: ", executed", False: ", not executed"}[self.was_executed]
        server = ", by the server" if self.is_server_tool else ""
        return f"{name}{call}{done}{server}"

    @property
    def block(self) -> str:
        """The outcome as readable text; the tool's own text is fenced."""
        rows = [
            ("arguments", _as_text(self.arguments_json)),
            ("result", self.result),
            ("error", self.error_message),
        ]
        said = [f"{label}:\n{fenced(text)}" for label, text in rows if text]
        return "\n".join([self.heading, *(said or ["no result"])])

    def rendered(self, template: str) -> str:
        """Return the outcome in the layout of a template, without the lines that have a missing value."""
        values = {name: _as_text(getattr(self, name)) for name in RESULT_PLACES}
        lines = [_rendered_line(line, values) for line in template.split("\n")]
        return "\n".join([line for line in lines if line is not None])

    @property
    def said(self) -> str:
        """The result, with the error or "not executed" in words."""
        error = f"Error: {self.error_message}" if self.error_message else None
        undone = "The tool was not executed." if self.was_executed is False else None
        return "\n".join([text for text in (undone, error, self.result) if text])


def _as_text(value: Any) -> str | None:
    """Return a value as text: JSON as it is written, true and false as words; None for a blank one."""
    if isinstance(value, bool):
        return str(value)
    text = value if isinstance(value, str | None) else json.dumps(value, ensure_ascii=False)
    return text or None


def _rendered_line(line: str, values: dict[str, str | None]) -> str | None:
    """Fill the places of a line; None if a value is missing and has no word."""
    places = _RESULT_PLACE.findall(line)
    if any(not values[name] and f"{{{name}|" not in line for name, _ in places):
        return None
    return _RESULT_PLACE.sub(lambda place: values[place[1]] or place[2] or "", line)


_KEYS = {
    name.replace("_", ""): name
    for name in (
        "call_id",
        "name",
        "arguments_json",
        "is_server_tool",
        "was_executed",
        "result_json",
        "error_message",
    )
}
# keys of a result that the call it answers has
_OF_THE_CALL = ("arguments_json", "is_server_tool")


def text_block(text: str, policies: ExecutionPolicies, notes: list[Note]) -> str | None:
    """Return the text block of all outcomes; None if there are none. Raises LoadError if the policies say so."""
    outcomes = read_objects(_RESULTS_KEY, text, _OutcomeReader(notes, native=False), policies, notes)
    if not outcomes:
        return None
    if policies.result_template:
        blocks = "".join([outcome.rendered(policies.result_template) for outcome in outcomes])
    else:
        blocks = "\n\n".join([outcome.block for outcome in outcomes])
    return policies.results_heading + blocks


def native_results(text: str, policies: ExecutionPolicies, notes: list[Note]) -> tuple[ToolResult, ...]:
    """Build the results of calls, each of which has its id. Raises LoadError where policies say so."""
    outcomes = read_objects(_RESULTS_KEY, text, _OutcomeReader(notes, native=True), policies, notes)
    return tuple([ToolResult(row.call_id, (Text(row.said),), name=row.name) for row in outcomes])


class _OutcomeReader:
    """Reads one object as an outcome; a native one needs the id of its call."""

    def __init__(self, notes: list[Note], *, native: bool) -> None:
        self.notes = notes
        self.native = native

    def __call__(self, item: dict[str, Any], path: KeyPath, problems: Problems) -> ToolOutcome | None:
        names = {key: _KEYS.get(key.replace("_", "").lower()) for key in item}
        rows = [Entry(name, item[key], (*path, key)) for key, name in names.items() if name is not None]
        outcome = read_fields(ToolOutcome, rows, path, problems)
        if (
            outcome is not None
            and replace(outcome, arguments_json=None, is_server_tool=None) == ToolOutcome()
        ):
            keys = ", ".join(map(quoted, item)) or "nothing"
            self.notes.append(
                Note("dropped", f"{_RESULTS_KEY}{show_path(path)}", "", f"it is not a result: it has {keys}")
            )
            return None
        if outcome is not None and self.native and not outcome.call_id:
            why = "a result names the call that it answers: CallId is missing"
            problems.add(path, f'{why}; tool_results="text_block" needs none')
            return None
        if outcome is not None:
            for key, name in names.items():
                if name is None:
                    self.notes.append(unknown_key(_RESULTS_KEY, (*path, key)))
                elif self.native and name in _OF_THE_CALL:
                    why = "the call that it answers has it"
                    self.notes.append(Note("dropped", f"{_RESULTS_KEY}{show_path(path)}", key, why))
        return outcome
