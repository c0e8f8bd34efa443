"""The names of the neutral model in request files: part kinds, tool kinds, keys and fields.

Everything is derived from the neutral model, so that request files know a new field or part at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from ..model import kind_words
from ..model.kind_words import CALLED, PART_KINDS
from ..model.parts import Part
from ..model.request import ROLES
from ..model.tools import Tool

# the fields that `kept=False` omits from a dump
MEMORY = frozenset({"kept", "provenance"})
TEXT_CHOICES = ("auto", "none", "required")
TEXT_FORMATS = ("json", "text")


@dataclass(frozen=True, slots=True)
class FileField:
    """One field of a neutral class.

    Attributes:
        name: Its name in the class.
        key: Its key in a file.
        hint: Its type without None.
        nullable: Whether it may be None.
        required: Whether the class has no default for it.
        must_stand: Whether a file must have the key: it is required and not nullable.
    """

    name: str
    key: str
    hint: Any
    nullable: bool
    required: bool
    must_stand: bool


def without_none(hint: Any) -> tuple[Any, bool]:
    """Split `X | None` into X and whether it had None."""
    if get_origin(hint) not in (Union, UnionType):
        return hint, False
    first, *others = [member for member in get_args(hint) if member is not NoneType]
    rest: Any = first
    for member in others:
        rest = rest | member
    return rest, NoneType in get_args(hint)


def neutral_fields(cls: type) -> tuple[FileField, ...]:
    """Return the fields of a neutral class that a caller may set: its own first, then those of every part."""
    return _neutral_fields(cls)


@cache
def _neutral_fields(cls: type) -> tuple[FileField, ...]:
    hints = get_type_hints(cls)
    rows: list[FileField] = []
    for field in fields(cls):
        if not field.init:
            continue
        hint, nullable = without_none(hints[field.name])
        required = field.default is MISSING and field.default_factory is MISSING
        key = CALLED.get(field.name, field.name)
        rows.append(FileField(field.name, key, hint, nullable, required, required and not nullable))
    shared = (
        {field.name for field in fields(Part)} if cls is not Part and issubclass(cls, Part) else set[str]()
    )
    return tuple(sorted(rows, key=lambda field: field.name in shared))


def first_key(cls: type) -> str:
    """Return the key of the field that a plain value stands for, which is the first field of the class itself."""
    return neutral_fields(cls)[0].key


KIND_OF_PART = {cls: kind for kind, cls in PART_KINDS.items()}
# Tool itself has no kind in files, only its fields
TOOL_KINDS = {"" if cls is Tool else kind: cls for kind, cls in kind_words.TOOL_KINDS.items()}
KIND_OF_TOOL = {cls: kind for kind, cls in TOOL_KINDS.items()}


def implied_mode(present: Iterable[str]) -> str | None:
    """Return the `mode` that the other keys of a tool choice imply, or None."""
    keys = frozenset(present)
    return "named" if "name" in keys else "several" if "names" in keys else None


def implied_format(present: Iterable[str]) -> str | None:
    """Return the `kind` that the other keys of a response format imply, or None."""
    return "json_schema" if "schema" in frozenset(present) else None


def show_path(path: tuple[str | int, ...]) -> str:
    """Return a path in a file as a path in the Request: `messages[2].parts[0].image.url`."""
    shown, inside = "", "request"
    for key in path:
        if inside == "content":
            inside = "part"
            if not isinstance(key, int):
                shown += "[0]"  # a single part without a list
        if isinstance(key, int):
            shown, inside = f"{shown}[{key}]", "message" if inside == "messages" else inside
        elif (inside == "message" and key in ROLES) or (inside in ("message", "part") and key == "content"):
            shown, inside = f"{shown}.parts", "content"
        else:
            shown, inside = shown + _step(key, first=not shown), _below(inside, key)
    return shown


def _below(inside: str, key: str) -> str:
    """Return what a key contains; `value` if the keys inside have the same names in the Request."""
    if inside == "request" and key == "messages":
        return "messages"
    return "part" if inside == "part" and key in PART_KINDS else "value"


def _step(key: str, *, first: bool) -> str:
    if not re.fullmatch(r"[\w-]+", key):
        return f"[{key!a}]"
    return key if first else f".{key}"
