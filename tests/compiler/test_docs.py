"""Docstrings of generated functions name the line of the spec where the shape is."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from types import FunctionType

import pytest

import promptwire
from promptwire_gen.plugin_api import (
    Alternatives,
    ConstantShape,
    Hole,
    HoleFilter,
    Interpolation,
    Listing,
    Object,
    Span,
    Tolerated,
)
from tests.checkout import ROOT
from tests.internals.compiler import print_shape
from tests.spec_texts import spec_pages, spec_text

NAMED = re.compile(
    r"(?P<union>[a-z_]+)\.(?P<key>\S+) \((?P<file>[\w/.]+):(?P<line>\d+)\)(; None of another shape)?\.$"
)


def functions(wire: str) -> list[FunctionType]:
    """The functions that a wire's modules define; a dialect's are those that differ from its parent's."""
    found: list[FunctionType] = []
    for module in ("writing", "reading"):
        loaded = importlib.import_module(f"promptwire.{wire}.{module}")
        found += [
            each
            for _, each in inspect.getmembers(loaded, inspect.isfunction)
            if each.__module__ == loaded.__name__
        ]
    return found


def parent_of(wire: str) -> str | None:
    found = re.search(r"^extends: (\w+)$", spec_text(wire), re.MULTILINE)
    return found and found[1]


def pages_of(wire: str) -> list[Path]:
    """The pages on which a wire's shapes may stand: its own, and those of the wires that it extends."""
    parent = parent_of(wire)
    return [*spec_pages()[wire], *(pages_of(parent) if parent else ())]


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_the_line_that_is_named_is_the_shapes_own(wire: str) -> None:
    named = 0
    pages = pages_of(wire)
    for function in functions(wire):
        doc = function.__doc__ or ""
        assert doc, function.__name__
        found = NAMED.search(doc.partition("\n")[0])
        if found is None:
            continue
        named += 1
        page = ROOT / found["file"]
        assert page in pages, doc
        text = page.read_text("utf-8").splitlines()[int(found["line"]) - 1].strip()
        last = found["key"].rpartition("#")[2].rpartition(".")[2]
        assert text.strip('"').startswith(found["key"]) or text.startswith((f"{last}:", "- ", "{")), (
            doc,
            text,
        )
    # an API with a prompt of one text has few shapes
    assert parent_of(wire) or named > (1 if wire in ("bedrock_meta", "bedrock_titan") else 10)


HERE = Span("x.yaml", 1, 1, 1)


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (Hole(("text",), HERE), "$text"),
        (Hole(("summary",), HERE, listed=True), "$summary[]"),
        (
            Hole(("type",), HERE, filters=(HoleFilter("word", ("a", "b")),), guard="a|b"),
            "$type|word(a,b)(a|b)",
        ),
        (Hole(("model",), HERE, read_only=True), "=$model"),
        (ConstantShape(None, HERE), "null"),
        (ConstantShape(True, HERE), "true"),
        (ConstantShape("true", HERE), '"true"'),
        (ConstantShape("$5", HERE), '"$5"'),
        (ConstantShape("5", HERE), '"5"'),
        (Tolerated(("a", 1), HERE), "=a|1"),
        (Interpolation(("data:", ";", ""), (Hole(("a",), HERE), Hole(("b",), HERE)), HERE), "data:${a};${b}"),
        (Listing((Hole(("x",), HERE), ConstantShape("y", HERE)), HERE), "[$x, y]"),
        (Alternatives((ConstantShape("a", HERE), Hole(("b",), HERE)), HERE), "a or $b"),
        (Object((), Hole(("config",), HERE), HERE), "{...: $config}"),
    ],
)
def test_a_shape_is_written_as_in_the_spec(shape: object, text: str) -> None:
    assert print_shape(shape) == text  # type: ignore[arg-type]


def test_a_docstring_gives_shape_and_line() -> None:
    from promptwire.openai_responses.writing import write_part_tool_call

    lines = inspect.cleandoc(write_part_tool_call.__doc__ or "").splitlines()
    assert re.fullmatch(
        r"Write part\.tool_call \(provider_specs/openai_responses/wire\.yaml:\d+\)\.", lines[0]
    )
    assert lines[2].startswith(
        "{type: function_call, id?: $item_id, call_id: $id, name: $name, arguments: $arguments|json"
    )


def test_build_says_what_it_carries_and_in_which_units() -> None:
    doc = promptwire.anthropic_messages.build.__doc__ or ""
    assert "options   max_tokens (tokens), service_tier, stop, temperature, top_k (tokens), top_p\n" in doc
    assert "reasoning budget (tokens), display, effort, mode\n" in doc
    assert "request   cache, continuation, instructions, messages, model," in doc
    assert " instructions, messages," in (promptwire.openai_chat.build.__doc__ or "")


def test_what_no_caller_can_complete_is_no_missing_field() -> None:
    unsigned = promptwire.Message("assistant", (promptwire.Reasoning(text="hm"), promptwire.Text("yes")))
    request = promptwire.Request(
        "claude-sonnet-5",
        messages=(unsigned, promptwire.user("on")),
        options=promptwire.Options(max_tokens=9),
    )
    with pytest.raises(promptwire.errors.NoPlace, match="signature"):
        promptwire.anthropic_messages.build(request)
