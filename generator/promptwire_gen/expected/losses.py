"""Expectations of the values that the body, instructions, tools and settings of a wire cannot carry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..model.likeness import ByIdentity
from ..model.neutral import (
    CONTINUATION,
    DOTTED,
    LAYER,
    MESSAGE,
    OPTIONS,
    PARTS,
    REQUEST,
    RESPONSE_FORMAT,
    ROLES,
    TOOL_CHOICE_MODES,
    TOOLS,
)
from ..model.wire import Variant, WireModel
from ..spec.shapes import Alternatives
from .samples import (
    THIS_WIRE,
    TOOL,
    UNKNOWN,
    WORDS,
    Expectation,
    Sample,
    as_json,
    bare,
    expect,
    find_carried,
    fitting,
    least_of,
    lost_by,
    lost_by_shape,
    option_name,
    options_of,
    place_below,
    samples_of,
    samples_of_shape,
    unwritable_samples,
    values_of,
    values_of_fields,
)

_KINDS = {**DOTTED, "response_format": RESPONSE_FORMAT}
_NODES = ("messages", "instructions", "tools", *WORDS)


def request_expectations(model: WireModel) -> Iterator[Expectation]:
    """Yield the expectations of everything but messages."""
    yield _of_options(model)
    yield _of_continuation(model)
    yield from _of_layers(model)
    yield from _of_tools(model)
    for head in WORDS:
        yield from _of_setting(model, head)


def _of_options(model: WireModel) -> Expectation:
    """Return a request with every option, and every field that is no node."""
    shape = model.body.shape
    guards = {hole.name: hole.guard for hole in shape.written_holes}
    fields = {name: field for name, field in REQUEST.items() if name not in _NODES}
    values = values_of_fields({**OPTIONS, **fields})
    sample = Sample(
        {name: fitting(value, guards.get(name)) for name, value in values.items()}, options_of(shape)
    )
    # the mark of a prompt without a template has no key
    beside = model.body.vendor - {hole.path[-1] for hole in shape.holes}
    told = {*find_carried(shape, sample), *model.body.url_fields, *[f"vendor.{name}" for name in beside]}
    lost = [name for name in sample.fields if name not in told]
    lost += [option_name(name) for name in sample.vendor if f"vendor.{name}" not in told]
    request = {
        "options": {name: value for name, value in sample.fields.items() if name in OPTIONS},
        **{name: value for name, value in sample.fields.items() if name in fields},
        **as_json(Sample({}, sample.vendor)),
    }
    # rules leave these out of any request
    omitted = {
        name for rule in model.rules if not rule.model for name, word in rule.set.items() if word == "omit"
    }
    losses = {
        f"options.{name}" if name in OPTIONS else name: name not in omitted
        and not _is_default(model, name, sample.fields.get(name))
        for name in lost
    }
    return expect("every option", request, losses, shape)


def _is_default(model: WireModel, path: str, value: Any) -> bool:
    """Return whether the API does by default what a value asks for."""
    default = model.defaults.get(path)
    return default is not None and default == value


def _of_continuation(model: WireModel) -> Expectation:
    """Return a request with a continuation and the options that are other forms of its key."""
    shape = model.body.shape
    choices = [piece.holes for piece in shape.pieces if isinstance(piece, Alternatives)]
    names = {
        hole.name
        for holes in choices
        if any(hole.path[0] == "continuation" for hole in holes)
        for hole in holes
    }
    values = values_of(CONTINUATION)
    options = {name: value for name, value in options_of(shape).items() if f"vendor.{name}" in names}
    sample = Sample({f"continuation.{name}": value for name, value in values.items()}, options)
    told = {
        *find_carried(shape, sample),
        *[f"continuation.{name}" for name in model.body.dotted["continuation"]],
    }
    losses = {name: True for name in sample.fields if name not in told}
    losses |= {option_name(name): True for name in options if f"vendor.{name}" not in told}
    request = {"continuation": values, **as_json(Sample({}, options))}
    return expect("a continuation", request, losses)


def _of_layers(model: WireModel) -> Iterator[Expectation]:
    placed = model.instructions
    if placed.placement != "top_level" and placed.role not in model.messages:
        yield expect("instructions", {"instructions": "Be brief."}, {"instructions": True})
        return
    told = {"cache"} if model.marks_cache else set[str]()
    if model.instructions.placement == "first_message" and str(values_of(LAYER)["role"]) in model.messages:
        told.add("role")
    for variant in model.unions["instruction"]:
        for name, sample in samples_of(variant, model.unions["instruction"]):
            lost = place_below("instructions[0]", lost_by(variant, sample), told)
            fields = {"instructions": [as_json(sample, variant)]}
            yield expect(f"instructions {variant.key} {name}", fields, lost, variant.shape)
    if not model.unions["instruction"]:
        for name, sample in samples_of_shape(LAYER, None):
            lost = place_below("instructions[0]", lost_by_shape(LAYER, None, sample, {"text"}), told)
            yield expect(f"instructions {name}", {"instructions": [as_json(sample)]}, lost)


def _of_tools(model: WireModel) -> Iterator[Expectation]:
    if not _has_tools(model):
        yield expect("tools", {"tools": [TOOL]}, {"tools": True})
        return
    told = {"cache"} if model.marks_cache else set[str]()
    groups = _by_mode(model.unions["tool"])
    for mode, variants in groups.items():
        for variant in variants:
            for name, sample in samples_of(variant, variants):
                lost = place_below("tools[0]", lost_by(variant, sample), told)
                fields = {"tools": [_tool(mode, as_json(sample, variant))]}
                yield expect(f"tool {variant.key} {name}", fields, lost, variant.shape)
    tools = [(kind.name, bare(kind)) for kind in TOOLS.values() if kind.name not in groups]
    tools += [
        (mode, as_json(sample))
        for mode, variants in groups.items()
        for sample in unwritable_samples(variants)
    ]
    if tools:
        lost = {f"tools[{number}].{mode}": True for number, (mode, _) in enumerate(tools)}
        yield expect("tools without a shape", {"tools": [_tool(*tool) for tool in tools]}, lost)


def _least_tool(model: WireModel) -> Mapping[str, Any]:
    """Return a function that loses nothing where the wire has functions."""
    functions = [
        variant for variant in model.unions["tool"] if variant.mode == "function" and variant.written
    ]
    return next((as_json(least_of(variant)) for variant in functions), TOOL)


def _by_mode(variants: Iterable[Variant]) -> dict[str, list[Variant]]:
    groups: dict[str, list[Variant]] = {}
    for variant in variants:
        groups.setdefault(variant.mode, []).append(variant)
    return groups


def _tool(mode: str, node: dict[str, Any]) -> dict[str, Any]:
    return node if mode == "function" else {mode: node}


def _has_tools(model: WireModel) -> bool:
    return any(hole.path == ("tools",) for hole in model.body.shape.written_holes)


def _of_setting(model: WireModel, head: str) -> Iterator[Expectation]:
    """Yield a setting in each of its shapes, of a kind without a shape, and without a mode."""
    groups = _by_mode(model.unions[head])
    for variants in groups.values():
        for variant in variants:
            for name, sample in samples_of(variant, variants):
                yield _expect_setting(
                    model, f"{head} {variant.key} {name}", head, sample, lost_by(variant, sample), variant
                )
    values, word = values_of(_KINDS[head]), WORDS[head]
    # a mode of reasoning is its kind; a tool choice has one of the modes that are known
    lost = {"kind" if head == "reasoning" else word: True}
    modes = [mode for mode in TOOL_CHOICE_MODES if mode not in groups] if head == "tool_choice" else [UNKNOWN]
    others = [Sample({**values, word: mode}, {}) for mode in modes[-1:]]
    others += [sample for variants in groups.values() for sample in unwritable_samples(variants)]
    for sample in others:
        yield _expect_setting(model, f"{head} without a shape", head, sample, lost)
    if head != "response_format":
        fields = {name: value for name, value in values.items() if name not in ("mode", "budget")}
        yield _expect_setting(model, f"{head} without a mode", head, Sample(fields, {UNKNOWN: "word"}))


def _expect_setting(
    model: WireModel,
    name: str,
    head: str,
    sample: Sample,
    losses: Mapping[str, bool] | None = None,
    variant: Variant | None = None,
) -> Expectation:
    """Return the expectation of a request with one setting.

    `losses` are those of its shape; None where its fields have only keys of their own.
    """
    names = {f"{head}.{field}": value for field, value in sample.fields.items()}
    whole = {} if losses is None else {head: True}
    told = {*find_carried(model.body.shape, Sample(names | whole, {}))}
    if head not in told and head == "response_format":
        lost = {head: True}
    elif head not in told or losses is None:
        lost = place_below(head, dict.fromkeys([*sample.fields, *map(option_name, sample.vendor)], True))
    else:
        lost = place_below(head, losses)
    lost = {
        path: matters and not _is_default(model, path, names.get(path))
        for path, matters in lost.items()
        if path not in told
    }
    node = {} if losses is not None else {"mode": None}
    fields: dict[str, Any] = {head: {**node, **as_json(sample, variant)}}
    if head == "tool_choice":
        fields["tools"] = [_least_tool(model)]
        lost |= {} if _has_tools(model) else {"tools": True}
    return expect(name, fields, lost, None if variant is None else variant.shape)


_IDS = {"tool_call": "id", "tool_result": "call_id"}
_RESULTS = ("tool_result", "custom_tool_result")


@dataclass(frozen=True, slots=True)
class Place:
    """A place for parts: in messages of a role, or inside a part of such a message.

    Attributes:
        holder: The part that contains the parts; None for a message.
        speaker: The role or kind of part whose shapes the parts have.
    """

    role: str
    speaker: str
    holder: Variant | None = None

    def path(self, number: int = 0) -> str:
        """Return the path of a part."""
        return (
            f"messages[0].parts[{number}]" if self.holder is None else f"messages[0].parts[0].parts[{number}]"
        )

    def fields(self, parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the messages of a request that has some parts here."""
        if self.holder is not None:
            parts = [{self.holder.mode: as_json(least_of(self.holder).having({"content": [*parts]}))}]
        return {"messages": [{self.role: [*parts]}]}

    def takes(self, variant: Variant) -> bool:
        """Return whether a variant may be here; a tool message contains only results."""
        is_inside = self.holder is not None
        if is_inside and variant.standalone:
            return False
        return variant.serves(self.speaker) and (
            is_inside or self.role != "tool" or variant.standalone or variant.mode in _RESULTS
        )


def message_expectations(model: WireModel) -> Iterator[Expectation]:
    """Yield the expectations of all messages and parts."""
    places = [*_places(model)]
    for place in places:
        if place.holder is None:
            yield from _of_message(model, place.role)
        yield from _of_place(model, place)
    for variant in model.parts:
        taking = [place for place in places if place.takes(variant)]
        for place in taking[:1]:
            yield from _of_part(model, variant, place)


def _places(model: WireModel) -> Iterator[Place]:
    """Yield the messages of each role, then the insides of parts."""
    standalone = {role for part in model.parts if part.standalone for role in part.roles}
    roles = [role for role in ROLES if role in model.messages or role in standalone]
    yield from [Place(role, role) for role in roles]
    holders = {
        part.mode: Place(role, model.content_role(part.mode), part)
        for role in reversed(roles)
        for part in model.parts_of(role)
        if part.written and _holds_parts(part)
    }
    yield from holders.values()


def _holds_parts(part: Variant) -> bool:
    return any(hole.path == ("content",) for hole in part.shape.written_holes)


def _of_message(model: WireModel, role: str) -> Iterator[Expectation]:
    shape = model.messages[role].shape if role in model.messages else None
    content: Any = "Hi"
    if role == "tool":
        results = [part for part in model.parts_of(role) if part.mode in _RESULTS and part.written]
        content = [{part.mode: as_json(least_of(part))} for part in results[:1]]
    # the last message of some APIs has a key of its own
    other = {"assistant" if role == "user" else "user": "Hi"}
    for name, sample in samples_of_shape(MESSAGE, shape):
        lost = place_below("messages[0]", lost_by_shape(MESSAGE, shape, sample))
        fields = {"messages": [{role: content, **as_json(sample)}, other]}
        yield expect(f"{role} message {name}", fields, lost, shape)


def _of_place(model: WireModel, place: Place) -> Iterator[Expectation]:
    """Yield one request with every kind of part that has no shape in a place, and with values that no shape takes."""
    shapes: dict[tuple[str, str | None], list[Variant]] = {}
    for part in model.parts:
        if part.written and place.takes(part):
            shapes.setdefault((part.mode, part.source_key), []).append(part)
    if place.holder is not None and place.holder.keyed is not None:
        # a result that is an object may be any JSON
        shapes["json", None] = []
    parts = [
        {kind.name: bare(kind, source)}
        for kind in PARTS.values()
        for source in kind.sources or (None,)
        if (kind.name, source) not in shapes
    ]
    parts += [
        {mode: {**as_json(sample), "provenance": {"wire": THIS_WIRE}}}
        for (mode, _), variants in shapes.items()
        for sample in unwritable_samples(variants)
    ]
    if parts:
        where = f"messages of {place.role}" if place.holder is None else place.holder.mode
        lost = {f"{place.path(number)}.{kind}": True for number, part in enumerate(parts) for kind in part}
        yield expect(f"parts without a place in {where}", place.fields(parts), lost)


def _of_part(model: WireModel, variant: Variant, place: Place) -> Iterator[Expectation]:
    rivals = [
        part
        for part in model.parts_of(place.speaker)
        if (part.mode, part.source_key) == (variant.mode, variant.source_key)
    ]
    told = {"cache"} if model.marks_cache and place.holder is None else set[str]()
    for name, sample in samples_of(variant, rivals):
        losses = lost_by(variant, sample)
        if model.pairs_by_call and _IDS.get(variant.mode) in losses:
            # results tell by other means which call they answer
            losses[_IDS[variant.mode]] = False
        lost = place_below(place.path(), losses, told)
        part = {variant.mode: {**as_json(sample, variant), "provenance": {"wire": THIS_WIRE}}}
        yield expect(f"{variant.key} {name}", place.fields([part]), lost, variant.shape)


def expectations(model: WireModel) -> Iterator[Expectation]:
    """Yield all expectations of a wire."""
    for expectation in expectations_of_any(ByIdentity(model.requests_of)):
        yield expectation.of_wire(model.name)


def own_expectations(model: WireModel) -> Iterator[Expectation]:
    """Yield the expectations of a wire that its parent does not have: those of the functions that it generates."""
    above = () if model.parent is None else expectations_of_any(ByIdentity(model.parent.requests_of))
    for expectation in expectations_of_any(ByIdentity(model.requests_of)):
        if expectation not in above:
            yield expectation.of_wire(model.name)


@lru_cache(maxsize=16)
def expectations_of_any(wire: ByIdentity[WireModel]) -> tuple[Expectation, ...]:
    """Return the expectations of a wire with THIS_WIRE for its name; dialects with the same requests have them."""
    return (*request_expectations(wire.value), *message_expectations(wire.value))
