"""Where merged layers meet system messages: which are sent beside them, why the others are not, each policy alone."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Image, Instruction, Message, Request, Text, system, user
from promptwire.context import ContextPolicies, Draft, layers_of, merge, settle
from tests.internals.runtime import Written, text_of

NOTES = "<notes>\none\n</notes>"
AROUND = ContextPolicies(layer_order=("base", "plan", "request", "dynamic"))
A_AND_B = {"base": (Instruction("A", "developer"), "B")}


def settled(layers: Any, *said: str | Message, alone: bool = False, **policies: str) -> tuple[str, list[str]]:
    """Return the text that is sent beside system messages, and what is noted of the rest."""
    chosen = ContextPolicies(layer_order=AROUND.layer_order, **policies)  # type: ignore[arg-type]
    messages = [system(message) if isinstance(message, str) else message for message in said]
    request = Request("m", (*messages, user("hi")))
    merged, sent = settle(merge(layers_of(**layers), chosen), request, alone=alone)
    assert sent == request
    return merged.text, [str(note) for note in merged.dropped]


def dropped(*rows: tuple[str, str]) -> list[str]:
    return [f"dropped instructions.{place}.text: messages[0] {why}" for place, why in rows]


SAME, MORE = "says the same", "says the same, and more"
B_AND_D = {"base": "B", "dynamic": "D"}


@pytest.mark.parametrize(
    ("layers", "said", "alone", "text", "notes"),
    [
        (B_AND_D, "B\nR\nD", True, "", dropped(("base[0]", MORE), ("dynamic[0]", MORE))),
        (B_AND_D, "B\nR\nD", False, "B\nD", []),
        (B_AND_D, "B\nD", True, "", dropped(("base[0]", SAME), ("dynamic[0]", SAME))),
        (B_AND_D, "B\n\nD", True, "B\nD", []),
        (B_AND_D, "B\nmore", True, "B\nD", []),
        (B_AND_D, "more\nD", True, "B\nD", []),
        (B_AND_D, "D", True, "B", dropped(("dynamic[0]", SAME))),
        (A_AND_B, "A more", True, "A\nB", []),
        (A_AND_B, "B\nmore", True, "A", dropped(("base[1]", MORE))),
        (
            {"base": "B"},
            Message("system", (Text("B"), Image(url="u"))),
            False,
            "",
            dropped(("base[0]", SAME)),
        ),
        ({"base": "B"}, Message("system", (Text("A"), Text("B"))), False, "", dropped(("base[0]", SAME))),
        ({"base": "A\nB"}, Message("system", (Text("A"), Text("B"))), False, "", dropped(("base[0]", SAME))),
        ({"base": "B"}, user("B"), False, "B", []),
        ({}, "B", False, "", []),
    ],
)
def test_what_system_messages_say_is_not_sent_again(
    layers: Any, said: Any, alone: bool, text: str, notes: list[str]
) -> None:
    assert settled(layers, said, alone=alone) == (text, notes)


@pytest.mark.parametrize(
    ("dedup", "text", "notes"),
    [
        ("combine", "B\nD", []),
        ("substring", "D", dropped(("base[0]", "contains it"))),
        (
            "skip_if_system_present",
            "",
            dropped(("base[0]", "is a system message"), ("dynamic[0]", "is a system message")),
        ),
    ],
)
def test_other_policies(dedup: str, text: str, notes: list[str]) -> None:
    assert settled(B_AND_D, "A B C", dedup=dedup) == (text, notes)
    assert settled(B_AND_D, dedup=dedup) == ("B\nD", [])


def test_the_first_message_that_says_it_is_named() -> None:
    assert settled({"base": "B"}, "A", "B", "B")[1] == [
        "dropped instructions.base[0].text: messages[1] says the same"
    ]
    assert settled({"base": "B"}, "B\nlast", "B\nfirst", alone=True)[1] == dropped(("base[0]", MORE))


@pytest.mark.parametrize(
    ("base", "said", "own"),
    [
        ("B", f"B\n\n{NOTES}", True),
        ("B", Message("system", Text("X"), provenance=Written()), True),
        ("B", Message("user", Text(f"B\n\n{NOTES}")), False),
        ("B", f"X\n\n{NOTES}", False),
        ("B", "B\n\nmore", False),
        (None, NOTES, False),
    ],
)
def test_which_messages_an_earlier_turn_wrote(base: str | None, said: Any, own: bool) -> None:
    message = system(said) if isinstance(said, str) else said
    request = Request("m", (message, user("hi")))
    merged, sent = settle(merge(layers_of(base=base)), request)
    assert sent.messages == ((user("hi"),) if own else request.messages)
    note = "dropped messages[0]: an earlier turn wrote it: written anew"
    assert ([str(note) for note in merged.dropped], merged.core) == ([note] if own else [], base or "")


def test_the_texts_of_a_message_are_its_lines() -> None:
    assert text_of(Message("system", (Text("a"), Image(url="u"), Text("b")))) == "a\nb"


def test_what_was_dropped_stays_noted_when_all_layers_are_replaced() -> None:
    draft = Draft(Request("m"), merge(layers_of(base=("a", "a")))).with_text(("b", "b"))
    assert (draft.text, [str(note) for note in draft.merged.dropped]) == (
        "b",
        [
            f"dropped instructions.{source}[1].text: an earlier layer says the same"
            for source in ("base", "request")
        ],
    )
