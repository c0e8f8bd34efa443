"""Shapes as kinds say what the generated types say, which come from the same shapes in another way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, is_typeddict

import pytest
from pydantic.alias_generators import to_snake

from tests.internals.compiler import (
    ANY,
    Kind,
    ListKind,
    RecordKey,
    RecordKind,
    body_kind,
    by_path,
    compare_kinds as compare,
)
from tests.internals.runtime import keys_of
from tests.spec_texts import project


@cache
def record(cls: Any) -> RecordKind:
    keys = keys_of(cls)
    return RecordKind(
        cls.__name__,
        lambda: {
            name: RecordKey(kind(annotation), words(annotation), name in keys.required)
            for name, annotation in keys.types.items()
        },
    )


def words(annotation: Any) -> tuple[str, ...]:
    found = get_args(annotation) if get_origin(annotation) is Literal else ()
    return tuple(word for word in found if isinstance(word, str))


def kind(annotation: Any) -> Kind:
    """Return what a generated annotation says."""
    if get_origin(annotation) in (Union, UnionType):
        return tuple(row for member in get_args(annotation) for row in kind(member))
    if is_typeddict(annotation):
        return (record(annotation),)
    if get_origin(annotation) is list:
        return (ListKind(kind(get_args(annotation)[0])),)
    return ANY if annotation is Any or get_origin(annotation) is Mapping else ()


@pytest.mark.parametrize("model", project().wires, ids=lambda model: model.name)
def test_they_name_the_keys_of_the_generated_types(model: Any) -> None:
    shapes = body_kind(model, project().filters)
    types = kind(import_module(f"promptwire.{model.name}.types").Body)
    fields, known = by_path(compare(types, shapes)), by_path(compare(shapes, types))
    # snake_case of a key is no key of its own; text with a hole in it (tool_${change}) is any text to a type
    twins = {to_snake(row.name) for row in fields if to_snake(row.name) != row.name}
    unknown = [
        row.path for row in fields if row.state != "known" and twins.isdisjoint(re.findall(r"\w+", row.path))
    ]
    missing = [row.path for row in known if row.state == "missing" and "_*]" not in row.path]
    if model.name == "dashscope_generation":
        # its messages stand inside an object, which only the type of the body names
        unknown = [path for path in unknown if path.partition(".")[0] != "input"]
        missing = [path for path in missing if not path.startswith("messages")]
    if model.name == "yandex_completion":
        # its calls and results stand in lists inside objects, which the types of messages name
        unknown = [path for path in unknown if "toolResultList" not in path and "toolCallList" not in path]
        missing = [path for path in missing if "functionCall" not in path and "functionResult" not in path]
    assert (unknown, missing) == ([], [])
