"""Capabilities of a wire, derived from its sections and shapes, for its module's constant and the table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...model.answer_model import COUNTS, AnswerModel
from ...model.wire import Variant, WireModel
from ...spec.answer_sections import FINISHES
from ...spec.checks import THINGS
from ...spec.notation import snake_case


def capabilities(model: WireModel) -> dict[str, Any]:
    """Return the capabilities of a wire, from its sections and shapes, as plain JSON."""
    steps = [step.name for step in model.steps]
    return {
        "instructions": {
            "native": model.instructions.native,
            "placement": model.instructions.placement,
            "several": model.instructions.several,
            "mid_conversation": model.instructions.mid_conversation,
        },
        "continuation": _continuation(model),
        "tools": _tools(model),
        "parts": _parts(model),
        "options": sorted(model.body.carried_options),
        "request": sorted(model.body.carried - model.body.carried_options),
        "response_formats": _modes(model.unions["response_format"]),
        "reasoning": sorted(_reasoning(model)),
        **({} if model.answer is None else {"answers": _answers(model, model.answer)}),
        "vendor": sorted(model.body.vendor),
        **({"passes": steps} if steps else {}),
    }


def _continuation(model: WireModel) -> dict[str, Any]:
    """Return how a conversation continues, and, where a server keeps it, what is kept and what is sent again."""
    section = model.continuation
    words = {name: getattr(section, name) for name in THINGS if getattr(section, name) is not None}
    kept = {"keeps": list(section.keeps), "sent": words, "binds": list(section.binds)} if words else {}
    return {"mode": section.mode, "fields": list(section.fields), **kept}


def _tools(model: WireModel) -> dict[str, Any]:
    choices = model.unions["tool_choice"]
    return {
        "format": model.tools.format if model.tools is not None else None,
        **({} if model.dialect is None else {"dialect": model.dialect.name}),
        "kinds": _modes(model.unions["tool"]),
        "choice": _modes(choices),
        "parallel": model.chooses_parallel,
        **_deferral(model),
    }


def _deferral(model: WireModel) -> dict[str, Any]:
    """Return the tool that finds deferred tools, and the models known to use it; empty if there is none."""
    known = model.tools.deferral if model.tools is not None else None
    if known is None:
        return {}
    search = known.search.model_dump(exclude_none=True)
    return {"deferral": {"search": search, "model": list(known.model), "not_model": list(known.not_model)}}


def _answers(model: WireModel, answer: AnswerModel) -> dict[str, Any]:
    """Return the known facts about the wire's answers."""
    return {
        "stream": None if model.stream is None else model.stream.framing,
        "counts": [count for count in COUNTS if count in answer.counts],
        "finish": [word for word in FINISHES if word in answer.section.finish.values()],
    }


def token_counts(model: WireModel) -> dict[str, str]:
    """Return the keys of the API whose counts each field of `Usage` is the sum of."""
    answer = model.answer
    if answer is None:
        return {}
    sums = {name: [answer.counts[name]] for name in COUNTS if name in answer.counts}
    for name, into in answer.section.beside.items():
        if name in answer.counts and into in sums:
            sums[into].append(answer.counts[name])
    for whole, paths in answer.added_counts.items():
        # a path in snake_case is no other count
        others = {tuple(map(snake_case, path)) for path in paths if path != tuple(map(snake_case, path))}
        sums.setdefault(whole, []).extend([path for path in paths if path not in others])
    return {name: " + ".join([".".join(path) for path in paths]) for name, paths in sums.items()}


def _reasoning(model: WireModel) -> set[str]:
    alone = {hole.path[1] for hole in model.body.shape.holes if hole.path[:-1] == ("reasoning",)}
    return alone.union(hole.path[0] for variant in model.unions["reasoning"] for hole in variant.shape.holes)


def _parts(model: WireModel) -> dict[str, list[str]]:
    """Return the kinds of parts that are written, each with its sources."""
    sources: dict[str, list[str]] = {}
    for part in model.parts:
        if part.written:
            words = sources.setdefault(part.mode, [])
            if part.kind.sources and part.source and part.source not in words:
                words.append(part.source)
    return sources


def _modes(variants: Iterable[Variant]) -> list[str]:
    return list(dict.fromkeys([variant.mode for variant in variants]))
