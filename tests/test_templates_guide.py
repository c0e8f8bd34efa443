"""The guide to templates shows what is there: every excerpt stands in the file it is of, and its example runs."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from promptwire_gen.emit.types.annotations import TEXT, literals
from promptwire_gen.emit.types.definitions import Key, Record
from promptwire_gen.emit.types.records import type_definitions
from promptwire_gen.layout import find_layout
from promptwire_gen.lowering import lower_all
from promptwire_gen.model.filters import BUILTIN
from tests.checkout import INPUTS, ROOT, copy_folders

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "templates" / "README.md").read_text("utf-8")
WAY = PAGE.partition("\n## One shape from YAML to Python\n")[2]
EXAMPLE = PAGE.partition("\n## An example: ")[2].partition("\n## ")[0]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# the file that the text before a block names last
SHOWN = [
    (
        re.findall(r"`((?:provider_specs|templates/macros|generated)/[\w./]+)`", WAY[: block.start()]),
        block[1],
        block[2],
    )
    for block in BLOCK.finditer(WAY)
]
ROW = 1


def test_the_way_of_a_shape_has_five_stations() -> None:
    assert [language for _, language, _ in SHOWN] == ["yaml", "python", "jinja", "python", "python"]


@pytest.mark.parametrize("station", [0, 2, 3, 4])
def test_an_excerpt_stands_in_the_file_that_is_named(station: int) -> None:
    files, _, text = SHOWN[station]
    held = (ROOT / files[-1]).read_text("utf-8")
    assert all(line in held.splitlines() for line in text.splitlines()), files[-1]
    if station != 0:
        assert text in held


def test_the_row_between_them_is_the_compilers() -> None:
    names = {"Record": Record, "Key": Key, "literals": literals, "TEXT": TEXT}
    row: Record = eval(SHOWN[ROW][2], names)  # noqa: S307  # our own page
    (model,) = [
        wire for wire in lower_all(find_layout(ROOT).read_specs()).wires if wire.name == "openai_chat"
    ]
    (made,) = [each for each in type_definitions(model, BUILTIN) if each.name == row.name]
    assert isinstance(made, Record)
    assert (made, made.doc, made.keys) == (row, row.doc, row.keys)


def test_the_example_gives_the_diff_that_is_shown(tmp_path: Path) -> None:
    (_, command), (_, shown) = BLOCK.findall(EXAMPLE)
    project = copy_folders(tmp_path, *INPUTS, "generated")
    script = f'gen() {{ "{sys.executable}" -m promptwire_gen "$@"; }}\n{command}'
    done = subprocess.run(
        ["/bin/bash", "-c", script], cwd=project, capture_output=True, text=True, check=False
    )
    changed = [line for line in done.stdout.splitlines() if line.startswith(("+", "-"))]
    assert (changed, done.stderr) == (shown.splitlines(), "")
