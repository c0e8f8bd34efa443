"""The guide to templates shows what is there: every excerpt stands in the file it is of, and its example runs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.checkout import INPUTS, ROOT, copy_folders
from tests.spec_texts import project

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "templates" / "README.md").read_text("utf-8")
WAY = PAGE.partition("\n## One shape from YAML to Python\n")[2]
EXAMPLE = PAGE.partition("\n## An example: ")[2].partition("\n## ")[0]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# the file that the text before a block names, language, text
SHOWN = [
    (
        re.findall(
            r"`((?:provider_specs|templates/(?:macros|reading|writing)|generated|generator)/[\w./]+)`",
            WAY[: block.start()],
        ),
        block[1],
        block[2],
    )
    for block in BLOCK.finditer(WAY)
]
VARIANT = 1


def test_the_way_of_a_shape_has_its_stations() -> None:
    languages = ["yaml", "python", "jinja", "jinja", "python", "python"]
    assert [language for _, language, _ in SHOWN] == languages


@pytest.mark.parametrize("station", [0, 2, 3, 4, 5])
def test_an_excerpt_stands_in_the_file_that_is_named(station: int) -> None:
    files, _, text = SHOWN[station]
    held = (ROOT / files[-1]).read_text("utf-8")
    assert all(line in held.splitlines() for line in text.splitlines()), files[-1]
    if station != 0:
        assert text in held


def differences(shown: ast.expr, value: Any, path: str = "") -> list[str]:
    """Where a displayed object is not what a value is; a display may leave fields out."""
    if isinstance(shown, ast.Tuple):
        if len(shown.elts) != len(value):
            return [f"{path}: {len(shown.elts)} elements, not {len(value)}"]
        pairs = enumerate(zip(shown.elts, value, strict=True))
        return [each for index, (one, held) in pairs for each in differences(one, held, f"{path}[{index}]")]
    if not isinstance(shown, ast.Call):
        return [] if ast.literal_eval(shown) == value else [f"{path}: {value!r}"]
    if ast.unparse(shown.func) != type(value).__name__:
        return [f"{path}: a {type(value).__name__}"]
    keywords = {str(keyword.arg): keyword.value for keyword in shown.keywords}
    return [
        each
        for name, one in keywords.items()
        for each in differences(one, getattr(value, name), f"{path}.{name}")
    ]


def test_the_variant_is_the_compilers() -> None:
    (model,) = [wire for wire in project().wires if wire.name == "openai_chat"]
    (variant,) = model.unions["cache"]
    shown = SHOWN[VARIANT][2]
    assert differences(ast.parse(shown, mode="eval").body, variant) == []
    # a difference would be seen
    other = ast.parse(shown.replace('"ttl"', '"life"', 1), mode="eval").body
    assert differences(other, variant) == [".shape.fields[1].key: 'ttl'"]


@pytest.mark.slow
def test_the_example_gives_the_diff_that_is_shown(tmp_path: Path) -> None:
    (_, command), (_, shown) = BLOCK.findall(EXAMPLE)
    project = copy_folders(tmp_path, *INPUTS, "generated")
    script = f'gen() {{ "{sys.executable}" -m promptwire_gen "$@"; }}\n{command}'
    done = subprocess.run(
        ["/bin/bash", "-c", script], cwd=project, capture_output=True, text=True, check=False
    )
    changed = [line for line in done.stdout.splitlines() if line.startswith(("+", "-"))]
    assert (changed, done.stderr) == (shown.splitlines(), "")
