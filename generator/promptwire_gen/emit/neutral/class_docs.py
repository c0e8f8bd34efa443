"""Docstrings of node classes: the class, its fields, and the flags computed at construction."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from ...neutral.node_classes import NodeClass, NodeField

_WIDTH = 104


def class_doc(node: NodeClass, noted: Sequence[tuple[str, str]]) -> str:
    """Return the docstring of a class; `noted` are names and descriptions of its flags."""
    base = node.declaration.base
    rows = [_row(field.name, described(field)) for field in node.fields if not field.inherited]
    inherited = ", ".join([field.name for field in node.fields if field.inherited])
    rows += [_row(inherited, f"Optional fields of every {base}.")] if inherited else []
    paragraphs = ["\n".join(wrap(part, _WIDTH)) for part in node.declaration.doc.split("\n\n")]
    if rows:
        paragraphs.append("Args:\n" + "\n".join(rows))
    if noted:
        paragraphs.append("Attributes:\n" + "\n".join([_row(name, meaning) for name, meaning in noted]))
    text = "\n\n".join(paragraphs)
    return "\n    ".join(text.splitlines()).replace("\n    \n", "\n\n") + ("\n    " if "\n" in text else "")


def described(field: NodeField) -> str:
    """Return the description of a field: its sentence, unit, minimum and allowed words."""
    declaration = field.declaration
    doc = " ".join(declaration.doc.split())
    facts = [
        f"In {declaration.unit}" if declaration.unit else "",
        f"at least {declaration.least}" if declaration.least is not None else "",
    ]
    words = ", ".join([f"`{value}`" for value in declaration.values if f"`{value}`" not in doc])
    phrases = [
        ", ".join(filter(None, facts)),
        f"{'Such as' if declaration.open else 'One of'} {words}" if words else "",
    ]
    phrases.append("Never sent" if declaration.written == "never" else "")
    sentences = [f"{phrase[0].upper()}{phrase[1:]}." for phrase in phrases if phrase]
    return " ".join([f"{doc.removesuffix('.')}.", *sentences])


def _row(name: str, meaning: str) -> str:
    return "\n".join(wrap(f"{name}: {meaning}", _WIDTH, initial_indent="    ", subsequent_indent="        "))
