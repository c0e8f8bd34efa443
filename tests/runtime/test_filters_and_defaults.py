"""Filters and their names, documents, defaults of requests: whole results, and errors for values that do not fit."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from promptwire import Options, Request, Tool, user
from promptwire.context import Filter, Outcome, merge_options, merge_request
from promptwire.errors import ContextError
from promptwire.plugins import Form, Kept
from tests.internals.runtime import documents_text, named, post_invoke_steps, run, section_name


def shout(draft: Any) -> None:
    """A filter by its own name."""


class Named:
    """A filter that says its name, and listens afterwards."""

    name = "mine"

    def __call__(self, draft: Any) -> None:
        """Change nothing."""

    def post_invoke(self, outcome: Outcome) -> None:
        """Listen."""


class Nameless:
    """A filter that has only a class."""

    def __call__(self, draft: Any) -> None:
        """Change nothing."""


MINE = Named()
READY = Filter("ready", shout, MINE.post_invoke)


@pytest.mark.parametrize(
    ("section", "name", "known", "listens"),
    [
        (shout, None, "shout", False),
        (shout, "other", "other", False),
        (MINE, None, "mine", True),
        (MINE, "other", "other", True),
        (Nameless(), None, "Nameless", False),
        (partial(shout), None, "partial", False),
        (READY, None, "ready", True),
        (READY, "other", "other", True),
    ],
)
def test_the_name_of_a_filter(section: Any, name: str | None, known: str, listens: bool) -> None:
    filter_ = named(section, name)
    assert (filter_.name, filter_.post_invoke is not None) == (known, listens)
    assert filter_.apply is (shout if section is READY else section)


@pytest.mark.parametrize(
    ("section", "text"),
    [("text", "text"), ({"a.md": "one", "b.md": " ", "c.md": "", "d.md": "two"}, "=== a.md ===\none\n\n=== d.md ===\ntwo")],
)  # fmt: skip
def test_text_and_documents_are_filters(section: Any, text: str) -> None:
    draft: Any = None
    assert named(section, "notes")(draft) == text
    if isinstance(section, dict):
        assert documents_text(section) == text


@pytest.mark.parametrize(
    ("section", "name", "said"),
    [
        ("text", None, "filter: text needs the name of its section: use Filter or a function"),
        ({"a": "b"}, None, "filter: text needs the name of its section: use Filter or a function"),
        (5, None, "filter: is int, not callable"),
        (5, "mine", "filter mine: is int, not callable"),
    ],
)
def test_what_is_no_filter(section: Any, name: str | None, said: str) -> None:
    with pytest.raises(ContextError) as refused:
        named(section, name)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("name", "section"),
    [("notes", "notes"), ("My Notes!", "my_notes"), ("_a-b_", "a_b"), ("a__b", "a__b"), ("", "section"), ("!?", "section")],
)  # fmt: skip
def test_the_section_of_a_filter(name: str, section: str) -> None:
    assert section_name(name) == section


def test_all_filters_learn_what_came_of_a_call() -> None:
    told: list[tuple[str, Outcome]] = []

    def listener(name: str, error: Exception | None) -> Filter:
        def listen(outcome: Outcome) -> None:
            told.append((name, outcome))
            if error is not None:
                raise error

        return Filter(name, shout, listen)

    outcome = Outcome(Request("m"), (user("a"),), properties={"b": 1})
    silent = Filter("silent", shout)
    run(post_invoke_steps(outcome, [listener("a", None), silent]), "post_invoke_async")
    failing = [
        listener("b", ValueError("no")),
        listener("c", KeyError()),
        listener("d", OSError("x")),
        listener("e", None),
    ]
    with pytest.raises(ContextError) as refused:
        run(post_invoke_steps(outcome, failing), "post_invoke_async")
    assert str(refused.value) == "filter b, post_invoke: ValueError: no"
    assert refused.value.__notes__ == ["filter c, post_invoke: KeyError", "filter d, post_invoke: OSError: x"]
    assert told == [(name, outcome) for name in "abcde"]


GIVEN = Options(temperature=0.5, stop=("a", "b"), logit_bias={"1": 1.0, "2": 2.0})


@pytest.mark.parametrize(
    ("defaults", "lists", "changes"),
    [
        (Options(), "append", {}),
        (Options(temperature=1), "append", {}),
        (Options(top_p=1), "append", {"top_p": 1}),
        (Options(stop=("b", "c")), "append", {"stop": ("a", "b", "c")}),
        (Options(stop=("b", "c")), "replace", {}),
        (Options(logit_bias={"2": 3.0, "4": 4.0}), "append", {"logit_bias": {"1": 1.0, "2": 2.0, "4": 4.0}}),
    ],
)
def test_options_have_defaults(defaults: Options, lists: str, changes: dict[str, Any]) -> None:
    said = {"temperature": 0.5, "stop": ("a", "b"), "logit_bias": {"1": 1.0, "2": 2.0}}
    assert merge_options(GIVEN, defaults, lists) == Options(**{**said, **changes})


F, G, OTHER_F = Tool("f", "d"), Tool("g", "d"), Tool("f", "e")
KEPT_F = Tool("f", "d", kept=Kept("openai_chat", Form(added={"x": 1})))
OF_MINE: dict[str, Any] = {"w": {"a": 1}, "v": {"x": 1}}
OF_THEIRS: dict[str, Any] = {"w": {"a": 2, "b": {"c": 3}}, "z": {"y": 1}}
OF_BOTH: dict[str, Any] = {"w": {"a": 1, "b": {"c": 3}}, "v": {"x": 1}, "z": {"y": 1}}


@pytest.mark.parametrize(
    ("own", "defaults", "expected"),
    [
        ({"model": "a"}, {"model": "b"}, {"model": "a"}),
        ({}, {"model": "b", "stream": True}, {"model": "b", "stream": True}),
        ({"tools": (F,)}, {"tools": (G, F)}, {"tools": (F, G)}),
        ({"tools": (F,)}, {"tools": (KEPT_F,)}, {"tools": (F,)}),
        ({"include": ("a",)}, {"include": ("b", "a")}, {"include": ("a", "b")}),
        ({"metadata": {"a": "1"}}, {"metadata": {"a": "2", "b": "3"}}, {"metadata": {"a": "1", "b": "3"}}),
        ({"vendor": OF_MINE}, {"vendor": OF_THEIRS}, {"vendor": OF_BOTH}),
        ({"extra": OF_MINE}, {"extra": OF_THEIRS}, {"extra": OF_BOTH}),
        ({}, {"instructions": ""}, {}),
        ({"metadata": {"a": "1"}}, {"metadata": {"b": "2"}}, {"metadata": {"a": "1", "b": "2"}}),
        ({"user_id": "a"}, {"options": Options(seed=1)}, {"user_id": "a", "options": Options(seed=1)}),
    ],
)
def test_requests_have_defaults(own: Any, defaults: Any, expected: Any) -> None:
    messages = (user("a"),)
    merged = merge_request(Request(messages=messages, **own), Request(**defaults))
    assert merged == Request(messages=messages, **expected)


@pytest.mark.parametrize(
    ("defaults", "said"),
    [
        ({"messages": (user("a"),)}, "defaults: messages belong to a request of their own"),
        ({"instructions": "a"}, "defaults: instructions belong to a request of their own"),
        (
            {"tools": (G, OTHER_F)},
            'defaults.tools[1]: tools[0] of the request is another tool named "f": rename one of them',
        ),
    ],
)
def test_what_is_no_default(defaults: Any, said: str) -> None:
    with pytest.raises(ContextError) as refused:
        merge_request(Request("m", tools=(F,)), Request(**defaults))
    assert str(refused.value) == said


def test_a_tool_whose_name_is_taken_is_noted() -> None:
    notes: list[Any] = []
    merged = merge_request(Request("m", tools=(F,)), Request(tools=(OTHER_F, G)), notes=notes)
    assert merged.tools == (F, G)
    said = 'dropped defaults.tools[0]: tools[0] of the request is another tool named "f"'
    assert [str(note) for note in notes] == [said]
    replaced = merge_request(Request("m", tools=(F,)), Request(tools=(OTHER_F, G)), "replace")
    assert replaced.tools == (F,)
