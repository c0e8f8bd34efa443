"""The neutral model has one source: its files are checked, and classes, table, loader and page say what they say."""

from __future__ import annotations

import re
import shutil
from dataclasses import fields
from inspect import signature
from typing import Any

import pytest

import promptwire
from tests.checkout import ROOT
from tests.internals.compiler import (
    FOLDER,
    MODULES,
    SHARED,
    NodeClass,
    SpecError,
    neutral,
    read_model,
    read_neutral_model,
)
from tests.internals.runtime import kind_words, neutral_fields, options, parts, request, tools, wire_memory

CLASSES: dict[str, Any] = {
    name: cls
    for module in (wire_memory, parts, tools, options, request)
    for name, cls in vars(module).items()
    if isinstance(cls, type) and not name.startswith("_")
}
NODES = list(read_neutral_model().nodes.values())
PAGE = (ROOT / "generated" / "REFERENCE.md").read_text("utf-8")


def texts() -> dict[str, str]:
    return {name: (FOLDER / f"{name}.yaml").read_text("utf-8") for name in (SHARED, *MODULES)}


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.name)
def test_a_class_has_the_fields_of_its_source(node: NodeClass) -> None:
    cls = CLASSES[node.name]
    taken = signature(cls).parameters
    assert list(taken) == [field.name for field in node.fields]
    for field in node.fields:
        parameter = taken[field.name]
        assert (parameter.kind is parameter.KEYWORD_ONLY) is field.keyword
        assert (parameter.default is parameter.empty) is field.declaration.required
        assert parameter.annotation == field.takes
        assert re.search(rf"^ +(\w+, )*{field.name}(, \w+)*: ", cls.__doc__, re.MULTILINE)
    assert {field.name for field in fields(cls) if field.init} == {field.name for field in node.fields}


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.name)
def test_files_and_the_page_have_the_fields_of_its_source(node: NodeClass) -> None:
    keys = {each.name: each.key for each in neutral_fields(CLASSES[node.name])}
    assert keys == {field.name: field.called for field in node.fields}
    section = PAGE.split(f"\n### {node.name}\n")[1].split("\n##")[0]
    rows = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert rows == [field.name for field in node.fields]


def test_kinds_are_the_same_in_specs_and_in_files() -> None:
    assert kind_words.PART_KINDS.keys() - {"opaque"} == neutral.PARTS.keys()
    assert kind_words.TOOL_KINDS.keys() - {"opaque"} == neutral.TOOLS.keys()
    assert kind_words.CALLED == {"parts": "content"}


def test_the_page_says_where_a_field_has_a_place() -> None:
    (row,) = [line for line in PAGE.splitlines() if line.startswith("| `max_tokens` |")]
    assert "In tokens, at least -2." in row
    (row,) = [line for line in PAGE.splitlines() if line.startswith("| `min_p` |")]
    for wire in promptwire.WIRES:
        carried = "min_p" in getattr(promptwire, wire).WIRE.capabilities["options"]
        assert (f"`{wire}`" in row) is carried


BROKEN = [
    ("text", "  Text:\n", "  Text:\n    fancy: true\n", 'unknown-key: "fancy" is not a key of Text'),
    ("text", "plain: not is_blank(text)", "plain: not is_blank(txet)", '"txet" is not a field of Text'),
    ("text", "doc: The text.}", "}", 'lacks "doc"'),
    ("text", "text: {type: str, required", "text: {type: txt, required", '"txt" is not a value of'),
    ("media", "sources: [url,", "sources: [urll,", '"urll" is not a field of Image'),
    ("tools", "shares: [cache,", "shares: [cash,", '"cash" is not a shared field'),
    ("tools", "base: Part", "base: Prat", '"Prat" is not a class'),
    ("options", "type: int\n", "type: str\n", "the least number is one of an int"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "said"), BROKEN, ids=[row[3] for row in BROKEN])
def test_a_mistake_in_a_file_has_its_place(file: str, old: str, new: str, said: str) -> None:
    broken = texts()
    assert old in broken[file]
    line = broken[file][: broken[file].index(old)].count("\n") + 1
    broken[file] = broken[file].replace(old, new, 1)
    with pytest.raises(SpecError) as error:
        read_model(broken)
    assert said in str(error.value)
    found = error.value.problems[0].span
    assert found.file == f"neutral/{file}.yaml"
    assert line <= found.line <= line + 2 or said.startswith(("lacks", "the least"))


def test_the_classes_are_restored_by_a_build(tmp_path: Any) -> None:
    from tests.internals.compiler import Layout, compare, compile_project, write

    runtime = tmp_path / "runtime" / "promptwire_runtime"
    runtime.mkdir(parents=True)
    layout = Layout(tmp_path, ROOT / "provider_specs", ROOT / "templates", tmp_path / "generated")
    assert layout.model is not None
    files = compile_project(layout, wires=["openai_chat"], plugins=()).files
    write(files, layout.output, model=layout.model)
    made = {path.name: path.read_text("utf-8") for path in layout.model.glob("*.py")}
    ours = ROOT / "runtime" / "promptwire_runtime" / "model"
    assert made == {path.name: path.read_text("utf-8") for path in ours.glob("*.py")}
    shutil.rmtree(layout.model)
    assert len(compare(files, layout.output, model=layout.model).missing) == len(made)
    (layout.model).mkdir()
    (layout.model / "own.py").write_text("x = 1\n", "utf-8")
    assert compare(files, layout.output, model=layout.model).foreign == (
        "../runtime/promptwire_runtime/model/own.py",
    )
    assert Layout(tmp_path / "user", tmp_path, tmp_path, tmp_path).model is None
