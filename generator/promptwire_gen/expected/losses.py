"""Expectations of the values that the body, instructions, tools and settings of a wire cannot carry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

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
    expect,
    find_carried,
    find_losses,
    find_losses_of_shape,
    fit_value,
    make_bare_node,
    make_json,
    make_least_node,
    make_options,
    make_samples,
    make_samples_of_shape,
    make_unwritable_samples,
    make_values,
    make_values_of_fields,
    name_option,
    place_below,
)

_KINDS = {**DOTTED, "response_format": RESPONSE_FORMAT}
_NODES = ("messages", "instructions", "tools", *WORDS)


def expect_of_request(model: WireModel) -> Iterator[Expectation]:
    """Yield the expectations of everything but messages."""
    yield _expect_options(model)
    yield _expect_continuation(model)
    yield from _expect_layers(model)
    yield from _expect_tools(model)
    for head in WORDS:
        yield from _expect_settings(model, head)


def _expect_options(model: WireModel) -> Expectation:
    """Return a request with every option, and every field that is no node."""
    shape = model.body.shape
    guards = {hole.name: hole.guard for hole in shape.written_holes}
    fields = {name: field for name, field in REQUEST.items() if name not in _NODES}
    values = make_values_of_fields({**OPTIONS, **fields})
    sample = Sample(
        {name: fit_value(value, guards.get(name)) for name, value in values.items()}, make_options(shape)
    )
    # the mark of a prompt without a template has no key
    beside = model.body.vendor - {hole.path[-1] for hole in shape.holes}
    told = {*find_carried(shape, sample), *model.body.url_fields, *[f"vendor.{name}" for name in beside]}
    lost = [name for name in sample.fields if name not in told]
    lost += [name_option(name) for name in sample.vendor if f"vendor.{name}" not in told]
    request = {
        "options": {name: value for name, value in sample.fields.items() if name in OPTIONS},
        **{name: value for name, value in sample.fields.items() if name in fields},
        **make_json(Sample({}, sample.vendor)),
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
    """Return whether a value is the default of the API."""
    default = model.defaults.get(path)
    return default is not None and default == value


def _expect_continuation(model: WireModel) -> Expectation:
    """Return a request with a continuation and the options that are other forms of its key."""
    shape = model.body.shape
    choices = [piece.holes for piece in shape.pieces if isinstance(piece, Alternatives)]
    names = {
        hole.name
        for holes in choices
        if any(hole.path[0] == "continuation" for hole in holes)
        for hole in holes
    }
    values = make_values(CONTINUATION)
    options = {name: value for name, value in make_options(shape).items() if f"vendor.{name}" in names}
    sample = Sample({f"continuation.{name}": value for name, value in values.items()}, options)
    told = {
        *find_carried(shape, sample),
        *[f"continuation.{name}" for name in model.body.dotted["continuation"]],
    }
    losses = {name: True for name in sample.fields if name not in told}
    losses |= {name_option(name): True for name in options if f"vendor.{name}" not in told}
    request = {"continuation": values, **make_json(Sample({}, options))}
    return expect("a continuation", request, losses)


def _expect_layers(model: WireModel) -> Iterator[Expectation]:
    placed = model.instructions
    if placed.placement != "top_level" and placed.speaker not in model.messages:
        yield expect("instructions", {"instructions": "Be brief."}, {"instructions": True})
        return
    told = {"cache"} if model.marks_cache else set[str]()
    if model.instructions.placement == "first_message" and str(make_values(LAYER)["role"]) in model.messages:
        told.add("role")
    for variant in model.unions["instruction"]:
        for name, sample in make_samples(variant, model.unions["instruction"]):
            lost = place_below("instructions[0]", find_losses(variant, sample), told)
            fields = {"instructions": [make_json(sample, variant)]}
            yield expect(f"instructions {variant.key} {name}", fields, lost, variant.shape)
    if not model.unions["instruction"]:
        for name, sample in make_samples_of_shape(LAYER, None):
            lost = place_below("instructions[0]", find_losses_of_shape(LAYER, None, sample, {"text"}), told)
            yield expect(f"instructions {name}", {"instructions": [make_json(sample)]}, lost)


def _expect_tools(model: WireModel) -> Iterator[Expectation]:
    if not _has_tools(model):
        yield expect("tools", {"tools": [TOOL]}, {"tools": True})
        return
    told = {"cache"} if model.marks_cache else set[str]()
    groups = _group_by_mode(model.unions["tool"])
    for mode, variants in groups.items():
        for variant in variants:
            for name, sample in make_samples(variant, variants):
                lost = place_below("tools[0]", find_losses(variant, sample), told)
                fields = {"tools": [_make_tool(mode, make_json(sample, variant))]}
                yield expect(f"tool {variant.key} {name}", fields, lost, variant.shape)
    tools = [(kind.name, make_bare_node(kind)) for kind in TOOLS.values() if kind.name not in groups]
    tools += [
        (mode, make_json(sample))
        for mode, variants in groups.items()
        for sample in make_unwritable_samples(variants)
    ]
    if tools:
        lost = {f"tools[{number}].{mode}": True for number, (mode, _) in enumerate(tools)}
        yield expect("tools without a shape", {"tools": [_make_tool(*tool) for tool in tools]}, lost)


def _make_least_tool(model: WireModel) -> Mapping[str, Any]:
    """Return a function that loses nothing where the wire has functions."""
    functions = [
        variant for variant in model.unions["tool"] if variant.mode == "function" and variant.written
    ]
    return next((make_json(make_least_node(variant)) for variant in functions), TOOL)


def _group_by_mode(variants: Iterable[Variant]) -> dict[str, list[Variant]]:
    groups: dict[str, list[Variant]] = {}
    for variant in variants:
        groups.setdefault(variant.mode, []).append(variant)
    return groups


def _make_tool(mode: str, node: dict[str, Any]) -> dict[str, Any]:
    return node if mode == "function" else {mode: node}


def _has_tools(model: WireModel) -> bool:
    return any(hole.path == ("tools",) for hole in model.body.shape.written_holes)


def _expect_settings(model: WireModel, head: str) -> Iterator[Expectation]:
    """Yield a setting in each of its shapes, of a kind without a shape, and without a mode."""
    groups = _group_by_mode(model.unions[head])
    for variants in groups.values():
        for variant in variants:
            for name, sample in make_samples(variant, variants):
                yield _expect_setting(
                    model, f"{head} {variant.key} {name}", head, sample, find_losses(variant, sample), variant
                )
    values, word = make_values(_KINDS[head]), WORDS[head]
    # a mode of reasoning is its kind; a tool choice has one of the modes that are known
    lost = {"kind" if head == "reasoning" else word: True}
    modes = [mode for mode in TOOL_CHOICE_MODES if mode not in groups] if head == "tool_choice" else [UNKNOWN]
    others = [Sample({**values, word: mode}, {}) for mode in modes[-1:]]
    others += [sample for variants in groups.values() for sample in make_unwritable_samples(variants)]
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
        lost = place_below(head, dict.fromkeys([*sample.fields, *map(name_option, sample.vendor)], True))
    else:
        lost = place_below(head, losses)
    lost = {
        path: matters and not _is_default(model, path, names.get(path))
        for path, matters in lost.items()
        if path not in told
    }
    node = {} if losses is not None else {"mode": None}
    fields: dict[str, Any] = {head: {**node, **make_json(sample, variant)}}
    if head == "tool_choice":
        fields["tools"] = [_make_least_tool(model)]
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

    def locate_part(self, number: int = 0) -> str:
        """Return the path of a part."""
        return (
            f"messages[0].parts[{number}]" if self.holder is None else f"messages[0].parts[0].parts[{number}]"
        )

    def make_messages(self, parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the messages of a request that has some parts here."""
        if self.holder is not None:
            parts = [
                {
                    self.holder.mode: make_json(
                        make_least_node(self.holder).replace_fields({"content": [*parts]})
                    )
                }
            ]
        return {"messages": [{self.role: [*parts]}]}

    def takes(self, variant: Variant) -> bool:
        """Return whether a variant may be here; a tool message contains only results."""
        is_inside = self.holder is not None
        if is_inside and variant.standalone:
            return False
        return variant.serves(self.speaker) and (
            is_inside or self.role != "tool" or variant.standalone or variant.mode in _RESULTS
        )


def expect_of_messages(model: WireModel) -> Iterator[Expectation]:
    """Yield the expectations of all messages and parts."""
    places = [*_list_places(model)]
    for place in places:
        if place.holder is None:
            yield from _expect_message(model, place.role)
        yield from _expect_unplaced(model, place)
    for variant in model.parts:
        taking = [place for place in places if place.takes(variant)]
        for place in taking[:1]:
            yield from _expect_part(model, variant, place)


def _list_places(model: WireModel) -> Iterator[Place]:
    """Yield the messages of each role, then the insides of parts."""
    standalone = {role for part in model.parts if part.standalone for role in part.roles}
    roles = [role for role in ROLES if role in model.messages or role in standalone]
    yield from [Place(role, role) for role in roles]
    holders = {
        part.mode: Place(role, model.find_content_role(part.mode), part)
        for role in reversed(roles)
        for part in model.list_parts_of(role)
        if part.written and _holds_parts(part)
    }
    yield from holders.values()


def _holds_parts(part: Variant) -> bool:
    return any(hole.path == ("content",) for hole in part.shape.written_holes)


def _expect_message(model: WireModel, role: str) -> Iterator[Expectation]:
    shape = model.messages[role].shape if role in model.messages else None
    content: Any = "Hi"
    if role == "tool":
        results = [part for part in model.list_parts_of(role) if part.mode in _RESULTS and part.written]
        content = [{part.mode: make_json(make_least_node(part))} for part in results[:1]]
    # the last message of some APIs has a key of its own
    other = {"assistant" if role == "user" else "user": "Hi"}
    for name, sample in make_samples_of_shape(MESSAGE, shape):
        lost = place_below("messages[0]", find_losses_of_shape(MESSAGE, shape, sample))
        fields = {"messages": [{role: content, **make_json(sample)}, other]}
        yield expect(f"{role} message {name}", fields, lost, shape)


def _expect_unplaced(model: WireModel, place: Place) -> Iterator[Expectation]:
    """Yield one request with every kind of part that has no shape in a place, and with values that no shape takes."""
    shapes: dict[tuple[str, str | None], list[Variant]] = {}
    for part in model.parts:
        if part.written and place.takes(part):
            shapes.setdefault((part.mode, part.source_key), []).append(part)
    if place.holder is not None and place.holder.keyed is not None:
        # a result that is an object may be any JSON
        shapes["json", None] = []
    parts = [
        {kind.name: make_bare_node(kind, source)}
        for kind in PARTS.values()
        for source in kind.sources or (None,)
        if (kind.name, source) not in shapes
    ]
    parts += [
        {mode: {**make_json(sample), "provenance": {"wire": THIS_WIRE}}}
        for (mode, _), variants in shapes.items()
        for sample in make_unwritable_samples(variants)
    ]
    if parts:
        where = f"messages of {place.role}" if place.holder is None else place.holder.mode
        lost = {
            f"{place.locate_part(number)}.{kind}": True for number, part in enumerate(parts) for kind in part
        }
        yield expect(f"parts without a place in {where}", place.make_messages(parts), lost)


def _expect_part(model: WireModel, variant: Variant, place: Place) -> Iterator[Expectation]:
    rivals = [
        part
        for part in model.list_parts_of(place.speaker)
        if (part.mode, part.source_key) == (variant.mode, variant.source_key)
    ]
    told = {"cache"} if model.marks_cache and place.holder is None else set[str]()
    for name, sample in make_samples(variant, rivals):
        losses = find_losses(variant, sample)
        if model.pairs_by_call and _IDS.get(variant.mode) in losses:
            # results tell by other means which call they answer
            losses[_IDS[variant.mode]] = False
        lost = place_below(place.locate_part(), losses, told)
        part = {variant.mode: {**make_json(sample, variant), "provenance": {"wire": THIS_WIRE}}}
        yield expect(f"{variant.key} {name}", place.make_messages([part]), lost, variant.shape)


def list_own_expectations(model: WireModel) -> Iterator[Expectation]:
    """Yield the expectations of a wire that its parent does not have: those of the functions that it generates."""
    above = () if model.parent is None else list_shared_expectations(model.parent.requests_of)
    for expectation in list_shared_expectations(model.requests_of):
        if expectation not in above:
            yield expectation.name_wire(model.name)


@lru_cache(maxsize=16)
def list_shared_expectations(wire: WireModel) -> tuple[Expectation, ...]:
    """Return the expectations of a wire with THIS_WIRE for its name; dialects with the same requests have them."""
    return (*expect_of_request(wire), *expect_of_messages(wire))
