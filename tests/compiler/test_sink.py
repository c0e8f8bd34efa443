"""The sink: what differs, what is written, and what it refuses to touch."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptwire_gen.emit.header import MARK
from promptwire_gen.sink import Drift, SinkError, compare, diff, write

HEAD = f"# {MARK} from a spec.\n"
FILES = {
    "README.md": f"<!-- {MARK} -->\n",
    "promptwire/__init__.py": f"{HEAD}A = 1\n",
    "promptwire/a_chat.py": f"{HEAD}B = 2\n",
}


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "generated"


def tree(folder: Path) -> dict[str, str]:
    """Read every file below a folder."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in found}


def test_an_absent_folder_is_all_missing_and_is_then_written(output: Path) -> None:
    expected = Drift(missing=("README.md", "promptwire/__init__.py", "promptwire/a_chat.py"))
    assert compare(FILES, output) == expected
    assert not output.exists()
    assert write(FILES, output) == expected
    assert tree(output) == FILES
    assert compare(FILES, output) == Drift()
    assert compare(FILES, output).current


def test_files_that_are_current_are_not_touched(output: Path) -> None:
    write(FILES, output)
    before = {path: (output / path).stat().st_mtime_ns for path in FILES}
    inodes = {path: (output / path).stat().st_ino for path in FILES}
    changed = FILES | {"promptwire/a_chat.py": f"{HEAD}B = 3\n"}
    assert write(changed, output) == Drift(stale=("promptwire/a_chat.py",))
    assert tree(output) == changed
    for path in ("README.md", "promptwire/__init__.py"):
        assert (output / path).stat().st_mtime_ns == before[path]
    # replaced whole, not written into
    assert (output / "promptwire/a_chat.py").stat().st_ino != inodes["promptwire/a_chat.py"]


def test_orphans_go_with_the_folders_they_leave_empty(output: Path) -> None:
    write(FILES | {"old/deep/gone.py": HEAD, "promptwire/gone.py": HEAD}, output)
    assert compare(FILES, output) == Drift(orphan=("old/deep/gone.py", "promptwire/gone.py"))
    write(FILES, output)
    assert tree(output) == FILES
    assert not (output / "old").exists()


def test_caches_are_not_seen(output: Path) -> None:
    write(FILES, output)
    for cache in ("__pycache__", "promptwire/__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"):
        (output / cache).mkdir()
        (output / cache / "x.pyc").write_bytes(b"\0")
    assert compare(FILES, output).current


@pytest.mark.parametrize("text", [f'{{"$comment": "{MARK} from x."}}', f'x = 1\n"""{MARK}"""'])
def test_the_mark_counts_in_every_kind_of_file(output: Path, text: str) -> None:
    write(FILES, output)
    (output / "left.json").write_text(text)
    assert compare(FILES, output) == Drift(orphan=("left.json",))


def test_a_mark_deep_inside_a_file_is_none(output: Path) -> None:
    write(FILES, output)
    (output / "mine.py").write_text("#" * 400 + MARK)
    assert compare(FILES, output) == Drift(foreign=("mine.py",))


def test_foreign_files_stop_the_build_before_anything_is_changed(output: Path) -> None:
    write(FILES | {"gone.py": HEAD}, output)
    (output / "promptwire" / "a_chat.py").write_text("B = 'mine'\n")  # stands where a produced file belongs
    (output / "notes.txt").write_text("mine\n")
    before = tree(output)
    changed = FILES | {"README.md": f"<!-- {MARK} new -->\n"}
    with pytest.raises(SinkError) as caught:
        write(changed, output)
    assert caught.value.paths == ("notes.txt", "promptwire/a_chat.py")
    assert str(caught.value) == (
        f'generated/ holds files without the mark "{MARK}": move them away, then build again\n'
        "  notes.txt\n  promptwire/a_chat.py"
    )
    assert tree(output) == before


def test_a_foreign_file_with_the_produced_text_is_current(output: Path) -> None:
    files = {"data.txt": "no mark here\n"}
    write(files, output)
    assert compare(files, output).current


def test_only_a_handful_of_paths_is_printed(output: Path) -> None:
    output.mkdir()
    for number in range(12):
        (output / f"{number:02}.txt").write_text("mine")
    with pytest.raises(SinkError, match=r"\n  09\.txt\n  and 2 more$"):
        write({}, output)


@pytest.mark.parametrize(
    "path",
    [
        "../outside.py", "a/../../outside.py", "a/../b.py", "/etc/outside.py", "a\\..\\b.py", "C:/x.py", ".",
        "", "./a.py", "a//b.py", "a/", "a\n.py", "a\0.py", "__pycache__/a.py",
    ],
)  # fmt: skip
def test_a_path_that_is_no_plain_path_inside_is_refused(output: Path, path: str) -> None:
    with pytest.raises(SinkError, match="paths that would leave generated/") as caught:
        write(FILES | {path: HEAD}, output)
    assert caught.value.paths == (path,)
    assert not output.exists()


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path, output: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    output.mkdir()
    (output / "promptwire").symlink_to(outside)
    with pytest.raises(SinkError) as caught:
        write(FILES, output)
    assert caught.value.paths == ("promptwire/__init__.py", "promptwire/a_chat.py")
    assert tree(outside) == {}
    assert list(output.iterdir()) == [output / "promptwire"]


def test_a_link_that_nobody_produced_is_foreign_and_its_target_stays(tmp_path: Path, output: Path) -> None:
    write(FILES, output)
    target = tmp_path / "target.py"
    target.write_text(HEAD)
    (output / "file.py").symlink_to(target)
    (output / "folder").symlink_to(tmp_path)
    assert compare(FILES, output) == Drift(foreign=("file.py", "folder"))


def test_a_produced_file_that_is_a_folder_too_is_refused(output: Path) -> None:
    with pytest.raises(SinkError, match="files that are folders too"):
        write({"a": HEAD, "a/b.py": HEAD}, output)
    (output / "c.py").mkdir(parents=True)
    with pytest.raises(SinkError, match="files that are folders too"):
        write({"c.py": HEAD}, output)


def test_the_output_folder_may_not_be_a_file(output: Path) -> None:
    output.write_text("mine")
    with pytest.raises(SinkError, match="is a file, not a folder"):
        write(FILES, output)


def test_lines_end_in_a_line_feed_and_text_is_utf8(output: Path) -> None:
    write({"a.py": f"{HEAD}A = 'ä'\n"}, output)
    assert (output / "a.py").read_bytes() == f"{HEAD}A = 'ä'\n".encode()
    (output / "a.py").write_bytes(f"{HEAD}A = 'ä'\n".replace("\n", "\r\n").encode())
    assert compare({"a.py": f"{HEAD}A = 'ä'\n"}, output) == Drift(stale=("a.py",))
    with pytest.raises(SinkError, match="carriage return"):
        write({"a.py": f"{HEAD}A = 1\r\n"}, output)
    with pytest.raises(SinkError, match="not valid Unicode"):
        write({"a.py": f"{HEAD}A = '\ud800'\n"}, output)


def test_with_some_files_only_the_others_are_left_alone(output: Path) -> None:
    write(FILES, output)
    some = {"promptwire/a_chat.py": f"{HEAD}B = 3\n"}
    assert compare(some, output, partial=True) == Drift(stale=("promptwire/a_chat.py",))
    write(some, output, partial=True)
    assert tree(output) == FILES | some
    (output / "mine.txt").write_text("mine")
    with pytest.raises(SinkError, match=r"mine\.txt"):
        write(some, output, partial=True)


def test_a_failed_replacement_leaves_the_old_file_and_nothing_else(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(FILES, output)

    def broken(self: Path, target: Path) -> Path:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(SinkError, match="cannot be written: disk full"):
        write(FILES | {"README.md": f"<!-- {MARK} new -->\n"}, output)
    assert tree(output) == FILES


def test_an_unreadable_file_is_one_clear_error(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(FILES, output)

    def broken(self: Path) -> bytes:
        raise PermissionError("permission denied")

    monkeypatch.setattr(Path, "read_bytes", broken)
    with pytest.raises(SinkError, match="cannot be read: permission denied"):
        compare(FILES, output)


def test_diffs_go_from_the_disk_to_what_a_build_would_leave(output: Path) -> None:
    write(FILES | {"gone.py": HEAD}, output)
    (output / "promptwire" / "a_chat.py").write_text(f"{HEAD}B = 1\r\nC = 2")
    (output / "README.md").unlink()
    drift = compare(FILES, output)
    assert drift.changed == ("README.md", "gone.py", "promptwire/a_chat.py")
    assert list(diff(FILES, output, drift.changed)) == [
        f"--- /dev/null\n+++ b/README.md\n@@ -0,0 +1 @@\n+<!-- {MARK} -->\n",
        f"--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-{HEAD}",
        (
            "--- a/promptwire/a_chat.py\n+++ b/promptwire/a_chat.py\n@@ -1,3 +1,2 @@\n"
            f" {HEAD}-B = 1\\r\n-C = 2\n\\ No newline at end of file\n+B = 2\n"
        ),
    ]
