"""Files of another program's evaluations: what a case says about its answer and its evaluation is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptwire.errors import LoadError
from promptwire.prompts import load_case, load_cases

FILE = """
$schema: agentv-eval-v2
description: Example of an evaluation
target: default

evalcases:
  - id: code-review
    conversation_id: reviews
    outcome: The reply names the bug.
    note: Of the second turn.
    execution:
      target: azure_base
      evaluators:
        - {name: keywords, type: code_judge, script: check.py}
    input_messages:
      - role: system
        content: You review code.
      - role: user
        content:
          - {type: text, value: Review this.}
          - {type: file, value: ./code.js}
          - {type: file, value: javascript.instructions.md}
    expected_messages:
      - role: assistant
        content: It divides by zero.
  - id: greeting
    expected_outcome: A greeting.
    rubrics: [It is friendly.]
    input_messages:
      - {role: user, content: Hello}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "code.js").write_text("1 / 0")
    (tmp_path / "javascript.instructions.md").write_text("Be brief.")
    file = tmp_path / "example.yaml"
    file.write_text(FILE)
    return file


def test_the_cases_of_the_file_are_read_and_nothing_of_them_is_lost(path: Path) -> None:
    first, second = load_cases(path)
    shared: dict[str, Any] = {
        "$schema": "agentv-eval-v2",
        "description": "Example of an evaluation",
        "target": "default",
    }
    assert first.evaluation == shared | {
        "conversation_id": "reviews",
        "outcome": "The reply names the bug.",
        "note": "Of the second turn.",
        "execution": {
            "target": "azure_base",
            "evaluators": [{"name": "keywords", "type": "code_judge", "script": "check.py"}],
        },
        "expected_messages": [{"role": "assistant", "content": "It divides by zero."}],
    }
    assert second.evaluation == shared | {"expected_outcome": "A greeting.", "rubrics": ["It is friendly."]}
    assert [message.role for message in first.prompt.chat_prompt or ()] == ["system", "user"]
    assert "1 / 0" in str(first.request.messages)


def test_the_list_has_one_name(path: Path) -> None:
    path.write_text(f"{FILE}\ncases: []\n")
    with pytest.raises(LoadError, match='"cases" and "evalcases" are the same'):
        load_cases(path)


def test_misspelled_keys_stay_errors() -> None:
    messages = [{"role": "user", "content": "Hi"}]
    with pytest.raises(LoadError, match='did you mean "outcome"'):
        load_case({"outcom": "x", "input_messages": messages})
    assert load_case({"outcome": "x", "input_messages": messages}).evaluation == {"outcome": "x"}
