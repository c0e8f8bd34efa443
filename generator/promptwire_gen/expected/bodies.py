"""The body that must come of a sample, by the shapes of a spec alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from ..model.neutral import CACHE
from ..model.wire import Variant, WireModel
from ..spec.shapes import Hole
from ..spec.wire_rules import IN_MESSAGES
from .filling import ABSENT, NotPredictable, fill
from .placed_messages import Turn, placed
from .ruling import Ruling
from .sample import Sample


def body_of(model: WireModel, ruling: Ruling) -> dict[str, Any]:
    """Work out the body. Raises NotPredictable where shapes and rules do not decide it."""
    of_conversation = placed(model, list(_messages(model, ruling)), ruling.sample.model)

    def value_of(hole: Hole) -> Any:
        return of_conversation(hole) if hole.path[0] == "messages" else _of_request(hole, model, ruling)

    body = fill(model.body.shape, value_of)
    for key, other in ruling.renames.items():
        name = key.removeprefix(IN_MESSAGES)
        if "." in name or "." in other:
            raise NotPredictable(f"{key} moves")
        for item in [body] if name == key else body.get("messages", ()):
            if name in item:
                item[other] = item.pop(name)
    return dict(body)


def carries(model: WireModel, union: str, mode: str) -> bool:
    """Return whether a fresh build writes this kind."""
    return any(variant.mode == mode and variant.written for variant in model.unions[union])


def _of_request(hole: Hole, model: WireModel, ruling: Ruling) -> Any:
    sample, head = ruling.sample, hole.path[0]
    if len(hole.path) == 2 and head != "vendor":
        return _of_node(hole.path, model, sample)
    match head:
        case "model":
            return ABSENT if sample.model is None else sample.model
        case "instructions":
            return (
                texts_in(hole, sample.instructions, model.unions["instruction"])
                if sample.instructions
                else ABSENT
            )
        case "tools":
            return _tools(model, sample) if sample.tools else ABSENT
        case "tool_choice":
            return _chosen(model, head, sample.tool_choice, sample.tool_choice.get("mode"))
        case "response_format":
            return _chosen(model, head, sample.response_format, sample.response_format.get("kind"))
        case "reasoning":
            return _chosen(model, head, sample.reasoning, sample.thinking)
        case _:
            return sample.fields.get(head, ABSENT)


def _of_node(path: Sequence[str], model: WireModel, sample: Sample) -> Any:
    head, name = path
    if head == "settings":
        setting = model.transport.settings.get(name)
        return ABSENT if setting is None or setting.default is None else setting.default
    nodes = {
        "tool_choice": sample.tool_choice,
        "reasoning": sample.reasoning,
        "continuation": sample.continuation,
    }
    return nodes.get(head, {}).get(name, ABSENT)


def _chosen(model: WireModel, union: str, fields: Mapping[str, Any], mode: str | None) -> Any:
    return ABSENT if mode is None else _node(model.unions[union], mode, fields)


def _node(variants: Iterable[Variant], mode: str, fields: Mapping[str, Any]) -> Any:
    """Write a node by the first shape of its kind that its fields fill."""
    for variant in variants:
        named = variant.named in (None, fields.get("type"))
        fits = variant.mode == mode and variant.source_key in (None, *fields) and named
        if fits and variant.written and not variant.required_options:
            return fill(variant.shape, lambda hole: _field(hole, fields))
    raise NotPredictable(f"no shape of {mode}")


def _field(hole: Hole, fields: Mapping[str, Any]) -> Any:
    return (
        fields.get(hole.path[0], ABSENT)
        if len(hole.path) == 1 and hole.path[0] not in CACHE.fields
        else ABSENT
    )


def _tools(model: WireModel, sample: Sample) -> list[Any]:
    tools = [(kind, _node(model.unions["tool"], kind, fields)) for kind, fields in sample.tools]
    if not model.group_under:
        return [tool for _, tool in tools]
    functions = [tool for kind, tool in tools if kind == "function"]
    return [{model.group_under[0]: functions}, *(tool for kind, tool in tools if kind != "function")]


def _messages(model: WireModel, ruling: Ruling) -> Iterable[Turn]:
    sample = ruling.sample
    if model.instructions.placement == "first_message" and sample.instructions:
        texts = (
            ["\n\n".join(sample.instructions)]
            if model.instructions.several == "join"
            else sample.instructions
        )
        yield ruling.role, _message(model, ruling.role, texts, model.unions["instruction"])
    start = sample.continuation.get("start", 0)
    sent = sample.messages[start:]
    if not model.merges:
        for role, text in sent:
            yield role, _message(model, role, [text], texts_of(model, role))
        return
    for _, neighbours in groupby(sent, lambda message: _shape(model, message[0]).wire_role):
        run = list(neighbours)
        role = run[0][0]
        yield role, _message(model, role, [text for _, text in run], texts_of(model, role))


def _shape(model: WireModel, role: str) -> Any:
    if role not in model.messages:
        raise NotPredictable(f"no message of {role}")
    return model.messages[role]


def texts_of(model: WireModel, role: str) -> Sequence[Variant]:
    """Return the shape of plain text in a role."""
    variants = [
        part for part in model.parts_of(role) if part.mode == "text" and part.written and part.source is None
    ]
    return sorted(variants, key=lambda part: not part.roles)[:1]


def _message(model: WireModel, role: str, texts: Sequence[str], variants: Sequence[Variant]) -> Any:
    shape = _shape(model, role).shape
    if all(hole.path != ("content",) for hole in shape.holes):
        raise NotPredictable(f"a message of {role} holds no text of its own")
    return fill(shape, lambda hole: texts_in(hole, texts, variants) if hole.path == ("content",) else ABSENT)


def texts_in(hole: Hole, texts: Sequence[str], variants: Sequence[Variant]) -> Any:
    """Write texts where a hole takes them: joined, as one text, or as a list."""
    if any(filter_.name == "join" for filter_ in hole.filters):
        return texts
    if not any(
        variant.written and not (variant.required_options or variant.required_fields) for variant in variants
    ):
        raise NotPredictable("text has no shape here, or one that needs more")
    if len(texts) == 1 and not hole.listed:
        return texts[0]
    return [_node(variants, variants[0].mode, {"text": text}) for text in texts]


def cache_mark(model: WireModel, fields: Mapping[str, Any]) -> Any:
    """Write a mark of the cache."""
    for variant in model.unions["cache"]:
        return fill(variant.shape, lambda hole: fields.get(hole.path[0], ABSENT))
    raise NotPredictable("no mark of the cache")
