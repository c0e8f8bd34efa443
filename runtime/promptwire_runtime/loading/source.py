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
from ..model.request import Request
from .json_text import is_json_text, json_tree, read_json
from .neutral import REQUEST
from .problems import MAX_DEPTH, Lines, Problems, StoppedError, printable
from .value_readers import ValueReader, read_as

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
