"""gen verify: what it prints of a spec beside the types of an SDK, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.internals.compiler import app

SDK = """\
from typing import Any, Literal, TypedDict


class Message(TypedDict):
    role: Literal["user", "assistant"]
    content: str


class Body(TypedDict, total=False):
    model: str
    messages: list[Message]
    tools: list[dict[str, Any]]
    temprature: float
    timeout: float
    thinking: "Thinking"


class Thinking(TypedDict):
    budget: int


class Broken(TypedDict):
    lost: "Nowhere"
"""
SPEC = """\
wire: small_chat
title: Small Chat
docs: https://example.com/docs
transport: {method: POST, url: "https://example.com/chat"}
instructions: {native: false}
continuation: {mode: resend}
tools: {format: little, choice: []}
body: {model: $model, temperature?: $temperature, tools?: $tools, messages: $messages}
slots: {content: list}
messages: {user: {role: user, content: $content}, assistant: {role: assistant, content: $content}}
unions: {tool: {function: {name: $name}}}
parts: {text: $text}
"""
SECTION = """\
sdks:
  acme:
    version: acme 2.0.0
    types: acme:Body
    excluded: {timeout: it says how long a client waits}
    omitted: {thinking: nobody knows what it does}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one spec, and an SDK that is installed; the project is the current folder."""
    installed = tmp_path / "installed"
    (installed / "acme-2.1.0.dist-info").mkdir(parents=True)
    (installed / "acme-2.1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: acme\nVersion: 2.1.0\n"
    )
    (installed / "acme.py").write_text(SDK)
    monkeypatch.syspath_prepend(installed)
    monkeypatch.delitem(__import__("sys").modules, "acme", raising=False)
    root = tmp_path / "project"
    (root / "provider_specs").mkdir(parents=True)
    # a whole project, without the specs of this one: tests/sdk_types/test_pinned_sdks.py compares those
    (root / "templates").mkdir()
    monkeypatch.setattr("promptwire_gen.layout._find_shipped", lambda: None)
    monkeypatch.chdir(root)
    return root


def verify(project: Path, section: str = SECTION, *arguments: str) -> Result:
    (project / "provider_specs" / "small_chat.yaml").write_text(SPEC + section)
    return CliRunner().invoke(app, ["verify", *(arguments or ("small_chat",))], prog_name="gen")


HEAD = "wire        SDK   read   installed  fields  known  kept  left out  missing  coverage\n"


def test_what_is_missing_is_named_with_what_may_be_meant(project: Path) -> None:
    result = verify(project)
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == HEAD + (
        "small_chat  acme  2.0.0  2.1.0           8      5     0         2        1   62.50 %\n"
        "\n"
        "small_chat beside acme 2.1.0\n"
        '  missing   temprature: is it "temperature" of the spec?\n'
        "  omitted   thinking (2 fields): nobody knows what it does\n"
        "  excluded  timeout: it says how long a client waits\n"
        "  spec only temperature\n"
    )


def test_a_reason_for_each_field_is_enough(project: Path) -> None:
    section = SECTION.replace("omitted: {", "omitted: {temprature: it is a slip, ")
    result = verify(project, section, "small_chat", "--json")
    (row,) = json.loads(result.stdout)
    assert result.exit_code == 0
    assert row == {
        "wire": "small_chat", "sdk": "acme", "read": "2.0.0", "installed": "2.1.0",
        "known": 5, "kept": 0, "coverage": 0.625, "missing": [], "stale": [], "gone": ["temperature"],
        "omitted": {
            "it is a slip": ["temprature"],
            "nobody knows what it does": ["thinking", "thinking.budget"],
        },
        "excluded": {"it says how long a client waits": ["timeout"]},
        "fields": {
            "model": "known", "messages": "known", "messages[].role": "known", "messages[].content": "known",
            "tools": "known", "temprature": "missing", "thinking": "missing", "thinking.budget": "missing",
        },
    }  # fmt: skip


def test_a_reason_about_nothing_is_stale(project: Path) -> None:
    section = SECTION.replace("omitted: {", "omitted: {temprature: a slip, model: once there was none, ")
    result = verify(project, section)
    assert result.exit_code == 1
    assert (
        "  stale     model: the SDK has no such field, or the spec knows it: take the reason out\n"
        in result.stdout
    )


def test_without_a_name_all_that_name_an_sdk_are_compared(project: Path) -> None:
    result = verify(project, SECTION.replace("omitted: {", "omitted: {temprature: a slip, "), "--json")
    assert result.exit_code == 0
    assert [(row["wire"], row["sdk"]) for row in json.loads(result.stdout)] == [("small_chat", "acme")]


PROBLEMS = [
    (
        SECTION.replace("acme", "acmes").replace("acmes:Body", "acme:Body"),
        'gen: small_chat: acmes is not installed: pip install "acmes==2.0.0"\n',
    ),
    (
        SECTION.replace("acme:Body", "acme:Bodies"),
        "gen: small_chat: acme 2.1.0 has no such type: module 'acme' has no attribute 'Bodies'; "
        "look for it, and correct sdks.acme in the spec\n",
    ),
    (
        SECTION.replace("acme:Body", "acme.types:Body"),
        "gen: small_chat: acme 2.1.0 has no such type: No module named 'acme.types'; 'acme' is not a package; "
        "look for it, and correct sdks.acme in the spec\n",
    ),
    (
        SECTION.replace("acme:Body", "acme:Broken"),
        "gen: small_chat: acme.Broken cannot be read: name 'Nowhere' is not defined\n",
    ),
    ("", "gen: small_chat: its spec names the types of no SDK (sdks.NAME.types)\n"),
]


@pytest.mark.parametrize(("section", "said"), PROBLEMS, ids=range(len(PROBLEMS)))
def test_what_cannot_be_compared_is_said_with_the_way_out(project: Path, section: str, said: str) -> None:
    result = verify(project, section)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)


SECTIONS = [
    (SECTION.replace("    version: acme 2.0.0\n", ""), 'the version of "acme" that was read is not named'),
    (SECTION.replace("    types: acme:Body\n", ""), 'no type of "acme" is named'),
    (SECTION.replace("version: acme 2.0.0", "version: acmes 2.0.0"), '"acmes 2.0.0" is no version of "acme"'),
    (SECTION.replace("acme:Body", "acme.Body"), "must be module:Class"),
    (SECTION.replace("types:", "typs:"), 'did you mean "types"?'),
]


@pytest.mark.parametrize(("section", "said"), SECTIONS, ids=range(len(SECTIONS)))
def test_what_is_wrong_with_the_section_is_said(project: Path, section: str, said: str) -> None:
    result = verify(project, section)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_an_unknown_wire_is_told(project: Path) -> None:
    result = verify(project, SECTION, "smal_chat")
    assert (result.exit_code, result.stderr) == (
        2,
        'gen: "smal_chat" is not a wire: did you mean "small_chat"?\n',
    )
