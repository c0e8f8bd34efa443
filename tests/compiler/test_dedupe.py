"""A dialect's module leaves out definitions whose text equals the parent's, if all that they name is inherited too."""

from __future__ import annotations

import pytest

from tests.internals.compiler import CUT, dedupe, split_definitions

PARENT = {
    "ROW": 'ROW = Row("a b")',
    "write_a": 'def write_a(part, build):\n    """Write a (old.yaml:1)."""\n    return ROW',
    "write_b": 'def write_b(part, build):\n    """Write b."""\n    # as write_a does\n    return {"b": part.b}',
    "Body": 'class Body(TypedDict):\n    """A body, beside write_a."""\n\n    key: str',
    "TABLE": 'TABLE = {\n    "a": write_a,\n    "b": write_b,\n}',
}
CASES: list[tuple[str, dict[str, str], set[str]]] = [
    ("the same", {}, {"ROW", "write_a", "write_b", "Body", "TABLE"}),
    (
        "other docstrings and comments",
        {"write_a": PARENT["write_a"].replace("old.yaml:1", "new.yaml:9"), "write_b": PARENT["write_b"].replace("as ", "like ")},
        {"ROW", "write_a", "write_b", "Body", "TABLE"},
    ),
    ("another row", {"ROW": 'ROW = Row("a")'}, {"write_b", "Body"}),
    ("another function", {"write_b": PARENT["write_b"].replace("part.b", "1")}, {"ROW", "write_a", "Body"}),
    ("a text that looks like a docstring", {"write_a": PARENT["write_a"].replace("return ROW", 'return """ROW"""')}, {"ROW", "write_b", "Body"}),
    ("a new name", {"write_c": "write_c = constant(ROW)"}, {"ROW", "write_a", "write_b", "Body", "TABLE"}),
]  # fmt: skip


def text(pieces: dict[str, str]) -> str:
    """The text of a module as a template gives it."""
    return "".join([f"\n\n{piece}\n{CUT}" for piece in pieces.values()])


@pytest.mark.parametrize(("own", "inherited"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_dialect_inherits_what_is_the_same_with_all_that_it_names(
    own: dict[str, str], inherited: set[str]
) -> None:
    parent = dedupe("parent", split_definitions(text(PARENT)), None)
    child = dedupe("child", split_definitions(text(PARENT | own)), parent)
    assert child.inherited_names == inherited
    assert [each.name for each in child.own_definitions] == [
        name for name in PARENT | own if name not in inherited
    ]


def test_what_stands_in_the_grandparents_module_is_imported_from_there() -> None:
    oldest = dedupe("oldest", split_definitions(text(PARENT)), None)
    middle = dedupe("middle", split_definitions(text(PARENT | {"write_b": "write_b = None"})), oldest)
    child = dedupe(
        "child", split_definitions(text(PARENT | {"write_b": "write_b = None", "ROW": "ROW = None"})), middle
    )
    assert {home.wire: home.names for home in child.group_by_wire(child.inherited_names)} == {
        "oldest": ("Body",),
        "middle": ("write_b",),
    }
    # of these, only what its own definitions name
    assert {home.wire: home.names for home in child.find_imports(child.own_definitions)} == {
        "middle": ("write_b",)
    }
