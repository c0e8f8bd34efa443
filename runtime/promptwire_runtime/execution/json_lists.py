"""Lists of objects that came as JSON text: each is read, or it is said where and why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import LoadError
from ..loading.file_format import show_path
from ..loading.json_text import json_tree, read_json
from ..loading.problems import Path, Problems, StoppedError, describe
from ..loading.value_readers import JSON, read_as
from ..reporting.notes import Note
from ..wire_json.kinds import is_list, is_object
from .policies import ExecutionPolicies

T = TypeVar("T")
Read = Callable[[dict[str, Any], Path, Problems], T | None]


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


def unknown_key(name: str, path: Path) -> Note:
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


def _read_one(item: Any, path: Path, read: Read[T], problems: Problems) -> T | None:
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
