"""Signatures and `help` of nodes show the real fields, before the first node is made."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, fields, replace
from typing import Any

import pytest

import promptwire
from promptwire import Cache, Image, Message, Policies, Request, Text, ToolCall
from tests.checkout import ROOT, run_python
from tests.internals.runtime import BEGUN, BLANK_LAYER, INSTRUCTED, PICTURED, SHOWN, unusual_turns

ASKED = """
import inspect, pydoc
from promptwire import Options, Policies, Request, Text
def asked():
    return [str(inspect.signature(cls)) for cls in (Text, Options, Policies)] + [pydoc.render_doc(Request)]
before = asked()
Text("x"), Options(), Policies(), Request("m", ())
assert asked() == before
print(before[0]); print(before[3])
"""


def test_signature_and_help_show_fields_before_the_first_node() -> None:
    done = run_python("-c", ASKED, folder=ROOT)
    assert done.returncode == 0, done.stderr
    said, page = done.stdout.split("\n", 1)
    assert said == (
        "(text: 'str', *, citations: 'Any' = None, logprobs: 'Any' = None, cache: 'Cache | None' = None, "
        "signature: 'str | None' = None, provenance: 'Provenance | None' = None, vendor: 'PerWire | None' = None, "
        "extra: 'PerWire | None' = None, kept: 'Kept | None' = None) -> 'None'"
    )
    assert "instructions: 'InstructionsLike | None' = None" in page
    assert "tool_choice: The tools that it may or must call." in " ".join(page.replace("|", " ").split())


def test_nodes_are_frozen_copied_and_pickled_as_dataclasses_are() -> None:
    call = ToolCall("c1", "f", cache=Cache("5m"))
    assert call.arguments == {}
    assert call.arguments is not ToolCall("c1", "f").arguments
    for again in (copy.copy(call), copy.deepcopy(call), pickle.loads(pickle.dumps(call)), replace(call)):  # noqa: S301
        assert again == call
        assert type(again) is ToolCall
        assert repr(again) == repr(call)
    assert asdict(Text("x", cache=Cache()))["cache"] == {"ttl": None}
    assert [each.name for each in fields(Cache("1h"))] == ["ttl"]
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'text'"):
        Text("x").text = "y"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'text'"):
        del Text("x").text
    match Message("user", "hi"):
        case Message("user", (Text(text),)):
            assert text == "hi"
        case _:
            pytest.fail("a message has its role and parts by position")


def test_records_take_what_a_dataclass_takes() -> None:
    strict: Any = Policies
    with pytest.raises(TypeError, match="unexpected keyword argument 'lost'"):
        strict(lost="drop")
    with pytest.raises(TypeError, match="by position"):
        strict("drop")
    note: Any = promptwire.Note
    with pytest.raises(TypeError, match="lacks the argument"):
        note()


def test_nodes_are_not_extended() -> None:
    with pytest.raises(TypeError, match="Photo cannot extend Image"):
        type("Photo", (Image,), {})


def test_a_request_notes_what_it_gives() -> None:
    plain = Request("m", [Message("user", "hi")], options=promptwire.Options(top_k=1))
    assert plain.given == {"top_k"}
    assert Request("m", [Message("user", "hi")], stream=True).given == {"stream"}
    talk = [Message("system", "Be brief."), Message("user", "hi"), Message("assistant", "Well")]
    assert Request("m", talk).given == frozenset()
    assert Request("m", talk).turns == INSTRUCTED | BEGUN
    named = Message("user", "hi", name="ann")
    assert Request("m", [named]).turns == PICTURED | SHOWN
    # rules look into messages that have more than parts
    assert unusual_turns(Request("m", [named])) == 0
    thought = Message("assistant", [promptwire.Reasoning(text="hm")], name="bob")
    assert unusual_turns(Request("m", [named, thought, named])) & SHOWN
    shown = Message("user", promptwire.Image(url="https://example.org/a.png"))
    assert Request("m", [shown]).turns == PICTURED | SHOWN
    assert Request("m", instructions=("a", " ")).turns == BLANK_LAYER
    assert Request("m", instructions="").turns == 0
    assert Request("m", instructions="").given == frozenset()
