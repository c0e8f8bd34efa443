"""Which case is one question of the user, and how that question reads."""

from __future__ import annotations

import pytest

from promptwire.context import ContextPolicies
from tests.internals.runtime import DraftMessage, Piece, flat_question, is_single_turn

NAMED = Piece("<Attached: a.md>", reference=True)


def draft(role: str, *pieces: str | Piece) -> DraftMessage:
    return DraftMessage(
        "p", role, tuple([Piece(piece) if isinstance(piece, str) else piece for piece in pieces])
    )


@pytest.mark.parametrize(
    ("drafts", "single"),
    [
        ((draft("user", "a"),), True),
        ((draft("user", "a", NAMED),), True),
        ((draft("user", NAMED),), True),
        ((draft("system", NAMED), draft("user", "a")), True),
        ((draft("system", " "), draft("user", "a"), draft("user", NAMED)), True),
        ((draft("system", "s"), draft("user", "a")), False),
        ((draft("user", "a"), draft("user", "b")), False),
        ((draft("user", "a"), draft("assistant", " ")), False),
        ((draft("user", "a"), draft("tool", NAMED)), False),
        ((draft("system", NAMED),), False),
        ((), False),
    ],
)
def test_which_case_is_one_question(drafts: tuple[DraftMessage, ...], single: bool) -> None:
    assert is_single_turn(drafts) is single


@pytest.mark.parametrize(("reference", "text"), [("marker", "a <Attached: a.md> b"), ("omit", "a b")])
def test_only_the_user_asks(reference: str, text: str) -> None:
    drafts = (draft("system", NAMED, "s"), draft("user", "a", NAMED), draft("user", "b"))
    policies = ContextPolicies(question_separator=" ", guideline_reference=reference)
    assert flat_question(drafts, policies) == text
