"""Python expressions as libcst nodes. Every value that comes from a spec passes through `literal`."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import libcst as cst

from .printing import MOST_NODES, code

Expression: TypeAlias = cst.BaseExpression
# a statement is one line of code, or a header with an indented block below it
Statement: TypeAlias = "str | tuple[str, list[Statement]]"

P = ParamSpec("P")
NodeT = TypeVar("NodeT")


def _shared(make: Callable[P, NodeT]) -> Callable[P, NodeT]:
    """Make each node once: nodes never change, so equal ones of all wires are one, which is also printed once."""
    return cast("Callable[P, NodeT]", lru_cache(maxsize=MOST_NODES)(make))


_NO_SPACE = cst.SimpleWhitespace("")
_DOT = cst.Dot(_NO_SPACE, _NO_SPACE)
_EQUAL = cst.AssignEqual(_NO_SPACE, _NO_SPACE)
_IS, _IS_NOT, _IN, _EQUALS, _NOT = cst.Is(), cst.IsNot(), cst.In(), cst.Equal(), cst.Not()
_AND, _OR = cst.And(), cst.Or()
_LEFT_BRACE, _RIGHT_BRACE = cst.LeftCurlyBrace(_NO_SPACE), cst.RightCurlyBrace(_NO_SPACE)


@_shared
def name(identifier: str) -> cst.Name:
    """Refer to a variable or function of generated code."""
    if not identifier.isidentifier() or keyword.iskeyword(identifier):
        raise ValueError(f"{identifier!r} cannot name anything in Python")
    return cst.Name(identifier)


@_shared
def attribute(subject: Expression, identifier: str) -> Expression:
    """`subject.identifier`."""
    return cst.Attribute(subject, name(identifier), _DOT)


def literal(value: Any) -> Expression:
    """Write any JSON value as a literal node; nothing in it can become code."""
    match value:
        case str():
            return _string(value)
        case None | True | False:
            return _word(str(value))
        case int() if value >= 0:
            return cst.Integer(str(value))
        case float() if value >= 0:
            return (
                cst.Float(repr(value))
                if "e" in repr(value) or "." in repr(value)
                else cst.Integer(repr(value))
            )
        case int() | float():
            return cst.UnaryOperation(cst.Minus(), literal(-value))
        case dict():
            return display(
                [(str(key), literal(below)) for key, below in cast("dict[str, Any]", value).items()]
            )
        case list() | tuple():
            return listing([literal(below) for below in cast("Sequence[Any]", value)])
        case _:
            raise TypeError(f"{type(value).__name__} is no JSON value")


def literal_text(value: Any) -> str:
    """The text of a literal: what printing the nodes of `literal` gives, for values of any size."""
    match value:
        case str():
            return quoted(value)
        case dict():
            rows = cast("dict[str, Any]", value).items()
            return f"{{{', '.join([f'{quoted(str(key))}: {literal_text(below)}' for key, below in rows])}}}"
        case list() | tuple():
            return f"[{', '.join([literal_text(below) for below in cast('Sequence[Any]', value)])}]"
        case _:
            return code(literal(value))


@_shared
def _word(text: str) -> cst.Name:
    return cst.Name(text)


@_shared
def _string(text: str) -> cst.SimpleString:
    return cst.SimpleString(quoted(text))


def quoted(text: str) -> str:
    """Write text as a Python string literal in double quotes where that needs no escaping."""
    shown = repr(text)
    if shown[0] == "'" and '"' not in text and "\\'" not in shown:
        return f'"{shown[1:-1]}"'
    return shown


@_shared
def _element(value: Expression) -> cst.Element:
    return cst.Element(value)


@_shared
def _entry(key: str, value: Expression) -> cst.DictElement:
    return cst.DictElement(
        literal(key), value, whitespace_before_colon=_NO_SPACE, whitespace_after_colon=_NO_SPACE
    )


def display(entries: Iterable[tuple[str, Expression]]) -> Expression:
    """`{"key": value, ...}`."""
    return cst.Dict([_entry(key, value) for key, value in entries], _LEFT_BRACE, _RIGHT_BRACE)


def listing(items: Iterable[Expression]) -> Expression:
    """`[item, ...]`."""
    return cst.List([_element(item) for item in items])


def unpacked(sources: Iterable[Expression]) -> Expression:
    """`(*source, *source)`."""
    return cst.Tuple([cst.StarredElement(source) for source in sources])


def tuple_of(items: Sequence[Expression]) -> Expression:
    """`(item, ...)`."""
    return cst.Tuple([_element(item) for item in items])


@_shared
def call(function: str, *arguments: Expression, **named: Expression) -> Expression:
    """`function(argument, name=argument)`; the function may be dotted."""
    return _called(_dotted(function), arguments, named)


@_shared
def method(subject: Expression, function: str, *arguments: Expression) -> Expression:
    """`subject.function(argument)`."""
    return _called(attribute(subject, function), arguments, {})


@_shared
def _dotted(function: str) -> Expression:
    first, *others = function.split(".")
    target: Expression = name(first)
    for other in others:
        target = attribute(target, other)
    return target


def _called(
    target: Expression, arguments: Sequence[Expression], named: Mapping[str, Expression]
) -> Expression:
    rows = [_argument(argument) for argument in arguments]
    rows += [_argument(value, key) for key, value in named.items()]
    return cst.Call(target, rows, whitespace_after_func=_NO_SPACE, whitespace_before_args=_NO_SPACE)


@_shared
def _argument(value: Expression, key: str | None = None) -> cst.Arg:
    return cst.Arg(
        value,
        keyword=name(key) if key else None,
        equal=_EQUAL if key else cst.MaybeSentinel.DEFAULT,
        whitespace_after_star=_NO_SPACE,
        whitespace_after_arg=_NO_SPACE,
    )


@_shared
def item(subject: Expression, key: str) -> Expression:
    """`subject["key"]`."""
    return cst.Subscript(subject, [cst.SubscriptElement(cst.Index(literal(key)))])


@_shared
def at(subject: Expression, index: int) -> Expression:
    """`subject[0]`."""
    return cst.Subscript(subject, [cst.SubscriptElement(cst.Index(literal(index)))])


def either(value: Expression, default: Expression) -> Expression:
    """`value or default`."""
    return _both(value, _OR, default)


@_shared
def bound(variable: str, value: Expression) -> Expression:
    """`(variable := value)`."""
    return cst.NamedExpr(name(variable), value, lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def lookup(subject: str, keys: Sequence[str]) -> Expression:
    """`subject.get("key", subject.get("synonym"))`."""
    first, *others = keys
    if others:
        return call(f"{subject}.get", literal(first), lookup(subject, others))
    return call(f"{subject}.get", literal(first))


@_shared
def is_given(value: Expression) -> Expression:
    """`value is not None`."""
    return cst.Comparison(value, [cst.ComparisonTarget(_IS_NOT, _word("None"))])


@_shared
def is_the(value: Expression, other: Expression) -> Expression:
    """`value is other`."""
    return cst.Comparison(value, [cst.ComparisonTarget(_IS, other)])


@_shared
def equals(value: Expression, other: Expression) -> Expression:
    """`value == other`."""
    return cst.Comparison(value, [cst.ComparisonTarget(_EQUALS, other)])


def is_one_of(value: Expression, others: Sequence[Expression]) -> Expression:
    """`value == other`, or `value in (other, another)`."""
    if len(others) == 1:
        return equals(value, others[0])
    return cst.Comparison(value, [cst.ComparisonTarget(_IN, tuple_of(others))])


@_shared
def negated(value: Expression) -> Expression:
    """`not value`."""
    return cst.UnaryOperation(_NOT, value)


@_shared
def differs(value: Expression, other: Expression) -> Expression:
    """`value != other`."""
    return cst.Comparison(value, [cst.ComparisonTarget(cst.NotEqual(), other)])


@_shared
def contains(key: str, subject: Expression) -> Expression:
    """`"key" in subject`."""
    return cst.Comparison(literal(key), [cst.ComparisonTarget(_IN, subject)])


def has_type(value: Expression, *types: str) -> Expression:
    """`type(value) is str`, or `type(value) in (str, list)`."""
    found = call("type", value)
    if len(types) == 1:
        return is_the(found, name(types[0]))
    return cst.Comparison(found, [cst.ComparisonTarget(_IN, tuple_of([name(t) for t in types]))])


def all_of(tests: Sequence[Expression]) -> Expression | None:
    """`a and b`; None when there is nothing to test."""
    return _joined(_AND, [_or_bracketed(test) for test in tests] if len(tests) > 1 else tests)


def any_of(tests: Sequence[Expression]) -> Expression | None:
    """`a or b`; None when there is nothing to test."""
    return _joined(_OR, tests)


def _or_bracketed(test: Expression) -> Expression:
    """Put brackets around an `or` that becomes part of an `and`."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.Or) and not test.lpar:
        return bracketed(test)
    return test


@_shared
def bracketed(value: Expression) -> Expression:
    """`(value)`."""
    return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _joined(operator: cst.BaseBooleanOp, tests: Sequence[Expression]) -> Expression | None:
    joined: Expression | None = None
    for test in tests:
        joined = test if joined is None else _both(joined, operator, test)
    return joined


@_shared
def _both(left: Expression, operator: cst.BaseBooleanOp, right: Expression) -> Expression:
    return cst.BooleanOperation(left, operator, right)


@_shared
def conditional(test: Expression, then: Expression, otherwise: Expression) -> Expression:
    """`then if test else otherwise`."""
    return cst.IfExp(test=test, body=then, orelse=otherwise)


def interpolation(texts: Sequence[str], values: Sequence[Expression]) -> Expression:
    """An f-string of text and values in turn."""
    parts: list[cst.BaseFormattedStringContent] = []
    for index, text in enumerate(texts):
        if text:
            escaped = text.encode("unicode_escape").decode().replace('"', '\\"')
            parts.append(cst.FormattedStringText(escaped.replace("{", "{{").replace("}", "}}")))
        if index < len(values):
            parts.append(cst.FormattedStringExpression(values[index]))
    return cst.FormattedString(parts, start='f"')


def each(
    element: Expression, variable: str, source: Expression, test: Expression | None = None
) -> Expression:
    """`[element for variable in source]`."""
    ifs = [cst.CompIf(test)] if test is not None else []
    return cst.ListComp(element, cst.CompFor(name(variable), source, ifs))


def frozen_words(words: Iterable[str | bool]) -> Expression:
    """`frozenset({...})`, empty without braces."""
    return _frozen([literal(word) for word in words])


def frozen_pairs(pairs: Iterable[tuple[str, str]]) -> Expression:
    """`frozenset({(..., ...), ...})`, empty without braces."""
    return _frozen([tuple_of([literal(first), literal(second)]) for first, second in pairs])


def _frozen(items: Sequence[Expression]) -> Expression:
    rows = [_element(item) for item in items]
    return call("frozenset", cst.Set(rows, _LEFT_BRACE, _RIGHT_BRACE)) if rows else call("frozenset")


def lines(statements: Sequence[Statement], depth: int = 0) -> str:
    """Lay statements out with four spaces a level."""
    out: list[str] = []
    _lay_out(statements, "    " * depth, out)
    return "\n".join(out)


def _lay_out(statements: Sequence[Statement], indent: str, out: list[str]) -> None:
    for statement in statements:
        if isinstance(statement, str):
            out.append(indent + statement)
        else:
            header, block = statement
            out.append(indent + header)
            _lay_out(block or ["pass"], indent + "    ", out)
