"""The filters and tests of templates.

Filters write only literals and the brackets around an operand; all other Python stands in the templates.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, cast

from ..model.neutral import DOTTED, OPTIONS
from ..model.vocabulary import find_required_choices
from ..model.wire import WireModel
from ..spec.answer_sections import StreamStep, WrittenPart, WrittenWhole
from ..spec.shapes import Alternatives, ConstantShape, Hole, Interpolation, Listing, Object
from .answers import find_spread_keys
from .artifact import commented
from .dedupe import REMOVED
from .field_holder import group_keys
from .literals import (
    make_identifier,
    write_frozen_set,
    write_json,
    write_literal,
    write_set,
    write_table_literal,
    write_tuple,
    write_words,
)
from .read.matching import is_tested
from .read.reading_module import group_rows
from .read.readings import find_text_keys
from .text_shapes import add_article, find_bare_text, get_text_mark, is_joined
from .wire.rules_module import CONSTRUCTORS, split_keys
from .write.body import (
    drop_layers,
    find_holes_beside_union,
    find_limited_options,
    find_limits,
    find_sole_option,
    has_union,
    is_plain_option,
    split_around_tools,
    switches_key,
)
from .write.looks import find_quick_test
from .write.node import make_item_row

# operators that bind less than a comparison
_LOOSE = (" and ", " or ", " if ", ":=")
# line width of packed code at an indentation of three levels
_PACKED_WIDTH = 96


def write_docstring(text: str) -> str:
    """Write text as a docstring that no text can leave."""
    safe = text.replace("\\", "\\\\").replace("\x00", "")
    # a trailing quote would merge with the closing quotes
    quote = '"' if safe.endswith('"') else '"""'
    return f'"""{safe.replace(quote, quote.replace(chr(34), chr(92) + chr(34)))}"""'


def pack_lines(pieces: Iterable[str], joiner: str) -> list[str]:
    """Join pieces, as many on a line as fit: a line ends with a comma, or the next begins with `and`."""
    end, start = (joiner, "") if joiner == "," else ("", f"{joiner} ")
    lines: list[str] = []
    for piece in pieces:
        longer = f"{lines[-1]}{end} {start}{piece}" if lines else piece
        if lines and len(longer) > _PACKED_WIDTH:
            lines[-1] += end
            lines.append(f"{start}{piece}")
        else:
            lines[-1:] = [longer]
    return lines


def indent_block(text: str, depth: int = 1) -> str:
    """Indent a block of statements, each ended by a newline; no statements stay none."""
    return "".join([f"{'    ' * depth}{line}\n" for line in text.splitlines() if line])


def write_in_string(text: str) -> str:
    """Write text as a piece of an f-string in double quotes."""
    escaped = text.encode("unicode_escape").decode().replace('"', '\\"')
    return escaped.replace("{", "{{").replace("}", "}}")


def write_in_braces(value: str) -> str:
    """Write a value as Python before 3.12 reads it inside an f-string, where it can be written so."""
    return value if "'" in value or "\\" in value else value.replace('"', "'")


def write_operand(value: str, beside: str = "") -> str:
    """Write an expression as an operand, in brackets where it binds less than a comparison.

    It needs none beside an operator that joins it: `beside` may be `and` or `or`.
    """
    if not any(word in value for word in _LOOSE):
        return value
    outer = ast.parse(value, mode="eval").body
    loose = isinstance(outer, (ast.BoolOp, ast.IfExp, ast.NamedExpr))
    joins = isinstance(outer, ast.BoolOp) and beside == ("or" if isinstance(outer.op, ast.Or) else "and")
    return f"({value})" if loose and not joins else value


def _list_same_keys(rows: Mapping[str, str]) -> list[str]:
    """Return the keys whose value is the key itself."""
    return [key for key, value in rows.items() if key == value]


def _find_bare_text(role: str, wire: WireModel) -> Any:
    return find_bare_text(wire, role)


def _list_required_choices(shape: Any) -> list[Any]:
    return list(find_required_choices(shape))


def _is_removed(row: object) -> bool:
    """Return whether a merge patch removes a row of the parent's table."""
    return row is REMOVED


def _is_steps(value: object) -> bool:
    """Return whether a row of a table holds the steps of an event."""
    return isinstance(value, tuple) and any(
        isinstance(each, StreamStep) for each in cast("tuple[object, ...]", value)
    )


def _is(kind: type | tuple[type, ...]) -> Callable[[object], bool]:
    """Return the test whether a shape is of a class."""
    return lambda shape: isinstance(shape, kind)


def _begins_with(names: Container[str]) -> Callable[[Hole], bool]:
    """Return the test whether the path of a hole begins with one of some names."""
    return lambda hole: hole.path[0] in names


FILTERS: Mapping[str, Any] = {
    "around_tools": split_around_tools,
    "article": add_article,
    "bare_text": _find_bare_text,
    "beside_layers": drop_layers,
    "beside_union": find_holes_beside_union,
    "block": indent_block,
    "commented": commented,
    "condition_call": CONSTRUCTORS.__getitem__,
    "docstring": write_docstring,
    "frozen": write_frozen_set,
    "group_rows": group_rows,
    "in_braces": write_in_braces,
    "in_string": write_in_string,
    "item_row": make_item_row,
    "letter_run": find_quick_test,
    "limits": find_limits,
    "literal": write_literal,
    "operand": write_operand,
    "options_in": find_limited_options,
    "packed": pack_lines,
    "required_choices": _list_required_choices,
    "rows": group_keys,
    "same_keys": _list_same_keys,
    "sole_option": find_sole_option,
    "split_keys": split_keys,
    "spread_keys": find_spread_keys,
    "table_literal": write_table_literal,
    "text_keys": find_text_keys,
    "text_mark": get_text_mark,
    "tuple": write_tuple,
    "word": make_identifier,
    "word_set": write_set,
    "word_text": write_words,
    "words": write_json,
}
TESTS: Mapping[str, Any] = {
    "choice": _is(Alternatives),
    "constant": _is(ConstantShape),
    "hole": _is(Hole),
    "interpolation": _is(Interpolation),
    "joined": is_joined,
    "listing": _is(Listing),
    "names": _is(list),
    "object": _is(Object),
    "of_dotted": _begins_with(DOTTED),
    "of_option": _begins_with(OPTIONS),
    "plain_option": is_plain_option,
    "removed": _is_removed,
    "steps": _is_steps,
    "tested": is_tested,
    "switched_key": switches_key,
    "union_among": has_union,
    "written_part": _is((WrittenPart, WrittenWhole)),
}
