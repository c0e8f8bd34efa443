"""From a path to a Request: opening, decoding, reading, and one error with all problems."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import LoadError
from ..request import Request
from .json_text import json_places, read_json
from .neutral import REQUEST
from .places import Lines, Place
from .problems import MAX_DEPTH, Problems, StoppedError, printable
from .shapes import read_as
from .yaml_text import read_yaml

_NOTHING = "the file is empty: expected a mapping (the request)"


def load_request(source: Mapping[str, Any] | str | os.PathLike[str]) -> Request:
    """Load a Request from a mapping, or from the .json, .yaml or .yml file at a path.

    The keys are the fields of `Request`; `dump_request` writes the same form.
    JSON values inside (schemas, arguments, payloads) are passed on by reference.

    Raises:
        LoadError: the source is no request. The text has all problems, one a line, each with its place:
            `file:line:column: path inside: what was found and what was expected`.
    """
    if isinstance(source, Mapping):
        return _read(source, Problems(""), lambda: None)
    if not isinstance(source, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped callers
        raise LoadError(f"a request is loaded from a mapping or a path, not from {type(source).__name__}")
    path = os.fsdecode(source)
    problems = Problems(printable(path))
    ending = Path(path).suffix.lower()
    if ending not in (".json", ".yaml", ".yml"):
        raise LoadError(f"{problems.name}: the name of a request file ends in .json, .yaml or .yml")
    try:
        text = _text(path, problems)
        value, places = _json(text, problems) if ending == ".json" else _yaml(text, problems)
    except StoppedError:
        raise problems.error(None) from None
    return _read(value, problems, places)


def _read(value: Any, problems: Problems, places: Callable[[], Place | None]) -> Request:
    request: Request | None = None
    try:
        request = read_as(REQUEST, value, (), problems)
    except StoppedError:
        pass
    except RecursionError:
        problems.add((), f"nested deeper than the call stack allows (at most {MAX_DEPTH} levels are read)")
    if request is None or problems:
        raise problems.error(places())
    return request


def _text(path: str, problems: Problems) -> str:
    try:
        raw = Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else "this is no path"
        raise LoadError(f"{problems.name}: cannot be read: {reason}") from None
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8").removeprefix("\ufeff")
        message = f"not UTF-8: the byte 0x{raw[error.start]:02x} cannot stand here"
        problems.add((), message, spot=Lines(before).spot(len(before)))
        raise StoppedError from None
    if not text.strip():
        problems.add((), _NOTHING, spot=(1, 1))
        raise StoppedError
    return text


def _json(text: str, problems: Problems) -> tuple[Any, Callable[[], Place]]:
    return read_json(text, problems), lambda: json_places(text)


def _yaml(text: str, problems: Problems) -> tuple[Any, Callable[[], Place]]:
    found = read_yaml(text, problems)
    if found is None:
        problems.add((), _NOTHING, spot=(1, 1))
        raise StoppedError
    return found[0], lambda: found[1]
