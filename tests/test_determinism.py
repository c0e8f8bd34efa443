"""The same specs and templates give the same bytes: in any folder, under any hash seed, locale and time zone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import INPUTS, ROOT, copy_folders, run_python, tree

PLACES = {
    "short": {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"},
    "another place/with a space/and depth": {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"},
}


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, bytes]]:
    """Return what each folder builds from the same specs, which were written there in another order."""
    root = tmp_path_factory.mktemp("places")
    found: list[dict[str, bytes]] = []
    for number, (place, variables) in enumerate(PLACES.items()):
        project = copy_folders(root / place, *(INPUTS if number else reversed(INPUTS)))
        done = run_python("-m", "promptwire_gen", "build", folder=project, variables=variables)
        assert (done.returncode, done.stderr) == (0, "")
        found.append(tree(project / "generated"))
    return found


def test_generated_is_current_and_safe_to_delete(trees: list[dict[str, bytes]]) -> None:
    assert trees[0] == tree(ROOT / "generated")


def test_the_same_bytes_everywhere(trees: list[dict[str, bytes]]) -> None:
    first, second = trees
    assert first == second


def test_nothing_tells_where_it_was_built(trees: list[dict[str, bytes]]) -> None:
    words = (b"another place", b"/tmp", str(Path.home()).encode(), b"\r")
    assert [(path, word) for path, data in trees[1].items() for word in words if word in data] == []


def test_lines_end_once_and_files_end_with_a_line(trees: list[dict[str, bytes]]) -> None:
    assert [
        path for path, data in trees[0].items() if not data.endswith(b"\n") or data.endswith(b"\n\n")
    ] == []
