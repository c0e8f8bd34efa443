"""Decide at compile time which variant is read and which is written.

Reading tries shapes with more constants first, then guards and text with holes, then more required keys, and shapes
with `...` last. Writing takes the first variant whose required holes are all filled; those with more of them come
first. Pairs that reading cannot separate are rejected, and so are variants that writing never chooses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from promptwire_text.words import pattern_of

from ..problems import quote
from ..spec.notation import Notation
from ..spec.shapes import Alternatives, ConstantShape, Hole, Interpolation, Listing, Object, Shape
from .wire import Variant


def order_for_reading(variants: Iterable[Variant]) -> tuple[Variant, ...]:
    """Sort by specificity, the most exact first; equal ones keep the order of the spec."""
    return tuple(sorted((variant for variant in variants if not variant.write_only), key=_rank_exactness))


def _rank_exactness(variant: Variant) -> tuple[int, int, int, int]:
    shape = variant.shape
    return (
        not isinstance(shape, ConstantShape),
        _takes_rest(shape),
        -_count_guards(shape),
        -len(shape.required_keys),
    )


def _takes_rest(shape: Shape) -> bool:
    """Return whether an object takes all unnamed keys."""
    return isinstance(shape, Object) and shape.extra_keys is not None


def _count_guards(shape: Shape) -> int:
    return len(_list_guard_texts(shape)) + _count_interpolations(shape)


def _count_interpolations(shape: Shape) -> int:
    match shape:
        case Interpolation():
            return 1
        case Object():
            return sum(_count_interpolations(entry.shape) for entry in shape.required)
        case _:
            return 0


def check_separation(variants: Iterable[Variant], notation: Notation) -> None:
    """Reject pairs of variants that can occur in one list and that reading cannot separate."""
    readable = [variant for variant in variants if not variant.write_only]
    for index, earlier in enumerate(readable):
        for right in readable[index + 1 :]:
            if _can_meet(earlier, right) and not _are_separated(earlier, right):
                notation.report(
                    right.span,
                    "ambiguous",
                    f'"{right.key}" cannot be told from "{earlier.key}" ({_locate(earlier)})',
                    "give one of them a constant, a required key or a guard that the other lacks",
                )


def _locate(variant: Variant) -> str:
    """Return the place of another variant; with `extends` it may be in another file."""
    span = variant.span
    return f"{span.file}:{span.line}:{span.column}"


def _suggest_variant_key(variant: Variant) -> str:
    stem = variant.key.partition("@")[0].partition(">")[0]
    return f"{stem}#name{variant.key[len(stem) :]}"


def _can_meet(left: Variant, right: Variant) -> bool:
    if left.union == "part" and left.slot != right.slot:
        return False
    return not left.roles or not right.roles or bool(set(left.roles) & set(right.roles))


def _are_separated(left: Variant, right: Variant) -> bool:
    shape, other = left.shape, right.shape
    if isinstance(shape, ConstantShape) and isinstance(other, ConstantShape):
        return (type(shape.value), shape.value) != (type(other.value), other.value)
    if isinstance(shape, ConstantShape) or isinstance(other, ConstantShape) or type(shape) is not type(other):
        return True
    first, second = shape.required_constants, other.required_constants
    if any(path in second and first[path].value != second[path].value for path in first):
        return True
    if shape.required_keys != other.required_keys or set(first) != set(second):
        return True
    looks = [
        (_takes_rest(form), _count_guards(form), _list_guard_texts(form), _find_json_types(form))
        for form in (shape, other)
    ]
    return looks[0] != looks[1]


def _list_guard_texts(shape: Shape) -> list[str]:
    # fixed fields have no key, so reading cannot test them
    return [hole.guard for hole in shape.required_holes if hole.guard is not None and not hole.fixed]


_JSON_TYPES: dict[type[Shape], str] = {
    Object: "object",
    Listing: "list",
    Interpolation: "text",
    Alternatives: "any",
}


def _find_json_types(shape: Shape) -> list[tuple[tuple[str, ...], str]]:
    """Return the JSON type of each required key whose notation decides it."""
    if not isinstance(shape, Object):
        return []
    needed = shape.required
    return [((entry.key,), _find_json_type(entry.shape)) for entry in needed]


def _find_json_type(shape: Shape) -> str:
    """Return the JSON type of a shape, if its notation decides it; lists that repeat an element have any length."""
    if isinstance(shape, Listing) and not any(hole.listed for hole in shape.holes):
        return f"list of {len(shape.items)}"
    return _JSON_TYPES.get(type(shape), "hole")


def order_for_writing(variants: Iterable[Variant]) -> tuple[Variant, ...]:
    """Sort the variants of one kind and source that a fresh build may write: most required holes first."""
    written = [variant for variant in variants if variant.written]
    return tuple(sorted(written, key=lambda variant: -len(set(_list_paths(variant)))))


def _list_paths(variant: Variant) -> list[tuple[str, ...]]:
    return [
        *(hole.path for hole in variant.required_fields),
        *(("vendor", name) for name in sorted(variant.required_options)),
    ]


def check_writing(variants: Iterable[Variant], notation: Notation) -> None:
    """Reject a variant that is always preceded by an earlier one, unless it is marked with `#`."""
    ordered = order_for_writing(variants)
    for index, later in enumerate(ordered):
        for earlier in ordered[:index]:
            same_place = earlier.mode == later.mode and _can_meet(earlier, later)
            same_place = same_place and earlier.source_key == later.source_key
            if (
                same_place
                and set(_list_paths(earlier)) <= set(_list_paths(later))
                and not _guard_differs(earlier, later)
            ):
                hint = f'mark it as a form that is only read: "{_suggest_variant_key(later)}"'
                if later.roles and not earlier.roles:
                    hint += f', or name the other roles in "{earlier.key}@..."'
                notation.report(
                    later.span,
                    "never-written",
                    f'"{later.key}" is never written: "{earlier.key}" ({_locate(earlier)}) always comes first',
                    hint,
                )
                break


def check_ordinary(variants: Iterable[Variant], notation: Notation) -> None:
    """Reject a kind of part that is only written with an option of this one API: ordinary ones would have no place."""
    kinds: dict[tuple[str, str | None], list[Variant]] = {}
    for variant in variants:
        if variant.written:
            kinds.setdefault((variant.mode, variant.source_key), []).append(variant)
    for (mode, source), shapes in kinds.items():
        options = [
            [hole.name for hole in each.shape.required_holes if hole.path[0] == "vendor"] for each in shapes
        ]
        if all(options):
            given = "" if source is None else f" given by {source}"
            message = (
                f"{quote(shapes[0].key)} requires ${options[0][0]}: any other {mode}{given} has no shape"
            )
            notation.report(shapes[0].span, "never-written", message, "write ? behind the key of the option")


def _guard_differs(left: Variant, right: Variant) -> bool:
    return left.named != right.named or _write_guards(left) != _write_guards(right)


def _write_guards(variant: Variant) -> list[tuple[tuple[str, ...], str]]:
    return [(hole.path, hole.guard) for hole in variant.shape.holes if hole.guard is not None]


def find_discriminator(variants: Iterable[Variant]) -> str | None:
    """Return the key at which most shapes have constant words, the first among equals; None if no shape does."""
    counts: Counter[str] = Counter()
    for variant in variants:
        if isinstance(variant.shape, Object) and not variant.write_only:
            counts.update(entry.key for entry in variant.shape.fields if find_fixed_words(variant, entry.key))
    return max(counts, key=lambda key: counts[key], default=None)


def find_fixed_words(variant: Variant, key: str) -> tuple[str, ...]:
    """Return the words that a shape requires at a key, from a constant or a guard; empty if others fit too."""
    match _find_shape_at(variant, key):
        case ConstantShape(value=str() as word):
            return (word,)
        case Hole(path=(head,), guard=str() as guard, filters=(), listed=False) if "*" not in guard:
            return tuple(guard.split("|")) if variant.kind.fields[head].type == "str" else ()
        case _:
            return ()


def switch_on_key(
    variants: Sequence[Variant], key: str | None
) -> tuple[dict[str, tuple[Variant, ...]], tuple[Variant, ...]]:
    """Return the shapes to try for each word that some fix at a key, in the order of the spec, and for any other."""
    ordered = order_for_reading(variants)
    if key is None:
        return {}, ordered
    words = [
        word for variant in variants if not variant.write_only for word in find_fixed_words(variant, key)
    ]
    cases = {
        word: tuple([variant for variant in ordered if _can_hold(variant, key, word)])
        for word in dict.fromkeys(words)
    }
    return cases, tuple([variant for variant in ordered if not find_fixed_words(variant, key)])


def _can_hold(variant: Variant, key: str, word: str) -> bool:
    """Return whether a shape can match if the key has this word."""
    words = find_fixed_words(variant, key)
    if words:
        return word in words
    match _find_shape_at(variant, key):
        case ConstantShape():
            return False
        case Hole(guard=str() as guard, filters=()):
            return _compile_guard(guard).fullmatch(word) is not None
        case Interpolation(texts=(first, *_, last)):
            return word.startswith(first) and word.endswith(last)
        case _:
            return True


def _find_shape_at(variant: Variant, key: str) -> object:
    """Return the shape of a required key without aliases."""
    if isinstance(variant.shape, Object):
        for entry in variant.shape.required:
            if entry.key == key and not entry.aliases:
                return entry.shape
    return None


@lru_cache
def _compile_guard(guard: str) -> re.Pattern[str]:
    return re.compile(pattern_of(guard), re.DOTALL)
