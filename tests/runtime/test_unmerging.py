"""Instructions that an earlier turn merged into one text: the request's own part is found again."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Cache, Instruction
from promptwire.context import layers_of, merge
from tests.internals.runtime import own_layers, with_unknown

OTHER = "<other>\nx\n</other>"
TAIL = Instruction(OTHER, source="request")
MARK = Cache("1h")


def developer(text: str, **more: Any) -> Instruction:
    return Instruction(text, "developer", **more)


def layer(value: str | Instruction) -> Instruction:
    return value if isinstance(value, Instruction) else Instruction(value)


# what the agent adds before and after the request, what is sent, and the request's own part of it
BEFORE: Any = [
    ((), ()),
    (("B",), ()),
    ((Instruction("B", "system"),), ()),
    (("B\nR",), ("R",)),
    (("B", developer("R")), (developer("R"),)),
    (("B\nR", developer("S")), ("R", developer("S"))),
    (("X",), None),
    (("BR",), None),
    ((developer("B"),), None),
    ((developer("B\nR"),), None),
    (("B\nR\n\n<notes>\none\n</notes>",), ("R",)),
    (("B", developer("<notes>\none\n</notes>")), ()),
    (("<notes>\none\n</notes>",), ()),
    ((f"B\nR\n\n{OTHER}",), (f"R\n\n{OTHER}",)),
]
TWO_BEFORE: Any = [
    (("B", developer("C")), ()),
    (("B", developer("C\nR")), (developer("R"),)),
    (("B", developer("C"), "R"), ("R",)),
    (("B",), None),
    (("X", developer("C\nR")), None),
    (("B", "C\nR"), None),
]
AROUND: Any = [
    (("B\nD",), ()),
    (("B\nR\nD",), (Instruction("R", source="request"),)),
    (("B", developer("R"), "D"), (developer("R"),)),
    (("B\nR\nX",), None),
    (("B", developer("R\nD")), None),
    ((f"B\nR\nD\n\n{OTHER}",), (Instruction("R", source="request"), TAIL)),
    ((f"B\nD\n\n{OTHER}",), (TAIL,)),
    ((f"X\n\n{OTHER}",), None),
]
TWO_AFTER: Any = [
    (("R\nD", developer("E")), (Instruction("R", source="request"),)),
    ((Instruction("R\nD", cache=MARK), developer("E")), (Instruction("R", source="request"),)),
    (("R\nD",), None),
    ((developer("E"),), None),
    (("R\nD", developer("X")), None),
    (("R", "D", developer("E")), ("R",)),
]
CASES = [
    *[("standard", {"base": "B"}, *case) for case in BEFORE],
    *[("standard", {"base": ("B", developer("C"))}, *case) for case in TWO_BEFORE],
    *[("maf", {"base": "B", "dynamic": "D"}, *case) for case in AROUND],
    *[("maf", {"dynamic": ("D", developer("E"))}, *case) for case in TWO_AFTER],
]


@pytest.mark.parametrize(("preset", "agent", "sent", "own"), CASES)
def test_the_agents_words_are_taken_out_of_what_is_sent(preset: str, agent: Any, sent: Any, own: Any) -> None:
    agents = [merge(layers_of(**agent), preset)]
    expected = None if own is None else tuple(map(layer, own))
    assert own_layers(tuple(map(layer, sent)), agents, ("notes",)) == expected


def test_any_of_the_agents_may_have_written_it() -> None:
    agents = [merge(layers_of(base=base)) for base in ("X", "B")]
    assert own_layers((Instruction("B\nR"),), agents, ()) == (Instruction("R"),)


@pytest.mark.parametrize(
    ("said", "unknown"), [("B", "\ue000"), ("\ue000", "\ue001"), ("\ue000\ue001", "\ue002")]
)
def test_what_stands_for_the_request_is_no_word_of_the_agent(said: str, unknown: str) -> None:
    agent = layers_of(base=said, dynamic="D")
    around, place = with_unknown(merge(agent, "maf"))
    assert (around.layers, place) == ((agent[0], Instruction(unknown, source="request"), agent[1]), 1)
