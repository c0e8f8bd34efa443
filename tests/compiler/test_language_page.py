"""The page about the spec language: every YAML block on it compiles, as a patch on one small spec."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from promptwire_gen.plugin_api import Pass, Plugin, SchemaDialect
from tests.checkout import SOURCE_ROOTS
from tests.internals.compiler import (
    BUILTIN_FILTERS,
    TOOL_CHOICE_MODES,
    TOOLS,
    Layout,
    compile_project,
    find_layout,
    find_plugins,
    parse_conditions,
)

pytestmark = pytest.mark.slow

PROJECT = find_layout(Path(__file__))
PAGE = (PROJECT.specs / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
SMALL = """
wire: small
title: Small
transport: {method: POST, url: "https://small.example/chat"}
instructions: {native: false, placement: first_message, role: system, several: parts, mid_conversation: native}
continuation: {mode: resend}
flat_items: true
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
    """Return the definitions that the page takes for granted."""

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
    # sections that have a module of their own
    sections = [name for name in ("answer", "clients") if f"\n{name}:" in patch]
    # a choice among tools has a rule of its own
    with_rules = ("\nrules:", "\nvalues:", "$tool_choice")
    sections += ["rules"] if any(word in patch for word in with_rules) else []
    assert len(modules) == 5 + len(sections)
    for module in modules:
        compile(files[module], module, "exec")


def test_what_the_examples_of_the_page_say_holds(tmp_path: Path) -> None:
    specs = tmp_path / "provider_specs"
    specs.mkdir()
    (specs / "small.yaml").write_text(SMALL, "utf-8")
    shown = {
        f"page_{index}": block
        for index, block in enumerate(BLOCKS)
        if "\nexamples:" in f"\n{block}" or "  examples:" in block
    }
    assert len(shown) == 2
    for wire, block in shown.items():
        # the page calls its wire acme_chat
        named = block.replace("acme_chat:", f"{wire}:").replace("vendor.acme_chat.", f"vendor.{wire}.")
        (specs / f"{wire}.yaml").write_text(f"wire: {wire}\nextends: small\n{named}", "utf-8")
    output = tmp_path / "generated"
    for path, text in compile_project(Layout(tmp_path, specs, PROJECT.templates, output)).files.items():
        (output / path).parent.mkdir(parents=True, exist_ok=True)
        (output / path).write_text(text, "utf-8")
    places = [output, *(PROJECT.root / name for name in SOURCE_ROOTS if name != "generated")]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--import-mode=importlib",
            output / "tests",
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places)), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout


def test_page_names_every_filter_and_word() -> None:
    assert len(BLOCKS) == 12
    for name, row in BUILTIN_FILTERS.items():
        assert re.search(rf"`{name}\b" if not row.arguments else rf"`{name}\(", PAGE), name
    for word in (*TOOLS, *TOOL_CHOICE_MODES):
        assert re.search(rf"\b{word}\b", PAGE), word


def test_every_condition_of_a_rule_on_the_page_compiles(tmp_path: Path) -> None:
    table = PAGE.partition("| condition | means |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    texts = [entry.replace("\\|", "|") for row in rows for entry in re.findall(r"`([^`]+)`", row)]
    entries = [yaml.load(text, Loader=yaml.CSafeLoader) for text in texts]
    assert len(entries) >= 20
    fix = {"none": "conditions of the page are no requests"}
    rule = {"reject": entries, "because": "the page says so", "source": "the page", "fix": fix}
    specs = tmp_path / "provider_specs"
    specs.mkdir()
    body = "body:\n  temperature?: $temperature\n  user?: $user_id\n  stop?: $stop\n  logit_bias?: $logit_bias\n  tools?: $tools\n"
    unions = "unions:\n  tool: {function: {name: $name}, function#openapi: {label: $name}}\n"
    spec = SMALL.replace("body:\n", body, 1).replace("unions:\n", unions, 1)
    assert body in spec and unions in spec
    (specs / "small.yaml").write_text(spec + f"rules: {json.dumps([rule])}\n", "utf-8")
    files = compile_project(Layout(tmp_path, specs, PROJECT.templates, tmp_path / "generated")).files
    module = tmp_path / "rules.py"
    module.write_text(files["promptwire/small/rules.py"], "utf-8")
    (rule_of_all,) = runpy.run_path(str(module))["RULES"]
    assert [str(entry) for entry in rule_of_all.reject] == [str(entry) for entry in parse_conditions(entries)]
