"""The same specs and templates give the same bytes: in any folder, under any hash seed, locale and time zone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import INPUTS, ROOT, copy_folders, run_python, tree

pytestmark = pytest.mark.slow
PLACE = "another place/with a space/and depth"
VARIABLES = {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Build copies of the specs in another folder; they were copied in another order."""
    project = copy_folders(tmp_path_factory.mktemp("places") / PLACE, *reversed(INPUTS))
    done = run_python("-m", "promptwire_gen", "build", folder=project, variables=VARIABLES)
    assert (done.returncode, done.stderr) == (0, "")
    return tree(project / "generated")


def test_the_same_bytes_as_here(built: dict[str, bytes]) -> None:
    assert built == tree(ROOT / "generated")


def test_nothing_tells_where_it_was_built(built: dict[str, bytes]) -> None:
    words = (b"another place", b"/tmp", str(Path.home()).encode(), b"\r")
    assert [(path, word) for path, data in built.items() for word in words if word in data] == []


def test_lines_end_once_and_files_end_with_a_line(built: dict[str, bytes]) -> None:
    assert [path for path, data in built.items() if not data.endswith(b"\n") or data.endswith(b"\n\n")] == []
