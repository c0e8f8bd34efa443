"""What rules change: settings get what they lack, and keys that a request was read under get their spelling."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

import promptwire
from promptwire_runtime import Message, Options, Policies, Request
from tests.compiler.compiled import load_wire
from tests.compiler.ruled_spec import SPEC

USER = Message("user", "hi")
HEAD = SPEC.partition("rules:\n")[0].replace(
    'url: "https://example.com/chat"}',
    'url: "https://example.com/chat", headers: {"x-beta?": "$betas|comma"}, settings: {betas: {type: list}}}',
)
ADDING = """\
rules:
  - when: {given: [vendor.robots]}
    add: {betas: "robots-2026-11-01|robots-*"}
    because: robots are in beta
    source: the vendor's page, 2026-11
  - when: {model: [deep]}
    add: {betas: depth}
    because: depth is in beta
    source: the vendor's page, 2026-11
"""
SPELLING = """\
rules:
  - when: {model: [new*]}
    rename: {max_tokens: limit}
    because: the older word is gone
    source: the vendor's page, 2026-11
"""


@pytest.fixture(scope="module")
def adding(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    body = HEAD.replace("  model: $model\n", "  model: $model\n  robots?: $vendor.robots\n")
    return load_wire(tmp_path_factory.mktemp("adding"), "ruled_chat", body + ADDING)


@pytest.fixture(scope="module")
def spelling(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    body = HEAD.replace("  max_tokens?: $max_tokens\n", "  limit|max_tokens?: $max_tokens\n")
    return load_wire(tmp_path_factory.mktemp("spelling"), "ruled_chat", body + SPELLING)


ROBOTS = {"ruled_chat": {"robots": 2}}


@pytest.mark.parametrize(
    ("request_", "given", "sent"),
    [
        (Request("m", [USER], vendor=ROBOTS), None, "robots-2026-11-01"),
        (Request("m", [USER], vendor=ROBOTS), ["x", "y"], "x,y,robots-2026-11-01"),
        (Request("m", [USER], vendor=ROBOTS), "x", "x,robots-2026-11-01"),
        (Request("deep", [USER], vendor=ROBOTS), None, "robots-2026-11-01,depth"),
        (Request("deep", [USER]), None, "depth"),
        (Request("deep", [USER], options=Options(temperature=0.5)), ["x"], "x,depth"),
        (Request("m", [USER]), ["x"], "x"),
        (Request("m", [USER]), None, None),
        (Request("m", [USER], vendor=ROBOTS), ["robots-2025-01-01"], "robots-2025-01-01"),
        (Request("m", [USER], vendor=ROBOTS), "x, robots-2025-01-01", "x, robots-2025-01-01"),
    ],
)
def test_a_list_gets_the_word_that_it_lacks(
    adding: ModuleType, request_: Request, given: Any, sent: str | None
) -> None:
    settings = None if given is None else {"betas": given}
    # a second build meets what the first has remembered
    for _ in range(2):
        built = adding.build(request_, settings=settings)
        assert built.headers.get("x-beta") == sent
        assert ("x-beta: " + (sent or "")) in built.curl() or sent is None
    assert settings == (None if given is None else {"betas": given})


def test_what_is_added_is_noted_and_a_verbatim_build_adds_nothing(adding: ModuleType) -> None:
    request = Request("m", [USER], vendor=ROBOTS)
    noted = [str(note) for note in adding.build(request).notes]
    assert noted == ["added settings.betas: robots-2026-11-01: robots are in beta"]
    verbatim = adding.build(request, policies="verbatim")
    assert (verbatim.headers.get("x-beta"), len(verbatim.notes)) == (None, 0)


def test_a_request_of_old_goes_to_a_model_that_knows_the_new_word_only() -> None:
    old = {"model": "o3", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]}
    request = promptwire.openai_chat.read(old).request
    new = {"model": "o3", "max_completion_tokens": 5, "messages": [{"role": "user", "content": "hi"}]}
    assert promptwire.openai_chat.build(request).body == new
    assert promptwire.openai_chat.build(request, policies="verbatim").body == old


def test_a_key_of_old_is_read_and_written_as_the_model_wants_it(spelling: ModuleType) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    old = {"model": "new-1", "max_tokens": 5, "messages": [message]}
    request = spelling.read(old).request
    assert spelling.build(request).body == {"model": "new-1", "limit": 5, "messages": [message]}
    assert spelling.build(request, policies="verbatim").body == old
    assert spelling.build(request, policies=Policies(refusals="note")).body["limit"] == 5
    other = {**old, "model": "older"}
    assert spelling.build(spelling.read(other).request).body == other
    assert list(spelling.build(Request("new-1", [USER], options=Options(max_tokens=5))).body) == [
        "model", "limit", "messages",
    ]  # fmt: skip
