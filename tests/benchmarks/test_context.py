"""Merging layers beside joining their texts by hand, in one run."""

from __future__ import annotations

from promptwire import Instruction
from promptwire.context import layers_of, merge

from .measuring import side_by_side

LAYERS = layers_of(
    base="You are a helpful coding assistant. " * 20,
    plan="Plan mode is on. " * 10,
    dynamic="It is Sunday. " * 5,
    request="Focus on TypeScript for this request.",
)
# by hand it takes 1.05 µs: so much more are the two microseconds that merging may cost
MOST = 2.9


def joined_by_hand(layers: tuple[Instruction, ...]) -> str:
    """The plainest function for the usual policy: no order to keep, no repeats to find, no report."""
    text = ""
    for layer in layers:
        if layer.text and not layer.text.isspace():
            separator = "\n\n" if layer.source == "plan" else "\n"
            text = text + separator + layer.text if text else layer.text
    return text


def test_merging_four_layers_costs_little_more_than_joining_them() -> None:
    assert merge(LAYERS).text == joined_by_hand(LAYERS)
    # short rounds, and many: each must fit between the interruptions of a busy machine
    ours, by_hand, ratio = side_by_side(
        lambda layers: merge(layers).text, joined_by_hand, LAYERS, rounds=300, spend=0.0005
    )
    more = (ours - by_hand) * 1e6
    print(
        f"merge: {ours * 1e6:.2f} µs, by hand {by_hand * 1e6:.2f} µs: {more:.2f} µs more, ratio {ratio:.2f}"
    )
    assert ratio < MOST
