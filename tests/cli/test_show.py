"""`gen show`: a spec made whole says the same, and each of its lines says where it stands."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.checkout import copy_folders
from tests.internals.compiler import SPECS
from tests.spec_texts import WIRES, lower_alone, models, rules_said_by, said_by

from .conftest import Gen

PARENT = """\
wire: parent_chat
title: Parent
docs: https://example.com
transport:
  url: "https://example.com/chat"
  headers: {content-type: application/json, x-team: "${team}"}
  settings: {team: {optional: true}}
instructions: {native: false, placement: first_message, role: system}
continuation: {mode: resend}
body:
  model: $model
  user?: $user_id
  temperature?: $temperature
  messages: $messages
"""
BETWEEN = """\
wire: between_chat
extends: parent_chat
abstract: true
title: Between
body: {user: null, temperature: null}
"""
CHILD = """\
wire: child_chat
extends: between_chat
title: "Child: a chat"
transport:
  headers: {x-team: null}
  settings: {team: null}
body:
  # it does take a temperature
  temperature?: $temperature
rules:
  - reject: {temperature: {exclusiveMinimum: 1}}
    because: a temperature goes to 1
    source: the page of parameters, 2026-11
"""
SHOWN = """\
# child_chat, which extends between_chat, which extends parent_chat; lines with * are its own
wire: child_chat                        # * child_chat.yaml:1
title: "Child: a chat"                  # * child_chat.yaml:3
docs: https://example.com               #   parent_chat.yaml:3

transport:                              # * child_chat.yaml:4
  url: "https://example.com/chat"       #   parent_chat.yaml:5
  headers:                              # * child_chat.yaml:5
    content-type: application/json      #   parent_chat.yaml:6
  settings: {}                          # * child_chat.yaml:6

instructions: {native: false, placement: first_message, role: system} #   parent_chat.yaml:8
continuation: {mode: resend}            #   parent_chat.yaml:9

body:                                   # * child_chat.yaml:7
  model: $model                         #   parent_chat.yaml:11
  messages: $messages                   #   parent_chat.yaml:14
  temperature?: $temperature            # * child_chat.yaml:9

rules:                                  # * child_chat.yaml:10
  - reject: {temperature: {exclusiveMinimum: 1}}             # * child_chat.yaml:11
    because: a temperature goes to 1    # * child_chat.yaml:12
    source: the page of parameters, 2026-11 # * child_chat.yaml:13

# not taken over:
#   body.user                           #   between_chat.yaml:5
#   transport.headers.x-team            # * child_chat.yaml:5
#   transport.settings.team             # * child_chat.yaml:6
"""


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of three specs, of which one extends the next; it is the current folder."""
    copy_folders(tmp_path, "templates")
    (tmp_path / SPECS).mkdir()
    for name, text in (("parent", PARENT), ("between", BETWEEN), ("child", CHILD)):
        (tmp_path / SPECS / f"{name}_chat.yaml").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path / SPECS


def without_gaps(text: str) -> list[str]:
    """The lines of a text, blanks before its comments aside."""
    return [re.sub(r" +# ", " # ", line) for line in text.splitlines()]


def test_each_line_says_where_it_stands(family: Path, gen: Gen) -> None:
    result = gen("show", "child_chat")
    assert (result.exit_code, result.stderr) == (0, "")
    assert without_gaps(result.stdout) == without_gaps(SHOWN)


def test_a_spec_that_extends_none_is_shown_without_marks(family: Path, gen: Gen) -> None:
    assert without_gaps(gen("show", "parent_chat", "body").stdout) == [
        "body: # parent_chat.yaml:10",
        "  model: $model # parent_chat.yaml:11",
        "  user?: $user_id # parent_chat.yaml:12",
        "  temperature?: $temperature # parent_chat.yaml:13",
        "  messages: $messages # parent_chat.yaml:14",
    ]


@pytest.mark.parametrize("arguments", [("child_chat", "rules", "body"), ("child_chat", "body", "rules")])
def test_sections_stand_in_the_order_of_the_spec(family: Path, gen: Gen, arguments: tuple[str, ...]) -> None:
    lines = gen("show", *arguments).stdout.splitlines()
    assert [line.partition(":")[0] for line in lines if line[:1].isalpha()] == ["body", "rules"]
    assert [line.split()[1] for line in lines if line.startswith("#   ")] == ["body.user"]


WRONG = {
    ("childchat",): 'gen: "childchat" is not a wire: did you mean "child_chat"?\n',
    ("gadget",): 'gen: "gadget" is not a wire: the wires are between_chat, child_chat, parent_chat\n',
    ("child_chat", "bodi"): 'gen: child_chat has no section "bodi": did you mean "body"?\n',
}


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_what_is_not_there_is_told(family: Path, gen: Gen, arguments: tuple[str, ...]) -> None:
    result = gen("show", *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", WRONG[arguments])


def test_a_broken_chain_is_told_with_its_place(family: Path, gen: Gen) -> None:
    (family / "child_chat.yaml").write_text(CHILD.replace("x-team: null", "x-tean: null"), "utf-8")
    result = gen("show", "child_chat")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("provider_specs/child_chat.yaml:5:13: nothing-to-remove: ")
    # what is wrong with another spec is of no interest
    assert gen("show", "parent_chat").exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", WIRES)
def test_what_is_shown_is_the_same_spec(name: str, gen: Gen) -> None:
    shown = gen("show", name, "--examples").stdout
    # it is whole, so that no other spec is needed
    lowered = lower_alone({f"{name}.yaml": shown})
    assert lowered.problems == []
    (found,) = lowered.wires
    shown_rules, all_rules = rules_said_by(found), rules_said_by(models()[name])
    # what profiles say of models on the parent's API holds for its dialects by the parent's name alone
    others = {rule for other in WIRES if other != name for rule in rules_said_by(models()[other])}
    assert shown_rules == [rule for rule in all_rules if rule in {*shown_rules}]
    assert {*all_rules} - {*shown_rules} <= others
    assert said_by(replace(found, rules=())) == said_by(replace(models()[name], rules=()))
