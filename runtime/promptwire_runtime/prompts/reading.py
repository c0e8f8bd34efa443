"""Reading input messages from plain data, with the place of everything that is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from promptwire_text.words import nearest

from ..context import ContextPolicies
from ..errors import InvalidRequest, LoadError
from ..loading.problems import KeyPath, Problems, describe, listed, unknown
from ..loading.value_readers import (
    TEXT as A_TEXT,
    ValueReader,
    entries,
    is_list,
    is_mapping,
    is_text,
    read_as,
)
from ..nodes.records import replace
from .drafting import FILE, PROMPT_ROLES, TEXT, InputMessage, Segment
from .files import Files, MissingFileError, matches, normalise

_KNOWN = (TEXT, FILE)


def read_messages(value: Any, path: KeyPath, problems: Problems) -> tuple[InputMessage, ...]:
    """Read a list of messages; invalid ones are added to the problems and skipped."""
    messages = read_as(_MESSAGES, value, path, problems)
    return tuple([message for message in messages or () if message is not None])


def _read_list(value: Any, path: KeyPath, problems: Problems) -> list[InputMessage | None]:
    return [read_as(_MESSAGE, item, (*path, index), problems) for index, item in enumerate(value)]


def _read_message(value: Any, path: KeyPath, problems: Problems) -> InputMessage | None:
    if isinstance(value, InputMessage):
        return value
    values: dict[str, Any] = {}
    before = len(problems)
    for entry in entries(value, path, problems):
        shape = _FIELDS.get(entry.key)
        if shape is None:
            bare = f'unknown key "{entry.key}": a message is written {{role: {entry.key}, content: ...}}'
            text = bare if entry.key in PROMPT_ROLES else unknown("key", entry.key, _FIELDS)
            problems.add(path, text, key=entry.key)
        elif entry.value is not None or entry.key == "role":
            values[entry.key] = read_as(shape, entry.value, entry.path, problems)
    if "role" not in value and len(problems) == before:
        problems.add(path, f'"role" is missing; expected {listed(PROMPT_ROLES)}')
    if len(problems) > before:
        return None
    return InputMessage(values["role"], tuple(values.get("content", ())), values.get("tool_call_id"))


def _read_role(value: Any, path: KeyPath, problems: Problems) -> Any:
    if value not in PROMPT_ROLES:
        problems.add(path, unknown("role", value, PROMPT_ROLES))
    return value


def _read_content(value: Any, path: KeyPath, problems: Problems) -> list[Any]:
    if is_text(value):
        return [Segment(TEXT, value)]
    return [read_as(_SEGMENT, item, (*path, index), problems) for index, item in enumerate(value)]


def _read_segment(value: Any, path: KeyPath, problems: Problems) -> Segment | None:
    """Read `{type: text, value: ...}`, or text alone; a part of an unknown type keeps only its type.

    A file may come with its content: `{type: file, path: ..., text: ...}`.
    """
    if isinstance(value, Segment):
        return value
    if is_text(value):
        return Segment(TEXT, value)
    kind = value.get("type")
    if not is_text(kind):
        instead = "nothing" if "type" not in value else describe(kind)
        problems.add(path, f'a part has a "type": expected {listed(_KNOWN)}, found {instead}')
        return None
    if kind not in _KNOWN:
        if nearest(kind, _KNOWN):
            problems.add((*path, "type"), unknown("part type", kind, _KNOWN))
        return Segment(kind, "")
    return _read_known(kind, value, path, problems)


def _read_known(kind: str, value: Any, path: KeyPath, problems: Problems) -> Segment | None:
    """Read a text, or a file that may bring its content."""
    keys = ("type", "value") if kind == TEXT else ("type", "value", "path", "text")
    texts: dict[str, str | None] = {}
    for entry in entries(value, path, problems):
        if entry.key not in keys:
            problems.add(path, unknown("key", entry.key, keys), key=entry.key)
        elif entry.key != "type" and entry.value is not None:
            texts[entry.key] = read_as(A_TEXT, entry.value, entry.path, problems)
    shown = texts.get("value", texts.get("path"))
    if "value" not in texts and "path" not in texts:
        problems.add(path, f'"value" is missing; expected {"text" if kind == TEXT else "the path of a file"}')
    elif shown == "" and "text" in texts:
        problems.add(path, "the path of a file is empty", key="path" if "path" in texts else "value")
    return None if shown is None else Segment(kind, shown, texts.get("text"), path=texts.get("path"))


def _is_message(value: object) -> bool:
    return is_mapping(value) or isinstance(value, InputMessage)


def _is_segment(value: object) -> bool:
    return is_text(value) or is_mapping(value) or isinstance(value, Segment)


_SEGMENT = ValueReader("text or a mapping (a part)", _is_segment, _read_segment)
_MESSAGE = ValueReader("a mapping (a message)", _is_message, _read_message)
_MESSAGES = ValueReader("a list of messages", is_list, _read_list)
_FIELDS = {
    "role": ValueReader("text", is_text, _read_role),
    "content": ValueReader(
        "text or a list of parts", lambda value: is_text(value) or is_list(value), _read_content
    ),
    "tool_call_id": A_TEXT,
}


def attach(
    messages: Iterable[InputMessage],
    files: Files,
    policies: ContextPolicies,
    path: KeyPath,
    problems: Problems,
) -> tuple[InputMessage, ...]:
    """Read the attached files; one that is missing, or a part of an unknown type, is a problem by policy.

    A missing file that is none keeps no text.
    """
    attached: list[InputMessage] = []
    for index, message in enumerate(messages):
        segments: list[Segment] = []
        for place, segment in enumerate(message.segments):
            where = (*path, index, "content", place)
            if segment.type == FILE and segment.text is None:
                segments.append(_read_attachment(segment, files, policies, (*where, "value"), problems))
            else:
                segments.append(segment)
            if segment.type not in _KNOWN and policies.unknown_parts == "error":
                problems.add((*where, "type"), unknown("part type", segment.type, _KNOWN))
        attached.append(replace(message, segments=tuple(segments)))
    return tuple(attached)


def check_patterns(patterns: Sequence[Any], path: KeyPath, problems: Problems) -> None:
    """Note the patterns that cannot be read."""
    for index, pattern in enumerate(patterns):
        try:
            if read_as(A_TEXT, pattern, (*path, index), problems) is not None:
                matches("", (pattern,))
        except InvalidRequest as error:
            problems.add((*path, index), str(error))


def _read_attachment(
    segment: Segment, files: Files, policies: ContextPolicies, where: KeyPath, problems: Problems
) -> Segment:
    try:
        text = files.read(segment.value)
        found = files.found(segment.value)
        path = None if found == normalise(segment.value) else found
        return replace(segment, text=text, address=files.address(segment.value), path=path)
    except LoadError as error:
        if not (isinstance(error, MissingFileError) and policies.missing_files == "omit"):
            problems.add(where, str(error))
        return segment


def files_of(files: Files | Mapping[str, str] | None) -> Files:
    """Return files as they are, or build them from given texts (path -> text)."""
    return files if isinstance(files, Files) else Files(given=files)
