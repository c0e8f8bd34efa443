"""The docstrings of generated functions: the shape and the line of the spec it is on."""

from __future__ import annotations

import re
from textwrap import wrap

from ..model.neutral import OPTIONS, REASONING
from ..model.wire import Variant, WireModel
from ..problems import Span
from ..spec.nodes import write_bare_word
from ..spec.shapes import (
    Alternatives,
    ConstantShape,
    Hole,
    HoleFilter,
    Interpolation,
    KeyShape,
    Listing,
    Object,
    Shape,
)

_WIDTH = 104
_INDENT = "    "
_OTHERWISE = re.compile(r"|null|true|false|~|[-+.\d][\d.eE+-]*")


def make_writer_doc(variant: Variant) -> str:
    """Return the docstring of the function that writes a shape."""
    return _lay_out(f"Write {locate_variant(variant)}.", print_shape(variant.shape))


def make_reader_doc(variant: Variant, *, sure: bool) -> str:
    """Return the docstring of the function that reads a shape; `sure` where it never gives None."""
    other = "" if sure else "; None of another shape"
    return _lay_out(f"Read {locate_variant(variant)}{other}.", print_shape(variant.shape))


def make_body_doc(sentence: str, model: WireModel) -> str:
    """Return the docstring of a function that writes or reads the whole body: its keys, required ones first."""
    fields = sorted(model.body.shape.fields, key=lambda field: field.optional)
    keys = ", ".join([f"{field.key}{'?' if field.optional else ''}" for field in fields])
    return _lay_out(f"{sentence} ({locate_span(model.body.shape.span)}).", f"Keys: {keys}.")


def list_carried_fields(model: WireModel) -> str:
    """Return the options and other request fields that the wire carries, with units, as rows of a docstring."""
    reasoning = {
        hole.path[1] for hole in model.body.shape.holes if hole.path[0] == "reasoning" and len(hole.path) == 2
    }
    reasoning |= {name for variant in model.unions["reasoning"] for name in variant.carried}
    if model.unions["reasoning"]:
        reasoning.add("mode")
    request = {*model.body.carried} - model.body.carried_options - {"reasoning"}
    request |= {"continuation"} if model.body.dotted["continuation"] else set[str]()
    if model.instructions.placement == "first_message":
        request.add("instructions")
    fields_of = {
        "request": sorted(request),
        "options": [*sorted(model.body.carried_options)],
        "reasoning": [*sorted(reasoning)],
        "vendor": sorted(model.body.vendor),
    }
    text = ""
    neutral = {**OPTIONS, **REASONING.fields}
    units = {name: field.unit for name, field in neutral.items() if field.unit}
    for name, fields in fields_of.items():
        listed = ", ".join([f"{field} ({units[field]})" if field in units else field for field in fields])
        lines = wrap(listed, _WIDTH - 11, break_on_hyphens=False)
        if lines:
            text += f"{_INDENT}{name:9} " + f"\n{_INDENT}{'':9} ".join(lines) + "\n"
    return text


def locate_variant(variant: Variant) -> str:
    """Return the key of a shape, without roles, and its line: `part.text (provider_specs/x/wire.yaml:12)`."""
    return f"{variant.union}.{variant.key.partition('@')[0].rstrip('!~')} ({locate_span(variant.span)})"


def locate_span(span: Span) -> str:
    """Return a place as file and line."""
    return f"{span.file}:{span.line}"


def print_shape(shape: Shape) -> str:
    """Return a shape on one line, as specs write it."""
    match shape:
        case Hole():
            return _print_hole(shape)
        case ConstantShape():
            return _print_constant(shape.value)
        case Interpolation():
            holes = [f"${{{_print_inside(hole)}}}" for hole in shape.between]
            return shape.texts[0] + "".join(
                [hole + text for hole, text in zip(holes, shape.texts[1:], strict=True)]
            )
        case Object():
            rest = [] if shape.extra_keys is None else [f"...: {_print_hole(shape.extra_keys)}"]
            return f"{{{', '.join([*map(_print_key, shape.fields), *rest])}}}"
        case Listing():
            return f"[{', '.join(map(print_shape, shape.items))}]"
        case Alternatives():
            return " or ".join(map(print_shape, shape.forms))
        case _:
            return f"={'|'.join(map(_print_constant, shape.values))}"


def _print_key(field: KeyShape) -> str:
    return f"{field.key}{'?' if field.optional else ''}: {print_shape(field.shape)}"


def _print_hole(hole: Hole) -> str:
    return f"{'=' if hole.read_only else ''}${_print_inside(hole)}"


def _print_inside(hole: Hole) -> str:
    filters = "".join([f"|{_print_filter(filter_)}" for filter_ in hole.filters])
    guard = f"({hole.guard})" if hole.guard is not None else ""
    return f"{hole.name}{'[]' if hole.listed else ''}{filters}{guard}"


def _print_filter(filter_: HoleFilter) -> str:
    return f"{filter_.name}({','.join(filter_.arguments)})" if filter_.arguments else filter_.name


def _print_constant(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        # unquoted, these would be a hole, a number or null
        return f'"{value}"' if value.startswith(("$", "=")) or _OTHERWISE.fullmatch(value) else value
    return write_bare_word(value)


def _lay_out(first: str, *others: str) -> str:
    """Return sentences with a blank line between them, wrapped as a docstring."""
    blocks = [
        wrap(other, _WIDTH, break_long_words=False, break_on_hyphens=False) for other in others if other
    ]
    return "\n\n".join([first, *(_INDENT + f"\n{_INDENT}".join(lines) for lines in blocks)]) + f"\n{_INDENT}"
