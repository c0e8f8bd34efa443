"""The TypedDicts of the generated modules say where in a body they stand."""

from __future__ import annotations

import ast
import re

import pytest

import promptwire
from tests.checkout import ROOT

INSIDE = re.compile(r"Inside (\w+): its `(.+)`\.")


def docs(wire: str) -> dict[str, str]:
    """Docstrings by class."""
    text = (ROOT / "generated" / "promptwire" / wire / "types.py").read_text("utf-8")
    found = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    return {node.name: ast.get_docstring(node) or "" for node in found}


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_a_nested_object_names_what_it_is_inside_of(wire: str) -> None:
    found = docs(wire)
    nested = {name: INSIDE.fullmatch(doc) for name, doc in found.items() if doc.startswith("Inside ")}
    assert nested
    for name, match in nested.items():
        assert match is not None, name
        assert match[1] in found and match[1] != name


def test_a_key_of_the_body_is_named() -> None:
    assert docs("openai_chat")["BodyStreamOptions"] == "Inside Body: its `stream_options`."
