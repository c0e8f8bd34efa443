"""Read the classes that have a short form in request files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..model.kind_words import PART_KINDS
from ..model.options import Instruction, ResponseFormat, ToolChoice
from ..model.parts import Part, Text
from ..model.request import ROLES, Message, Request
from ..model.tools import AnyTool, Tool
from .file_format import (
    TEXT_CHOICES,
    TEXT_FORMATS,
    TOOL_KINDS,
    first_key,
    implied_format,
    implied_mode,
    neutral_fields,
)
from .problems import Path, Problems, describe, listed, unknown
from .value_readers import (
    SHORTHANDS,
    Entry,
    ValueReader,
    entries,
    is_list,
    is_mapping,
    is_text,
    is_text_or_mapping,
    read_as,
    read_fields,
)


def _is_any(value: object) -> bool:
    return is_text_or_mapping(value) or is_list(value)


def _of_kind(cls: type[Any], kind: str, value: Mapping[str, Any], path: Path, problems: Problems) -> Any:
    """Read `{kind: fields}` or `{kind: first field}`, with other fields as further keys."""
    inner, beside = value[kind], [entry for entry in entries(value, path, problems) if entry.key != kind]
    if is_mapping(inner):
        problems.enter((*path, kind))
        inside = entries(inner, (*path, kind), problems)
    else:
        inside = [Entry(first_key(cls), inner, (*path, kind))]
    return read_fields(cls, [*inside, *beside], (*path, kind), problems)


def _read_part(value: Any, path: Path, problems: Problems) -> Part | None:
    """Read one part: text, or a mapping with its kind as a key."""
    if isinstance(value, str):
        return Text(value)
    keys = [str(key) for key in value]
    kinds = [key for key in keys if key in PART_KINDS]
    if len(kinds) == 1:
        part: Part | None = _of_kind(PART_KINDS[kinds[0]], kinds[0], value, path, problems)
        return part
    if kinds:
        problems.add(path, f"a part must have one kind, found the keys {' and '.join(kinds)}")
    elif len(keys) == 1:
        problems.add(path, unknown("part kind", keys[0], PART_KINDS), key=keys[0])
    else:
        shown = f"the keys {', '.join(keys)}" if keys else "an empty mapping"
        problems.add(
            path, f"a part must have its kind as a key, found {shown}; expected {listed(PART_KINDS)}"
        )
    return None


def _read_content(value: Any, path: Path, problems: Problems) -> tuple[Part | None, ...]:
    """Read content: text, one part, or a list of both."""
    if is_list(value):
        return tuple([read_as(PART, item, (*path, index), problems) for index, item in enumerate(value)])
    return (_read_part(value, path, problems),)


PART = ValueReader("text or a part", is_text_or_mapping, _read_part)
CONTENT = ValueReader("text, a part or a list of these", _is_any, _read_content)


def _read_message(value: Any, path: Path, problems: Problems) -> Message | None:
    """Read `{user: content, ...}` or `{role: user, content: content, ...}`."""
    items = entries(value, path, problems)
    roles = [entry for entry in items if entry.key in ROLES]
    if not roles and "role" in value:
        role = value["role"]
        if is_text(role) and role not in ROLES:
            problems.add((*path, "role"), unknown("role", role, ROLES))
            items = [Entry("role", "user", entry.path) if entry.key == "role" else entry for entry in items]
        return read_fields(Message, items, path, problems)
    if not roles:
        _note_roleless(items, path, problems)
        return None
    if len(roles) > 1 or "role" in value:
        names = [*[entry.key for entry in roles], *(["role"] if "role" in value else [])]
        problems.add(path, f"a message must have one role, found the keys {' and '.join(names)}")
        return None
    rest = [Entry("content", entry.value, entry.path) if entry is roles[0] else entry for entry in items]
    return read_fields(Message, rest, path, problems, known={"role": roles[0].key})


def _note_roleless(items: list[Entry], path: Path, problems: Problems) -> None:
    """Add the problem of a message without a role; some key may be a misspelled role."""
    keys = [field.key for field in neutral_fields(Message)]
    strange = [entry.key for entry in items if entry.key not in keys]
    for key in strange:
        part = f"a part must be inside a message: {{role: {{{key}: ...}}}}" if key in PART_KINDS else None
        problems.add(path, part or unknown("role", key, ROLES), key=key)
    if not strange:
        problems.add(path, f"a message must have its role as a key; expected {listed(ROLES)}")


def _read_instruction(value: Any, path: Path, problems: Problems) -> Instruction | None:
    if isinstance(value, str):
        return Instruction(value)
    return read_fields(Instruction, entries(value, path, problems), path, problems)


def _read_instructions(value: Any, path: Path, problems: Problems) -> Any:
    """Read text, one layer, or a list of texts and layers."""
    if isinstance(value, str):
        return value
    if not is_list(value):
        return (_read_instruction(value, path, problems),)
    return tuple([read_as(INSTRUCTION, item, (*path, index), problems) for index, item in enumerate(value)])


INSTRUCTION = ValueReader("text or a mapping", is_text_or_mapping, _read_instruction)
INSTRUCTIONS = ValueReader("text or a list of texts and mappings", _is_any, _read_instructions)


def _read_tool(value: Any, path: Path, problems: Problems) -> Any:
    """Read a Tool by its fields, or one of the other tools under its kind."""
    kinds = [key for key in value if key and key in TOOL_KINDS]
    if not kinds:
        return read_fields(Tool, entries(value, path, problems), path, problems)
    if len(kinds) > 1:
        problems.add(path, f"a tool must have one kind, found the keys {' and '.join(kinds)}")
        return None
    return _of_kind(TOOL_KINDS[kinds[0]], kinds[0], value, path, problems)


def _choice(
    cls: type[Any], field: str, words: tuple[str, ...], implied: Callable[[list[str]], str | None], hint: str
) -> ValueReader:
    """Return the reader of a class that has one-word forms, and whose kind other fields may imply."""

    def read(value: Any, path: Path, problems: Problems) -> Any:
        if isinstance(value, str):
            if value in words:
                return cls(**{field: value})
            problems.add(path, f"expected {listed(words)}, found {describe(value)}; {hint}")
            return None
        kind = implied([key for key, inner in value.items() if inner is not None])
        known = {field: kind} if kind and field not in value else {}
        return read_fields(cls, entries(value, path, problems), path, problems, known=known)

    return ValueReader(f"{', '.join(words)} or a mapping", is_text_or_mapping, read)


def _read_root(value: Any, path: Path, problems: Problems) -> Request | None:
    return read_fields(Request, entries(value, path, problems), path, problems)


REQUEST = ValueReader("a mapping (the request)", is_mapping, _read_root)


def _enter_shorthands() -> None:
    hints = {field.name: field.hint for field in neutral_fields(Request)}
    SHORTHANDS[tuple[Part, ...]] = CONTENT
    SHORTHANDS[Message] = ValueReader("a mapping (a message)", is_mapping, _read_message)
    SHORTHANDS[hints["instructions"]] = INSTRUCTIONS
    SHORTHANDS[AnyTool] = ValueReader("a mapping (a tool)", is_mapping, _read_tool)
    SHORTHANDS[ToolChoice] = _choice(
        ToolChoice, "mode", TEXT_CHOICES, implied_mode, "to choose one tool, write {name: ...}"
    )
    SHORTHANDS[ResponseFormat] = _choice(
        ResponseFormat, "kind", TEXT_FORMATS, implied_format, "to pass a schema, write {schema: {...}}"
    )


_enter_shorthands()
