"""`gen list`: tables by topic that fit the terminal, all about one wire, and the table itself as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.internals.compiler import Topic, tables

from .conftest import Gen, table_row

WIRES = ("north_chat", "south_chat")
LEGEND = """\
yes      it can be sent
-        it cannot, and a build that needs it raises an error or adds a note
unknown  not documented
"""
CONVERSATION = """
Instructions and continuation
                                                                            kept
                                several                                     by the  sent
wire        native   placement  layers   mid-conversation  continuation     server  again
north_chat  yes      top level  blocks   some models       server (thread)  items   tools
south_chat  unknown  unknown    unknown  unknown           resend           -       all
"""
TOOLS = """
Tools
wire        format  kinds             choices      parallel  deferral
north_chat  north   function, hosted  auto, named  yes       -
south_chat  -       -                 -            -         -
"""
PARTS = """
Parts and their sources
wire        image      document  audio  video  other parts
north_chat  data, url  -         -      -      text, tool_call
south_chat  -          -         -      -      text
"""
SAMPLING = """
Sampling
            max                  top  top  min              frequency  presence  repetition
wire        tokens  temperature  p    k    p    stop  seed  penalty    penalty   penalty
north_chat  yes     -            -    -    -    -     -     -          -         -
south_chat  -       -            -    -    -    -     -     -          -         -
"""
OTHERS = """
Other parameters
                      top       logit     service  cache
wire        logprobs  logprobs  bias   n  tier     key    store
north_chat  -         -         -      -  -        -      yes
south_chat  -         -         -      -  -        -      -
"""
OUTPUT = """
Structured output, reasoning, request fields, answers
wire        structured output  reasoning       request fields    own  answers
north_chat  json, json_schema  budget, effort  metadata, stream  12   whole, sse
south_chat  -                  -               -                 0    -
"""
COUNTS = """
Token counts of answers
                           cache  cache
wire        input  output  read   write  reasoning  total
north_chat  -      -       -      -      -          -
south_chat  -      -       -      -      -          -
"""


def shown(text: str) -> str:
    """The text without the blanks at the end of its lines."""
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def test_a_table_for_each_topic(project: Path, gen: Gen) -> None:
    expected = LEGEND + CONVERSATION + TOOLS + PARTS + SAMPLING + OTHERS + OUTPUT + COUNTS
    assert shown(gen("list").stdout) == expected


def test_the_widest_columns_are_left_out_and_named_where_a_table_does_not_fit(
    project: Path, gen: Gen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("promptwire_cli.terminal._PIPE_COLUMNS", 62)
    lines = shown(gen("list").stdout).splitlines()
    title = "Structured output, reasoning, request fields, answers"
    start = lines.index(title)
    assert lines[start : start + 5] == [
        title,
        "wire        reasoning       request fields    own  answers",
        "north_chat  budget, effort  metadata, stream  12   whole, sse",
        "south_chat  -               -                 0    -",
        "left out: structured output; gen list WIRE shows them",
    ]
    assert max(map(len, lines)) <= 62


ALL = """\
south_chat: South Chat

Instructions and continuation
native                unknown
placement             unknown
several layers        unknown
mid-conversation      unknown
continuation          resend
kept by the server    -
sent again            all

Tools
format                -
kinds                 -
choices               -
parallel              -
deferral              -

Parts and their sources
image                 -
document              -
audio                 -
video                 -
other parts           text
"""


def test_one_wire_is_shown_whole(project: Path, gen: Gen) -> None:
    assert shown(gen("list", "south_chat").stdout).startswith(ALL)
    text = shown(gen("list", "north_chat").stdout)
    assert "request fields        metadata, stream\n" in text
    names = text.partition("Options of its own\n")[2].removeprefix("vendor").split()
    assert [name.rstrip(",") for name in names] == [f"option_{number}" for number in range(12)]


def test_a_wire_that_is_not_there(project: Path, gen: Gen) -> None:
    result = gen("list", "west_chat")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == 'gen: "west_chat" is not a wire\n'


def test_json_is_the_table_itself(project: Path, gen: Gen) -> None:
    assert json.loads(gen("list", "--json").stdout) == [table_row(wire) for wire in WIRES]
    assert json.loads(gen("list", "north_chat", "--json").stdout) == [table_row("north_chat")]


def test_no_cell_is_lost_on_the_way_to_the_screen() -> None:
    topic = Topic("t", ("wire", "one", "two words"), (("a", "x" * 90, "y"), ("b", "-", "z")))
    assert tables._select_columns(topic, 53) == ([0, 1, 2], [])
    assert tables._select_columns(topic, 50) == ([0, 2], ["one"])
