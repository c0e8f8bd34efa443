"""Look up the passes and the dialect that a spec names."""

from __future__ import annotations

from ..problems import did_you_mean, quote
from ..spec.load import LoadedSpec
from ..spec.notation import Notation
from .offers import Offers, Pass, SchemaDialect


def chosen_passes(spec: LoadedSpec, offers: Offers, notation: Notation) -> tuple[Pass, ...]:
    """Return the passes of a spec, in its order; an unknown name is a problem."""
    passes: list[Pass] = []
    for index, word in enumerate(spec.model.passes):
        if word in offers.passes:
            passes.append(offers.passes[word])
            continue
        hint = did_you_mean(word, offers.passes) or f"the passes are {', '.join(sorted(offers.passes))}"
        notation.problem(
            spec.span_of(("passes", index)), "unknown-pass", f"{quote(word)} is not a pass", hint
        )
    return tuple(passes)


def chosen_dialect(spec: LoadedSpec, offers: Offers, notation: Notation) -> SchemaDialect | None:
    """Return the JSON Schema dialect of a spec's tools; an unknown name is a problem."""
    word = spec.model.tools.dialect if spec.model.tools is not None else None
    if word is None or word in offers.dialects:
        return None if word is None else offers.dialects[word]
    names = ", ".join(sorted(offers.dialects))
    hint = f"the dialects are {names}" if names else "dialects come with plugins, and none is installed"
    hint = did_you_mean(word, offers.dialects) or hint
    place = spec.span_of(("tools", "dialect"))
    notation.problem(place, "unknown-dialect", f"{quote(word)} is not a dialect of JSON Schema", hint)
    return None
