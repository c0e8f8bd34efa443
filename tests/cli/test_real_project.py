"""The commands together, on a copy of this very project."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.checkout import keep_specs
from tests.internals.compiler import find_layout
from tests.spec_texts import first_page

from .conftest import Gen, write_rows

REQUEST = """
model: gpt-4o
instructions: Be terse.
messages: [{user: hi}]
options: {max_tokens: 8, top_k: 3}
"""
BODY = {
    "model": "gpt-4o",
    "max_completion_tokens": 8,
    "messages": [{"role": "system", "content": "Be terse."}, {"role": "user", "content": "hi"}],
}


# as a flat wire has instructions in the conversation
RECORDED = [{"role": "developer", "content": "Be terse."}, {"role": "user", "content": "hi"}]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the specs and templates, which is the current folder."""
    source = find_layout(Path(__file__))
    root = tmp_path / "checkout"
    shutil.copytree(source.specs, root / "provider_specs")
    shutil.copytree(source.templates, root / "templates")
    monkeypatch.chdir(root)
    return keep_specs(root, "openai_chat", "groq_chat", "mistral_chat")


@pytest.mark.parametrize("form", [(), ("--curl",), ("--json",)])
def test_a_setting_that_the_url_needs_is_named_as_the_command_takes_it(
    gen: Gen, form: tuple[str, ...]
) -> None:
    preview = ("preview", "compatible_chat", "-", *form, "--policies", "lenient")
    refused = gen(*preview, stdin=REQUEST)
    assert (refused.exit_code, refused.stdout, refused.stderr) == (
        2, "", "promptwire: compatible_chat: the URL needs the setting base_url: --setting base_url=...\n",
    )  # fmt: skip
    given = gen(*preview, "--setting", "base_url=http://host.example/v1", stdin=REQUEST)
    assert (given.exit_code, "http://host.example/v1/chat/completions" in given.stdout) == (0, True)


@pytest.mark.slow
def test_build_then_check_then_a_mistake_in_a_spec(checkout: Path, gen: Gen) -> None:
    assert gen("build").exit_code == 0
    module = checkout / "generated" / "promptwire" / "openai_chat" / "writing.py"
    text = module.read_text()
    module.write_text(text + "# edited\n")
    result = gen("check", "openai_chat")
    assert result.exit_code == 1
    assert "\n-# edited\n" in result.stdout
    assert result.stdout.endswith(
        "\nstale    generated/promptwire/openai_chat/writing.py\nrun: gen build openai_chat\n"
    )
    assert gen("build", "openai_chat").exit_code == 0
    assert module.read_text() == text
    assert gen("check").exit_code == 0

    spec = first_page(checkout, "openai_chat")
    spec.write_text(spec.read_text() + "transprot: {}\n")
    lines = spec.read_text().count("\n")
    result = gen("build")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"provider_specs/openai_chat/wire.yaml:{lines}:1: ")
    assert 'did you mean "transport"?' in result.stderr
    assert module.read_text() == text


def test_a_request_goes_out_and_comes_back(tmp_path: Path, gen: Gen) -> None:
    file = tmp_path / "request.yaml"
    file.write_text(REQUEST)
    refused = gen("preview", "openai_chat", str(file))
    assert refused.exit_code == 2
    assert refused.stderr.startswith("promptwire: openai_chat: options: top_k: ")
    answer = json.loads(gen("preview", "openai_chat", str(file), "--policies", "lenient", "--json").stdout)
    assert answer["body"] == BODY
    assert [note["field"] for note in answer["notes"]] == ["top_k"]

    row = {"wire": "openai_chat", "url": answer["url"], "body": answer["body"]}
    read_again = gen("read", "openai_chat", "-", stdin=json.dumps(row))
    (tmp_path / "again.yaml").write_text(read_again.stdout)
    again = json.loads(gen("preview", "openai_chat", str(tmp_path / "again.yaml"), "--json").stdout)
    assert again == answer | {"notes": []}
    moved = gen("read", "openai_chat", "-", "--to", "anthropic_messages", "--json", stdin=json.dumps(row))
    assert json.loads(moved.stdout)["body"] == {
        "model": "gpt-4o",
        "max_tokens": 8,
        "system": "Be terse.",
        "messages": [{"role": "user", "content": "hi"}],
    }
    options = ("--model", "claude-haiku-4-5", "--max-tokens", "64", "--policies", "strict")
    chosen = gen(
        "read", "openai_chat", "-", "--to", "anthropic_messages", *options, "--json", stdin=json.dumps(row)
    )
    assert json.loads(chosen.stdout)["body"] == {
        "model": "claude-haiku-4-5",
        "max_tokens": 64,
        "system": "Be terse.",
        "messages": [{"role": "user", "content": "hi"}],
    }
    alone = gen("read", "openai_chat", "-", "--model", "m", stdin=json.dumps(row))
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert "--model, --max-tokens, --setting and --policies go with --to" in alone.stderr
    counts = {"api": "openai_chat", "wire": "openai_chat", "rows": 1, "reproduced": 1, "shapes": 1}
    rows = gen("roundtrip", write_rows(tmp_path / "rows.jsonl", row), "--json")
    expected = counts | {
        "shapes_reproduced": 1,
        "leaves": 6,
        "understood": 6,
        "urls": 1,
        "urls_reproduced": 1,
    }
    assert json.loads(rows.stdout) == {"apis": [expected], "skipped": {}}


def test_a_broken_request_is_named_with_its_place(gen: Gen) -> None:
    result = gen("preview", "openai_chat", "-", stdin="model: m\nmesages: []\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("promptwire: standard input:2:1: ")


def test_a_first_message_is_instructions_where_a_wire_has_those_at_the_top(gen: Gen) -> None:
    recorded = json.dumps({"model": "gpt-5", "max_output_tokens": 64, "input": RECORDED})
    read = ("read", "openai_responses", "-", "--to", "anthropic_messages", "--model", "claude-haiku-4-5")
    answer = json.loads(gen(*read, "--policies", "strict", "--json", stdin=recorded).stdout)
    assert answer["body"] == {
        "model": "claude-haiku-4-5",
        "max_tokens": 64,
        "system": "Be terse.",
        "messages": [{"role": "user", "content": "hi"}],
    }
    assert [(note["action"], note["path"]) for note in answer["notes"]] == [("moved", "messages[0]")]
