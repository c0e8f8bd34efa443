"""promptwire explain: where each value of a request goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Gen

REQUEST = """\
model: claude-haiku-4-5
instructions: [{text: Be brief.}]
messages:
  - {role: user, content: Hello}
options: {seed: 7, max_tokens: 50, temperature: 1.7}
"""

TABLES = """\
anthropic_messages
value                      went      to                   why
model                      sent      model
instructions[0].text       renamed   system
messages[0].role           sent      messages[0].role
messages[0].parts[0].text  renamed   messages[0].content
options.max_tokens         sent      max_tokens
options.temperature        replaced  temperature          \
temperature 1.7 is refused for claude-haiku-4-5: the temperature goes from 0 to 1 \
(recorded 400: temperature: range: 0..1, 2026); sent as 1
options.seed               dropped   -                    Anthropic Messages does not support it

gemini_generate
value                      went     to                                why
model                      renamed  the URL
instructions[0].text       sent     systemInstruction.parts[0].text
messages[0].role           sent     contents[0].role
messages[0].parts[0].text  sent     contents[0].parts[0].text
options.max_tokens         renamed  generationConfig.maxOutputTokens
options.temperature        sent     generationConfig.temperature
options.seed               sent     generationConfig.seed
"""


@pytest.fixture
def request_file(tmp_path: Path) -> str:
    file = tmp_path / "request.yaml"
    file.write_text(REQUEST)
    return str(file)


def test_tables_of_two_apis(cli: Gen, request_file: str) -> None:
    result = cli("explain", "anthropic_messages,gemini_generate", request_file)
    assert (result.exit_code, result.stdout) == (0, TABLES)


def test_rows_as_json(cli: Gen, request_file: str) -> None:
    result = cli("explain", "gemini_generate", request_file, "--json")
    shown = json.loads(result.stdout)
    assert result.exit_code == 0
    assert shown["rows"][4] == {
        "path": "options.max_tokens",
        "value": 50,
        "went": "renamed",
        "to": "generationConfig.maxOutputTokens",
        "why": "",
        "policy": "",
    }
    assert [(row["path"], row["went"]) for row in shown["rows"]] == [
        ("model", "renamed"),
        ("instructions[0].text", "sent"),
        ("messages[0].role", "sent"),
        ("messages[0].parts[0].text", "sent"),
        ("options.max_tokens", "renamed"),
        ("options.temperature", "sent"),
        ("options.seed", "sent"),
    ]
    assert shown["problems"] == []


def test_refused_values_are_problems(cli: Gen, request_file: str) -> None:
    result = cli("explain", "anthropic_messages", request_file, "--policies", "strict")
    assert result.exit_code == 2
    assert [line.split()[:2] for line in result.stdout.splitlines()[2:9]] == [
        ["model", "unknown"],
        ["instructions[0].text", "unknown"],
        ["messages[0].role", "unknown"],
        ["messages[0].parts[0].text", "unknown"],
        ["options.max_tokens", "unknown"],
        ["options.temperature", "rejected"],
        ["options.seed", "rejected"],
    ]
    assert result.stdout.splitlines()[9:] == [
        "options: temperature 1.7 is refused for claude-haiku-4-5: the temperature goes from 0 to 1 "
        "(recorded 400: temperature: range: 0..1, 2026)",
        "options: seed: Anthropic Messages does not support it",
    ]


def test_the_option_of_preview_prints_the_same(cli: Gen, request_file: str) -> None:
    both = [
        cli("explain", "gemini_generate", request_file, "--policies", "strict").stdout,
        cli("preview", "gemini_generate", request_file, "--explain").stdout,
    ]
    assert both[0] == both[1] != ""
