"""The page about the spec language: every YAML block on it compiles, as a patch on one small spec."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from promptwire_gen.layout import Layout, find_layout
from promptwire_gen.model.filters import BUILTIN
from promptwire_gen.model.neutral import TOOL_CHOICE_MODES, TOOLS
from promptwire_gen.pipeline import compile_project
from promptwire_gen.plugin_api import Pass, Plugin, SchemaDialect
from promptwire_gen.plugins import find_plugins

PROJECT = find_layout(Path(__file__))
PAGE = (PROJECT.specs / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
SMALL = """
wire: small
title: Small
transport: {method: POST, url: "https://small.example/chat"}
instructions: {native: false, placement: first_message, role: system, several: parts, mid_conversation: native}
continuation: {mode: resend}
group: true
body:
  model: $model
  messages: $messages
slots: {content: list}
messages:
  system: {role: system, content: $content}
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
unions:
  instruction:
    layer: {type: text, text: $text}
parts:
  text: {type: text, text: $text}
"""


class Offering(Plugin):
    """What the page supposes."""

    name = "offering"

    def passes(self) -> list[Pass]:
        """One pass."""
        return [Pass("close_turns", "offering.steps:pair_tools", "a call has a result")]

    def dialects(self) -> list[SchemaDialect]:
        """One dialect."""
        return [SchemaDialect("flat", "offering.steps:flat", "no references")]


@pytest.mark.parametrize("index", range(len(BLOCKS)))
def test_block_compiles(tmp_path: Path, index: int) -> None:
    specs = tmp_path / "provider_specs"
    specs.mkdir()
    (specs / "small.yaml").write_text(SMALL, "utf-8")
    patch = f"wire: page_{index}\nextends: small\n{BLOCKS[index]}"
    (specs / f"page_{index}.yaml").write_text(patch, "utf-8")
    layout = Layout(tmp_path, specs, PROJECT.templates, tmp_path / "generated")
    files = compile_project(layout, plugins=[*find_plugins(), Offering()]).files
    modules = [path for path in files if path.startswith(f"promptwire/page_{index}/")]
    assert len(modules) == 5
    for module in modules:
        compile(files[module], module, "exec")


def test_page_names_every_filter_and_word() -> None:
    assert len(BLOCKS) == 9
    for name, row in BUILTIN.items():
        assert re.search(rf"`{name}\b" if not row.arguments else rf"`{name}\(", PAGE), name
    for word in (*TOOLS, *TOOL_CHOICE_MODES):
        assert re.search(rf"\b{word}\b", PAGE), word


def test_every_entry_of_a_rule_on_the_page_compiles(tmp_path: Path) -> None:
    table = PAGE.partition("| entry | means |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    entries = [entry.replace("\\|", "|") for row in rows for entry in re.findall(r"`([^`]+)`", row)]
    assert len(entries) >= 20
    rule = {"reject": entries, "because": "the page says so", "source": "the page"}
    specs = tmp_path / "provider_specs"
    specs.mkdir()
    options = "body:\n  temperature?: $temperature\n  stop?: $stop\n  logit_bias?: $logit_bias\n"
    assert "body:\n" in SMALL
    spec = SMALL.replace("body:\n", options, 1)
    (specs / "small.yaml").write_text(spec + f"rules: {json.dumps([rule])}\n", "utf-8")
    files = compile_project(Layout(tmp_path, specs, PROJECT.templates, tmp_path / "generated")).files
    for entry in entries:
        assert f'"{entry}"' in files["promptwire/small/wire.py"]
