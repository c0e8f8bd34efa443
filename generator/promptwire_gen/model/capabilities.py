"""Support is never claimed twice: what a spec says about itself must agree with its shapes."""

from __future__ import annotations

from ..problems import quote
from ..spec.load import LoadedSpec
from ..spec.notation import Notation, holes
from .wire import WireModel


def check_capabilities(model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    """Compare the sections instructions, continuation, tools, slots and group with the shapes."""
    _check_instructions(model, spec, notation)
    _check_continuation(model, spec, notation)
    _check_tools(model, spec, notation)
    _check_slots(model, spec, notation)


def _check_instructions(model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    given = spec.model.instructions
    keys = [e.key for e in model.body.shape.fields if any(h.path == ("instructions",) for h in holes(e.shape))]
    span = spec.span_of(("instructions",))
    if given.placement == "top_level":
        if not keys:
            hint = f"write {given.field or 'system'}?: $instructions"
            notation.problem(span, "capability", "placement is top_level, but the body has no $instructions", hint)
        elif given.field is not None and given.field not in keys:
            place = spec.span_of(("instructions", "field"))
            hint = f"write field: {keys[0]}"
            notation.problem(place, "capability", f"$instructions stands in {quote(keys[0])}", hint)
        if given.several == "blocks" and not model.unions["instruction"]:
            hint = "write unions.instruction.layer"
            notation.problem(span, "capability", "several layers are blocks, but no shape says what a layer is", hint)
    elif keys:
        place = spec.span_of(("instructions", "placement"))
        message = f"placement is {given.placement}, but the body holds $instructions"
        notation.problem(place, "capability", message, "write placement: top_level")
    if given.placement == "first_message" and given.role not in model.messages:
        place = spec.span_of(("instructions", "role"))
        notation.problem(place, "capability", f"no message shape for the role {quote(given.role)}")
    if given.mid_conversation == "native" and not {"system", "developer"} & set(model.messages):
        place = spec.span_of(("instructions", "mid_conversation"))
        notation.problem(place, "capability", "mid_conversation is native, but no message shape is system or developer")


def _check_continuation(model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    carried = model.body.dotted["continuation"]
    span = spec.span_of(("continuation",))
    if spec.model.continuation.mode == "server" and not carried:
        notation.problem(span, "capability", "mode is server, but no key of the body holds $continuation.id")
    if spec.model.continuation.mode == "server":
        keys = [e.key for e in model.body.shape.fields if any(h.path[0] == "continuation" for h in holes(e.shape))]
        for name in spec.model.continuation.fields:
            if name not in keys:
                hint = f"the body has {', '.join(keys)}"
                notation.problem(span, "capability", f"{quote(name)} holds no continuation", hint)


def _check_tools(model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    claimed = tuple(spec.model.tools.choice)
    shaped = tuple(dict.fromkeys(choice.mode for choice in model.unions["tool_choice"]))
    place = spec.span_of(("tools", "choice"))
    for mode in claimed:
        if mode not in shaped:
            hint = f"add unions.tool_choice.{mode}, or leave it out here"
            notation.problem(place, "capability", f"tools.choice names {quote(mode)}, but no shape writes it", hint)
    for choice in model.unions["tool_choice"]:
        if choice.mode not in claimed:
            hint = f"add {choice.mode} to tools.choice"
            notation.problem(choice.span, "capability", f"{quote(choice.mode)} has a shape, but tools.choice lacks it", hint)
            break
    has_hole = any(hole.path == ("tools",) for hole in holes(model.body.shape))
    if has_hole and not model.unions["tool"]:
        notation.problem(model.body.shape.span, "capability", "the body holds $tools, but unions.tool has no shape")


def _check_slots(model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    used = {name for shape in model.messages.values() for name, _ in shape.slots}
    for name in model.slots:
        if name not in used:
            place = spec.span_of(("slots", name))
            notation.problem(place, "capability", f"no message holds the slot {quote(name)}", f"write {name}?: ${name}")
    for part in model.parts:
        if part.slot == "messages" and not model.group:
            notation.problem(part.span, "capability", "items of their own need group: true")
            break
    if "user" not in model.messages or "assistant" not in model.messages:
        place = spec.span_of(("messages",))
        notation.problem(place, "capability", "messages needs a shape for user and one for assistant")
