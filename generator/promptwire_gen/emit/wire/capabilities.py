"""What a wire can do, derived from its sections and shapes: the constant of its module and its row in the table."""

from __future__ import annotations

from typing import Any

from ...model.wire import WireModel


def capabilities(model: WireModel) -> dict[str, Any]:
    """What a wire can do, from its sections and shapes, as plain JSON."""
    parts: dict[str, list[str]] = {}
    for part in model.parts:
        if part.written:
            words = parts.setdefault(part.mode, [])
            word = part.source if part.kind.sources and part.source else ""
            if word and word not in words:
                words.append(word)
    dialect = {} if model.dialect is None else {"dialect": model.dialect.name}
    steps = [step.name for step in model.steps]
    choices = list(dict.fromkeys(variant.mode for variant in model.unions["tool_choice"]))
    return {
        "instructions": {
            "native": model.instructions.native,
            "placement": model.instructions.placement,
            "several": model.instructions.several,
            "mid_conversation": model.instructions.mid_conversation,
        },
        "continuation": {"mode": model.continuation.mode, "fields": list(model.continuation.fields)},
        "tools": {
            "format": model.tools.format if model.tools is not None else None,
            **dialect,
            "kinds": list(dict.fromkeys(variant.mode for variant in model.unions["tool"])),
            "choice": choices,
            "parallel": any(
                hole.path in (("tool_choice", "parallel"), ("parallel",))
                for shape in (model.body.shape, *(variant.shape for variant in model.unions["tool_choice"]))
                for hole in shape.holes
            ),
        },
        "parts": parts,
        "options": sorted(model.body.carried_options),
        "request": sorted(model.body.carried - model.body.carried_options),
        "response_formats": list(dict.fromkeys(variant.mode for variant in model.unions["response_format"])),
        "reasoning": sorted(
            {
                hole.path[1]
                for hole in model.body.shape.holes
                if hole.path[0] == "reasoning" and len(hole.path) == 2
            }
            | {hole.path[0] for variant in model.unions["reasoning"] for hole in variant.shape.holes}
        ),
        "vendor": sorted(model.body.vendor),
        **({"passes": steps} if steps else {}),
    }
