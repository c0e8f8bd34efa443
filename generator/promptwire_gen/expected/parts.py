"""Expected results of each shape of a part in a conversation, and of a call without its result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from ..model.wire import Variant, WireModel
from ..spec.rule_conditions import Condition
from ..spec.shapes import Hole
from .bodies import cache_mark, texts_in, texts_of
from .expectation import THIS_WIRE, Expectation
from .filling import ABSENT, NotPredictable, fill
from .part_samples import SOME_TEXT, FilledPart, PartSample, part_samples
from .placed_messages import conversation_keys
from .ruling import apply_rules
from .sample import Sample

# a call and its result are one sample
_ANSWERS = {"tool_call": "tool_result", "custom_tool_call": "custom_tool_result"}


# (role, part) pairs; None means plain text
_Talk: TypeAlias = list[tuple[str, FilledPart | None]]


def part_expectations(model: WireModel, plain: Expectation, sample: Sample) -> Iterator[Expectation]:
    """Yield every expectation of parts that the shapes and rules of a wire decide."""
    if plain.body is None or not (model.body.messages_apart or model.body.messages.key in plain.body):
        return
    for variant in model.parts:
        with suppress(NotPredictable):
            role = _role(model, variant)
            named: set[str] = set()
            for part_sample in part_samples(variant, by_call=model.pairs_by_call):
                with suppress(NotPredictable):
                    if part_sample.name not in named:
                        yield _expectation(model, plain, sample, role, part_sample)
                        named.add(part_sample.name)
    with suppress(NotPredictable):
        yield from _pair_expectations(model, plain, sample)


def _role(model: WireModel, variant: Variant) -> str:
    """Return the first role whose messages may hold a part."""
    results = variant.mode in _ANSWERS.values()
    for role in ("user", "assistant", "tool", "system", "developer"):
        if (
            variant.serves(role)
            and (role == "tool") == results
            and (role in model.messages or variant.standalone)
        ):
            return role
    raise NotPredictable("no message holds it")


def _expectation(
    model: WireModel, plain: Expectation, sample: Sample, role: str, part_sample: PartSample
) -> Expectation:
    part, name = part_sample.part, part_sample.name
    if not part.variant.written or _rivals(model, part, role):
        raise NotPredictable("another shape may be written")
    if part_sample.lost and any(_alike(variant, part.variant) for variant in _others(model, part)):
        raise NotPredictable("its fields choose the shape")
    return _conversation(model, plain, sample, name, _talk(model, role, part), part_sample.lost)


def _conversation(
    model: WireModel, plain: Expectation, sample: Sample, name: str, talk: _Talk, lost: tuple[str, ...] = ()
) -> Expectation:
    """Return the expectation for a conversation that no rule refuses: its body, or the fields that are lost."""
    request = _request(model, plain, sample, talk)
    turns = [(_place(role, part), _item(model, role, part)) for role, part in talk]
    if lost:
        return Expectation(name=name, request=request, lost=lost)
    held = {entry.key for entry in (model.body.messages, *[place.entry for place in model.body.last])}
    others = {key: value for key, value in (plain.body or {}).items() if key not in held}
    return Expectation(
        name=name, request=request, body={**others, **conversation_keys(model, turns, request.get("model"))}
    )


def _refused(
    model: WireModel, plain: Expectation, sample: Sample, name: str, talk: _Talk, field: str
) -> Expectation:
    """Return the error of a conversation that no rule refuses, and the pairing of calls and results does."""
    request = _request(model, plain, sample, talk)
    for role, part in talk:
        _item(model, role, part)
    return Expectation(name=name, request=request, error="Refused", field=field)


def _request(model: WireModel, plain: Expectation, sample: Sample, talk: _Talk) -> dict[str, Any]:
    parts = [(role, *_said(part)) for role, part in talk]
    if apply_rules(model, replace(sample, messages=[(role, "Hi") for role, _ in talk], parts=parts)).refused:
        raise NotPredictable("a rule refuses it")
    messages = [{role: "Hi" if part is None else [part.neutral(THIS_WIRE)]} for role, part in talk]
    return {**plain.request, "messages": messages}


def _pair_expectations(model: WireModel, plain: Expectation, sample: Sample) -> Iterator[Expectation]:
    """Yield a call without its result, a result without its call, and a result that comes late."""
    if not model.pairs:
        return
    question: tuple[str, FilledPart | None] = ("user", None)
    answered: tuple[str, FilledPart | None] = ("assistant", None)
    _, call, result = _talk(model, "assistant", _plainest(model, "tool_call", "assistant"))
    late = [question, call, question, answered, result]
    yield _refused(
        model, plain, sample, "a call without its result", [question, call, question], "tool_call.id"
    )
    yield _refused(
        model, plain, sample, "a result without its call", [question, answered, result], "tool_result.call_id"
    )
    if model.pairs == "later":
        yield _conversation(model, plain, sample, "a result that comes late", late)
    else:
        yield _refused(model, plain, sample, "a result that comes late", late, "tool_call.id")


def _said(part: FilledPart | None) -> tuple[str, dict[str, Any]]:
    """Kind and fields of a part, as rules look at them."""
    return ("text", {}) if part is None else (part.variant.mode, {**part.fields, **part.vendor})


def _rivals(model: WireModel, part: FilledPart, role: str) -> bool:
    """Return whether another shape could take the same fields."""
    written = part.variant
    return any(
        _alike(variant, written)
        and variant.named == written.named
        and variant.serves(role)
        and {hole.path[0] for hole in variant.required_fields} <= part.fields.keys()
        and variant.required_options <= part.vendor.keys()
        for variant in _others(model, part)
    )


def _alike(variant: Variant, other: Variant) -> bool:
    return (variant.mode, variant.source_key) == (other.mode, other.source_key)


def _others(model: WireModel, part: FilledPart) -> list[Variant]:
    return [variant for variant in model.parts if variant.written and variant is not part.variant]


def _talk(model: WireModel, role: str, part: FilledPart) -> _Talk:
    """Return a conversation around a part: its role and part each, None for plain text."""
    if role == "user":
        return [("user", part)]
    mode = part.variant.mode
    if mode in _ANSWERS:
        return _pair(model, part, _plainest(model, _ANSWERS[mode], "tool"))
    if role == "tool":
        call = next(call for call, answer in _ANSWERS.items() if answer == mode)
        return _pair(model, _plainest(model, call, "assistant"), part)
    if mode == "hosted_call" and model.answered:
        # the answer pauses here: the API has yet to run it
        return [("user", None), (role, part)]
    if role == "assistant":
        followed = any(condition.path == f"{role}.{mode}.before" for condition in _rejected(model))
        return [("user", None), (role, part), *([(role, None)] if followed else []), ("user", None)]
    raise NotPredictable("instructions have samples of their own")


def _rejected(model: WireModel) -> Iterator[Condition]:
    """Yield the conditions that some rule rejects."""
    return (condition for rule in model.rules for condition in rule.reject)


def _pair(model: WireModel, call: FilledPart, result: FilledPart) -> _Talk:
    if model.pairs and ("id" not in call.fields or "call_id" not in result.fields):
        raise NotPredictable("nothing says that they are one pair")
    return [("user", None), ("assistant", call), ("tool", result)]


def _plainest(model: WireModel, mode: str, role: str) -> FilledPart:
    for variant in model.parts:
        if variant.mode == mode and variant.written and variant.serves(role):
            return [part_sample.part for part_sample in part_samples(variant) if not part_sample.lost][:2][-1]
    raise NotPredictable(f"no {mode} here")


def _place(role: str, part: FilledPart | None) -> str:
    """Return the role of a message; that of a result beside the messages is `results`."""
    return part.variant.slot if part is not None and part.variant.slot == "results" else role


def _item(model: WireModel, role: str, part: FilledPart | None) -> Any:
    """Return the item of a message or standalone part in the list of messages."""
    if part is not None and part.variant.standalone:
        return _json(model, part)
    shape = model.messages[role].shape if role in model.messages else None
    if shape is None:
        raise NotPredictable(f"no message of {role}")
    slot = "content" if part is None else part.variant.slot
    if all(hole.path != (slot,) for hole in shape.holes):
        raise NotPredictable(f"a message of {role} has no {slot}")

    def value_of(hole: Hole) -> Any:
        if hole.path != (slot,):
            return ABSENT
        if part is None or _bare(part):
            return texts_in(hole, [part.fields["text"] if part else "Hi"], texts_of(model, role))
        if hole.filters:
            raise NotPredictable("parts stand as one text")
        return [_json(model, part)] if model.slots[slot] == "list" else _json(model, part)

    return fill(shape, value_of)


def _bare(part: FilledPart) -> bool:
    """Return whether a part is text and nothing else."""
    return part.variant.mode == "text" and set(part.fields) == {"text"} and not part.vendor


def _json(model: WireModel, part: FilledPart) -> Any:
    def value_of(hole: Hole) -> Any:
        head = hole.path[0]
        if head == "vendor":
            return part.vendor.get(hole.path[1], ABSENT)
        if head not in part.fields:
            return ABSENT
        if head == "content":
            role = model.content_role(part.variant.mode)
            return texts_in(hole, [SOME_TEXT], texts_of(model, role))
        if head == "cache":
            return cache_mark(model, part.fields[head])
        return part.fields[head]

    json = fill(part.variant.shape, value_of)
    if json in (None, ABSENT):
        raise NotPredictable("nothing is written")
    return json
