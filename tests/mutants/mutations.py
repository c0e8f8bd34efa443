"""Mistakes in the functions of a file: each replaces one piece of their syntax by another that compiles."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
# statements without which the rest still compiles
_LEFT_OUT = (ast.Expr, ast.AugAssign, ast.Delete, ast.Continue, ast.Break)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mistake: the function that has it, the lines of the statement around it, and that function's code."""

    file: Path
    function: str
    first_line: int
    lines: range
    before: str
    after: str
    code: CodeType

    @property
    def module(self) -> str:
        """Name the module to import."""
        parts = self.file.with_suffix("").parts
        return ".".join(parts[parts.index("runtime") + 1 :]).removesuffix(".__init__")

    def __str__(self) -> str:
        """Print place and change on one line."""
        return f"{self.file.name}:{self.lines.start} {self.function}: {_short(self.before)} -> {_short(self.after)}"


def _shown(node: ast.AST) -> str:
    return ast.unparse(node) or type(node).__name__


def _short(text: str) -> str:
    return " ".join(text.split())[:70]


def mutants_of(file: Path) -> Iterator[Mutant]:
    """Make every mistake in a file, one at a time; what is run when the file is imported stays as it is."""
    tree = ast.parse(file.read_text("utf-8"))
    for function, name in _functions(tree, ""):
        for holder, field, index, statement in list(_places(function)):
            old = _get(holder, field, index)
            for new in _changes(old):
                ast.copy_location(new, old)
                ast.fix_missing_locations(new)
                _set(holder, field, index, new)
                code = _code_of(compile(tree, str(file), "exec"), name, _line_of(function))
                _set(holder, field, index, old)
                lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
                yield Mutant(file, name, _line_of(function), lines, _shown(old), _shown(new), code)


def _functions(node: Any, prefix: str) -> Iterator[tuple[_Function, str]]:
    """Yield the outermost functions with their qualified names: those of the module and of its classes."""
    for child in node.body:
        if isinstance(child, _FUNCTIONS):
            yield child, prefix + child.name
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")


def _line_of(function: _Function) -> int:
    """The line that a code object begins at: that of its first decorator."""
    return min([function.lineno, *[each.lineno for each in function.decorator_list]])


def _places(function: _Function) -> Iterator[tuple[Any, str, int | None, ast.stmt]]:
    """Yield every place in a function's body where a piece of syntax stands: holder, field, index, its statement."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    for statement in body:
        # the three dots of a protocol or an overload are never run
        if _is_constant(statement):
            continue
        yield function, "body", function.body.index(statement), statement
        yield from _below(statement, statement)


def _below(node: ast.AST, statement: ast.stmt) -> Iterator[tuple[Any, str, int | None, ast.stmt]]:
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "ctx", "decorator_list"):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and not _is_constant(child) and not _is_for_types(node, child):
                around = child if isinstance(child, ast.stmt) else statement
                yield node, field, index, around
                yield from _below(child, around)


def _is_constant(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_for_types(holder: ast.AST, node: ast.AST) -> bool:
    """Return whether only a type checker reads a node: the first argument of a cast."""
    return isinstance(holder, ast.Call) and ast.unparse(holder.func) == "cast" and node is holder.args[0]


def _changes(node: Any) -> Iterator[Any]:
    """Yield what may stand in the place of a node by mistake."""
    if type(node) in _SWAPS:
        yield _SWAPS[type(node)]()
    elif isinstance(node, _LEFT_OUT):
        yield ast.Pass()
    elif isinstance(node, ast.Return) and node.value is not None and not _is_nothing(node.value):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, (ast.If, ast.While)):
        yield _with(node, test=_negated(node.test))
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield _with(node, ifs=[])
    elif isinstance(node, ast.expr):
        yield from _other_expressions(node)


def _other_expressions(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Constant):
        yield from _other_constants(node.value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.Call):
        named = [each for each in node.keywords if each.arg is not None]
        yield from (
            _with(node, keywords=[each for each in node.keywords if each is not left]) for left in named
        )
    elif isinstance(node, ast.BoolOp) and len(node.values) > 2:
        yield from (
            _with(node, values=[each for each in node.values if each is not left]) for left in node.values
        )


def _other_constants(value: Any) -> Iterator[ast.Constant]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
    elif isinstance(value, str):
        yield ast.Constant(f"{value}~")


def _is_nothing(node: ast.expr) -> bool:
    """Return whether an expression is None, or as false as None."""
    return isinstance(node, ast.Constant) and not node.value


def _negated(test: ast.expr) -> ast.expr:
    return test.operand if isinstance(test, ast.UnaryOp) else ast.UnaryOp(ast.Not(), test)


def _with(node: Any, **changes: Any) -> Any:
    """Copy a node with other fields."""
    return type(node)(**{name: changes.get(name, value) for name, value in ast.iter_fields(node)})


def _get(holder: Any, field: str, index: int | None) -> Any:
    value = getattr(holder, field)
    return value if index is None else value[index]


def _set(holder: Any, field: str, index: int | None, node: Any) -> None:
    if index is None:
        setattr(holder, field, node)
    else:
        getattr(holder, field)[index] = node


def _code_of(code: CodeType, name: str, line: int) -> CodeType:
    """Find the code of a function in that of its module."""
    stack = [code]
    while stack:
        inner = stack.pop()
        if inner.co_qualname == name and inner.co_firstlineno == line:
            return inner
        stack.extend(each for each in inner.co_consts if isinstance(each, CodeType))
    raise LookupError(f"{name} at line {line}")
