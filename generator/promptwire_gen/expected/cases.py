"""The capabilities of a wire as cases: each a request and the body, or the error, that is expected for it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from typing import Any

from ..model.identity import ByIdentity
from ..model.wire import Variant, WireModel
from .bodies import body_of, carries
from .capability_samples import plainest, samples_of
from .expectation import Expectation
from .filling import NotPredictable
from .parts import part_expectations
from .ruling import apply_rules
from .sample import Sample

_INSTRUCTING = ("system", "developer")


def expectations(model: WireModel) -> Iterator[Expectation]:
    """Yield every expectation that the shapes and rules of a wire determine, the simplest first.

    No body lacks a key of the plainest one. Where the shapes do not even decide that one, it has no body, and all
    others are errors.
    """
    for expectation in expectations_of_any(ByIdentity(model.requests_of)):
        yield expectation.of_wire(model.name)


@lru_cache(maxsize=16)
def expectations_of_any(wire: ByIdentity[WireModel]) -> tuple[Expectation, ...]:
    """Return the expectations of a wire with THIS_WIRE for its name; its dialects with the same requests have them."""
    model = wire.value
    return tuple(
        [
            expectation
            if expectation.body is None
            else replace(expectation, body=model.body.sent(expectation.body))
            for expectation in _flat_expectations(model)
        ]
    )


def _flat_expectations(model: WireModel) -> Iterator[Expectation]:
    """Yield every expectation; messages are beside an object that holds them."""
    plain = plainest(model)
    first = Expectation(name="one user message", request=plain.neutral())
    with suppress(NotPredictable):
        first = _expectation(model, first.name, plain)
    yield first
    for name, sample in samples_of(model, plain):
        with suppress(NotPredictable):
            expectation = _expectation(model, name, sample)
            body = expectation.body
            if body is None or (first.body is not None and first.body.keys() <= body.keys()):
                yield expectation
    yield from part_expectations(model, first, plain)


def _expectation(model: WireModel, name: str, sample: Sample) -> Expectation:
    if model.steps:
        raise NotPredictable("what a plugin's pass makes of a request is not known here")
    if model.dialect is not None and any("parameters" in fields for _, fields in sample.tools):
        raise NotPredictable("what a plugin's dialect makes of a schema is not known here")
    ruling = apply_rules(model, _lifted(model, sample))
    request = sample.neutral()
    without = _without_place(model, ruling.sample)
    if len(ruling.refused) + len(without) > 1:
        raise NotPredictable("the order of errors is not promised")
    for path in ruling.refused:
        return Expectation(name=name, request=request, error="Refused", field=path)
    for field in without:
        return Expectation(name=name, request=request, error="NoPlace", field=field)
    return Expectation(name=name, request=request, body=body_of(model, ruling))


def _lifted(model: WireModel, sample: Sample) -> Sample:
    """Return the sample with its leading system or developer messages as instructions, if the wire hoists them."""
    if not model.instructions.hoist or sample.continuation:
        return sample
    texts = [text for _, text in takewhile(lambda message: message[0] in _INSTRUCTING, sample.messages)]
    return replace(
        sample, instructions=[*sample.instructions, *texts], messages=sample.messages[len(texts) :]
    )


def _without_place(model: WireModel, sample: Sample) -> list[str]:
    """Return the fields that the body has no key for, as errors name them."""
    body = model.body
    paths = {hole.path for hole in body.shape.written_holes}
    placed = body.carried | body.carried_options
    lost = [
        name
        for name, value in sample.fields.items()
        if name not in placed and not _implies(model, name, value)
    ]
    if sample.instructions and not (
        ("instructions",) in paths or model.instructions.placement == "first_message"
    ):
        lost.append("instructions")
    if "id" in sample.continuation and "id" not in model.body.dotted["continuation"]:
        lost.append("continuation.id")
    lost += _lost_of_reasoning(model, sample, paths)
    lost += _lost_of_tools(model, sample) if ("tools",) in paths else ["tools"] if sample.tools else []
    for union, word, fields in (
        ("tool_choice", "mode", sample.tool_choice),
        ("response_format", "kind", sample.response_format),
    ):
        if fields and any(path[0] == union and len(path) == 2 and path[1] != "parallel" for path in paths):
            raise NotPredictable(f"fields of {union} stand alone")
        if fields and (union,) not in paths:
            lost.append("tool_choice.mode" if union == "tool_choice" else union)
        elif fields:
            names = _lost_of_union(model.unions[union], word, fields)
            lost += [name for name in names if not _implies(model, f"{union}.{name}", fields[name])]
    return lost


def _implies(model: WireModel, path: str, value: Any) -> bool:
    """Return whether a value equals the API's default."""
    default = model.defaults.get(path)
    return default is not None and (type(default), default) == (type(value), value)


def _lost_of_union(variants: Iterable[Variant], word: str, fields: Mapping[str, Any]) -> list[str]:
    """Return the fields that no shape of this kind writes; names of formats are no loss."""
    fitting = [variant for variant in variants if variant.mode == fields[word] and variant.written]
    carried = {word, "parallel", *(name for variant in fitting for name in variant.carried)}
    advisory = {name for variant in fitting for name, field in variant.kind.fields.items() if field.advisory}
    return [name for name in fields if name not in carried | advisory] if fitting else [word]


def _lost_of_reasoning(model: WireModel, sample: Sample, paths: Collection[tuple[str, ...]]) -> list[str]:
    variants = [
        variant for variant in model.unions["reasoning"] if variant.written and ("reasoning",) in paths
    ]
    kinds = {variant.mode: variant.carried for variant in variants}
    if kinds and sample.thinking not in {None, *kinds}:
        return ["kind"]
    written: frozenset[str] = kinds.get(sample.thinking or "", frozenset())
    return [
        f"reasoning.{name}"
        for name in sample.reasoning
        if not (name in written or ("reasoning", name) in paths or (name == "mode" and kinds))
    ]


def _lost_of_tools(model: WireModel, sample: Sample) -> list[str]:
    if not all(carries(model, "tool", kind) for kind, _ in sample.tools):
        raise NotPredictable("the wire has no such tool")
    names = [str(fields["name"]) for _, fields in sample.tools if "name" in fields]
    if model.tool_names and not all(re.fullmatch(model.tool_names, name) for name in names):
        raise NotPredictable("the names of these tools do not fit")
    for kind, fields in sample.tools:
        variants = [variant for variant in model.unions["tool"] if variant.mode == kind and variant.written]
        if not any(
            {hole.path[0] for hole in variant.required_fields} <= fields.keys()
            and not variant.required_options
            for variant in variants
        ):
            raise NotPredictable("a tool needs more")
    functions = [
        variant for variant in model.unions["tool"] if variant.mode == "function" and variant.written
    ]
    carried = {name for variant in functions for name in variant.carried}
    return [
        name for kind, fields in sample.tools if kind == "function" for name in fields if name not in carried
    ]
