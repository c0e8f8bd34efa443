"""The filters and tests that templates use beside the properties of shapes.

Filters write only literals and the brackets around an operand; all other Python stands in the templates.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, cast

from ..model.neutral import DOTTED, OPTIONS
from ..model.vocabulary import required_choices
from ..model.wire import WireModel
from ..spec.answer_sections import StreamStep, WrittenPart, WrittenWhole
from ..spec.shapes import Alternatives, ConstantShape, Hole, Interpolation, Listing, Object
from .answers import spread_keys
from .artifact import commented
from .dedupe import REMOVED
from .field_holder import rows
from .literals import (
    frozen_words,
    literal_text,
    literal_tuple,
    table_literal,
    word_list,
    word_of,
    word_set,
    word_text,
)
from .read.matching import is_tested
from .read.reading_module import group_rows
from .read.readings import text_keys
from .text_shapes import bare_text_shape, is_joined, text_mark, with_article
from .wire.rules_module import CONSTRUCTORS, split_keys
from .write.body import (
    around_tools,
    beside_layers,
    beside_union,
    has_union,
    is_plain_option,
    limits,
    options_in,
    sole_option,
    switches_key,
)
from .write.looks import simple
from .write.node import item_row

# operators that bind less than a comparison
_LOOSE = (" and ", " or ", " if ", ":=")
# line width of packed code at an indentation of three levels
_PACKED_WIDTH = 96


def docstring(text: str) -> str:
    """Write text as a docstring that no text can leave."""
    safe = text.replace("\\", "\\\\").replace("\x00", "")
    # a trailing quote would merge with the closing quotes
    quote = '"' if safe.endswith('"') else '"""'
    return f'"""{safe.replace(quote, quote.replace(chr(34), chr(92) + chr(34)))}"""'


def packed(pieces: Iterable[str], joiner: str) -> list[str]:
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


def block(text: str, depth: int = 1) -> str:
    """Indent a block of statements, each ended by a newline; no statements stay none."""
    return "".join([f"{'    ' * depth}{line}\n" for line in text.splitlines() if line])


def in_string(text: str) -> str:
    """Write text as a piece of an f-string in double quotes."""
    escaped = text.encode("unicode_escape").decode().replace('"', '\\"')
    return escaped.replace("{", "{{").replace("}", "}}")


def in_braces(value: str) -> str:
    """Write a value as Python before 3.12 reads it inside an f-string, where it can be written so."""
    return value if "'" in value or "\\" in value else value.replace('"', "'")


def operand(value: str, beside: str = "") -> str:
    """Write an expression as an operand, in brackets where it binds less than a comparison.

    It needs none beside an operator that joins it: `beside` may be `and` or `or`.
    """
    if not any(word in value for word in _LOOSE):
        return value
    outer = ast.parse(value, mode="eval").body
    loose = isinstance(outer, (ast.BoolOp, ast.IfExp, ast.NamedExpr))
    joins = isinstance(outer, ast.BoolOp) and beside == ("or" if isinstance(outer.op, ast.Or) else "and")
    return f"({value})" if loose and not joins else value


def _same_keys(rows: Mapping[str, str]) -> list[str]:
    """Return the keys whose value is the key itself."""
    return [key for key, value in rows.items() if key == value]


def _bare_text(role: str, wire: WireModel) -> Any:
    return bare_text_shape(wire, role)


def _required_choices(shape: Any) -> list[Any]:
    return list(required_choices(shape))


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
    "around_tools": around_tools,
    "article": with_article,
    "bare_text": _bare_text,
    "beside_layers": beside_layers,
    "beside_union": beside_union,
    "block": block,
    "commented": commented,
    "condition_call": CONSTRUCTORS.__getitem__,
    "docstring": docstring,
    "frozen": frozen_words,
    "group_rows": group_rows,
    "in_braces": in_braces,
    "in_string": in_string,
    "item_row": item_row,
    "limits": limits,
    "literal": literal_text,
    "operand": operand,
    "options_in": options_in,
    "packed": packed,
    "required_choices": _required_choices,
    "rows": rows,
    "same_keys": _same_keys,
    "simple": simple,
    "sole_option": sole_option,
    "split_keys": split_keys,
    "spread_keys": spread_keys,
    "table_literal": table_literal,
    "text_keys": text_keys,
    "text_mark": text_mark,
    "tuple": literal_tuple,
    "word": word_of,
    "word_set": word_set,
    "word_text": word_text,
    "words": word_list,
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
