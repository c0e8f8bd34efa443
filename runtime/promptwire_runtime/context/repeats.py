"""Which layers say nothing that another does not say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count

from ..model.options import Instruction


def contained(layers: list[Instruction], dropped: list[tuple[Instruction, str]]) -> list[Instruction]:
    """Give the layers whose text no other layer contains (of equal ones the first); report the others.

    Layers of different roles, and layers with cache marks or options of their own, are never compared.
    """
    texts: dict[str | None, list[str]] = {}
    for layer in layers:
        if layer.plain:
            texts.setdefault(layer.role, []).append(layer.text)
    inside = {(role, text) for role, group in texts.items() for text in _inside(group)}
    kept: list[Instruction] = []
    for layer in layers:
        said = (layer.role, layer.text)
        if layer.plain and said in inside:
            dropped.append((layer, "another layer contains it"))
            continue
        kept.append(layer)
        if layer.plain:
            inside.add(said)
    return kept


def _inside(texts: Sequence[str]) -> Iterable[str]:
    """Give the texts that a longer one contains: each is looked for in all of those at once."""
    longest = sorted(dict.fromkeys(texts), key=len, reverse=True)
    whole, starts = joined(longest)
    rows = zip(longest, starts, strict=True)
    return [text for text, start in rows if start and whole.find(text, 0, start) >= 0]


def joined(texts: Sequence[str], others: Iterable[str] = ()) -> tuple[str, list[int]]:
    """Join texts by a letter that neither they nor the others have; give also where each begins."""
    letters = set[str]().union(*texts, *others)
    separator = next(letter for letter in map(chr, count(1)) if letter not in letters)
    starts: list[int] = []
    end = 0
    for text in texts:
        starts.append(end)
        end += len(text) + 1
    return separator.join(texts), starts
