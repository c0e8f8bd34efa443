"""The TypeScript of `docs/plugin.md`, compiled by `tsc --strict`: the body of every example has the type of its wire.

PROMPTWIRE_TSC is the compiler (`CI=1 bash .ci/run typescript` installs one); without it, the tests are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from promptwire_gen.plugin_api import Plugin
from tests.checkout import ROOT
from tests.pages import blocks_of, read_page
from tests.spec_texts import project

PAGE = "docs/plugin.md"
PACKAGE = "typescript_types"
TSC = os.environ.get("PROMPTWIRE_TSC")
needs_tsc = pytest.mark.skipif(TSC is None, reason="set PROMPTWIRE_TSC to a TypeScript compiler")


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plugin]:
    """The plugin of the page."""
    folder = tmp_path_factory.mktemp("page")
    for block in blocks_of(PAGE, read_page(PAGE)):
        if block.file is not None and block.file.startswith(f"typescript/{PACKAGE}/"):
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.code, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder / "typescript"))
        yield import_module(PACKAGE).TypeScript()
    del sys.modules[PACKAGE]


@pytest.fixture(scope="module")
def types(plugin: Plugin, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the types of every wire."""
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "types").mkdir()
    for artifact in plugin.artifacts(project()):
        assert isinstance(artifact.text, str)
        (folder / artifact.path).write_text(artifact.text, "utf-8")
    return folder


def bodies() -> dict[str, list[object]]:
    """Return the bodies of all examples by wire."""
    cases = {
        path.stem: json.loads(path.read_text("utf-8"))
        for path in (ROOT / "generated/tests/cases").glob("*.json")
    }
    return {wire: [case["body"] for case in of_wire["bodies"]] for wire, of_wire in sorted(cases.items())}


def compiled(folder: Path, name: str, text: str) -> str:
    """Compile a file beside the types, and return the compiler's report."""
    (folder / name).write_text(text, "utf-8")
    command = [str(TSC), "--strict", "--noEmit", "--target", "es2022", "--module", "esnext", name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@needs_tsc
def test_every_example_has_the_type_of_its_wire(types: Path) -> None:
    lines: list[str] = []
    for wire, of_wire in bodies().items():
        lines.append(f'import type {{ Body as {wire} }} from "./types/{wire}";')
        lines += [
            f"export const {wire}_{number}: {wire} = {json.dumps(body)};"
            for number, body in enumerate(of_wire)
        ]
    assert len(lines) > 500
    assert compiled(types, "examples.ts", "\n".join(lines)) == ""


@needs_tsc
def test_another_key_or_type_is_an_error(types: Path) -> None:
    head = 'import type { Body } from "./types/cohere_v1";\nexport const body: Body = '
    assert compiled(types, "right.ts", f'{head}{{"message": "hi"}};') == ""
    assert "is not assignable to type 'string'" in compiled(types, "wrong.ts", f'{head}{{"message": 5}};')
    assert "does not exist in type 'Body'" in compiled(
        types, "more.ts", f'{head}{{"message": "hi", "mesage": 5}};'
    )
