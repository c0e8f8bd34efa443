"""What a body cannot carry: each field of a request without a key is reported, as a loss."""

from __future__ import annotations

from ..model.neutral import COMMON_REQUEST_FIELDS, DOTTED, OPTIONS, REQUEST
from ..model.transport import names_model
from ..model.wire import WireModel
from ..spec.shapes import Choice, Hole, Object, Shape
from .nodes import REMEMBERING
from .python import Statement
from .writing import differ

# the variables of fields that are not given
EMPTY = {"tool_choice": "NO_TOOL_CHOICE", "reasoning": "NO_REASONING", "continuation": "NO_CONTINUATION"}


def losses(model: WireModel) -> list[Statement]:
    """Report rarely used fields that no key of this body can carry."""
    body = model.body
    out: list[Statement] = []
    if body.carried_options != frozenset(OPTIONS):
        out.append(("if not options.given <= OPTIONS:", ["build.lost_options(OPTIONS)"]))
    for field_name in REQUEST:
        if field_name in body.carried or field_name in COMMON_REQUEST_FIELDS or field_name in DOTTED:
            continue
        report = f'build.lost(request, "{field_name}")'
        out.append((f"if request.{field_name} is not None:", [report]))
    for head, kind in DOTTED.items():
        out += _dotted_losses(model, head, frozenset(kind.fields))
    return out


def common_losses(model: WireModel) -> list[Statement]:
    """Report fields of any request that no key of this body can carry."""
    body = model.body
    out: list[Statement] = []
    if "model" not in body.carried:
        out.append(("if request.model is not None:", ['build.lost(request, "model")']))
    elif "model" in body.url_fields and not _requires_model(model):
        out.append(("if request.model is None:", ['build.missing(request, "model")']))
    if "tools" not in body.carried_request:
        out.append(("if request.tools:", ['build.lost(request, "tools")']))
    placed = model.instructions.placement == "first_message"
    if "instructions" not in body.carried_request and not placed:
        out.append(("if request.instructions:", ['build.lost(request, "instructions")']))
    return out


def _requires_model(model: WireModel) -> bool:
    """Whether the body itself reports a missing model, or a form of the URL may do without one."""
    if any(hole.path == ("model",) for hole in model.body.shape.required_holes):
        return True
    return not all(names_model(form) for form in model.transport.url)


def _dotted_losses(model: WireModel, head: str, fields: frozenset[str]) -> list[Statement]:
    written = [*unconditional(model.body.shape), *_beside_union(model.body.shape)]
    always = {hole.path[1] for hole in written if hole.path[0] == head and len(hole.path) == 2}
    has_union = head in model.body.carried_request
    rows: list[Statement] = []
    for field_name in sorted(fields - always - {"wire", "kind"}):
        report = f'build.lost(request, "{head}.{field_name}")'
        if not has_union:
            rows.append((f"if {head}.{field_name} is not None:", [report]))
        elif head == "tool_choice" and field_name == "parallel" and not _choice_writes_parallel(model):
            rows.append((f"if {head}.mode is None and {head}.parallel is not None:", [report]))
        elif head == "tool_choice" and field_name not in ("mode", "parallel"):
            rows.append((f"if {head}.mode is None and {head}.{field_name} is not None:", [report]))
        elif head == "reasoning" and field_name not in ("mode", "budget"):
            rows.append((f"if {head}.kind is None and {head}.{field_name} is not None:", [report]))
    if head in REMEMBERING:
        rows.append((f"if {head}.kept is not None:", [f"build.forget({head})"]))
    return [(f"if {head} is not {EMPTY[head]}:", rows)] if rows else []


def _choice_writes_parallel(model: WireModel) -> bool:
    return any(hole.path == ("tool_choice", "parallel") for hole in model.body.shape.holes)


def is_union(form: Shape) -> bool:
    """Whether a shape is the hole of a union, whose node has shapes of its own."""
    return isinstance(form, Hole) and form.path in (("tool_choice",), ("reasoning",), ("response_format",))


def _beside_union(shape: Object) -> list[Hole]:
    """The holes of forms that are written where the union in their place has no kind."""
    choices = [entry.shape for entry in shape.fields if isinstance(entry.shape, Choice)]
    rows = [choice.forms[1:] for choice in choices if is_union(choice.forms[0])]
    return [hole for forms in rows for form in forms for hole in form.holes]


def unconditional(shape: Shape) -> list[Hole]:
    """The holes that are written whenever they have a value: not those of one form among several."""
    match shape:
        case Hole():
            return [] if shape.read_only else [shape]
        case Object():
            found = [hole for entry in shape.fields for hole in unconditional(entry.shape)]
            return found + ([shape.rest] if shape.rest is not None else [])
        case Choice() if differ(shape) and not any(is_union(form) for form in shape.forms):
            # a form that is written reports what only the others could hold
            return [hole for form in shape.forms for hole in unconditional(form)]
        case Choice():
            return [hole for hole in unconditional(shape.forms[0]) if len(hole.path) == 2] or _shared(shape)
        case _:
            return list(shape.holes)


def _shared(shape: Choice) -> list[Hole]:
    """The holes that every form writes."""
    rows = [[hole.path for hole in unconditional(form)] for form in shape.forms]
    shared = set(rows[0]).intersection(*rows[1:])
    return [hole for hole in unconditional(shape.forms[0]) if hole.path in shared]
