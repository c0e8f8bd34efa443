"""roundtrip: what counts as reproduced, what is counted, and what is shown first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import promptwire
from tests.internals.commands import choose_wires, count_leaves, first_difference

from .conftest import Gen, write_rows


def row(body: Mapping[str, Any], wire: str | None = "south_chat", **more: str) -> dict[str, Any]:
    return {"body": body, **({"wire": wire} if wire else {}), **more}


def fault(kind: str, **more: Any) -> dict[str, Any]:
    return row({"fault": kind, "n": 1, **more}, "faulty_chat", api="faulty", id=kind)


GOOD = row({"messages": "a", "x_new": 1}, api="south", shape="s1", id="good")


def counts(api: str, wire: str, *numbers: int) -> dict[str, Any]:
    names = ("rows", "reproduced", "shapes", "shapes_reproduced", "leaves", "understood")
    urls = dict.fromkeys(("urls", "urls_reproduced"), 0)
    return {"api": api, "wire": wire, **dict(zip(names, numbers, strict=True)), **urls}


def test_rows_that_come_back_are_counted_by_api_and_wire(generated: Path, gen: Gen) -> None:
    file = write_rows(
        generated / "rows.jsonl",
        GOOD,
        row({"messages": "b", "model": "m"}, api="south", shape="s1"),
        row({"messages": "c"}, api="other", shape="s2"),
        row({"messages": "d"}, "unknown_wire"),
    )
    result = gen("roundtrip", file, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "apis": [
            counts("other", "south_chat", 1, 1, 1, 1, 1, 1),
            counts("south", "south_chat", 2, 2, 1, 1, 4, 3),
        ],
        "skipped": {"unknown_wire": 1},
    }
    assert len(result.stdout.splitlines()) == 1


def test_a_shape_is_reproduced_when_all_its_rows_are(generated: Path, gen: Gen) -> None:
    good, bad = fault("none"), fault("lost")
    file = write_rows(
        generated / "rows.jsonl",
        good | {"shape": "a"},
        bad | {"shape": "a"},
        good | {"shape": "b"},
        good,
        good,
    )
    result = gen("roundtrip", file, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["apis"] == [counts("faulty", "faulty_chat", 5, 4, 4, 3, 10, 10)]


TROUBLES = {
    "read": "read: RecursionError: too deep",
    "count": "read: ValueError: understood 3 + kept 1 is not 5 leaves",
    "build": "build: KeyError: 'oops'",
    "type": "/n: 1 was recorded, true was built",
    "extra": f'/a~1b~0c: nothing was recorded, {{"long": "{"x" * 47}... was built',
    "lost": "/n: 1 was recorded, nothing was built",
    "changes": "/n: 1 was recorded, 2 was built",
}


@pytest.mark.parametrize(("kind", "trouble"), TROUBLES.items())
def test_whatever_goes_wrong_is_the_trouble_of_its_row(
    generated: Path, gen: Gen, kind: str, trouble: str
) -> None:
    file = write_rows(generated / "rows.jsonl", GOOD, fault(kind))
    result = gen("roundtrip", file)
    assert result.exit_code == 1
    assert f"worst rows:\n  faulty_chat {kind}: {trouble}\n" in result.stdout
    faulty, south = json.loads(gen("roundtrip", file, "--json").stdout)["apis"]
    understood = 0 if kind in ("read", "count") else 2
    assert faulty == counts("faulty", "faulty_chat", 1, 0, 1, 0, 2, understood)
    assert south == counts("south", "south_chat", 1, 1, 1, 1, 2, 1)


def test_a_list_that_lost_or_gained_an_element(generated: Path, gen: Gen) -> None:
    file = write_rows(generated / "rows.jsonl", fault("short", list=[{"k": 1}, {"k": 2}]))
    assert '/list/1: {"k": 2} was recorded, nothing was built' in gen("roundtrip", file).stdout


def test_the_text_form_shows_counts_then_the_worst(generated: Path, gen: Gen) -> None:
    file = write_rows(
        generated / "rows.jsonl",
        GOOD,
        GOOD | {"id": "worse", "body": {"messages": "a", "x_new": 1, "x_two": 2}},
        row({"messages": "d"}, "else"),
        fault("lost"),
    )
    lines = [line.rstrip() for line in gen("roundtrip", file).stdout.splitlines()]
    assert lines == [
        "api     wire         rows  reproduced  shapes  reproduced  leaves  understood",
        "faulty  faulty_chat     1      0.00 %       1      0.00 %       2       100 %",
        "south   south_chat      2       100 %       1       100 %       5     40.00 %",
        "all                     3     66.67 %       2     50.00 %       7     57.14 %",
        "",
        "skipped, no such wire: else (1)",
        "",
        "worst rows:",
        "  faulty_chat lost: /n: 1 was recorded, nothing was built",
        "  south_chat worse: reproduced, 2 leaves not understood",
        "  south_chat good: reproduced, 1 leaves not understood",
        "",
        "not understood:",
        "       2  south_chat body.x_new",
        "       1  south_chat body.x_two",
    ]
    assert "faulty_chat lost" in gen("roundtrip", file, "--worst", "1").stdout
    assert "worse" not in gen("roundtrip", file, "--worst", "1").stdout
    assert gen("roundtrip", file, "--worst", "0").stdout.endswith("skipped, no such wire: else (1)\n")


def test_urls_are_counted_where_rows_have_them(generated: Path, gen: Gen) -> None:
    body = {"messages": "a"}
    file = write_rows(
        generated / "rows.jsonl",
        row(body, api="south", url="https://main.south/chat"),
        row(body, api="south", url="https://far.south/chat"),
        row(body, api="south", url="https://main.south/chat?x=1"),
        fault("build", id="b") | {"url": "https://faulty"},
        fault("none") | {"url": "https://faulty"},
        fault("read") | {"url": "https://faulty"},
        row(body, api="without"),
    )
    found = json.loads(gen("roundtrip", file, "--json").stdout)["apis"]
    assert [(each["api"], each["urls"], each["urls_reproduced"]) for each in found] == [
        ("faulty", 3, 1),
        ("south", 3, 2),
        ("without", 0, 0),
    ]
    lines = [line.rstrip() for line in gen("roundtrip", file, "--worst", "0").stdout.splitlines()]
    assert lines == [
        "api      wire         rows  reproduced  shapes  reproduced  leaves  understood     URLs",
        "faulty   faulty_chat     3     33.33 %       3     33.33 %       6     66.67 %  33.33 %",
        "south    south_chat      3       100 %       3       100 %       3       100 %  66.67 %",
        "without  south_chat      1       100 %       1       100 %       1       100 %        -",
        "all                      7     71.43 %       7     71.43 %      10     80.00 %  50.00 %",
    ]


@pytest.mark.slow
def test_only_all_reads_as_100_percent(generated: Path, gen: Gen) -> None:
    body = {"messages": "hi", "x_new": 1} | {f"k{number}": number for number in range(99_998)}
    file = write_rows(generated / "rows.jsonl", row(body))
    assert gen("roundtrip", file).stdout.splitlines()[1].split("  ")[-1].strip() == "99.99 %"


def test_which_wire_a_row_is_tried_on(generated: Path, gen: Gen) -> None:
    rows = [
        row({"messages": "a"}, "south"),
        row({"messages": "b"}, "strange"),
        row({"messages": "c"}, "faulty_chat"),
    ]
    file = write_rows(generated / "rows.jsonl", *rows[:2])
    answer = json.loads(gen("roundtrip", file, "--json").stdout)
    assert answer == {
        "apis": [counts("south_chat", "south_chat", 1, 1, 1, 1, 1, 1)],
        "skipped": {"strange": 1},
    }
    answer = json.loads(gen("roundtrip", file, "--json", "--as", "strange=south_chat").stdout)
    assert answer == {"apis": [counts("south_chat", "south_chat", 2, 2, 2, 2, 2, 2)], "skipped": {}}
    file = write_rows(generated / "rows.jsonl", *rows, row({"messages": "d"}, None))
    answer = json.loads(gen("roundtrip", file, "--json", "--as", "south_chat").stdout)
    assert answer == {"apis": [counts("south_chat", "south_chat", 4, 4, 4, 4, 4, 4)], "skipped": {}}


def test_only_some_apis(generated: Path, gen: Gen) -> None:
    file = write_rows(generated / "rows.jsonl", GOOD, fault("lost"))
    answer = json.loads(gen("roundtrip", file, "--json", "--api", "south").stdout)
    assert answer == {"apis": [counts("south", "south_chat", 1, 1, 1, 1, 2, 1)], "skipped": {}}
    result = gen("roundtrip", file, "--api", "suoth")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == 'gen: no row is of the API "suoth": did you mean "south"?\n'


def test_several_files_and_standard_input(generated: Path, gen: Gen) -> None:
    file = write_rows(generated / "rows.jsonl", GOOD)
    answer = json.loads(gen("roundtrip", file, "-", "--json", stdin=json.dumps(GOOD) + "\n\n").stdout)
    assert answer["apis"] == [counts("south", "south_chat", 2, 2, 1, 1, 4, 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('\n{"body": {}, \n', "rows.jsonl:2:14: not JSON: Expecting property name"),
        ("\n\n[1]\n", 'rows.jsonl:3: not a recorded request: an object whose "body" is an object'),
        ('{"body": [], "wire": "south_chat"}', "rows.jsonl:1: not a recorded request"),
        ('{"body": {}, "wire": 3}', 'rows.jsonl:1: "wire" is not text'),
        ('{"body": {}}', 'rows.jsonl:1: the row has no "wire": say which with --as WIRE'),
        ('\n{"wire": 1, "body": {"a": 1, "a": 2}}', 'rows.jsonl:2:30: body: the key "a" is repeated (first on line 2)'),
        ('{"body": {"a": NaN}}', "rows.jsonl:1:16: NaN is not a JSON number"),
        ('{"body": {"a": 1.5, "b": 1e999}}', "rows.jsonl:1:26: 1e999 is not a JSON number"),
        ("\xff", "rows.jsonl:1: not JSON"),
        ("[" * 100_000, "rows.jsonl:1: not JSON"),
    ],
)  # fmt: skip
def test_a_broken_line_is_named(generated: Path, gen: Gen, text: str, message: str) -> None:
    path = generated / "rows.jsonl"
    path.write_text(text, encoding="latin-1")
    result = gen("roundtrip", str(path), "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (2, {"apis": [], "skipped": {}})
    assert result.stderr.startswith(f"gen: {generated}/{message}")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("more", [(), ("--to", "south_chat")], ids=["again", "elsewhere"])
def test_lines_that_are_no_request_hide_no_other(generated: Path, gen: Gen, more: tuple[str, ...]) -> None:
    path = generated / "rows.jsonl"
    good = json.dumps(GOOD)
    path.write_text("\n".join(["[1]", good, *["{"] * 11, '{"a": 1, "a": 2}', good]), "utf-8")
    result = gen("roundtrip", str(path), "--json", *more)
    (counted,) = json.loads(result.stdout)["pairs" if more else "apis"]
    assert (result.exit_code, counted["rows"]) == (2, 2)
    lines = result.stderr.splitlines()
    assert lines[0] == f'gen: {path}:1: not a recorded request: an object whose "body" is an object'
    assert lines[1].startswith(f"gen: {path}:3:2: not JSON")
    assert (len(lines), lines[-1]) == (11, "gen: and 3 more lines that are no recorded request")


def test_nothing_to_try_is_no_success(generated: Path, gen: Gen) -> None:
    file = write_rows(generated / "rows.jsonl", row({}, "unknown_wire"))
    result = gen("roundtrip", file, "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (2, {"apis": [], "skipped": {"unknown_wire": 1}})
    assert result.stderr == "gen: no row is for a wire that there is; --as WIRE says which to try\n"
    assert gen("roundtrip", "missing.jsonl").stderr == "gen: missing.jsonl: No such file or directory\n"
    name = "A" * 300
    assert gen("roundtrip", name).stderr == f"gen: {name}: File name too long\n"
    assert gen("roundtrip", file, "--as", "suth_chat").stderr == (
        'gen: "suth_chat" is not a wire: did you mean "south_chat"?\n'
    )


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, True), (1, 1.0), (0, False), ("1", 1), (None, 0), ([], {}), ([1], [True]), ({}, None)],
)
def test_equality_is_strict_about_types(left: Any, right: Any) -> None:
    assert first_difference({"a": [left]}, {"a": [right]}) is not None
    assert first_difference({"a": [left], "b": 1}, {"b": 1, "a": [left]}) is None


def test_leaves_are_scalars_and_empty_containers() -> None:
    assert count_leaves({"a": [], "b": {}, "c": None, "d": [1, {"e": "x", "f": [True, 2.5]}]}) == 7


@pytest.mark.parametrize(
    ("api", "wire", "forced", "tried"),
    [
        ("openai_chat", "openai_chat", (), "openai_chat"),
        ("azure_chat", "openai_chat", (), "azure_openai_chat"),
        ("some_host", "openai_chat", (), "openai_chat"),
        ("other:vllm", "openai_chat", (), "vllm_chat"),
        ("other:unheard", "gemini", (), "gemini_generate"),
        ("bedrock_invoke", "anthropic_messages", (), "anthropic_bedrock"),
        ("bedrock_invoke", "openai_chat", (), "openai_chat"),
        ("bedrock_invoke", "unheard", (), "unheard"),
        ("mistral_agents", "mistral", (), "mistral_agents"),
        (None, "ollama", (), "ollama_chat"),
        ("groq", None, (), "groq_chat"),
        ("unheard", None, (), None),
        ("groq", "openai_chat", ("openai_chat",), "openai_chat"),
        ("groq", "openai_chat", ("openai_chat=xai_chat",), "xai_chat"),
        ("groq", "openai_chat", ("groq=xai_chat", "vllm_chat"), "xai_chat"),
        ("other:groq", "openai_chat", ("groq/openai_chat=vllm_chat", "groq=xai_chat"), "vllm_chat"),
    ],
)
def test_a_row_is_tried_on_the_wire_that_its_names_stand_for(
    api: str | None, wire: str | None, forced: tuple[str, ...], tried: str | None
) -> None:
    assert choose_wires(promptwire.WIRES, forced, promptwire.ALIASES).find_wire(api, wire) == tried
