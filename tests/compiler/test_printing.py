"""Our printer prints what libcst prints, and what Python reads as the same code."""

from __future__ import annotations

import ast

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptwire_gen.emit import conditions
from promptwire_gen.emit import python as py
from promptwire_gen.emit.printing import code
from promptwire_gen.emit.python import Expression

names = st.sampled_from(["part", "found", "request", "value"]).map(py.name)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
plain = st.none() | st.booleans() | st.integers() | texts | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=6)
leaves = names | values.map(py.literal)


def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """Every expression that the compiler makes of smaller ones; brackets as it would put them."""
    some = st.lists(inner.map(conditions.bracketed), min_size=1, max_size=3)
    one = inner.map(conditions.bracketed)
    return st.one_of(
        some.map(lambda items: py.call("reader.text", *items[:2], named=items[-1])),
        some.map(lambda items: py.method(items[0], "get", *items[1:])),
        some.map(py.listing),
        some.map(py.tuple_of),
        some.map(py.unpacked),
        some.map(lambda items: py.display((f"key{index}", item) for index, item in enumerate(items))),
        some.map(lambda items: conditions.all_of(items) or items[0]),
        some.map(lambda items: conditions.any_of(items) or items[0]),
        some.map(lambda items: conditions.is_one_of(items[0], items)),
        st.tuples(one, one, one).map(lambda three: conditions.conditional(*three)),
        st.tuples(one, texts).map(lambda two: py.item(*two)),
        st.tuples(one, st.integers(0, 3)).map(lambda two: py.at(*two)),
        st.tuples(one, one).map(lambda two: conditions.either(*two)),
        st.tuples(one, one).map(lambda two: conditions.is_the(*two)),
        st.tuples(one, one).map(lambda two: conditions.differs(*two)),
        some.map(lambda items: conditions.is_none_of(items[0], items)),
        st.tuples(one, st.integers(0, 9)).map(lambda two: conditions.at_most(*two)),
        st.tuples(one, texts).map(lambda two: conditions.contains(two[1], two[0])),
        one.map(conditions.is_given),
        one.map(conditions.negated),
        one.map(lambda value: py.bound("found", value)),
        one.map(lambda value: py.attribute(value, "text")),
        one.map(lambda value: conditions.has_type(value, "str")),
        one.map(lambda value: conditions.has_type(value, "str", "list")),
        names.map(lambda value: py.interpolation(["a {", '} "b'], [value])),
        st.tuples(one, one).map(lambda two: py.each(two[0], "row", two[1])),
        st.lists(texts, max_size=3).map(py.frozen_words),
    )


@settings(derandomize=True, deadline=None)
@given(st.recursive(leaves, larger, max_leaves=8))
def test_it_prints_what_libcst_prints(expression: Expression) -> None:
    ours, theirs = code(expression), cst.Module([]).code_for_node(expression)
    assert ast.dump(ast.parse(ours)) == ast.dump(ast.parse(theirs))


@pytest.mark.parametrize(
    "text",
    [
        "a < b",
        "lambda: 1",
        "[x for x in y if x]",
        "a[1:2]",
        "f(*a, **b)",
        "{**a}",
        "a + b",
        "~a",
        "a not in b",
        "a.b[c, d]",
    ],
)
def test_other_kinds_of_code_go_to_libcst(text: str) -> None:
    assert ast.dump(ast.parse(code(cst.parse_expression(text)))) == ast.dump(ast.parse(text))


@settings(derandomize=True, deadline=None)
@given(values)
def test_a_literal_has_the_text_of_its_nodes(value: object) -> None:
    assert py.literal_text(value) == code(py.literal(value))
