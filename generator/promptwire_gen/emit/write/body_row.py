"""Request fields that a body has no key for: rows of data, reported as unsupported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...model.neutral import COMMON_REQUEST_FIELDS, DOTTED, REQUEST
from ...model.transport import names_model
from ...model.wire import WireModel
from ...spec.shapes import Alternatives, Hole, Object, Shape
from ..field_holder import SETTINGS
from .body_keys import is_union
from .node import read_only_options


@dataclass(frozen=True, slots=True)
class BodyTable:
    """`BODY = BodyRow(options=..., fields=..., parts=..., alone=..., vendor=..., read_only=...)`.

    options    the options of a request that have a key
    fields     the other fields of a request that have none
    parts      of tool choice, reasoning and continuation: the fields without a key
    alone      those of them whose fields are written by shapes, where they have a mode or kind
    vendor     the options of this API that have a key
    read_only  options that only reading knows -> the keys that lead to each
    """

    options: Sequence[str]
    fields: Sequence[str]
    parts: Mapping[str, list[str]]
    alone: Sequence[str]
    vendor: Sequence[str]
    read_only: Mapping[str, tuple[str, ...]]


def body_row(model: WireModel) -> BodyTable:
    """Return the row of a wire's body."""
    body = model.body
    fields = [
        field
        for field in REQUEST
        if field not in body.carried and field not in COMMON_REQUEST_FIELDS and field not in DOTTED
    ]
    parts = {head: _fields_without_key(model, head, frozenset(kind.fields)) for head, kind in DOTTED.items()}
    return BodyTable(
        options=sorted(body.carried_options),
        fields=fields,
        parts={head: names for head, names in parts.items() if names or head in SETTINGS},
        alone=[head for head in DOTTED if head in body.carried_request],
        vendor=sorted(known_vendor(model)),
        read_only=read_only_options(body.shape),
    )


def known_vendor(model: WireModel) -> frozenset[str]:
    """Return the vendor options of the body: those it writes, and those that only reading knows."""
    holes = [hole.path for hole in model.body.shape.holes if len(hole.path) == 2]
    return model.body.vendor.union([name for head, name in holes if head == "vendor"])


def common_losses(model: WireModel) -> list[tuple[str, str]]:
    """Return the fields of any request that no key of this body can carry, each with its report."""
    body = model.body
    reports: list[tuple[str, str]] = []
    if "model" not in body.carried:
        reports.append(("model", "lost"))
    elif "model" in body.url_fields and not _requires_model(model):
        reports.append(("model", "missing"))
    placed = {"instructions"} if model.instructions.placement == "first_message" else set[str]()
    carried = body.carried_request | placed
    return reports + [(field, "lost") for field in ("tools", "instructions") if field not in carried]


def _requires_model(model: WireModel) -> bool:
    """Return whether a missing model is an error: the body requires it, or every form of the URL has it."""
    if any(hole.path == ("model",) for hole in model.body.shape.required_holes):
        return True
    return not all(names_model(form) for form in model.transport.url)


def _fields_without_key(model: WireModel, head: str, fields: frozenset[str]) -> list[str]:
    """Return the fields of tool choice, reasoning or continuation that are lost, where no shape writes them."""
    holes = [*unconditional(model.body.shape), *_beside_union(model.body.shape)]
    always = {hole.path[1] for hole in holes if hole.path[0] == head and len(hole.path) == 2}
    if head == "continuation":
        always |= model.body.dotted[head]
    rest = sorted(fields - always - {"wire", "kind"})
    if head not in model.body.carried_request:
        return rest
    if head == "tool_choice":
        parallel = set[str]() if not _choice_writes_parallel(model) else {"parallel"}
        return [field for field in rest if field not in {"mode", *parallel}]
    return [field for field in rest if head == "reasoning" and field not in ("mode", "budget")]


def _choice_writes_parallel(model: WireModel) -> bool:
    return any(hole.path == ("tool_choice", "parallel") for hole in model.body.shape.holes)


def _beside_union(shape: Object) -> list[Hole]:
    """Return the holes of forms that are written where the union in their place has no kind."""
    choices = [entry.shape for entry in shape.fields if isinstance(entry.shape, Alternatives)]
    other_forms = [choice.forms[1:] for choice in choices if is_union(choice.forms[0])]
    return [hole for forms in other_forms for form in forms for hole in form.holes]


def unconditional(shape: Shape) -> list[Hole]:
    """Return the holes that are written whenever they have a value: not those of one form among several."""
    match shape:
        case Hole():
            return [] if shape.read_only else [shape]
        case Object():
            holes = [hole for entry in shape.fields for hole in unconditional(entry.shape)]
            return holes + ([shape.extra_keys] if shape.extra_keys is not None else [])
        case Alternatives() if shape.differs and not any(is_union(form) for form in shape.forms):
            # the form that is written reports fields which only the other forms have
            return [hole for form in shape.forms for hole in unconditional(form)]
        case Alternatives():
            return [hole for hole in unconditional(shape.forms[0]) if len(hole.path) == 2] or _shared(shape)
        case _:
            return list(shape.holes)


def _shared(shape: Alternatives) -> list[Hole]:
    """Return the holes that every form writes."""
    paths = [[hole.path for hole in unconditional(form)] for form in shape.forms]
    shared = set(paths[0]).intersection(*paths[1:])
    return [hole for hole in unconditional(shape.forms[0]) if hole.path in shared]
