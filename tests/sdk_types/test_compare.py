"""Two sides of a body compared: what is known, kept and missing, where, and what alternatives are taken for each other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.internals.compiler import (
    ANY,
    Kind,
    ListKind,
    MappingKind,
    RecordKey,
    RecordKind,
    by_path,
    compare_kinds as compare,
    nowhere,
)


def kind(*shapes: Any) -> Kind:
    """Make a kind of plain data: a list is one of any of its elements, `{"type!": "a|b"}` has words, `...` is open."""
    return tuple(row for shape in shapes for row in alternatives(shape))


def alternatives(shape: Any) -> Kind:
    match shape:
        case dict():
            keys = {
                name.removesuffix("!"): key(name, value) for name, value in shape.items() if name != "..."
            }
            return (RecordKind("An" + "".join(keys).title(), lambda: keys, "..." in shape),)
        case list():
            return (ListKind(kind(*shape)),)
        case tuple():
            return kind(*shape)
        case {**values}:
            return (MappingKind(kind(*values.values())),)
        case "any":
            return ANY
        case _:
            return ()


def key(name: str, value: Any) -> RecordKey:
    words = tuple(value.split("|")) if isinstance(value, str) and value != "any" else ()
    return RecordKey(kind(value), words, name.endswith("!"))


def states(theirs: Any, ours: Any) -> dict[str, str]:
    return {row.path: row.state for row in by_path(compare(kind(theirs), kind(ours)))}


TEXT = {"type!": "text", "text": None}
IMAGE = {"type!": "image", "url": {"href": None, "size": None}}


@pytest.mark.parametrize(
    ("theirs", "ours", "expected"),
    [
        ({"a": None, "b": None}, {"a": None}, {"a": "known", "b": "missing"}),
        # what a hole takes whole is kept with all that is inside
        ({"a": {"b": [{"c": None}]}}, {"a": "any"}, {"a": "known", "a.b": "kept", "a.b[].c": "kept"}),
        ({"a": {"t!": "x", "b": None}}, {"a": {"t!": "x", "...": 1}}, {"a": "known", "a.t": "known", "a.b": "kept"}),
        # a missing object has no keys
        ({"a": {"b": None}}, {}, {"a": "missing", "a.b": "missing"}),
        ({"a": {"b": None}}, {"a": None}, {"a": "known", "a.b": "missing"}),
        # alternatives are told apart by their words
        (
            {"p": [TEXT, IMAGE]},
            {"p": [TEXT, {"type!": "image", "url": {"href!": None}}]},
            {
                "p": "known", "p[text].type": "known", "p[text].text": "known", "p[image].type": "known",
                "p[image].url": "known", "p[image].url.href": "known", "p[image].url.size": "missing",
            },
        ),
        # one that takes any key is meant only where no other is
        (
            {"t": [{"type!": "f", "a": None}, {"type!": "g", "a": None}]},
            {"t": [{"type!": "f"}, {"type!": "*", "...": 1}]},
            {"t": "known", "t[f].type": "known", "t[f].a": "missing", "t[g].type": "known", "t[g].a": "kept"},
        ),
        # so is a hole that takes anything
        ({"a": {"b!": None, "c": None}}, {"a": ({"b!": None}, "any")}, {"a": "known", "a.b": "known", "a.c": "missing"}),
        ({"a": {"c": None}}, {"a": ({"b!": None}, {"d!": None}, "any")}, {"a": "known", "a.c": "kept"}),
        # several of one side may be one of the other
        ({"p": [{"a": None, "b": None}]}, {"p": [{"a!": None}, {"b!": None}]}, {"p": "known", "p[].a": "known", "p[].b": "known"}),
        # without words, the name of the type tells
        ({"x": ({"a": None}, {"b": None})}, {"x": {"a": None}}, {"x": "known", "x(AnA).a": "known", "x(AnB).b": "missing"}),
        # one of each side is meant, whatever it lacks, unless words disagree
        ({"x": {"a": None}}, {"x": {"b!": None, "a": None}}, {"x": "known", "x.a": "known"}),
        ({"x": {"t!": "u", "a": None}}, {"x": {"t!": "v", "a": None}}, {"x": "known", "x.t": "missing", "x.a": "missing"}),
    ],
)  # fmt: skip
def test_every_field_has_a_state(theirs: Any, ours: Any, expected: dict[str, str]) -> None:
    assert states(theirs, ours) == expected


def test_the_outermost_of_what_is_missing_is_named_with_what_may_be_meant() -> None:
    fields = compare(
        kind({"a": {"max_tokns": {"b": None}}, "p": [TEXT, IMAGE]}),
        kind({"a": {"max_tokens": None}, "p": [TEXT]}),
    )
    assert {row.path: (row.top, row.near) for row in fields if row.state == "missing"} == {
        "a.max_tokns": ("a.max_tokns", "max_tokens"),
        "a.max_tokns.b": ("a.max_tokns", ""),
        "p[image].type": ("p[image]", ""),
        "p[image].url": ("p[image]", ""),
        "p[image].url.href": ("p[image]", ""),
        "p[image].url.size": ("p[image]", ""),
    }


def test_a_type_inside_of_itself_is_not_entered() -> None:
    keys: dict[str, RecordKey] = {"name": RecordKey(())}
    schema = RecordKind("Schema", lambda: keys)
    keys["inner"] = RecordKey((ListKind((schema,)),))
    assert [row.path for row in compare((schema,), (schema,))] == ["name", "inner"]


def test_a_field_that_one_of_several_lacks_is_missing() -> None:
    theirs = [
        {"type!": "m", "role!": "u", "a": None},
        {"type!": "m", "role!": "v", "a": None},
        {"type!": "n"},
    ]
    ours = [{"type!": "m", "role!": "u", "a": None}, {"type!": "m", "role!": "v"}]
    assert states({"x": theirs}, {"x": ours}) == {
        "x": "known", "x[m].type": "known", "x[m].role": "known", "x[m].a": "missing", "x[n].type": "missing",
    }  # fmt: skip
    assert states({"x": theirs[::-1]}, {"x": ours})["x[m].a"] == "missing"


def test_a_key_is_gone_where_the_other_side_has_it_nowhere() -> None:
    part = kind({"a": None, "b": None, "c": None})
    ours = (RecordKind("body", lambda: {"x": RecordKey(part), "y": RecordKey(part)}),)
    fields = compare(ours, kind({"x": {"a": None}, "y": {"b": None}}))
    assert [row.path for row in nowhere(fields)] == ["x.c"]


SHAPES = st.recursive(
    st.sampled_from([None, "any", "w"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(["a", "b!", "c", "type!"]), inner, max_size=3),
    ),
    max_leaves=12,
)


@given(SHAPES)
def test_each_side_knows_itself(shape: Any) -> None:
    same = kind({"x": shape})
    assert {row.state for row in compare(same, same)} <= {"known"}


@given(SHAPES)
def test_nothing_knows_nothing_and_any_json_keeps_all(shape: Any) -> None:
    assert set(states({"x": shape}, {}).values()) == {"missing"}
    inside = {path: state for path, state in states({"x": shape}, {"x": "any"}).items() if path != "x"}
    assert set(inside.values()) <= {"kept"}
