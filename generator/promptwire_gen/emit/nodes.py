"""Functions that write one node: a part, a tool, a tool choice, a layer ... one a shape, and one that chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..model.dispatch import writing_order
from ..model.neutral import TOOLS, Kind
from ..model.wire import Alternative
from ..spec.shapes import Field, Object
from .docs import written_doc
from .function import Function
from .places import Place
from .python import Expression, Statement, attribute, call, code, frozen_words, literal, name
from .python.conditions import all_of, any_of, equals
from .reports import report_hollow, report_missing, report_other_forms, report_uncarried
from .writing import complete, filled, object_of, takes_words, value_of

# these carry what reading remembered, and neither options nor extra JSON
REMEMBERING = ("tool_choice", "response_format", "reasoning")
# what describes a layer for its author; no wire writes it
_UNWRITTEN = {"layer": {"role", "source", "stability", "trust"}}

_SUBJECTS = {
    "layer": "layer",
    "tool_choice": "choice",
    "response_format": "form",
    "reasoning": "thinking",
    "cache": "cache",
    **dict.fromkeys(TOOLS, "tool"),
}


def subject_of(kind: Kind) -> str:
    """The variable that holds a node in its functions."""
    return _SUBJECTS.get(kind.name, "part")


def write_node(alternative: Alternative, place: Place, elsewhere: frozenset[str]) -> Function:
    """The function that writes one shape of a node."""
    kind = alternative.kind
    subject = place.subject
    shape = alternative.shape
    place, body = _named_by_call(alternative, place)
    # what picks a shape by a word has seen that it is there
    needs = [hole for hole in alternative.needs if not takes_words(hole)]
    body += report_missing(shape, needs, place)
    uncarried = _uncarried(alternative, elsewhere)
    body += report_hollow(alternative, uncarried, place)
    needs_vendor = _options(alternative)
    body += _report_options(needs_vendor, subject)
    place.imports.use("promptwire_runtime", kind.cls)
    header = f"def write_{alternative.label}({subject}: {kind.cls}, build: BuildContext) -> Any:"
    doc = written_doc(alternative, needs, uncarried)
    if not isinstance(shape, Object):
        body += [*report_uncarried(uncarried, place), *_report_bare(alternative, subject)]
        return Function(header, doc, [*body, f"return {code(value_of(shape, place))}"])
    body.append(f"item: dict[str, Any] = {code(object_of(shape, place))}")
    free, gated = _split(shape, kind)
    body += complete(free, name("item"), place)
    open_losses = [row for row in uncarried if row[0] in kind.looked_at]
    uncarried = [row for row in uncarried if row not in open_losses]
    body += report_uncarried(open_losses, place)
    vendor = any(h.path[0] == "vendor" and not h.fixed for h in shape.holes)
    rest: list[Statement] = [f"vendor = build.vendor({subject})"] if vendor and not needs_vendor else []
    rest += [*complete(gated, name("item"), place), *report_other_forms(shape, place)]
    rest += report_uncarried(uncarried, place)
    rest += _return(alternative, shape, subject)
    if kind.plain:
        body.append((f"if {subject}.plain:", ["return item"]))
    return Function(header, doc, body + rest)


def plain_display(function: Function) -> str:
    """Give the JSON of a plain part as code, where its function looks at nothing before; empty for any other."""
    start, given = "item: dict[str, Any] = ", ("if part.plain:", ["return item"])
    first, *others = function.body
    if isinstance(first, str) and first.startswith(start) and others[:1] == [given]:
        return first.removeprefix(start)
    return ""


def _report_bare(alternative: Alternative, subject: str) -> list[Statement]:
    """Report what stands beside a node whose value stands bare."""
    if alternative.union == "part":
        return [(f"if not {subject}.plain:", [f"build.bare({subject})"])]
    if alternative.union in REMEMBERING:
        return [(f"if {subject}.kept is not None:", [f"build.forget({subject})"])]
    return []


def _named_by_call(alternative: Alternative, place: Place) -> tuple[Place, list[Statement]]:
    """Where a result must have its tool's name, the call that it answers gives it."""
    if alternative.kind.name != "tool_result" or all(hole.path != ("name",) for hole in alternative.needs):
        return place, []
    found = call(
        place.imports.function("promptwire_runtime.build.tool_results:name_of"),
        name(place.subject),
        name("build"),
    )
    return replace(place, called=True), [f"name = {code(found)}"]


def _return(alternative: Alternative, shape: Object, subject: str) -> list[Statement]:
    finished = code(_finished(alternative, subject))
    unwritten = unwritten_options(shape, subject)
    return [f"item = {finished}", *unwritten, "return item"] if unwritten else [f"return {finished}"]


def unwritten_options(
    shape: Object, subject: str, target: str = "item", report: str = "unused"
) -> list[Statement]:
    """Report options that only reading knows, unless the memory has written them into `target`."""
    return [
        (
            f"if {code(literal(hole.path[1]))} in vendor and {code(literal(entry.key))} not in {target}:",
            [f'build.{report}({subject}, f"vendor.{{build.wire.name}}.{hole.path[1]}")'],
        )
        for entry in shape.fields
        for hole in entry.shape.holes
        if hole.path[0] == "vendor" and hole.read_only
    ]


def vendor_constant(alternative: Alternative) -> str | None:
    """The constant that names the vendor options of a shape, where it has any."""
    if not alternative.vendor:
        return None
    return f"VENDOR_{alternative.label.upper()} = {code(frozen_words(sorted(alternative.vendor)))}"


def _finished(alternative: Alternative, subject: str) -> Expression:
    """What is left to do for a node's JSON: its memory, unknown vendor options and extra JSON."""
    kind = alternative.kind
    if kind.name == "cache":
        return name("item")
    if alternative.union in REMEMBERING:
        return call("build.recall", name("item"), name(subject))
    arguments = [name("item"), name(subject)]
    if alternative.vendor:
        arguments.append(name(f"VENDOR_{alternative.label.upper()}"))
    return call("build.finish", *arguments)


def _split(shape: Object, kind: Kind) -> tuple[Object, Object]:
    """Split into keys that even a plain node may have, and those that it never needs."""
    if not kind.plain:
        return shape, Object((), None, shape.span)
    free: list[Field] = []
    gated: list[Field] = []
    for entry in shape.fields:
        heads = {hole.path[0] for hole in entry.shape.holes}
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
    # where bare data is taken, its type is found in it
    found = {"media_type"} if alternative.source_key == "data" else set[str]()
    return [
        (field_name, field.advisory or field_name in found)
        for field_name, field in alternative.kind.fields.items()
        if field_name not in carried and (not field.always or field.type in ("parts", "tools"))
    ]


def choose(function: str, alternatives: Sequence[Alternative], place: Place, cls: str, doc: str) -> Function:
    """The function that picks the shape of a node: as it was read, else by source and by what is filled."""
    subject = place.subject
    header = f"def {function}({subject}: {cls}, build: BuildContext) -> Any:"
    place.imports.use("promptwire_runtime", *(piece.strip() for piece in cls.split("|")))
    return Function(header, doc, choices(alternatives, place) + _nothing_fits(subject, alternatives))


def choices(alternatives: Sequence[Alternative], place: Place) -> list[Statement]:
    """Statements that return the fitting shape."""
    subject = place.subject
    out: list[Statement] = []
    variants = [a for a in alternatives if not a.written]
    if any(hole.path[0] == "vendor" for a in alternatives for hole in a.shape.required_holes):
        out.append(f"vendor = build.vendor({subject})")
    remembered: list[Statement] = []
    for variant in variants:
        tests = [equals(name("shape"), literal(variant.variant)), *_tests(variant, place)]
        test = all_of(tests)
        assert test is not None
        remembered.append((f"if {code(test)}:", [_written(variant, subject)]))
    if remembered:
        remembered = [f"shape = build.shape_of({subject})", *remembered]
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


def by_slot(alternatives: Sequence[Alternative]) -> list[list[Alternative]]:
    """Group shapes of one kind by where they land: only read ones first, those that need the least last."""
    slots: dict[str, list[Alternative]] = {}
    for alternative in alternatives:
        slots.setdefault(alternative.slot, []).append(alternative)
    return sorted(slots.values(), key=_eagerness)


def _eagerness(alternatives: Sequence[Alternative]) -> tuple[bool, int]:
    written = [alternative for alternative in alternatives if alternative.written]
    return bool(written), -min((len(alternative.needs) for alternative in written), default=0)


def fits_one_of(alternatives: Sequence[Alternative], place: Place) -> str:
    """Whether a node was read as one of these shapes, or fills one that a fresh build may write, as code."""
    shape = call("build.shape_of", name(place.subject))
    tests: list[Expression] = []
    for alternative in alternatives:
        own = _tests(alternative, place)
        if not alternative.written:
            own = [equals(shape, literal(alternative.variant)), *own]
        if (test := all_of(own)) is not None:
            tests.append(test)
    found = " or ".join([code(test) for test in tests])
    if any(alternative.written for alternative in alternatives) or not alternatives[0].kind.plain:
        return found
    return f"not {place.subject}.plain and " + (f"({found})" if len(tests) > 1 else found)


def _tests(alternative: Alternative, place: Place) -> list[Expression]:
    tests: list[Expression] = []
    if alternative.source_key is not None:
        tests.append(equals(attribute(name(place.subject), "source"), literal(alternative.source_key)))
    test = fits(alternative, place)
    return [*tests, test] if test is not None else tests


def fits(alternative: Alternative, place: Place) -> Expression | None:
    """The test whether a shape can write a node: its type where the key states one, and its holes."""
    test = filled(alternative.shape, place, alternative.source_key)
    if alternative.named is None:
        return test
    own = equals(attribute(name(place.subject), "type"), literal(alternative.named))
    return all_of([own] if test is None else [own, test])


def is_guarded(alternative: Alternative) -> bool:
    """Whether a shape takes only some values."""
    return alternative.named is not None or any(h.guard is not None for h in alternative.shape.required_holes)


def _by_needs(ordered: Sequence[Alternative], place: Place, subject: str) -> list[Statement]:
    """The shape whose holes are all filled; failing that, one with any of them filled, which names what is missing."""
    out: list[Statement] = []
    open_ended: list[Alternative] = []
    for alternative in ordered:
        test = fits(alternative, place)
        guarded = is_guarded(alternative)
        if test is None or (len(ordered) == 1 and not guarded):
            return [*out, _written(alternative, subject)]
        out.append((f"if {code(test)}:", [_written(alternative, subject)]))
        if not guarded:
            open_ended.append(alternative)
    # one that needs an option of this API alone is no guess
    open_ended = [a for a in open_ended if not _options(a)] or open_ended
    if len(ordered) == 1 and ordered[0].named is None:
        # the one shape there is takes only some values; a value that is not there at all is missing
        missing = report_missing(ordered[0].shape, ordered[0].needs, place)
        return [*out, *missing, *_report_guard(ordered[0], subject)]
    for alternative in open_ended[:-1]:
        tests = [test for hole in alternative.needs if (test := place.given(hole)) is not None]
        if tests:
            out.append((f"if {code(any_of(tests) or tests[0])}:", [_written(alternative, subject)]))
    return [*out, _written(open_ended[-1], subject)] if open_ended else out


def _report_guard(alternative: Alternative, subject: str) -> list[Statement]:
    """Of the one shape for a source, name the value that it does not take, and those that it takes."""
    guarded = [h for h in alternative.shape.required_holes if h.guard is not None and not h.fixed]
    if alternative.source_key is None or len(guarded) != 1 or len(guarded[0].path) != 1:
        return []
    taken = str(guarded[0].guard).replace("|", ", ")
    why = literal(f"its {guarded[0].path[0]} is none that this wire takes here: {taken}")
    lost = call("build.lost", name(subject), literal(""), why)
    return [code(lost), "return None"]


def _options(alternative: Alternative) -> list[str]:
    """The options of this API alone that a shape requires."""
    return [
        hole.path[1]
        for hole in alternative.shape.required_holes
        if hole.path[0] == "vendor" and not hole.fixed
    ]


def _report_options(needed: list[str], subject: str) -> list[Statement]:
    out: list[Statement] = [f"vendor = build.vendor({subject})"] if needed else []
    for option in dict.fromkeys(needed):
        field = f'f"vendor.{{build.wire.name}}.{option}"'
        out.append(
            (f"if {code(literal(option))} not in vendor:", [f"return build.missing({subject}, {field})"])
        )
    return out


def _written(alternative: Alternative, subject: str) -> str:
    return f"return write_{alternative.label}({subject}, build)"


def _nothing_fits(subject: str, alternatives: Sequence[Alternative]) -> list[Statement]:
    open_ended = any(a.written and not is_guarded(a) for a in alternatives)
    if open_ended and not any(a.source_key for a in alternatives):
        return []
    if any(a.source_key for a in alternatives):
        why = f'f"this wire takes none given by {{{subject}.source}} here"'
        return [f'build.lost({subject}, "", {why})', "return None"]
    return [code(call("build.lost", name(subject), literal(""))), "return None"]
