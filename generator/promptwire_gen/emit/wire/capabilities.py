"""What a wire can do, derived from its sections and shapes: the constant of its module and its row in the table."""

from __future__ import annotations

from typing import Any

from ...model.wire import WireModel


def capabilities(model: WireModel) -> dict[str, Any]:
    """What a wire can do, from its sections and shapes, as plain JSON."""
    parts: dict[str, list[str]] = {}
    for part in model.parts:
        if part.written:
            rows = parts.setdefault(part.mode, [])
            word = part.source if part.kind.sources and part.source else ""
            if word and word not in rows:
                rows.append(word)
    dialect = {} if model.dialect is None else {"dialect": model.dialect.name}
    steps = [each.name for each in model.steps]
    choices = list(dict.fromkeys(row.mode for row in model.unions["tool_choice"]))
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
            "kinds": list(dict.fromkeys(row.mode for row in model.unions["tool"])),
            "choice": choices,
            "parallel": any(
                h.path in (("tool_choice", "parallel"), ("parallel",))
                for shape in (model.body.shape, *(r.shape for r in model.unions["tool_choice"]))
                for h in shape.holes
            ),
        },
        "parts": parts,
        "options": sorted(model.body.carried_options),
        "request": sorted(model.body.carried - model.body.carried_options),
        "response_formats": list(dict.fromkeys(row.mode for row in model.unions["response_format"])),
        "reasoning": sorted(
            {h.path[1] for h in model.body.shape.holes if h.path[0] == "reasoning" and len(h.path) == 2}
            | {h.path[0] for row in model.unions["reasoning"] for h in row.shape.holes}
        ),
        "vendor": sorted(model.body.vendor),
        **({"passes": steps} if steps else {}),
    }
