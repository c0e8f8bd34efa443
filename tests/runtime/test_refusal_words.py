"""Refusals speak of the request and the API, never of the language that specs are written in."""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import Any

import pytest

from promptwire import (
    Cache,
    Message,
    Options,
    Policies,
    Request,
    RequestError,
    Text,
    Tool,
    ToolCall,
    load_request,
)
from tests.checkout import ROOT
from tests.internals.runtime import FieldCondition, describe_value
from tests.searching import TESTED_WIRES

# what stands in brackets of a path, a value behind its operator, words to choose from, parts of paths in messages
MARKS = re.compile(r"\[[a-z_.]+(?:[=!~<>][^\]]*)?\]\.|=['\"]\w|\||strict_schemas|\b(?:last|first)_message\b")
HINT = re.compile(r'\b(?:orphans|blank)="\w+"|provenance=Provenance\(.*?\)')
CASES = ROOT / "generated" / "tests" / "cases"


def value_of(condition: FieldCondition) -> Any:
    """A value that an condition means."""
    word = next(iter(condition.words), "").replace("*", "x")
    match condition.operator:
        case "=":
            return word
        case "":
            return "some"
        case "<" | "<=":
            return 0
        case ">" | ">=":
            return 99
        case _:
            return "odd"


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_no_rule_is_told_in_its_own_language(wire: str) -> None:
    facts = import_module(f"promptwire.{wire}").WIRE
    nodes = (Request("m"), Options(), Tool("f"), Text("t", cache=Cache(ttl="1h")), Message("user", "hi"))
    texts = [
        f"{describe_value(condition.path, value, node, facts)}: {rule.because}"
        for rule in facts.rules
        for condition in rule.reject
        for node in nodes
        for value in (value_of(condition), None)
    ]
    assert [text for text in texts if MARKS.search(text)] == []


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_no_error_or_note_of_an_example_repeats_a_spec(wire: str) -> None:
    module: Any = import_module(f"promptwire.{wire}")
    cases = json.loads((CASES / f"{wire}.json").read_text("utf-8"))
    rows = [row["request"] for table in ("errors", "losses") for row in cases[table]]
    # a value of the request may be told with its marks
    rows = [row for row in rows if not MARKS.search(json.dumps(row))]
    texts: list[str] = []
    for row in rows:
        request = load_request(row)
        texts += [f"{problem}" for problem in module.check(request)]
        noted = module.build(
            request, policies=Policies(loss="note", refusals="send", missing="omit", repairs="off")
        )
        texts += [str(note) for note in noted.notes if note.action != "passed through"]
    plain = [HINT.sub("", text.partition(" (")[0]) for text in texts]
    assert [text for text in plain if MARKS.search(text)] == []
    assert len(texts) >= len(rows)


@pytest.mark.parametrize(
    ("wire", "request_", "words"),
    [
        (
            "anthropic_messages",
            Request(
                "claude-sonnet-4-5",
                [Message("user", (Text("a", cache=Cache(ttl="5m")), Text("b", cache=Cache(ttl="1h"))))],
                options=Options(max_tokens=9),
            ),
            "a cache mark of 1 hour after one of 5 minutes is refused for claude-sonnet-4-5",
        ),
        (
            "openai_chat",
            Request("gpt-4o", Message("user", "hi"), options=Options(stop=("a", "b", "c", "d", "e"))),
            "stop with 5 entries is refused for gpt-4o: `stop` must have at most 4 entries",
        ),
        (
            "openai_chat",
            Request("gpt-4o", Message("user", "hi"), tools=[Tool(f"f{number}") for number in range(129)]),
            "a list of 129 tools is refused for gpt-4o: a request has at most 128 tools",
        ),
        (
            "openai_chat",
            Request("gpt-4o", Message("user", "hi"), user_id="u" * 129),
            "is refused for gpt-4o: `user_id` must have at most 128 characters",
        ),
        (
            "anthropic_messages",
            Request(
                "claude-opus-4-7",
                [Message("user", "a"), Message("assistant", "b")],
                options=Options(max_tokens=9),
            ),
            'a last message of role "assistant" is refused for claude-opus-4-7',
        ),
        (
            "anthropic_messages",
            Request(
                "claude-sonnet-4-6",
                Message("user", "hi"),
                options=Options(max_tokens=9),
                tools=[
                    Tool(
                        f"f{number}",
                        parameters={"type": "object", "properties": {}, "additionalProperties": False},
                        strict=True,
                    )
                    for number in range(21)
                ],
            ),
            "a list of 21 tools with strict true is refused for claude-sonnet-4-6",
        ),
        (
            "openai_responses",
            Request("m", [Message("user", "a"), Message("assistant", ToolCall("c1", "f", {}))]),
            'the id "c1" of a tool call is refused for m: it has no result',
        ),
    ],
)
def test_what_is_refused_is_said_in_a_sentence(wire: str, request_: Request, words: str) -> None:
    with pytest.raises(RequestError) as refused:
        import_module(f"promptwire.{wire}").build(request_)
    assert words in str(refused.value)
