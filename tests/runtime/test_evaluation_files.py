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


BELOW = """
guideline_patterns: ["prompts/**/*.md", "**/*.instructions.md"]
input_messages:
  - role: user
    content:
      - {type: file, value: ../prompts/rules.md}
      - {type: file, value: ./near.txt}
      - {type: file, value: shared/far.txt}
      - {type: file, value: /shared/far.txt}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name, text in {
        "prompts/rules.md": "Be brief.",
        "evals/near.txt": "NEAR",
        "shared/far.txt": "FAR",
        "evals/case.yaml": BELOW,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_files_are_found_from_the_case_and_from_the_root(repository: Path) -> None:
    case = load_case(repository / "evals" / "case.yaml", root=repository)
    chat = case.prompt.chat_prompt or ()
    assert [message.role for message in chat] == ["system", "user"]
    assert "Be brief." in str(chat[0].content)
    text = str(chat[1].content)
    # as the case writes them
    assert "<Attached: ../prompts/rules.md>" in text and "=== ./near.txt ===" in text
    assert text.count("FAR") == 2


def test_nothing_above_the_root_is_read(repository: Path) -> None:
    file = repository / "evals" / "case.yaml"
    with pytest.raises(LoadError, match="is not read"):
        load_case(file)
    file.write_text(BELOW.replace("../prompts", "../../prompts"))
    with pytest.raises(LoadError, match="leaves the folder that files are read from"):
        load_case(file, root=repository)
    (repository / "evals" / "link.txt").symlink_to(repository / "shared" / "far.txt")
    file.write_text(BELOW.replace("./near.txt", "./link.txt"))
    with pytest.raises(LoadError, match="symbolic link"):
        load_case(file, root=repository)
