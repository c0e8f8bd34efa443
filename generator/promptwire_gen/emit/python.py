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


def made_once(make: Callable[P, NodeT]) -> Callable[P, NodeT]:
    """Make each node once: nodes never change, so equal ones of all wires are one, which is also printed once."""
    return cast("Callable[P, NodeT]", lru_cache(maxsize=MOST_NODES)(make))


_NO_SPACE = cst.SimpleWhitespace("")
_DOT = cst.Dot(_NO_SPACE, _NO_SPACE)
_EQUAL = cst.AssignEqual(_NO_SPACE, _NO_SPACE)
_LEFT_BRACE, _RIGHT_BRACE = cst.LeftCurlyBrace(_NO_SPACE), cst.RightCurlyBrace(_NO_SPACE)


@made_once
def name(identifier: str) -> cst.Name:
    """Refer to a variable or function of generated code."""
    if not identifier.isidentifier() or keyword.iskeyword(identifier):
        raise ValueError(f"{identifier!r} cannot name anything in Python")
    return cst.Name(identifier)


@made_once
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


@made_once
def _word(text: str) -> cst.Name:
    return cst.Name(text)


@made_once
def _string(text: str) -> cst.SimpleString:
    return cst.SimpleString(quoted(text))


def quoted(text: str) -> str:
    """Write text as a Python string literal in double quotes where that needs no escaping."""
    shown = repr(text)
    if shown[0] == "'" and '"' not in text and "\\'" not in shown:
        return f'"{shown[1:-1]}"'
    return shown


@made_once
def _element(value: Expression) -> cst.Element:
    return cst.Element(value)


@made_once
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


@made_once
def call(function: str, *arguments: Expression, **named: Expression) -> Expression:
    """`function(argument, name=argument)`; the function may be dotted."""
    return _called(_dotted(function), arguments, named)


@made_once
def method(subject: Expression, function: str, *arguments: Expression) -> Expression:
    """`subject.function(argument)`."""
    return _called(attribute(subject, function), arguments, {})


@made_once
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


@made_once
def _argument(value: Expression, key: str | None = None) -> cst.Arg:
    return cst.Arg(
        value,
        keyword=name(key) if key else None,
        equal=_EQUAL if key else cst.MaybeSentinel.DEFAULT,
        whitespace_after_star=_NO_SPACE,
        whitespace_after_arg=_NO_SPACE,
    )


@made_once
def item(subject: Expression, key: str) -> Expression:
    """`subject["key"]`."""
    return cst.Subscript(subject, [cst.SubscriptElement(cst.Index(literal(key)))])


@made_once
def at(subject: Expression, index: int) -> Expression:
    """`subject[0]`."""
    return cst.Subscript(subject, [cst.SubscriptElement(cst.Index(literal(index)))])


@made_once
def bound(variable: str, value: Expression) -> Expression:
    """`(variable := value)`."""
    return cst.NamedExpr(name(variable), value, lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def lookup(subject: str, keys: Sequence[str]) -> Expression:
    """`subject.get("key", subject.get("synonym"))`."""
    first, *others = keys
    if others:
        return call(f"{subject}.get", literal(first), lookup(subject, others))
    return call(f"{subject}.get", literal(first))


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
