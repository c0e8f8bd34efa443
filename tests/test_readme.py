"""README.md and docs/commands.md name what exists; README and guides stay short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer import Typer
from typer.main import get_command

from tests.internals.commands import app as users
from tests.internals.compiler import app as authors
from tests.pages import PAGES, blocks_of

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
GUIDES = ("templates/README.md", "generator/README.md", "tests/README.md")
MOST_LINES = 64
# two screens of text, code and tables
MOST_README_LINES = 180

# a table to look words up in is no reading
GLOSSARY = re.compile(r"^## (?:Words|Glossary)\n.*?(?=^## )", re.DOTALL | re.MULTILINE)
# nor is a long example, which one looks at
SHOWN = re.compile(r"^## (?:An example: |One shape ).*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def test_the_first_example_has_ten_lines() -> None:
    first = blocks_of("README.md", README)[0]
    lines = [line for line in first.code.splitlines() if line]
    assert len(lines) <= 10


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MOST_README_LINES


@pytest.mark.parametrize(("name", "program"), [("gen", authors), ("promptwire", users)])
def test_the_table_names_every_command(name: str, program: Typer) -> None:
    commands = getattr(get_command(program), "commands").items()  # noqa: B009  # click is untyped
    listed = [command for command, row in commands if not row.hidden]
    # a command may have several rows
    rows = dict.fromkeys(re.findall(rf"^\| `{name} ([\w-]+)", COMMANDS, re.MULTILINE))
    assert sorted(rows) == sorted(listed)


@pytest.mark.parametrize("page", [*PAGES, "CHANGELOG.md", "provider_specs/README.md", *GUIDES])
def test_linked_files_are_there(page: str) -> None:
    text = FENCED.sub("", (ROOT / page).read_text(encoding="utf-8"))
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("page", ["README.md", *GUIDES])
def test_paths_in_the_text_are_there(page: str) -> None:
    text = FENCED.sub("", (ROOT / page).read_text(encoding="utf-8"))
    paths = re.findall(r"`((?:generator|runtime|generated|templates|provider_specs|tests)/[\w./-]*)`", text)
    assert paths
    # what a reader makes is called after Acme
    ours = [path for path in paths if "acme" not in path]
    assert [path for path in ours if not ROOT.joinpath(path).exists()] == []


@pytest.mark.parametrize("page", GUIDES)
def test_a_guide_is_one_page(page: str) -> None:
    text = SHOWN.sub("", GLOSSARY.sub("", (ROOT / page).read_text(encoding="utf-8")))
    assert len(text.splitlines()) <= MOST_LINES
    assert re.findall(r"^(\d)\. ", text, re.MULTILINE)[:3] == ["1", "2", "3"]
