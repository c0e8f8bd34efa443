"""The table of readers: which shapes are tried for an element, and a dialect's table as its parent's with changes."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tests.internals.runtime import REMOVED, Choice, MemoryWords, Readers, Shape


class Kept:
    """Stands for the state of a reading: it keeps what no shape knows."""

    def opaque(self, value: Any, place: str) -> Any:
        return ("opaque", value, place)


def reads(name: str, key: str = "") -> Shape:
    """A shape that takes any element, or objects with a key."""
    return Shape(lambda item, _reader: None if key and key not in item else (name, item))


SHAPES = {
    "a": reads("a", "x"),
    "b": reads("b"),
    "c": reads("c"),
    "word": reads("word"),
    "rest": reads("rest"),
}
CHOICE = Choice(
    "kind",
    {"one": "a b", "two": "c"},
    others="rest",
    words={"auto": "word"},
    values="c",
    place="content",
)


WRITERS = object()


def writing(**functions: Any) -> ModuleType:
    """A module that writes."""
    module = ModuleType("writing")
    vars(module).update(functions)
    return module


def table(**changes: Any) -> Readers:
    """A table of which only shapes and choices matter."""
    stated: dict[str, Any] = {
        "words": MemoryWords(frozenset({"k"}), frozenset({"c"})),
        "body": lambda _body, _reader: {},
        "shapes": SHAPES,
        "choices": {"user": CHOICE},
        "messages": {"user": len},
        "writing": writing(WRITERS=None),
    }
    return Readers(**stated | changes)


@pytest.mark.parametrize(
    ("item", "without", "expected"),
    [
        ({"kind": "one", "x": 1}, (), "a"),
        ({"kind": "one"}, (), "b"),
        ({"kind": "one"}, ("b",), "opaque"),
        ({"kind": "one"}, ("a", "b"), "rest"),
        ({"kind": "one"}, ("a", "b", "rest"), "opaque"),
        ({"kind": "two"}, (), "c"),
        ({"kind": "three"}, (), "rest"),
        ({"kind": ["one"]}, (), "rest"),
        ({}, (), "rest"),
        ("auto", (), "word"),
        ("auto", ("word",), "c"),
        ("other", (), "c"),
        ("other", ("c",), "opaque"),
        (3, (), "c"),
        ([], (), "c"),
        (None, ("c",), "opaque"),
    ],
)
def test_an_element_is_the_first_of_its_shapes_that_are_there(
    item: Any, without: tuple[str, ...], expected: str
) -> None:
    parent = table()
    read = parent.changed(shapes=dict.fromkeys(without, REMOVED)).elements["user"]
    name, value, *place = read(item, Kept())
    assert (name, value) == (expected, item)
    assert place == (["content"] if expected == "opaque" else [])
    # the parent's own table is as it was
    assert set(parent.shapes) == set(SHAPES)


def test_what_no_place_keeps_is_nothing() -> None:
    read = table(choices={"tool_choice": Choice(words={"auto": "word"})}).elements["tool_choice"]
    assert read("auto", Kept()) == ("word", "auto")
    assert read("other", Kept()) is None


def test_a_tool_of_a_wire_without_tools_is_kept() -> None:
    assert table().elements["tools"]({"n": 1}, Kept()) == ("opaque", {"n": 1}, "tools")


def test_an_item_of_its_own_knows_the_role_of_its_turn() -> None:
    shapes = {"result": Shape(lambda item, _reader: item.get("r"), alone="tool"), "a": SHAPES["a"]}
    read = table(shapes=shapes, choices={"messages": Choice(others="result a")}).elements["messages"]
    assert read({"r": 1}, Kept()) == ("tool", 1)
    assert read({"x": 1}, Kept()) is None


def test_a_patch_adds_rows_and_removes_some() -> None:
    def written(node: Any, _build: Any) -> Any:
        return node

    own = reads("own")
    child = table().changed(
        shapes={"a": own, "new": own},
        writing=writing(WRITERS=WRITERS, write_a=written),
        choices={"user": REMOVED, "system": Choice(others="new")},
        messages={"user": REMOVED, "tool": repr},
        model=("id",),
        marks=True,
    )
    assert child.elements["system"]({}, Kept()) == ("own", {})
    assert child.shapes["a"].read is own.read
    assert {*child.shapes} == {*SHAPES, "new"}
    assert child.writing is WRITERS
    assert child.writers == {"a": written}
    assert {*child.choices} == {"system"}
    assert {*child.messages} == {"tool"}
    assert (child.model, child.needs, child.marks, child.groups) == (("id",), (), True, False)
    grandchild = child.changed(shapes={"new": REMOVED})
    assert grandchild.marks
    assert grandchild.writing is WRITERS
    assert grandchild.writers == {"a": written}
    assert {*grandchild.messages} == {"tool"}
    assert grandchild.elements["system"]({}, Kept()) is None


def test_words_are_those_of_another_with_some_less_and_some_more() -> None:
    words = MemoryWords(
        frozenset({"a", "b"}), frozenset({"c"}), frozenset({("s", "t")}), frozenset({("e", "f")})
    )
    assert words.without(keys={"a"}, aliases={("s", "t")}).plus(
        keys={"z"}, echoes={("g", "h")}
    ) == MemoryWords(
        frozenset({"b", "z"}), frozenset({"c"}), frozenset(), frozenset({("e", "f"), ("g", "h")})
    )


def test_shapes_whose_key_is_not_there_are_not_tried() -> None:
    tried: list[str] = []

    def shape(name: str, needs: str) -> Shape:
        def read(item: Any, _reader: Any) -> Any:
            tried.append(name)
            return name if not needs or item.get(needs) == 1 else None

        return Shape(read, needs=needs)

    shapes = {
        name: shape(name, needs) for name, needs in zip("abcdef", ["x", "y", "x", "z", "y", ""], strict=True)
    }
    needs = {name: row.needs for name, row in shapes.items() if row.needs}
    read = Choice(others=" ".join(shapes)).reading({name: row.read for name, row in shapes.items()}, needs)
    rows = [
        ({"x": 1}, "a", "a"),
        ({"y": 2}, "f", "bef"),
        ({"q": 1}, "f", "f"),
        ({}, "f", "f"),
        ({"z": 1, "x": 2}, "d", "acd"),
    ]
    for item, found, order in rows:
        tried.clear()
        assert (read(item, None), "".join(tried)) == (found, order)
