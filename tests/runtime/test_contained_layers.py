"""Layers that others contain: found in one search, as if each were compared with each."""

from __future__ import annotations

from hypothesis import given, strategies as st

from promptwire import Instruction, Message, Request, Text
from promptwire.context import ContextPolicies, merge, settle
from tests.internals.runtime import drop_contained

texts = st.text(st.sampled_from("ab \0\x01"), max_size=4)
roles = st.sampled_from([None, "developer"])
instructions = st.builds(Instruction, texts, roles)
marked = st.builds(lambda text: Instruction(text, vendor={"x": {"y": 1}}), texts)


def compared(layers: list[Instruction]) -> list[Instruction]:
    """Compare each layer with each other."""
    return [
        layer
        for index, layer in enumerate(layers)
        if not layer.is_plain
        or not any(
            other.is_plain
            and other.role == layer.role
            and layer.text in other.text
            and (place < index or layer.text != other.text)
            for place, other in enumerate(layers)
            if place != index
        )
    ]


@given(layers=st.lists(instructions | marked, max_size=8))
def test_what_is_kept_is_what_a_comparison_of_all_keeps(layers: list[Instruction]) -> None:
    dropped: list[tuple[Instruction, str]] = []
    kept = drop_contained(layers, dropped)
    assert [id(layer) for layer in kept] == [id(layer) for layer in compared(layers)]
    assert len(kept) + len(dropped) == len(layers)


@given(layers=st.lists(instructions, max_size=5), said=st.lists(texts, max_size=4))
def test_the_first_system_message_that_contains_a_layer_is_named(
    layers: list[Instruction], said: list[str]
) -> None:
    merged = merge(layers, ContextPolicies(dedup="substring"))
    messages = [Message("system", (Text(text),)) for text in said]
    settled, _ = settle(merged, Request("m", messages))
    expected = {
        layer.text: next(index for index, text in enumerate(said) if layer.text in text)
        for layer in merged.layers
        if any(layer.text in text for text in said)
    }
    assert [layer.text for layer in settled.layers] == [
        layer.text for layer in merged.layers if layer.text not in expected
    ]
    new = settled.dropped[len(merged.dropped) :]
    assert {note.why for note in new} == {f"messages[{index}] contains it" for index in expected.values()}
