"""Policies: presets, single choices, and both in one text."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import (
    LENIENT,
    STRICT,
    VERBATIM,
    Policies,
    PolicyError,
    Request,
    ToolCall,
    assistant,
    openai_chat,
    user,
)
from tests.internals.runtime import POLICY_CHOICES, policies_of

REQUEST = Request("gpt-4o", [user("hi"), assistant(ToolCall("a", "f")), user("well?")])


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("strict", STRICT),
        ("lenient", LENIENT),
        ("verbatim", VERBATIM),
        ("orphans=keep", Policies(orphans="keep")),
        ("orphans=keep, blank=error", Policies(orphans="keep", blank="error")),
        (
            "lenient,orphans=keep",
            Policies(loss="note", refusals="fix", missing="fill", orphans="keep", schemas="adapt"),
        ),
        ("strict,loss=note", Policies(loss="note")),
    ],
)
def test_a_text_names_a_preset_and_choices(text: str, meant: Policies) -> None:
    assert policies_of(text) == meant


def test_the_first_choice_of_a_policy_is_the_default() -> None:
    assert {name: getattr(STRICT, name) for name in POLICY_CHOICES} == {
        name: choices[0] for name, choices in POLICY_CHOICES.items()
    }


def test_a_build_takes_such_a_text() -> None:
    assert openai_chat.build(REQUEST, policies="orphans=keep").notes == ()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (
            "sloppy",
            '"sloppy" is not a preset; use one of strict, portable, lenient, verbatim, or choices such as orphans=keep',
        ),
        ("sloppy,loss=note", '"sloppy" is not a preset'),
        ("loss=note,lenient", '"lenient" is not a policy; use one of loss, refusals,'),
        ("orphan=keep", '"orphan" is not a policy; use one of loss, refusals,'),
        ("orphans=never", 'orphans="never" is not a valid policy; use one of error, answer, drop, keep'),
        ("orphans=", 'orphans="" is not a valid policy; use one of error, answer, drop, keep'),
        ("portable,orphans=keep,orphans=drop", "orphans is chosen twice; write one choice of each policy"),
        ("=", '"" is not a policy'),
        ("", '"" is not a preset'),
        (3, "int is not a preset"),
    ],
)
def test_a_word_that_means_nothing_is_refused(given: Any, why: str) -> None:
    with pytest.raises(PolicyError) as refused:
        openai_chat.build(REQUEST, policies=given)
    assert str(refused.value).startswith(why)
