"""promptwire check: what it takes, how problems are printed, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.counting import lines_run
from tests.internals.commands import app

HI = {"role": "user", "content": "hi"}
FINE = {"model": "gpt-4o", "messages": [HI]}
SLIP = {**FINE, "temprature": 0.5}
SAID = 'temprature: unknown key; did you mean "temperature"?'


def check(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(app, ["check", *arguments], input=text)


def saved(folder: Path, *values: Any, indent: int | None = None) -> str:
    path = folder / "bodies.jsonl"
    path.write_text("\n".join([json.dumps(value, indent=indent) for value in values]), "utf-8")
    return str(path)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_holds_one_body(tmp_path: Path, indent: int | None) -> None:
    file = saved(tmp_path, SLIP, indent=indent)
    result = check("openai_chat", file)
    # each problem has its line
    line = 9 if indent else 1
    assert (result.exit_code, result.stdout) == (1, f"{file}:{line}: {SAID}\n1 problem in 1 of 1 requests\n")


def test_a_file_holds_many(tmp_path: Path) -> None:
    file = saved(tmp_path, FINE, SLIP, FINE)
    result = check("openai_chat", file)
    assert (result.exit_code, result.stdout) == (1, f"{file}:2: {SAID}\n1 problem in 1 of 3 requests\n")


def test_nothing_wrong_is_fine(tmp_path: Path) -> None:
    result = check("openai_chat", saved(tmp_path, FINE))
    assert (result.exit_code, result.stdout) == (0, "0 problems in 0 of 1 requests\n")


def test_recorded_requests_bring_their_url_and_wire(tmp_path: Path) -> None:
    url = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"
    body = {
        "contents": [{"role": "user", "parts": [{"text": "x"}]}],
        "generationConfig": {"candidateCount": 9},
    }
    file = saved(
        tmp_path, {"body": body, "url": url, "wire": "gemini"}, {"body": FINE, "wire": "openai_chat"}
    )
    result = check("gemini_generate", file, "--json")
    answer = json.loads(result.stdout)
    assert result.exit_code == 1
    assert {name: answer[name] for name in ("requests", "flagged", "skipped")} == {
        "requests": 1,
        "flagged": 1,
        "skipped": {"openai_chat": 1},
    }
    (problem,) = answer["problems"]
    assert (problem["file"], problem["line"]) == (file, 1)
    assert (problem["path"], problem["what"]) == ("generationConfig.candidateCount", "refused")
    assert "candidates" in problem["reason"]
    assert problem["source"]


def test_a_url_may_be_given(tmp_path: Path) -> None:
    body = {
        "contents": [{"role": "user", "parts": [{"text": "x"}]}],
        "generationConfig": {"candidateCount": 9},
    }
    file = saved(tmp_path, body)
    assert check("gemini_generate", file).exit_code == 0
    url = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"
    assert check("gemini_generate", file, "--url", url).exit_code == 1


def test_annotations_are_escaped(tmp_path: Path) -> None:
    file = saved(tmp_path, {**FINE, "100%\n": 1})
    result = check("openai_chat", file, "--format", "github")
    message = '["100%25%0A"]: unknown key'
    assert result.stdout == f"::error file={file},line=1,title=unknown key::{message}\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            '{\n "body": {\n  "contents": [],\n  "generationConfig": {\n   "tpoK": 1}},\n "url": "https://x.y"\n}',
            5,
        ),
        ('{"contents": [],\n "generationConfig": {},\n "contnts": [\n{}]}', 3),
        ('{\n"contents": [\n {"role": "user",\n  "parts": [\n   {"txt": 1}]}]}', 5),
    ],
)
def test_each_problem_has_its_line(text: str, line: int) -> None:
    answer = json.loads(check("gemini_generate", "-", "--json", text=text).stdout)
    assert {row["line"] for row in answer["problems"] if row["what"] == "unknown key"} == {line}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1', "not JSON"),
        ("", "the file has no JSON"),
        (json.dumps(FINE) + '\n{"a": 1\n', "standard input:2:"),
        (json.dumps({"body": FINE, "wire": "ollama_chat"}), "no request is for this wire"),
    ],
)
def test_what_cannot_be_read_exits_2(text: str, said: str) -> None:
    result = check("openai_chat", "-", text=text)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_missing_file_and_an_unknown_wire_exit_2(tmp_path: Path) -> None:
    missing = check("openai_chat", str(tmp_path / "none.json"))
    assert (missing.exit_code, missing.stderr.strip().endswith("No such file or directory")) == (2, True)
    unknown = check("openai_chatt", saved(tmp_path, FINE))
    assert (unknown.exit_code, 'did you mean "openai_chat"' in unknown.stderr) == (2, True)
    assert check("openai_chat").exit_code == 2


def test_a_message_of_the_api_names_its_rules() -> None:
    result = check("anthropic_messages", "--error", "temperature: range: 0..1")
    assert result.exit_code == 0
    assert result.stdout.split("\n")[0].startswith(
        "temperature: the temperature goes from 0 to 1 (recorded 400"
    )
    rules = json.loads(check("anthropic_messages", "--error", "temperature: range: 0..1", "--json").stdout)[
        "rules"
    ]
    assert rules[0]["because"] == "the temperature goes from 0 to 1"


MEANT = {
    "`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation":
        "with thinking on, temperature is 1 or absent, and top_k is absent",
    "max_tokens must be greater than thinking.budget_tokens":
        "a thinking budget is at least 1024 tokens, and less than max_tokens",
    "Thinking may not be enabled when tool_choice forces tool use.":
        "thinking with a budget does not go with a forced tool call",
}  # fmt: skip


@pytest.mark.parametrize("message", MEANT)
def test_the_likeliest_rule_stands_first(message: str) -> None:
    rules = json.loads(check("anthropic_messages", "--error", message, "--json").stdout)["rules"]
    assert rules[0]["because"] == MEANT[message]


@pytest.mark.parametrize(
    "message",
    [
        "Rate limit exceeded",
        "Incorrect API key provided: sk-x",
        "The server had an error",
        "overloaded_error",
        "",
    ],
)
@pytest.mark.parametrize("wire", ["openai_chat", "anthropic_messages", "gemini_generate"])
def test_where_no_rule_is_meant_that_is_said(wire: str, message: str) -> None:
    result = check(wire, "--error", message)
    assert (result.exit_code, result.stdout) == (1, f"no rule of {wire} matches this message\n")


@pytest.mark.slow
def test_many_bodies_cost_as_much_each_as_a_few(tmp_path: Path) -> None:
    def lines(count: int) -> int:
        file = saved(tmp_path, *[{**FINE, "seed": number} for number in range(count)])
        result = check("openai_chat", file)
        assert (result.exit_code, result.stdout) == (0, f"0 problems in 0 of {count} requests\n")
        return lines_run(lambda: check("openai_chat", file))

    assert lines(400) < 4.4 * lines(100)


def test_what_a_model_takes_is_listed() -> None:
    result = CliRunner().invoke(app, ["list", "openai_chat", "--model", "gpt-5", "--json"])
    table = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (table["temperature"]["answer"], table["tools"]["answer"]) == ("no", "yes")
    assert table["temperature"]["source"]
    shown = CliRunner().invoke(app, ["list", "openai_chat", "--model", "gpt-5"]).stdout
    assert [line.split()[:4] for line in shown.split("\n") if line.startswith("temperature")] == [
        ["temperature", "no", "only", "1"]
    ]
    assert table["reasoning.effort"]["values"] == ["minimal", "low", "medium", "high"]


def test_what_a_model_takes_is_listed_for_every_wire_that_knows_it() -> None:
    shown = CliRunner().invoke(app, ["list", "--model", "claude-opus-5-5"]).stdout
    rows = {line.split()[0]: line.split()[1:] for line in shown.splitlines() if line.strip()}
    assert rows["field"] == [
        "anthropic_bedrock",
        "anthropic_foundry",
        "anthropic_messages",
        "anthropic_vertex",
        "bedrock_converse",
    ]
    assert rows["temperature"] == ["only", "1"] * 5
    assert rows["request_bytes"][:4] == ["up", "to", "20,000,000", "unknown"]
    tables = json.loads(CliRunner().invoke(app, ["list", "--model", "gpt-7", "--json"]).stdout)
    assert tables["openai_chat"]["temperature"]["answer"] == "unknown"
    nobody = CliRunner().invoke(app, ["list", "--model", "somebody-else"])
    assert nobody.exit_code == 2
    assert "no wire has rules about somebody-else; name a WIRE" in nobody.stderr


def test_a_doubt_about_an_unknown_model_is_shown_and_fails_nothing(tmp_path: Path) -> None:
    file = saved(tmp_path, {**FINE, "model": "gpt-7", "temperature": 0.5})
    result = check("openai_chat", file)
    assert result.exit_code == 0
    assert "temperature: gpt-7 is not a model that promptwire knows; this is a guess from" in result.stdout
    assert result.stdout.endswith("\n0 problems in 0 of 1 requests\n")


def test_a_request_is_checked_as_a_build_checks_it(tmp_path: Path) -> None:
    file = tmp_path / "request.yaml"
    file.write_text("model: gpt-4o\nmessages:\n- user: hi\noptions:\n  top_k: 3\n", "utf-8")
    result = check("openai_chat", str(file))
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{file}:5: options: top_k: ")
    assert result.stdout.endswith("\n1 problem in 1 of 1 requests\n")


def test_the_older_name_of_the_command_works() -> None:
    arguments = ("openai_chat", "-")
    old = CliRunner().invoke(app, ["lint", *arguments], input=json.dumps(SLIP))
    assert (old.exit_code, old.stdout) == (1, check(*arguments, text=json.dumps(SLIP)).stdout)
