"""All problems of a request at once, as data; an error shows the first three of them."""

from __future__ import annotations

import copy
import pickle
from importlib import import_module
from typing import Any

import pytest

import promptwire
from promptwire import (
    Options,
    ReasoningOptions,
    Request,
    RequestError,
    anthropic_messages,
    assistant,
    azure_openai_chat,
    openai_chat,
    user,
)
from promptwire.errors import InvalidRequest, MissingField, NoPlace, Refused, SettingError
from tests.imports import loaded
from tests.searching import TESTED_WIRES

MANY = Request(
    "claude-opus-4-7",
    [user("x"), assistant("y")],
    options=Options(max_tokens=8, seed=7, temperature=0.5, top_k=4),
    reasoning=ReasoningOptions(effort="minimal"),
)


def rows(request: Request, wire: Any = anthropic_messages, **settings: Any) -> list[tuple[str, str, str]]:
    return [(problem.path, problem.field, problem.what) for problem in wire.check(request, **settings)]


def test_all_problems_are_given_in_the_order_of_a_build() -> None:
    assert rows(MANY) == [
        ("options", "temperature", "refused"),
        ("options", "top_k", "refused"),
        ("", "reasoning.effort", "refused"),
        ("messages[1]", "last_message.role", "refused"),
        ("options", "seed", "no place"),
    ]


def test_a_problem_says_why_who_says_so_and_what_each_preset_does() -> None:
    refused, *_, lost = anthropic_messages.check(MANY)
    assert refused.reason == (
        "temperature 0.5 is refused for claude-opus-4-7: this model takes no sampling parameters"
    )
    assert refused.source.startswith("Anthropic's migration guide")
    noted = "left out, with a note"
    assert refused.outcomes == {"strict": "error", "portable": noted, "lenient": noted, "verbatim": "sent"}
    assert str(refused) == f"options: {refused.reason} ({refused.source})"
    assert (lost.reason, lost.source) == ("seed: Anthropic Messages does not support it", "")
    assert lost.outcomes == {"strict": "error", "portable": noted, "lenient": noted, "verbatim": noted}
    # and they do so
    lenient = anthropic_messages.build(MANY, policies="lenient").body
    assert "temperature" not in lenient
    assert "seed" not in lenient


def test_what_is_missing_and_what_makes_no_sense_are_problems_too() -> None:
    assert rows(Request("claude-sonnet-4-5", user("x"))) == [("", "max_tokens", "missing")]
    broken = Request("gpt-4o", user("x"), extra={"openai_chat": {"a": {1, 2}}}, options=Options(top_k=3))
    assert [what for _, _, what in rows(broken, openai_chat)] == ["no place", "invalid"]


def test_a_fine_request_has_none() -> None:
    assert openai_chat.check(Request("gpt-4o", user("x"))) == ()


def test_settings_decide_and_are_checked() -> None:
    request = Request("gpt-4o", user("x"))
    with pytest.raises(SettingError, match="is not a setting"):
        azure_openai_chat.check(request, settings={"resorce": "r"})
    assert azure_openai_chat.check(request, settings={"endpoint": "https://r.example"}) == ()


def test_a_strict_error_shows_the_first_three_and_how_many_more() -> None:
    with pytest.raises(Refused) as raised:
        anthropic_messages.build(MANY)
    error = raised.value
    first, *others, last, advice = str(error).split("\n")
    assert first.startswith("anthropic_messages: options: temperature 0.5 is refused for claude-opus-4-7: ")
    assert [line[:30] for line in others] == [
        "  also: options: top_k 4 is re",
        '  also: reasoning.effort "mini',
    ]
    assert last == "  and 2 more: anthropic_messages.check(request) names all"
    assert advice == '  policies="portable" builds this request, with 5 notes'
    assert (error.path, error.field, error.value) == ("options", "temperature", 0.5)
    assert error.problems == anthropic_messages.check(MANY)


def test_an_error_shows_what_its_own_policies_do_not_let_pass() -> None:
    with pytest.raises(NoPlace) as raised:
        anthropic_messages.build(MANY, policies="refusals=send")
    assert str(raised.value).split("\n") == [
        "anthropic_messages: options: seed: Anthropic Messages does not support it",
        '  policies="portable" builds this request, with 5 notes',
    ]
    assert [problem.field for problem in raised.value.problems] == ["seed"]


def test_a_single_problem_is_told_alone() -> None:
    with pytest.raises(MissingField) as raised:
        anthropic_messages.build(Request("claude-sonnet-4-5", user("x")))
    assert "also" not in str(raised.value)
    assert str(raised.value).endswith('\n  policies="portable" builds this request, with 1 note')


def pickled(error: RequestError) -> Any:
    return pickle.loads(pickle.dumps(error))  # noqa: S301  # our own


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_an_error_may_be_copied_and_pickled(again: Any) -> None:
    with pytest.raises(Refused) as raised:
        anthropic_messages.build(MANY)
    other = again(raised.value)
    assert (str(other), other.path, other.problems) == (
        str(raised.value),
        raised.value.path,
        raised.value.problems,
    )


def test_what_follows_from_a_loss_is_no_problem_of_its_own() -> None:
    thought = promptwire.Message("assistant", (promptwire.Reasoning(text="hm", signature="c2ln"),))
    request = Request("claude-sonnet-4-5", [user("a"), thought, user("b")], options=Options(max_tokens=9))
    assert rows(request) == [("messages[1].parts[0]", "signature", "no place")]


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_every_wire_can_be_asked(wire: str) -> None:
    module = import_module(f"promptwire.{wire}")
    problems = module.check(Request("some-model", user("x"), options=Options(seed=1, top_k=1, n=2)))
    assert all(problem.reason and problem.what in ("no place", "missing", "refused") for problem in problems)


def test_a_wrong_type_is_one_problem() -> None:
    wrong: Any = object.__new__(Request)
    with pytest.raises((InvalidRequest, AttributeError)):
        openai_chat.check(wrong)


def test_a_build_that_succeeds_loads_nothing_of_it() -> None:
    code = "from promptwire import Request, openai_chat, user;openai_chat.build(Request('gpt-4o', user('x')))"
    assert [name for name in loaded(code)[0] if "linting" in name] == []
