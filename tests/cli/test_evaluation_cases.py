"""preview of evaluation cases, with the real package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Gen

CASE = """\
id: review
guideline_patterns: ["**/*.rules.md"]
request: {model: m, options: {max_tokens: 9}}
input_messages:
  - role: user
    content:
      - {type: file, value: docs/house.rules.md}
      - Look at this.
  - {role: system, content: Be strict.}
"""
CASE_NOTE = "merged input_messages[1]: a later system message goes to the start"
SYSTEM = "Be strict.\n\n[[ ## Guidelines ## ]]\n\nTwo spaces."
LOOK = {"role": "user", "content": "<Attached: docs/house.rules.md>\nLook at this."}
CASE_BODIES = {
    "openai_chat": {
        "model": "m",
        "max_completion_tokens": 9,
        "messages": [{"role": "system", "content": SYSTEM}, LOOK],
    },
    "openai_responses": {"model": "m", "instructions": SYSTEM, "max_output_tokens": 9, "input": [LOOK]},
    "anthropic_messages": {"model": "m", "max_tokens": 9, "system": SYSTEM, "messages": [LOOK]},
}


@pytest.fixture
def case_folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "house.rules.md").write_text("Two spaces.\n")
    (tmp_path / "case.yaml").write_text(CASE)
    return tmp_path


@pytest.mark.parametrize("wire", CASE_BODIES)
def test_an_evaluation_case_becomes_the_request_of_each_wire(wire: str, case_folder: Path, cli: Gen) -> None:
    from_file = cli("preview", wire, str(case_folder / "case.yaml"), "--json")
    from_stdin = cli("preview", wire, "-", "--json", "--root", str(case_folder), stdin=CASE)
    assert json.loads(from_file.stdout)["body"] == CASE_BODIES[wire]
    assert [note["path"] for note in json.loads(from_file.stdout)["notes"]] == ["input_messages[1]"]
    assert from_stdin.stdout == from_file.stdout


NO_SUCH_CASE = 'promptwire: no case has the id "x"\n'
NO_CASE = (
    "promptwire: --case, --root and --channel are for evaluation cases: files with input_messages or cases\n"
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n\t"id": "a",\n\t"input_messages": [{"role": "user", "content": "hi"}]\n}', NO_SUCH_CASE),
        ("id: a\n'input_messages':\n- {role: user, content: hi}\n", NO_SUCH_CASE),
        ("cases:\n- input_messages: [{role: user, content: hi}]\n", NO_SUCH_CASE),
        ("messages: [{user: input_messages}]\nmodel: input_messages\n", NO_CASE),
        ('{"vendor": {"openai_chat": {"input_messages": 1}}}', NO_CASE),
        ("? [input_messages]\n: cases\n", NO_CASE),
        ("- input_messages\n- cases\n", NO_CASE),
        ("[" * 100_000, NO_CASE),
        ('{"a":' * 100_000, NO_CASE),
        ("", NO_CASE),
    ],
)
def test_the_keys_tell_a_case_from_a_request(text: str, said: str, cli: Gen) -> None:
    result = cli("preview", "openai_chat", "-", "--case", "x", stdin=text)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)


def test_notes_of_a_case_come_before_those_of_the_wire(case_folder: Path, cli: Gen) -> None:
    case = str(case_folder / "case.yaml")
    assert cli("preview", "openai_chat", case, "--notes").stdout == f"{CASE_NOTE}\n"
    assert cli("preview", "openai_chat", case).stdout.endswith(f"\n\nnotes:\n  {CASE_NOTE}\n")


def test_one_of_several_cases_is_chosen_by_its_id(tmp_path: Path, cli: Gen) -> None:
    file = tmp_path / "cases.json"
    cases = [{"id": name, "input_messages": [{"role": "user", "content": name}]} for name in ("a", "b")]
    file.write_text(json.dumps({"request": {"model": "m"}, "cases": cases}))
    answer = json.loads(cli("preview", "openai_chat", str(file), "--case", "b", "--json").stdout)
    assert answer["body"]["messages"] == [
        {"role": "system", "content": "You are a careful assistant."},
        {"role": "user", "content": "b"},
    ]
    result = cli("preview", "openai_chat", str(file))
    assert (result.exit_code, result.stderr) == (
        2,
        "promptwire: there are 2 cases: choose one by its id: a, b\n",
    )


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (CASE, (), 'standard input:7:29: input_messages[0].content[0].value: "docs/house.rules.md" is not given, '
         "and there is no folder to read it from"),
        ("input_messages: hi", (), "standard input:1:17: input_messages: expected a list of messages, "
         'found text "hi"'),
        (CASE, ("--case", "x", "--root", "."), 'standard input:7:29: input_messages[0].content[0].value: '
         '"docs/house.rules.md" cannot be read: No such file or directory'),
        ("messages: []\n", ("--root", "."),
         "--case, --root and --channel are for evaluation cases: files with input_messages or cases"),
    ],
)  # fmt: skip
def test_what_preview_refuses_of_a_case_is_named(
    text: str, arguments: tuple[str, ...], message: str, cli: Gen
) -> None:
    result = cli("preview", "openai_chat", "-", *arguments, stdin=text)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"promptwire: {message}\n")


def test_a_file_beside_the_folder_of_a_case_is_never_read(case_folder: Path, cli: Gen) -> None:
    case = case_folder / "docs" / "case.yaml"
    case.write_text(CASE.replace("docs/house", "../docs/house"))
    result = cli("preview", "openai_chat", str(case))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f'promptwire: {case}:7:29: input_messages[0].content[0].value: "../docs/house.rules.md" leaves its folder: '
        '".." is not read\n'
    )


def test_help_says_what_a_file_may_hold(cli: Gen) -> None:
    shown = " ".join(cli("preview", "--help").stdout.split())
    assert "evaluation case" in shown
    assert "--root" in shown and "--case" in shown
