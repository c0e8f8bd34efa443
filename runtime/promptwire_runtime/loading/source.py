"""Load a Request from a file or a mapping. One error has all problems."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from promptwire_text.files import read_file
from promptwire_text.nodes import Node, plain

from ..errors import LoadError
from ..model.kind_words import PART_KINDS
from ..model.options import Instruction, ResponseFormat, ToolChoice
from ..model.parts import Part, Text
from ..model.request import ROLES, Message, Request
from ..model.tools import AnyTool, Tool
from ..model.wire_memory import Provenance
from ..prepared import WRITER, Written, with_memory
from .json_text import is_json_text, json_tree, read_json
from .problems import (
    MAX_DEPTH,
    TEXT_CHOICES,
    TEXT_FORMATS,
    TOOL_KINDS,
    KeyPath,
    Lines,
    Problems,
    StoppedError,
    describe,
    first_key,
    implied_format,
    implied_mode,
    listed,
    neutral_fields,
    printable,
    unknown,
)
from .value_readers import (
    SHORTHANDS,
    TEXT,
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


def _of_kind(cls: type[Any], kind: str, value: Mapping[str, Any], path: KeyPath, problems: Problems) -> Any:
    """Read `{kind: fields}` or `{kind: first field}`, with other fields as further keys."""
    inner, beside = value[kind], [entry for entry in entries(value, path, problems) if entry.key != kind]
    if is_mapping(inner):
        problems.enter((*path, kind))
        inside = entries(inner, (*path, kind), problems)
    else:
        inside = [Entry(first_key(cls), inner, (*path, kind))]
    return read_fields(cls, [*inside, *beside], (*path, kind), problems)


def _read_part(value: Any, path: KeyPath, problems: Problems) -> Part | None:
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


def _read_content(value: Any, path: KeyPath, problems: Problems) -> tuple[Part | None, ...]:
    """Read content: text, one part, or a list of both."""
    if is_list(value):
        return tuple([read_as(PART, item, (*path, index), problems) for index, item in enumerate(value)])
    return (_read_part(value, path, problems),)


PART = ValueReader("text or a part", is_text_or_mapping, _read_part)
CONTENT = ValueReader("text, a part or a list of these", _is_any, _read_content)


def _read_message(value: Any, path: KeyPath, problems: Problems) -> Message | None:
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


def _note_roleless(items: list[Entry], path: KeyPath, problems: Problems) -> None:
    """Add the problem of a message without a role; some key may be a misspelled role."""
    keys = [field.key for field in neutral_fields(Message)]
    strange = [entry.key for entry in items if entry.key not in keys]
    for key in strange:
        part = f"a part must be inside a message: {{role: {{{key}: ...}}}}" if key in PART_KINDS else None
        problems.add(path, part or unknown("role", key, ROLES), key=key)
    if not strange:
        problems.add(path, f"a message must have its role as a key; expected {listed(ROLES)}")


def _read_instruction(value: Any, path: KeyPath, problems: Problems) -> Instruction | None:
    if isinstance(value, str):
        return Instruction(value)
    return read_fields(Instruction, entries(value, path, problems), path, problems)


def _read_instructions(value: Any, path: KeyPath, problems: Problems) -> Any:
    """Read text, one layer, or a list of texts and layers."""
    if isinstance(value, str):
        return value
    if is_mapping(value) and "written" in value:
        return _read_written(value, path, problems)
    if not is_list(value):
        return (_read_instruction(value, path, problems),)
    return tuple([read_as(INSTRUCTION, item, (*path, index), problems) for index, item in enumerate(value)])


def _read_written(value: Mapping[Any, Any], path: KeyPath, problems: Problems) -> Any:
    """Read instructions that a pipeline wrote, and the request's own layers."""
    found = _read_with_own(value, "written", INSTRUCTIONS, path, problems)
    return found and with_memory(*found)


def _read_provenance(value: Mapping[Any, Any], path: KeyPath, problems: Problems) -> Any:
    """Read where a message comes from, or the mark of one that a pipeline wrote."""
    if value.get("wire") != WRITER or "own" not in value:
        return read_fields(Provenance, entries(value, path, problems), path, problems)
    found = _read_with_own(value, "wire", TEXT, path, problems)
    return found and Written(found[1])


def _read_with_own(
    value: Mapping[Any, Any], key: str, reader: ValueReader, path: KeyPath, problems: Problems
) -> tuple[Any, Any] | None:
    """Read a mapping of this key and of `own`, the request's own layers; None if there are problems."""
    before = len(problems)
    found: dict[str, Any] = {key: None, "own": ()}
    for entry in entries(value, path, problems):
        if entry.key not in found:
            problems.add(path, unknown("key", entry.key, found), key=entry.key)
        else:
            chosen = OWN_LAYERS if entry.key == "own" else reader
            found[entry.key] = read_as(chosen, entry.value, entry.path, problems)
    return (found[key], found["own"]) if len(problems) == before else None


INSTRUCTION = ValueReader("text or a mapping", is_text_or_mapping, _read_instruction)
INSTRUCTIONS = ValueReader("text or a list of texts and mappings", _is_any, _read_instructions)
OWN_LAYERS = ValueReader("a list of texts and mappings", is_list, _read_instructions)


def _read_tool(value: Any, path: KeyPath, problems: Problems) -> Any:
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

    def read(value: Any, path: KeyPath, problems: Problems) -> Any:
        if isinstance(value, str):
            if value in words:
                return cls(**{field: value})
            problems.add(path, f"expected {listed(words)}, found {describe(value)}; {hint}")
            return None
        kind = implied([key for key, inner in value.items() if inner is not None])
        known = {field: kind} if kind and field not in value else {}
        return read_fields(cls, entries(value, path, problems), path, problems, known=known)

    return ValueReader(f"{', '.join(words)} or a mapping", is_text_or_mapping, read)


def _read_root(value: Any, path: KeyPath, problems: Problems) -> Request | None:
    return read_fields(Request, entries(value, path, problems), path, problems)


REQUEST = ValueReader("a mapping (the request)", is_mapping, _read_root)


def _enter_shorthands() -> None:
    hints = {field.name: field.hint for field in neutral_fields(Request)}
    SHORTHANDS[tuple[Part, ...]] = CONTENT
    SHORTHANDS[Message] = ValueReader("a mapping (a message)", is_mapping, _read_message)
    SHORTHANDS[hints["instructions"]] = INSTRUCTIONS
    SHORTHANDS[Provenance] = ValueReader("a mapping", is_mapping, _read_provenance)
    SHORTHANDS[AnyTool] = ValueReader("a mapping (a tool)", is_mapping, _read_tool)
    SHORTHANDS[ToolChoice] = _choice(
        ToolChoice, "mode", TEXT_CHOICES, implied_mode, "to choose one tool, write {name: ...}"
    )
    SHORTHANDS[ResponseFormat] = _choice(
        ResponseFormat, "kind", TEXT_FORMATS, implied_format, "to pass a schema, write {schema: {...}}"
    )


_enter_shorthands()


_NOTHING = "the file is empty; expected a mapping"


def load_request(source: Mapping[str, Any] | str | os.PathLike[str]) -> Request:
    """Load a Request from a mapping, or from the .json, .yaml or .yml file at a path.

    The keys are the fields of `Request`; `dump_request` writes the same form.
    JSON values inside (schemas, arguments, payloads) are shared with the mapping.

    Raises:
        LoadError: the source is not a valid request. The message has all problems, one per line:
            `file:line:column: path: what was expected and what was found`.
    """
    if isinstance(source, Mapping):
        document = SourceDocument(source, Problems(""))
    elif isinstance(source, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped callers
        document = open_document(source, "request")
    else:
        raise LoadError(f"a request can be loaded from a mapping or a path, not from {type(source).__name__}")
    request: Request = read_with(REQUEST, document)
    return request


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One decoded source: its value, its problems, and a function that returns the tree with positions."""

    value: Any
    problems: Problems
    tree: Callable[[], Node | None] = lambda: None


def open_document(source: str | os.PathLike[str], what: str) -> SourceDocument:
    """Decode the file at a path. `what` it should hold is used in errors. Raises LoadError."""
    path = os.fsdecode(source)
    problems = Problems(printable(path))
    ending = Path(path).suffix.lower()
    if ending not in (".json", ".yaml", ".yml"):
        raise LoadError(f"{problems.name}: the name of a {what} file must end in .json, .yaml or .yml")
    try:
        return _decoded(_text(path, problems, what), problems, what, json=ending == ".json")
    except StoppedError:
        raise problems.error(None) from None


def decode_document(text: str, what: str, name: str) -> SourceDocument:
    """Decode a text, as JSON if its first key is quoted. `name` is its name in errors. Raises LoadError."""
    problems = Problems(name)
    try:
        return _decoded(text, problems, what, json=is_json_text(text))
    except StoppedError:
        raise problems.error(None) from None


def read_with(reader: ValueReader, document: SourceDocument) -> Any:
    """Read a whole document. Raises LoadError with all problems."""
    value, problems = None, document.problems
    try:
        value = read_as(reader, document.value, (), problems)
    except StoppedError:
        pass
    except RecursionError:
        problems.add((), f"nested deeper than the call stack allows (at most {MAX_DEPTH} levels are read)")
    if value is None or problems:
        raise problems.error(document.tree())
    return value


def _text(path: str, problems: Problems, what: str) -> str:
    try:
        raw = read_file(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else "not a valid path"
        raise LoadError(f"{problems.name}: cannot be read: {reason}") from None
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8").removeprefix("\ufeff")
        message = f"not UTF-8: unexpected byte 0x{raw[error.start]:02x}"
        problems.add((), message, position=Lines(before).position(len(before)))
        raise StoppedError from None
    if not text.strip():
        raise _empty(problems, what)
    return text


def _decoded(text: str, problems: Problems, what: str, *, json: bool) -> SourceDocument:
    if json:
        # its repeated keys have been reported already
        return SourceDocument(
            read_json(text, problems), problems, lambda: json_tree(text, Problems(problems.name))
        )
    try:
        from .yaml_text import read_yaml  # PyYAML is optional, and only YAML files need it
    except ModuleNotFoundError as error:
        if error.name != "yaml":
            raise
        message = f'{problems.name}: reading YAML needs PyYAML: pip install "promptwire[cli]"'
        raise LoadError(message) from None
    tree = read_yaml(text, problems)
    if tree is None:
        raise _empty(problems, what)
    return SourceDocument(plain(tree), problems, lambda: tree)


def _empty(problems: Problems, what: str) -> StoppedError:
    problems.add((), f"{_NOTHING} (the {what})", position=(1, 1))
    return StoppedError()
