"""Writers of dialects: functions of the parent, also with tests for rules that the dialect does not have."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from promptwire import Document, Image, Options, Part, Request, user
from promptwire.errors import Refused
from tests.compiler.compiled import forget, load_dialects

PARENT = """
wire: strict_wire
title: Strict
transport: {method: POST, url: "https://strict.example/v1"}
instructions: {native: false}
continuation: {mode: resend}
body:
  model: $model
  seed?: $seed
  tools?: $tools
  messages: $messages
tools: {format: strict, choice: []}
slots: {content: list}
messages:
  user: {role: user, content: "$content[]"}
  assistant: {role: assistant, content: "$content[]"}
unions:
  tool:
    function: {name: $name, schema?: $parameters}
parts:
  text: {type: text, text: $text}
  image.data: {type: image, media: $media_type, data: $data}
  document.data: {type: page, media: $media_type, data: $data}
values:
  user.image.media_type: {enum: [image/png, image/jpeg], source: "its page, 2026-11"}
  user.document.media_type: {enum: [application/pdf], source: "its page, 2026-11"}
  seed: {minimum: 0, maximum: 9, source: "its page, 2026-11"}
  tools: {maxItems: 1, source: "its page, 2026-11"}
groups: {small: [small-*]}
models:
  user.image.media_type:
    small: {enum: [image/png, image/webp], source: "its page, 2026-11"}
"""
# it has no rules, and writes documents and tools otherwise
CHILD = """
extends: strict_wire
wire: free_wire
title: Free
unions:
  tool:
    function: {name: $name, parameters?: $parameters}
parts:
  document.data: {type: file, media: $media_type, data: $data}
values: null
groups: null
models: null
"""


@pytest.fixture(scope="module")
def wires(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    """The modules of parent and child."""
    specs = {"strict_wire": PARENT, "free_wire": CHILD}
    yield [*load_dialects(tmp_path_factory.mktemp("writers"), "inherited_writers", specs).values()]
    forget("inherited_writers")


def test_a_dialect_defines_only_what_it_writes_otherwise_without_tests_of_the_parent(
    wires: list[Any],
) -> None:
    parent, text = [(Path(wire.__file__).parent / "writing.py").read_text("utf-8") for wire in wires]
    functions = re.findall(r"^def (\w+)", text, re.MULTILINE)
    assert functions == ["write_part_document_data", "write_tool_function", "write_tools"]
    assert re.findall(r"build\.rules\.(check_\w+)", text) == ["check_names"]
    assert re.findall(r"build\.rules\.(check_\w+)", parent) == [
        "check_node",
        "check_node",
        "check_option",
        "check_names",
        "check_option",
    ]


@pytest.mark.parametrize(
    ("part", "seed"),
    [
        (Image(data="aGk=", media_type="image/bmp"), None),
        (Document(data="aGk=", media_type="text/csv"), None),
        (Image(data="aGk=", media_type="image/png"), 10),
    ],
)
def test_what_the_parent_refuses_the_dialect_writes(wires: list[Any], part: Part, seed: int | None) -> None:
    strict, free = wires
    request = Request("m", [user(part)], options=Options(seed=seed))
    with pytest.raises(Refused):
        strict.build(request)
    kind = "image" if isinstance(part, Image) else "file"
    item: dict[str, Any] = {"type": kind, "media": getattr(part, "media_type", None), "data": "aGk="}
    assert free.build(request).body == {
        "model": "m",
        **({} if seed is None else {"seed": seed}),
        "messages": [{"role": "user", "content": [item]}],
    }


def test_lists_of_what_is_accepted_are_one_test_of_what_all_of_them_accept(wires: list[Any]) -> None:
    strict = wires[0]
    text = (Path(strict.__file__).parent / "writing.py").read_text("utf-8")
    assert 'if part.media_type != "image/png":\n        build.rules.check_node(part)' in text
    built: dict[tuple[str, str], bool] = {}
    for model, kind in itertools.product(("small-1", "big-1"), ("png", "jpeg", "webp")):
        request = Request(model, [user(Image(data="aGk=", media_type=f"image/{kind}"))])
        try:
            content = strict.build(request).body["messages"][0]["content"]
            built[model, kind] = content == [{"type": "image", "media": f"image/{kind}", "data": "aGk="}]
        except Refused:
            pass
    assert built == {("small-1", "png"): True, ("big-1", "png"): True, ("big-1", "jpeg"): True}
