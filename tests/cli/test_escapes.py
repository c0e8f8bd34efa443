"""Control characters of other people's data are shown, never sent to the terminal, and forge no line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.internals import commands

EVIL = "a\x1b]0;pwned\x07b\r\nforged.json:1: forged\x9b2J\x00\u2028c"
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
ANSWERED: dict[str, Any] = {
    "id": "a", "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]
}  # fmt: skip
RECORDED = {"id": "r", "wire": "openai_chat", "body": ASKED}


@pytest.mark.parametrize(
    ("command", "content"),
    [
        (["lint", "openai_chat", "FILE"], {**ASKED, EVIL: 1}),
        (["lint", "openai_chat", "FILE"], {**ASKED, "model": EVIL, "temperature": EVIL}),
        (["read", "openai_chat", "FILE"], {**ASKED, EVIL: 1}),
        (["read", "openai_chat", "FILE", "--to", "anthropic_messages"], {**ASKED, EVIL: 1, "user": EVIL}),
        (["read", "openai_chat", "FILE"], {**ANSWERED, EVIL: 1}),
        (["read", "openai_chat", "FILE"], {"error": {"message": EVIL, "type": EVIL, "code": EVIL}}),
        (["explain", "anthropic_messages", "FILE"], {"messages": [{"user": EVIL}], "vendor": {"openai_chat": {EVIL: 1}}, "model": "m"}),
        (["preview", "anthropic_messages", "openai_chat", "FILE"], {"messages": [{"user": "Hi"}], "vendor": {"openai_chat": {EVIL: 1}}, "model": EVIL, "options": {"max_tokens": 5}}),
        (["convert", "FILE", "--to", "anthropic_messages", "-o", "OUT"], {**RECORDED, "id": EVIL, "body": {**ASKED, EVIL: 1}}),
        (["batch", "write", "FILE", "--to", "anthropic_messages", "-o", "OUT"], {**RECORDED, "id": EVIL, "body": {**ASKED, EVIL: 1}}),
    ],
)  # fmt: skip
def test_no_control_character_reaches_the_terminal(command: list[str], content: Any, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps(content) + "\n", "utf-8")
    names = {"FILE": str(tmp_path / "in.json"), "OUT": str(tmp_path / "out")}
    result = CliRunner().invoke(commands.app, [names.get(word, word) for word in command])
    assert result.exit_code in (0, 1, 2)
    assert _OBEYED.findall(result.output) == []
    assert [line for line in result.output.splitlines() if line.startswith("forged.json")] == []
