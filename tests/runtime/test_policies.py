"""Policies: presets, single choices, and both in one text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import promptwire
from promptwire import Policies, Request, ToolCall, assistant, context, execution, openai_chat, user
from promptwire.errors import PolicyError
from tests.internals.runtime import LENIENT, POLICY_CHOICES, PORTABLE, STRICT, VERBATIM, policies_of

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
        (" strict , loss = note ", Policies(loss="note")),
    ],
)
def test_a_text_names_a_preset_and_choices(text: str, meant: Policies) -> None:
    assert policies_of(text) == meant


def test_the_first_choice_of_a_policy_is_the_default() -> None:
    usual = {
        "build": STRICT,
        "repairs": STRICT,
        "context": context.STANDARD,
        "prompts": context.STANDARD,
        "execution": execution.PRESETS["openai"],
    }
    for group, policies in POLICY_CHOICES.items():
        for name, choices in policies.items():
            found = STRICT.choice(name) if group == "repairs" else getattr(usual[group], name)
            assert found == choices[0], (group, name)


def test_a_build_takes_such_a_text() -> None:
    assert openai_chat.build(REQUEST, policies="orphans=keep").notes == ()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (
            "sloppy",
            '"sloppy" is not a preset; use one of strict, portable, lenient, verbatim, choices such as loss=note, or Policies',
        ),
        ("sloppy,loss=note", '"sloppy" is not a preset'),
        ("loss=note,lenient", '"lenient" is not a policy; use one of loss, refusals,'),
        ("orphan=keep", '"orphan" is not a policy; did you mean "orphans"?'),
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


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("lenient,thinking=as_text", {"thinking": "as_text"}),
        ({"preset": "lenient", "thinking": "as_text"}, {"thinking": "as_text"}),
        (
            {"preset": "lenient", "repairs": {"thinking": "as_text"}, "turns": "off"},
            {"thinking": "as_text", "turns": "off"},
        ),
        ("lenient,repairs=off", "off"),
    ],
)
def test_choices_of_repairs_stand_beside_the_others(given: Any, meant: Any) -> None:
    chosen = policies_of(given)
    assert (chosen.repairs, chosen.loss) == (meant, "note")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"thoughts": "as_text"}, '"thoughts" is not a policy of repairs; use one of arguments,'),
        ({"thinkin": "as_text"}, '"thinkin" is not a policy of repairs; did you mean "thinking"?'),
        ({"thinking": "words"}, 'thinking="words" is not a valid policy; use one of drop, as_text, off'),
        ("none", 'repairs must be "off", or a mapping such as {"thinking": "as_text"}, not "none"'),
        (7, 'repairs must be "off", or a mapping such as {"thinking": "as_text"}, not int'),
    ],
)
def test_a_repair_that_does_not_exist_is_refused(given: Any, why: str) -> None:
    with pytest.raises(PolicyError) as refused:
        Policies(repairs=given)
    assert str(refused.value).startswith(why)


def test_no_choice_goes_with_repairs_that_are_off() -> None:
    with pytest.raises(PolicyError, match="repairs are off, so thinking cannot be chosen"):
        policies_of("lenient,repairs=off,thinking=as_text")


# arguments that type checkers do not know any more
THINKING: Any = {"thinking": "as_text"}
TOOL_NAMES: Any = {"tool_names": "error"}
UNASKED_ALONE: Any = {"unasked_results": "error"}
UNASKED: Any = {"unasked_results": "add_call", "tool_role": "passthrough"}
OLD = (
    (
        lambda: Policies(**THINKING),
        Policies(repairs={"thinking": "as_text"}),
        'repairs={"thinking": "as_text"}',
    ),
    (
        lambda: replace(PORTABLE, **TOOL_NAMES),
        policies_of("portable,tool_names=off"),
        'repairs={"tool_names": "off"}',
    ),
    (lambda: policies_of("tool_names=error"), policies_of("tool_names=off"), 'tool_names="off"'),
    (lambda: policies_of("lenient,repairs=skip"), policies_of("lenient,repairs=off"), 'repairs="off"'),
    (lambda: Policies(refusals="note"), Policies(refusals="send"), 'refusals="send"'),
    (
        lambda: context.ContextPolicies(late_system="demote_user", blank="strict_seed"),
        context.ContextPolicies(late_system="user", blank="keep"),
        'late_system="user"',
    ),
    (
        lambda: context.ContextPolicies(**UNASKED),
        context.ContextPolicies(),
        "write orphans",
    ),
    (
        lambda: replace(context.ContextPolicies(late_system="keep"), **UNASKED_ALONE),
        context.ContextPolicies(late_system="keep", orphans="error"),
        "write orphans",
    ),
    (
        lambda: context.context_policies_of("seed,unasked_results=error"),
        context.context_policies_of("seed,orphans=error"),
        "write orphans",
    ),
    (
        lambda: execution.ExecutionPolicies(blank="whitespace_is_absent"),
        execution.ExecutionPolicies(),
        'blank="drop"',
    ),
)


@pytest.mark.parametrize(("make", "meant", "advice"), OLD)
def test_names_and_words_of_an_earlier_version_still_work_with_a_warning(
    make: Callable[[], Any], meant: Any, advice: str
) -> None:
    with pytest.warns(DeprecationWarning, match="is deprecated; write") as warned:
        assert make() == meant
    assert any(advice in str(each.message) for each in warned)
    # Python shows no warning at a line of a package
    assert {each.filename for each in warned} == {__file__}


def test_the_attribute_of_a_repair_is_deprecated() -> None:
    with pytest.warns(DeprecationWarning, match=r'write policies.choice\("thinking"\)'):
        assert PORTABLE.thinking == "drop"
    with pytest.raises(AttributeError):
        _ = PORTABLE.thoughts


def test_the_earlier_name_of_a_policy_is_an_attribute() -> None:
    policies = context.ContextPolicies(orphans="error")
    with pytest.warns(DeprecationWarning, match="ContextPolicies.unasked_results is orphans now"):
        assert policies.unasked_results == "error"


def test_words_mean_the_same_in_all_policies() -> None:
    """`late_system`, `blank` and `orphans` exist in several groups, with words of one list."""
    words = {
        "late_system": {"hoist", "user", "assistant", "keep", "off"},
        "blank": {"drop", "keep", "error"},
        "orphans": {"answer", "drop", "keep", "error"},
    }
    for policies in POLICY_CHOICES.values():
        for name in policies.keys() & words:
            assert set(policies[name]) <= words[name]


def test_the_table_has_every_policy_choice_and_preset() -> None:
    rows = promptwire.policies()
    assert {(row.group, row.name): tuple(row.choices) for row in rows} == {
        (group, name): choices
        for group, policies in POLICY_CHOICES.items()
        for name, choices in policies.items()
    }
    (loss,) = [row for row in rows if row.name == "loss"]
    assert loss.presets == {"strict": "raise", "portable": "meaning", "lenient": "note", "verbatim": "note"}
    assert str(loss) == "loss: raise, meaning, note - a value that the API does not support"
    assert all(row.about and all(row.choices.values()) for row in rows)
    assert [row.group for row in promptwire.policies("execution")] == ["execution"] * 10
    with pytest.raises(
        PolicyError, match='"executions" is not a group of policies; use one of build, repairs,'
    ):
        promptwire.policies("executions")
