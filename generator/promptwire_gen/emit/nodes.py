"""Functions that write one node: a part, a tool, a tool choice, a layer ... one a shape, and one that chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..model.dispatch import writing_order
from ..model.neutral import Kind
from ..model.wire import Alternative
from ..spec.notation import Field, Object, holes, required_holes
from .places import Place
from .python import (
    Expression,
    Statement,
    all_of,
    any_of,
    attribute,
    call,
    code,
    equals,
    frozen_words,
    literal,
    name,
)
from .writing import complete, filled, object_of, report_missing, report_uncarried, value_of, written_holes

# what describes a layer for its author; no wire writes it
_UNWRITTEN = {"layer": {"role", "source", "stability", "trust"}}


@dataclass(frozen=True, slots=True)
class Function:
    """One function of generated code: its signature, docstring and body."""

    header: str
    doc: str
    body: list[Statement]


def subject_of(kind: Kind) -> str:
    """The variable that holds a node in its functions."""
    return {
        "layer": "layer",
        "tool_choice": "choice",
        "response_format": "form",
        "reasoning": "thinking",
    }.get(
        kind.name,
        "cache" if kind.name == "cache" else "tool" if kind.cls.endswith(("Tool", "ToolGroup")) else "part",
    )


def write_node(alternative: Alternative, place: Place, elsewhere: frozenset[str], source: str) -> Function:
    """The function that writes one shape of a node."""
    kind = alternative.kind
    subject = place.subject
    shape = alternative.shape
    body: list[Statement] = report_missing(alternative.needs, place)
    needs_vendor = any(hole.path[0] == "vendor" for hole in required_holes(alternative.shape))
    if needs_vendor:
        body.append(f"vendor = built.vendor({subject})")
    place.imports.use("promptwire_runtime", kind.cls)
    header = f"def _write_{alternative.label}({subject}: {kind.cls}, built: Built[Any]) -> Any:"
    doc = f"Write {source}#{alternative.union}.{alternative.key}."
    uncarried = _uncarried(alternative, elsewhere)
    if not isinstance(shape, Object):
        body += report_uncarried(uncarried, place)
        if alternative.union == "part":
            body.append((f"if not {subject}.plain:", [f"built.bare({subject})"]))
        return Function(header, doc, [*body, f"return {code(value_of(shape, place))}"])
    vendor = alternative.vendor
    body.append(f"item: dict[str, Any] = {code(object_of(shape, place))}")
    free, gated = _split(shape, kind)
    body += complete(free, name("item"), place)
    open_losses = [row for row in uncarried if row[0] in kind.looked_at]
    uncarried = [row for row in uncarried if row not in open_losses]
    body += report_uncarried(open_losses, place)
    rest: list[Statement] = [f"vendor = built.vendor({subject})"] if vendor and not needs_vendor else []
    rest += [*complete(gated, name("item"), place), *report_uncarried(uncarried, place)]
    finished = code(_finished(alternative, subject))
    unwritten = _unwritten_options(shape, subject)
    rest += [f"item = {finished}", *unwritten, "return item"] if unwritten else [f"return {finished}"]
    if kind.plain:
        body.append((f"if {subject}.plain:", ["return item"]))
    return Function(header, doc, body + rest)


def _unwritten_options(shape: Object, subject: str) -> list[Statement]:
    """Note options that only reading knows, unless the memory has written them."""
    return [
        (
            f"if {code(literal(hole.path[1]))} in vendor and {code(literal(entry.key))} not in item:",
            [f'built.unused({subject}, f"vendor.{{WIRE.name}}.{hole.path[1]}")'],
        )
        for entry in shape.fields
        for hole in holes(entry.shape)
        if hole.path[0] == "vendor" and hole.read_only
    ]


def vendor_constant(alternative: Alternative) -> str | None:
    """The constant that names the vendor options of a shape, where it has any."""
    if not alternative.vendor:
        return None
    return f"_VENDOR_{alternative.label.upper()} = {code(frozen_words(sorted(alternative.vendor)))}"


def _finished(alternative: Alternative, subject: str) -> Expression:
    """What is left to do for a node's JSON: its memory, unknown vendor options and extra JSON."""
    kind = alternative.kind
    if kind.name == "cache":
        return name("item")
    if alternative.union in ("tool_choice", "response_format", "reasoning"):
        return call("built.recall", name("item"), name(subject))
    arguments = [name("item"), name(subject)]
    if alternative.vendor:
        arguments.append(name(f"_VENDOR_{alternative.label.upper()}"))
    return call("built.finish", *arguments)


def _split(shape: Object, kind: Kind) -> tuple[Object, Object]:
    """Split into keys that even a plain node may have, and those that it never needs."""
    if not kind.plain:
        return shape, Object((), None, shape.span)
    free: list[Field] = []
    gated: list[Field] = []
    for entry in shape.fields:
        heads = {hole.path[0] for hole in holes(entry.shape)}
        if not entry.optional and isinstance(entry.shape, Object):
            inner_free, inner_gated = _split(entry.shape, kind)
            free.append(replace(entry, shape=inner_free))
            gated.append(replace(entry, shape=inner_gated))
        elif heads <= kind.looked_at:
            free.append(entry)
        else:
            gated.append(entry)
    rest_is_free = shape.rest is not None and shape.rest.path[0] in kind.looked_at
    return (
        Object(tuple(free), shape.rest if rest_is_free else None, shape.span),
        Object(tuple(gated), None if rest_is_free else shape.rest, shape.span),
    )


def _uncarried(alternative: Alternative, elsewhere: frozenset[str]) -> list[tuple[str, bool]]:
    carried = alternative.carried | elsewhere | _UNWRITTEN.get(alternative.kind.name, set())
    if alternative.union in ("tool_choice", "reasoning"):
        carried |= {"mode"}
    if alternative.kind.name == "response_format":
        carried |= {"kind"}
    # a medium holds exactly one source: the others cannot be filled
    carried |= {"content" if source == "parts" else source for source in alternative.kind.sources}
    return [
        (field_name, field.advisory)
        for field_name, field in alternative.kind.fields.items()
        if field_name not in carried and (not field.always or field.type in ("parts", "tools"))
    ]


def choose(function: str, alternatives: Sequence[Alternative], place: Place, cls: str, doc: str) -> Function:
    """The function that picks the shape of a node: as it was read, else by source and by what is filled."""
    subject = place.subject
    header = f"def {function}({subject}: {cls}, built: Built[Any]) -> Any:"
    place.imports.use("promptwire_runtime", *(piece.strip() for piece in cls.split("|")))
    return Function(header, doc, choices(alternatives, place) + _nothing_fits(subject, alternatives))


def choices(alternatives: Sequence[Alternative], place: Place) -> list[Statement]:
    """Statements that return the fitting shape."""
    subject = place.subject
    out: list[Statement] = []
    variants = [a for a in alternatives if not a.written]
    if any(hole.path[0] == "vendor" for a in alternatives for hole in required_holes(a.shape)):
        out.append(f"vendor = built.vendor({subject})")
    remembered: list[Statement] = []
    for variant in variants:
        tests = [equals(name("shape"), literal(variant.variant)), *_tests(variant, place)]
        test = all_of(tests)
        assert test is not None
        remembered.append((f"if {code(test)}:", [_written(variant, subject)]))
    if remembered:
        remembered = [f"shape = built.shape_of({subject})", *remembered]
        out += [(f"if not {subject}.plain:", remembered)] if alternatives[0].kind.plain else remembered
    by_source: dict[str | None, list[Alternative]] = {}
    for alternative in alternatives:
        by_source.setdefault(alternative.source_key, []).append(alternative)
    for source, rows in by_source.items():
        block = _by_needs(writing_order(rows), place, subject)
        if source is None:
            out += block
        elif block:
            test = equals(attribute(name(subject), "source"), literal(source))
            out.append((f"if {code(test)}:", block))
    return out


def chosen(alternative: Alternative, place: Place) -> str:
    """The test by which `choices` takes this shape and not the usual one, as code."""
    tests = _tests(alternative, place)
    if not alternative.written:
        shape = call("built.shape_of", name(place.subject))
        tests = [equals(shape, literal(alternative.variant)), *tests]
    test = all_of(tests)
    assert test is not None
    return code(test)


def _tests(alternative: Alternative, place: Place) -> list[Expression]:
    tests: list[Expression] = []
    if alternative.source_key is not None:
        tests.append(equals(attribute(name(place.subject), "source"), literal(alternative.source_key)))
    test = filled(alternative.shape, place)
    return [*tests, test] if test is not None else tests


def _by_needs(ordered: Sequence[Alternative], place: Place, subject: str) -> list[Statement]:
    """The shape whose holes are all filled; failing that, one with any of them filled, which names what is missing."""
    out: list[Statement] = []
    open_ended: list[Alternative] = []
    for alternative in ordered:
        test = filled(alternative.shape, place)
        guarded = any(hole.guard is not None for hole in written_holes(alternative.shape))
        if test is None or (len(ordered) == 1 and not guarded):
            return [*out, _written(alternative, subject)]
        out.append((f"if {code(test)}:", [_written(alternative, subject)]))
        if not guarded:
            open_ended.append(alternative)
    for alternative in open_ended[:-1]:
        tests = [test for hole in alternative.needs if (test := place.given(hole)) is not None]
        if tests:
            out.append((f"if {code(any_of(tests) or tests[0])}:", [_written(alternative, subject)]))
    return [*out, _written(open_ended[-1], subject)] if open_ended else out


def _written(alternative: Alternative, subject: str) -> str:
    return f"return _write_{alternative.label}({subject}, built)"


def _nothing_fits(subject: str, alternatives: Sequence[Alternative]) -> list[Statement]:
    open_ended = any(a.written and not any(h.guard for h in written_holes(a.shape)) for a in alternatives)
    if open_ended and not any(a.source_key for a in alternatives):
        return []
    if any(a.source_key for a in alternatives):
        why = f'f"this wire takes none given by {{{subject}.source}} here"'
        return [f'built.lost({subject}, "", {why})', "return None"]
    return [code(call("built.lost", name(subject), literal(""))), "return None"]
