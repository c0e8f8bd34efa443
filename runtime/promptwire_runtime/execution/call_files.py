"""Calls of an agent as YAML or JSON files: what `compose` takes, under its names."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidRequest, LoadError, PolicyError
from ..loading.problems import KeyPath, Problems, quoted, unknown
from ..loading.source import SourceDocument, decode_document, open_document, read_with
from ..loading.value_readers import (
    JSON,
    TEXT,
    ValueReader,
    class_reader,
    entries,
    is_list,
    is_mapping,
    is_text_or_mapping,
    read_as,
    reader_of,
)
from ..nodes.checks import CheckedRecord
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from .composition import AgentExecuteRequest, Composed, ConversationContext, compose
from .tools import PRESETS, ExecutionPolicies, execution_policies_of

_NAME = re.compile(r"[\w.:/-]+")
_MARK = "<<<APTIX_"
_BEGIN, _END = f"{_MARK}SERVER_TOOL_USAGE_METADATA_BEGIN>>>", f"{_MARK}SERVER_TOOL_USAGE_METADATA_END>>>"


@dataclass(frozen=True, eq=False, repr=False)
class ToolGuides(CheckedRecord):
    """Guides that are texts."""

    guides: Mapping[str, str]


def tool_usage_block(guides: Mapping[str, str], notes: list[Note] | None = None) -> str:
    """Write the block of AGN-003, section 4.3, which `compose` takes as `tool_usage_metadata_block`.

    Args:
        guides: name of a tool -> how it is used; without any, the block is empty, and no item is made of it. A blank
            guide has no section.
        notes: gets a note for each blank guide.

    Raises:
        InvalidRequest: guides are no mapping of texts, a name has other signs than letters, digits and `_.:/-`, or a
            guide holds one of the marks.
    """
    guides = ToolGuides(guides).guides
    rows = [_row(name, guide) for name, guide in guides.items() if guide and not guide.isspace()]
    if notes is not None:
        check_class(notes, list, "notes")
        blank = [name for name, guide in guides.items() if not guide or guide.isspace()]
        notes.extend(Note("dropped", f"guides[{quoted(name)}]", "", "it is blank") for name in blank)
    return "\n".join([_BEGIN, *rows, _END]) if rows else ""


def _row(name: str, guide: str) -> str:
    path = f"guides[{quoted(name)}]"
    if not _NAME.fullmatch(name):
        raise InvalidRequest(
            "a tool's name has letters, digits and _.:/- alone, to stand in its mark", path=path, field="name"
        )
    if _MARK in guide:
        raise InvalidRequest(
            f"a guide that holds {_MARK} could close its own block: leave it out", path=path, field="guide"
        )
    return f"{_MARK}TOOL_USAGE_BEGIN name='{name}'>>>\n{guide}\n{_MARK}TOOL_USAGE_END name='{name}'>>>"


# lists that a file may hold as they are, where `AgentExecuteRequest` takes JSON text
_LISTS = {"tools": "tools_json", "tool_results": "tool_results_json"}
_REQUIRED = ("context", "request")


@dataclass(frozen=True, eq=False, repr=False)
class LoadedCall(CheckedRecord):
    """One call of an agent, as a file has it.

    notes  what the file has and the call has not
    """

    context: ConversationContext
    request: AgentExecuteRequest
    rag_context_block: str | None
    tool_usage_metadata_block: str | None
    stream: bool | None
    policies: ExecutionPolicies
    notes: tuple[Note, ...] = ()

    def compose(self, previous: Composed | None = None) -> Composed:
        """Compose the call to a request, as `compose` does; its notes begin with those of the file."""
        composed = compose(
            self.context,
            self.request,
            rag_context_block=self.rag_context_block,
            tool_usage_metadata_block=self.tool_usage_metadata_block,
            stream=self.stream,
            policies=self.policies,
            previous=previous,
        )
        return replace(composed, notes=(*self.notes, *composed.notes)) if self.notes else composed


def load_call(source: Mapping[str, Any] | str | os.PathLike[str], *, name: str = "text") -> LoadedCall:
    """Load one call of an agent from a mapping, the path of a YAML or JSON file, or the text of one.

    The file has `context` and `request` (the fields of `ConversationContext` and `AgentExecuteRequest`), and may have
    `rag_context_block`, `tool_usage_metadata_block` or `tool_guides` (name to guide), `stream`, and `policies` (a
    preset, or fields of `ExecutionPolicies` with `preset`). In `request`, `tools` and `tool_results` may be lists
    instead of the JSON texts.

    Raises:
        LoadError: the source is no call. The text has all problems, one a line, each with its place.
    """
    if isinstance(source, Mapping):
        document = SourceDocument(source, Problems(""))
    elif isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{")):
        document = decode_document(source, "call", name)
    elif isinstance(source, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped callers
        document = open_document(source, "call")
    else:
        raise LoadError(
            f"a call is loaded from a mapping, a path or a text, not from {type(source).__name__}"
        )
    call: LoadedCall = read_with(_CALL, document)
    return call


def _read_call(value: Any, path: KeyPath, problems: Problems) -> LoadedCall | None:
    values: dict[str, Any] = {}
    for entry in entries(value, path, problems):
        shape = _SHAPES.get(entry.key)
        if shape is None:
            problems.add(path, unknown("key", entry.key, _SHAPES), key=entry.key)
        elif entry.value is not None:
            values[entry.key] = read_as(shape, entry.value, entry.path, problems)
    for key in _REQUIRED:
        if key not in value:
            problems.add(path, f'"{key}" is missing')
    guides, notes = values.pop("tool_guides", None), list[Note]()
    if guides is not None and "tool_usage_metadata_block" in values:
        problems.add(path, '"tool_guides" and "tool_usage_metadata_block" say the same', key="tool_guides")
    if len(problems):
        return None
    try:
        block = values.get("tool_usage_metadata_block") if guides is None else tool_usage_block(guides, notes)
    except InvalidRequest as error:
        problems.add((*path, "tool_guides"), str(error))
        return None
    return LoadedCall(
        values["context"],
        values["request"],
        values.get("rag_context_block"),
        block,
        values.get("stream"),
        values.get("policies", PRESETS["openai"]),
        tuple(notes),
    )


def _read_request(value: Any, path: KeyPath, problems: Problems) -> Any:
    given = dict(value)
    for key, text in _LISTS.items():
        if key not in given:
            continue
        if text in given:
            problems.add(path, f'"{key}" and "{text}" say the same', key=key)
        items = given.pop(key)
        if not is_list(items):
            problems.add((*path, key), "expected a list of objects")
        read_as(JSON, items, (*path, key), problems)
        given[text] = json.dumps(items, default=str)
    given.setdefault("mode", None)
    return class_reader(AgentExecuteRequest).read(given, path, problems)


def _read_policies(value: Any, path: KeyPath, problems: Problems) -> ExecutionPolicies | None:
    try:
        return execution_policies_of(value)
    except PolicyError as error:
        problems.add(path, str(error), key=error.name or None)
        return None


_SHAPES = {
    "context": class_reader(ConversationContext),
    "request": ValueReader("a mapping (the fields of AgentExecuteRequest)", is_mapping, _read_request),
    "rag_context_block": TEXT,
    "tool_usage_metadata_block": TEXT,
    "tool_guides": reader_of(Mapping[str, str]),
    "stream": reader_of(bool),
    "policies": ValueReader("the name of a preset or a mapping", is_text_or_mapping, _read_policies),
}
_CALL = ValueReader("a mapping (the call)", is_mapping, _read_call)
