"""Facts about JSON values: strict equality and leaves. A leaf is a scalar, null, or an empty container."""

from __future__ import annotations

from ..typed import TYPE_CHECKING, Mapping

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator
    from typing import Any, TypeGuard

SCALARS: frozenset[type[Any]] = frozenset({str, int, float, bool, type(None)})
_TEXT = frozenset({str})
_NOWHERE = object()
# the alphabet of base64 for URLs
_STANDARD = str.maketrans("-_", "+/")
# `type`, for values of any type
class_of: Callable[[Any], type[Any]] = type


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a JSON value is an object."""
    return type(value) is dict


def is_mapping(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a value is accepted as a JSON object: a dict, or any other mapping."""
    return type(value) is dict or isinstance(value, Mapping)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Return whether a JSON value is a list."""
    return type(value) is list


def is_plain_json(value: Any) -> bool:
    """Return whether a value is certainly JSON, made of Python's own types; texts are not looked into."""
    try:
        return _is_plain_json(value)
    except RecursionError:
        return False


def _is_plain_json(value: Any) -> bool:
    kind = class_of(value)
    if kind is dict:
        return _TEXT.issuperset(map(class_of, value)) and all(map(_is_plain_json, value.values()))
    if kind is list:
        return all(map(_is_plain_json, value))
    # a difference of infinities is not a number
    return value - value == 0 if kind is float else kind in SCALARS


def same(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal, types included (`True` is not `1`); key order is free."""
    if left is right:
        return True
    kind = class_of(left)
    if kind is not class_of(right):
        return False
    if kind is dict:
        if len(left) != len(right):
            return False
        for key, value in left.items():
            other = right.get(key, _NOWHERE)
            # most values of a body that was read are in the one that is compared; others are words of its wire
            if value is other or (class_of(value) is str is class_of(other) and value == other):
                continue
            if not same(value, other):
                return False
        return True
    if kind is list:
        return len(left) == len(right) and all(map(same, left, right))
    # NaN is the only value that differs from itself
    return bool(left == right or (left != left and right != right))  # noqa: PLR0124


_KINDS = {
    type(None): "null",
    str: "text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


def json_kind(value: Any) -> str:
    """Return the JSON name of a value's kind, or the name of its Python type if it is not JSON."""
    return _KINDS.get(class_of(value)) or f"a Python {type(value).__name__}"


def is_empty(value: Any) -> bool:
    """Return whether a value is null, empty text, or an empty list or object."""
    return value is None or (type(value) in (str, dict, list) and not value)


def says_nothing(value: Any) -> bool:
    """Return whether a value is empty, or an object that holds only empty values and zeros, as some servers fill it."""
    return is_empty(value) or (
        is_object(value) and all(is_empty(leaf) or leaf == 0 for leaf in leaves(value))
    )


def leaves(value: Any) -> Iterator[Any]:
    """Yield every leaf; an empty list or object is yielded as itself."""
    stack = [value]
    while stack:
        node = stack.pop()
        if is_object(node) and node:
            stack.extend(node.values())
        elif is_list(node) and node:
            stack.extend(node)
        else:
            yield node


def count_leaves(value: Any) -> int:
    """Count the leaves."""
    return sum(1 for _ in leaves(value))


def as_leaf(value: Any) -> tuple[type, Any]:
    """Return an identity of a leaf that distinguishes `True`, `1` and `1.0`."""
    kind = class_of(value)
    return (kind, value) if kind in SCALARS else (kind, None)


def as_value(leaf: Any) -> tuple[type, Any]:
    """Return an identity of a leaf that ignores spelling: `1.0` is 1, and both alphabets of base64 are equal."""
    kind = class_of(leaf)
    if kind is str:
        return kind, leaf.translate(_STANDARD).rstrip("=")
    return (int, int(leaf)) if kind is float and leaf.is_integer() else as_leaf(leaf)


def bag(value: Any, identity: Callable[[Any], tuple[type, Any]] = as_leaf) -> Counter[tuple[type, Any]]:
    """Count the leaves by identity."""
    from collections import Counter

    return Counter(map(identity, leaves(value)))


def plain_mapping(value: Any) -> Any:
    """Convert any mapping to a dict, as the fallback of a JSON encoder."""
    if is_mapping(value):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
