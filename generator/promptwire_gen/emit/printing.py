"""The text of an expression: what libcst would print for the nodes that the compiler makes, in a tenth of the time.

libcst keeps the whitespace of code that people wrote, and asks every node for its own. Ours have none: ruff lays the
code out. Nodes of other kinds, and tests that compare, go to libcst.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import libcst as cst

_EMPTY_MODULE = cst.Module([])
# of each sort that are remembered: those of all wires are a tenth of it
MOST_NODES = 1 << 17


@lru_cache(maxsize=MOST_NODES)
def code(expression: cst.CSTNode) -> str:
    """Give the text of an expression; its layout is not fixed before ruff has formatted it."""
    printer = _PRINTERS.get(type(expression))
    if printer is None:
        return _EMPTY_MODULE.code_for_node(expression)
    text = printer(expression)
    brackets = getattr(expression, "lpar", None)
    return "(" * len(brackets) + text + ")" * len(brackets) if brackets else text


def _value(node: Any) -> str:
    return str(node.value)


def _attribute(node: Any) -> str:
    subject = node.value
    return f"{subject.value if type(subject) is cst.Name else code(subject)}.{node.attr.value}"


def _starred(node: Any) -> str:
    return f"*{code(node.value)}"


def _items(nodes: Any) -> str:
    return ", ".join([code(node.value) if type(node) is cst.Element else code(node) for node in nodes])


def _listing(node: Any) -> str:
    return f"[{_items(node.elements)}]"


def _tuple(node: Any) -> str:
    return _items(node.elements) + ("," if len(node.elements) == 1 else "")


def _braced(node: Any) -> str:
    return f"{{{_items(node.elements)}}}"


def _entry(node: Any) -> str:
    return f"{code(node.key)}: {code(node.value)}"


def _call(node: Any) -> str:
    return f"{code(node.func)}({', '.join([_argument(argument) for argument in node.args])})"


def _argument(node: Any) -> str:
    keyword = node.keyword
    return f"{node.star}{keyword.value}={code(node.value)}" if keyword else node.star + code(node.value)


def _subscript(node: Any) -> str:
    return f"{code(node.value)}[{_items([row.slice for row in node.slice])}]"


def _comparison(node: Any) -> str:
    rows = [f" {code(row.operator)} {code(row.comparator)}" for row in node.comparisons]
    return code(node.left) + "".join(rows)


def _boolean(node: Any) -> str:
    return f"{code(node.left)} {code(node.operator)} {code(node.right)}"


def _unary(node: Any) -> str:
    return f"{code(node.operator)} {code(node.expression)}"


def _conditional(node: Any) -> str:
    return f"{code(node.body)} if {code(node.test)} else {code(node.orelse)}"


def _named(node: Any) -> str:
    return f"{code(node.target)} := {code(node.value)}"


def _always(text: str) -> Callable[[Any], str]:
    return lambda _: text


_PRINTERS: Mapping[type[cst.CSTNode], Callable[[Any], str]] = {
    cst.Name: _value,
    cst.SimpleString: _value,
    cst.Integer: _value,
    cst.Float: _value,
    cst.Attribute: _attribute,
    cst.Element: lambda node: code(node.value),
    cst.Index: lambda node: code(node.value),
    cst.StarredElement: _starred,
    cst.List: _listing,
    cst.Tuple: _tuple,
    cst.Set: _braced,
    cst.Dict: _braced,
    cst.DictElement: _entry,
    cst.Call: _call,
    cst.Arg: _argument,
    cst.Subscript: _subscript,
    cst.Comparison: _comparison,
    cst.BooleanOperation: _boolean,
    cst.UnaryOperation: _unary,
    cst.IfExp: _conditional,
    cst.NamedExpr: _named,
    cst.And: _always("and"),
    cst.Or: _always("or"),
    cst.Equal: _always("=="),
    cst.In: _always("in"),
    cst.Is: _always("is"),
    cst.IsNot: _always("is not"),
    cst.Not: _always("not"),
    cst.Minus: _always("-"),
}
