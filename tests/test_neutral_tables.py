"""One neutral model: the compiler's tables say what the classes of the runtime are."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields
from importlib import import_module
from types import NoneType, UnionType
from typing import Union, get_args, get_origin, get_type_hints

import pytest

import promptwire
from promptwire_gen.plugin_api import Kind
from tests.internals.compiler import NeutralField, neutral
from tests.internals.runtime import OWN_CONTENT, ROLES, Any
from tests.public_names import class_named

KINDS = [
    *neutral.PARTS.values(),
    *neutral.TOOLS.values(),
    neutral.LAYER,
    neutral.TOOL_CHOICE,
    neutral.RESPONSE_FORMAT,
    neutral.REASONING,
    neutral.CONTINUATION,
    neutral.CACHE,
    neutral.MESSAGE,
]
# what a class holds beside the fields that shapes may name: memory, and what only the runtime acts on
BESIDE = {
    "Message": {"role", "parts", "provenance"},
    "Continuation": {"start", "unanswered", "model", "account", "held", "expired"},
}
# what no shape may name: memory, and what is merged in
CARRIED_BY_ALL = ("vendor", "extra", "kept")
# annotations of the runtime, None aside -> the table's word for them
WORDS: dict[tuple[Any, ...], str] = {
    (str,): "str",
    (int,): "int",
    (float,): "number",
    (bool,): "bool",
    (Any,): "json",
    (Mapping,): "object",
    (Mapping[str, str],): "text_object",
    (Mapping[str, float],): "number_object",
    (Mapping, str): "arguments",
    (tuple[str, ...],): "strings",
    (tuple[promptwire.Part, ...],): "parts",
    (tuple[promptwire.parts.AnyTool, ...],): "tools",
    (tuple[promptwire.Message, ...],): "messages",
    (str, tuple[promptwire.Instruction, ...]): "instructions",
    (promptwire.ToolChoice,): "tool_choice",
    (promptwire.ResponseFormat,): "response_format",
    (promptwire.ReasoningOptions,): "reasoning",
    (promptwire.Cache,): "cache",
}


Facts = dict[str, tuple[bool, str]]


def declared(cls: type[Any]) -> dict[str, Field[Any]]:
    """The fields that a caller may give."""
    return {field.name: field for field in fields(cls) if field.init}


def facts(cls: type[Any], *beside: str) -> Facts:
    """Return the fields of a runtime class: field -> whether it can never be None, and the table's word for its type."""
    hints = get_type_hints(cls)
    by_field: Facts = {}
    for name, field in declared(cls).items():
        if name not in beside:
            hint = hints[name]
            members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
            annotation = tuple([_without_values(member) for member in members if member is not NoneType])
            always = NoneType not in members and field.default is not None
            by_field[name] = (always, WORDS[annotation])
    return by_field


def _without_values(hint: Any) -> Any:
    return Mapping if get_origin(hint) is Mapping and (hint,) not in WORDS else hint


def table_facts(table: Mapping[str, NeutralField]) -> Facts:
    """Return the same from the compiler's table, where the parts of a part are called content."""
    names = {name: "parts" if field.type == "parts" else name for name, field in table.items()}
    return {names[name]: (field.always, field.type) for name, field in table.items()}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.cls)
def test_the_compiler_knows_each_class_as_the_runtime_defines_it(kind: Kind) -> None:
    beside = {"provenance", *CARRIED_BY_ALL} | BESIDE.get(kind.cls, set())
    assert facts(class_named(kind.cls), *beside) == table_facts(kind.fields)


def test_every_part_and_tool_of_the_runtime_is_in_the_table() -> None:
    parts = {cls.__name__ for cls in subclasses(promptwire.Part)} - {"Opaque"}
    assert {kind.cls for kind in neutral.PARTS.values()} == parts
    tools = {cls.__name__ for cls in get_args(promptwire.parts.AnyTool)} - {"Opaque"}
    assert {kind.cls for kind in neutral.TOOLS.values()} == tools


def subclasses(cls: type[Any]) -> Iterator[type[Any]]:
    """Every class below one; a class that `slots` replaced is not one of the module any more."""
    for child in cls.__subclasses__():
        if getattr(sys.modules[child.__module__], child.__name__) is child:
            yield child
        yield from subclasses(child)


@pytest.mark.parametrize("kind", neutral.PARTS.values(), ids=lambda kind: kind.cls)
def test_sources_of_a_part_are_those_that_its_class_accepts(kind: Kind) -> None:
    cls = class_named(kind.cls)
    sources = [] if "source" not in {field.name for field in fields(cls)} else accepted_sources(cls)
    assert list(kind.sources) == sources


def accepted_sources(cls: type[Any]) -> list[str]:
    """The fields that alone make a part."""
    sources: list[str] = []
    for name in declared(cls):
        value: Any = (promptwire.Text("t"),) if name == "parts" else "v"
        try:
            part = cls(**{name: value})
        except promptwire.errors.InvalidRequest:
            continue
        assert part.source == name
        sources.append(name)
    return sorted(sources, key=list(declared(cls)).index)


def test_a_number_below_the_least_is_refused() -> None:
    for cls, table in (
        (promptwire.Options, neutral.OPTIONS),
        (promptwire.ReasoningOptions, neutral.REASONING.fields),
    ):
        for name, field in table.items():
            if field.least is not None:
                least: dict[str, Any] = {name: field.least}
                assert getattr(cls(**least), name) == field.least
                with pytest.raises(promptwire.errors.InvalidRequest, match=f"less than {field.least}"):
                    cls(**{name: least[name] - 1})


def test_options_and_request_fields_are_those_of_the_runtime() -> None:
    assert facts(promptwire.Options) == table_facts(neutral.OPTIONS)
    beside = (*CARRIED_BY_ALL, "options", "continuation")
    assert facts(promptwire.Request, *beside) == table_facts(neutral.REQUEST)
    assert neutral.ROLES == ROLES


def test_content_of_one_api_is_named_by_every_api_that_has_an_option_for_it() -> None:
    names = {name for options in OWN_CONTENT.values() for name in options}
    writers = {wire: import_module(f"promptwire.{wire}.writing").WRITERS for wire in promptwire.WIRES}
    found = {wire: names & each.body.shape.vendor for wire, each in writers.items()}
    assert {wire: options for wire, options in found.items() if options} == {
        wire: {*options} for wire, options in OWN_CONTENT.items()
    }
