"""Samples of a wire's capabilities: instructions, tools, passes, continuations, choices, formats, parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ..model.neutral import OPTIONS, REASONING, REQUEST, TOOL_CHOICE_MODES, TOOLS
from ..model.wire import Variant, WireModel
from ..spec.rule_conditions import Condition
from ..spec.wire_rules import WireRule
from .filling import NotPredictable
from .ruling import apply_rules
from .sample import MODEL, Sample

# sample name and request
Row = tuple[str, Sample]

_SAMPLES: Mapping[str, Any] = {
    "int": 7, "number": 0.25, "str": "word", "bool": True, "strings": ["one", "two"], "object": {"50256": 1},
    "number_object": {"50256": 1}, "text_object": {"kind": "word"},
}  # fmt: skip
_TALK = (("user", "One"), ("assistant", "Two"), ("user", "Three"))
_SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
_FORMATS: Mapping[str, Mapping[str, Any]] = {
    "text": {},
    "json": {},
    "json_schema": {"name": "word", "schema": _SCHEMA},
    "enum": {"schema": {"type": "STRING", "enum": ["yes", "no"]}},
    "grammar": {"grammar": 'root ::= "yes" | "no"'},
}
_CHOICES: Mapping[str, Mapping[str, Any]] = {
    "named": {"name": "lookup"},
    "custom": {"name": "note"},
    "several": {"names": ["lookup", "spell"], "must": True},
}


def plainest(model: WireModel) -> Sample:
    """Return one user message, and the options that the body must have."""
    needed = {
        hole.path[0] for hole in model.body.shape.required_holes if len(hole.path) == 1
    } & OPTIONS.keys()
    model_name = MODEL if "model" in model.body.carried else None
    fields = {name: _SAMPLES[OPTIONS[name].type] for name in sorted(needed)}
    usual = Sample(model=model_name, fields=fields | ({"max_tokens": 2048} if "max_tokens" in needed else {}))
    with suppress(NotPredictable):
        if apply_rules(model, usual).refused:
            return Sample(model=model_name, fields=fields)
    return usual


def samples_of(model: WireModel, plain: Sample) -> Iterable[Row]:
    """Yield every sample, named after the capability that it shows beyond the plainest one."""
    yield from _instructions(model, plain)
    yield from _passes(model, plain)
    yield from _continuation(model, plain)
    yield from _tools(model, plain)
    yield from _tool_choices(model, plain)
    yield from _formats(model, plain)
    yield from _reasoning(model, plain)
    yield from _parameters(plain)
    yield from _refused_by_rules(model, plain)


def _instructions(model: WireModel, plain: Sample) -> Iterable[Row]:
    yield "instructions land where the wire has them", replace(plain, instructions=["Be terse."])
    yield "several instructions keep their order", replace(plain, instructions=["Be terse.", "Be kind."])
    if model.instructions.hoist:
        first = (("system", "Be terse."), ("developer", "Be kind."))
        yield "first messages go where the wire has instructions", replace(plain, messages=(*first, *_TALK))
        sample = replace(plain, instructions=["Be brief."], messages=(*first, *_TALK))
        yield "first messages go behind the instructions of the request", sample
    if model.instructions.mid_conversation in ("native", "none"):
        talk = (*_TALK[:1], ("system", "Be brief."), *_TALK[1:])
        yield "instructions in mid-conversation", replace(plain, messages=talk)


def _passes(model: WireModel, plain: Sample) -> Iterable[Row]:
    twice = replace(plain, messages=(("user", "One"), ("user", "Two")))
    yield ("neighbours become one message" if model.merges else "neighbours stay two messages"), twice
    turns = (("user", "One"), ("assistant", "Two"), ("assistant", "Three"), ("user", "Four"))
    yield "neighbours of the assistant", replace(plain, messages=turns)


def _continuation(model: WireModel, plain: Sample) -> Iterable[Row]:
    talk = replace(plain, messages=_TALK)
    if model.continuation.mode == "server":
        talk = replace(talk, instructions=["Be terse."], tools=[_function(model)])
    yield "a whole conversation is sent without a continuation", replace(plain, messages=_TALK)
    for name in sorted(model.body.dotted["continuation"] or {"id"}):
        continuation = {name: "kept_1", "start": 2}
        yield (
            f"a continuation by its {name} omits what the server holds",
            replace(talk, continuation=continuation),
        )


def _function(model: WireModel, name: str = "lookup") -> tuple[str, Mapping[str, Any]]:
    """Return a function without parameters, and with all that the wire asks of any."""
    given: dict[str, Any] = {"name": name, "parameters": _SCHEMA}
    written = [variant for variant in model.unions["tool"] if variant.mode == "function" and variant.written]
    needs = {hole.path[0] for variant in written[:1] for hole in variant.required_fields} - given.keys()
    kinds = {need: field.type for need, field in TOOLS["function"].fields.items() if need in needs}
    return "function", given | {need: _SAMPLES[kind] for need, kind in kinds.items() if kind in _SAMPLES}


def _tools(model: WireModel, plain: Sample) -> Iterable[Row]:
    (kind, fields), other = _function(model), _function(model, "spell")
    yield "tools land where the wire has them", replace(plain, tools=[(kind, fields), other])
    for name, field in TOOLS["function"].fields.items():
        if name not in fields and field.type in _SAMPLES:
            value = _SCHEMA if field.type == "object" else _SAMPLES[field.type]
            yield f"tool with {name}", replace(plain, tools=[(kind, {**fields, name: value}), other])


def _reasoning(model: WireModel, plain: Sample) -> Iterable[Row]:
    for name, field in REASONING.fields.items():
        if name != "mode":
            value = {"effort": "low", "budget": 1024}.get(name, _SAMPLES[field.type])
            yield f"reasoning with {name}", replace(plain, reasoning={name: value})
    for mode in dict.fromkeys(
        variant.mode for variant in model.unions["reasoning"] if variant.mode != "budget"
    ):
        yield f"reasoning {mode}", replace(plain, reasoning={"mode": mode})


def _tool_choices(model: WireModel, plain: Sample) -> Iterable[Row]:
    for mode in TOOL_CHOICE_MODES:
        tools = [_function(model), *([_function(model, "spell")] if mode == "several" else [])]
        fields = _CHOICES.get(mode, {})
        if mode == "custom":
            tools = [("custom", {"name": "note"})]
        elif mode == "hosted":
            kind = _hosted(model.unions["tool_choice"]) or _hosted(model.unions["tool"])
            if kind is None:
                continue
            tools, fields = [("hosted", {"type": kind})], {"type": kind}
        yield f"tool choice {mode}", replace(plain, tools=tools, tool_choice={"mode": mode, **fields})


def _hosted(variants: Iterable[Variant]) -> str | None:
    """Return a type of hosted tool that these shapes take."""
    for variant in variants:
        if variant.mode == "hosted" and variant.named:
            return variant.named
        for hole in variant.shape.holes if variant.mode == "hosted" else ():
            if hole.path == ("type",):
                return (hole.guard or "web_search").partition("|")[0].replace("*", "x")
    return None


def _formats(model: WireModel, plain: Sample) -> Iterable[Row]:
    kinds = dict.fromkeys([*_FORMATS, *(variant.mode for variant in model.unions["response_format"])])
    for kind in kinds:
        if kind in _FORMATS:
            yield f"response format {kind}", replace(plain, response_format={"kind": kind, **_FORMATS[kind]})


def _parameters(plain: Sample) -> Iterable[Row]:
    structured = ("messages", "instructions", "tools", "model", "tool_choice", "response_format", "reasoning")
    for name, field in {**OPTIONS, **REQUEST}.items():
        if name not in structured and field.type in _SAMPLES:
            yield f"parameter {name}", replace(plain, fields={**plain.fields, name: _SAMPLES[field.type]})


def _refused_by_rules(model: WireModel, plain: Sample) -> Iterable[Row]:
    """Yield each parameter that a rule refuses, with a model that the rule applies to."""
    seen: set[tuple[str, str]] = set()
    for rule in model.rules:
        for condition in rule.reject:
            value = _rejected_value(condition)
            name = _model_of(rule) if plain.model is not None else None
            if value is None or name is None or (name, str(condition)) in seen:
                continue
            seen.add((name, str(condition)))
            sample = replace(plain, model=name, fields={**plain.fields, condition.head: value})
            yield f"{condition} of {name}", sample


def _rejected_value(condition: Condition) -> Any:
    """Return a value of an option that a condition means; None where samples have none."""
    kind = OPTIONS.get(condition.head)
    if kind is None or condition.tail or condition.where is not None:
        return None
    if condition.limit is not None:
        bound = condition.limit
        step = {"<": -1, "<=": 0, ">": 1, ">=": 0}[condition.operator]
        return int(bound + step) if kind.type == "int" else float(bound + step)
    if not condition.operator:
        return _SAMPLES[kind.type]
    is_word = condition.operator == "=" and kind.type == "str" and "*" not in condition.words[0]
    return condition.words[0] if is_word else None


def _model_of(rule: WireRule) -> str | None:
    """Return a model that a rule means; None where it also asks for settings or fields."""
    if rule.settings or rule.given:
        return None
    return rule.model[0].replace("*", "x") if rule.model else MODEL
