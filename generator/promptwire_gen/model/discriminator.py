"""Find the discriminator of a list of shapes: a key that most of them fix, and the shapes to try for each word.

The shapes of a case keep the order of `reading_order`; a word only excludes shapes that cannot match.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from promptwire_text.globs import pattern_of

from ..spec.shapes import ConstantShape, Hole, Interpolation, Object
from .dispatch import reading_order
from .wire import Variant


def telling_key(variants: Iterable[Variant]) -> str | None:
    """Return the key at which most shapes have constant words, the first among equals; None if no shape does."""
    counts: Counter[str] = Counter()
    for variant in variants:
        if isinstance(variant.shape, Object) and not variant.write_only:
            counts.update(entry.key for entry in variant.shape.fields if fixed_words(variant, entry.key))
    return max(counts, key=lambda key: counts[key], default=None)


def fixed_words(variant: Variant, key: str) -> tuple[str, ...]:
    """Return the words that a shape requires at a key, from a constant or a guard; empty if others fit too."""
    match _shape_at(variant, key):
        case ConstantShape(value=str() as word):
            return (word,)
        case Hole(path=(head,), guard=str() as guard, filters=(), listed=False) if "*" not in guard:
            return tuple(guard.split("|")) if variant.kind.fields[head].type == "str" else ()
        case _:
            return ()


def switched(
    variants: Sequence[Variant], key: str | None
) -> tuple[dict[str, tuple[Variant, ...]], tuple[Variant, ...]]:
    """Return the shapes to try for each word that some fix at a key, in the order of the spec, and for any other."""
    ordered = reading_order(variants)
    if key is None:
        return {}, ordered
    words = [word for variant in variants if not variant.write_only for word in fixed_words(variant, key)]
    cases = {
        word: tuple([variant for variant in ordered if _can_hold(variant, key, word)])
        for word in dict.fromkeys(words)
    }
    return cases, tuple([variant for variant in ordered if not fixed_words(variant, key)])


def _can_hold(variant: Variant, key: str, word: str) -> bool:
    """Return whether a shape can match if the key has this word."""
    words = fixed_words(variant, key)
    if words:
        return word in words
    match _shape_at(variant, key):
        case ConstantShape():
            return False
        case Hole(guard=str() as guard, filters=()):
            return _pattern(guard).fullmatch(word) is not None
        case Interpolation(texts=(first, *_, last)):
            return word.startswith(first) and word.endswith(last)
        case _:
            return True


def _shape_at(variant: Variant, key: str) -> object:
    """Return the shape of a required key without aliases."""
    if isinstance(variant.shape, Object):
        for entry in variant.shape.required:
            if entry.key == key and not entry.aliases:
                return entry.shape
    return None


@lru_cache
def _pattern(guard: str) -> re.Pattern[str]:
    return re.compile(pattern_of(guard), re.DOTALL)
