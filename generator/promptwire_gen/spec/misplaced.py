"""Find sections that are indented under another one, and keys of a section that are not: the cause of many problems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel

from promptwire_text.near_words import nearest

from ..problems import SpecProblem, quote
from .nodes import Node, Scalar, Table
from .renamed_words import new_word
from .schema import SHAPE_SECTIONS, Spec, Unions

RULE = "misplaced-section"


def misplaced(tree: Table) -> Iterator[SpecProblem]:
    """Yield a problem for each misplaced section or key; `tree` holds the sections of one spec."""
    for key, node in tree.entries:
        name = str(key.value)
        if name not in _SECTIONS and new_word((name,)) is None:
            owners = [owner for owner, keys in _KEYS.items() if name in keys]
            if len(owners) == 1 and not isinstance(node, Scalar):
                message = f"{quote(name)} is a key of {owners[0]}, and is not indented under it"
                yield SpecProblem(key.span, RULE, message, f"move it into {owners[0]}")
        elif isinstance(node, Table):
            yield from _inside(name, node)


def _inside(section: str, table: Table) -> Iterator[SpecProblem]:
    """Yield a problem for each key of a section that is a section itself."""
    for key, node in table.entries:
        name = str(key.value)
        if name not in _SECTIONS or name in _KEYS.get(section, ()) or isinstance(node, Scalar):
            continue
        if section == "unions" and nearest(name, Unions.model_fields) is not None:
            # a misspelt key
            continue
        is_shape = section == "body" and (key.value == "tools" or _has_hole(node))
        if not is_shape and (section in _KEYS or section in SHAPE_SECTIONS):
            message = f"{quote(name)} is a section of its own, and is indented under {section}"
            yield SpecProblem(key.span, RULE, message, "move it to the first column")


def _has_hole(node: Node) -> bool:
    """Return whether a shape has any hole, also one that is only read."""
    if isinstance(node, Scalar):
        return str(node.value).startswith(("$", "=")) or "${" in str(node.value)
    inner = [value for _, value in node.entries] if isinstance(node, Table) else node.items
    return any(map(_has_hole, inner))


def _model_of(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a field holds, alone or as one of its alternatives."""
    choices = (annotation, *get_args(annotation))
    return next((kind for kind in choices if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


_SECTIONS = frozenset(Spec.model_fields)
# section -> its keys, for sections that are models
_KEYS = {
    name: frozenset(model.model_fields)
    for name, field in Spec.model_fields.items()
    if (model := _model_of(field.annotation)) is not None
}
