"""Bodies and requests that were made to hurt: a result or one line of ours, and the exit code that the help names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Gen

WHOLE = '{"model": "m", "temperature": 1, "messages": [{"role": "user", "content": "hi"}]}'
REQUEST = '{"model": "m", "options": {"temperature": 1}, "messages": [{"user": "hi"}]}'
# what stands in the place of "hi", or of 1
DEEP = {"deep": "[" * 100_000 + "]" * 100_000, "nested": "[" * 900 + "]" * 900}
NUMBERS = {"nan": "NaN", "infinite": "1e999", "too long": "9" * 5000, "long": "-" + "9" * 4000}
ROW = {"id": "1", "api": "openai_chat", "wire": "openai_chat"}


def damaged(text: str, case: str) -> str:
    return text.replace('"hi"', DEEP[case]) if case in DEEP else text.replace(": 1", f": {NUMBERS[case]}")


@pytest.mark.parametrize("case", [*DEEP, *NUMBERS])
@pytest.mark.parametrize(
    "command",
    [
        ("read", "openai_chat", "body.json"),
        ("read", "openai_chat", "body.json", "--to", "mistral_chat", "--policies", "lenient"),
        ("preview", "openai_chat", "request.json"),
        ("roundtrip", "rows.jsonl"),
        ("roundtrip", "rows.jsonl", "--to", "mistral_chat"),
    ],
    ids=" ".join,
)
def test_a_command_ends_with_a_result_or_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Gen, gen: Gen, command: tuple[str, ...], case: str
) -> None:
    monkeypatch.chdir(tmp_path)
    body = damaged(WHOLE, case)
    Path("body.json").write_text(body, "utf-8")
    Path("request.json").write_text(damaged(REQUEST, case), "utf-8")
    Path("rows.jsonl").write_text(f'{json.dumps(ROW)[:-1]}, "body": {body}}}\n', "utf-8")
    run, program = (gen, "gen") if command[0] == "roundtrip" else (cli, "promptwire")
    result = run(*command)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    if result.exit_code == 2:
        said, *advice = result.stderr.splitlines()
        assert [line for line in advice if not line.startswith("  policies=")] == []
        assert said.startswith(f"{program}: ")
        # an error that names a number may say all of it
        assert len(said) < 5000
    else:
        # a body that cannot be read is counted; a number that is kept comes back as it was
        assert result.exit_code == (command == ("roundtrip", "rows.jsonl") and case == "nested")
        assert case in ("nested", "long")
        assert result.stdout
