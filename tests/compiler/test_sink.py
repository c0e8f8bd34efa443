"""The sink: what differs, what is written, and what it refuses to touch."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import pytest

from tests.internals.compiler import MARK, MODEL, Drift, SinkError, compare, diff, sink, write

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


@pytest.mark.parametrize("place", ["generated", "runtime", "runtime/model"])
def test_a_folder_that_leads_out_of_the_project_is_not_followed(tmp_path: Path, place: str) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    (project / place).parent.mkdir(parents=True)
    outside.mkdir()
    (project / place).symlink_to(outside)
    model = project / "runtime" / "model"
    with pytest.raises(SinkError, match="links that lead out of the project") as caught:
        write(FILES | {f"{MODEL}parts.py": HEAD}, project / "generated", model=model)
    assert caught.value.paths == (str(project / "generated" if place == "generated" else model),)
    assert tree(outside) == {}
    assert tree(project) == {}


def test_a_folder_that_leads_elsewhere_in_the_project_is_followed(tmp_path: Path, output: Path) -> None:
    (tmp_path / "other").mkdir()
    output.symlink_to(tmp_path / "other")
    write(FILES, output)
    assert tree(tmp_path / "other") == FILES


@pytest.mark.parametrize("text", ["", "begu", HEAD])
def test_what_a_killed_build_left_is_not_seen_and_goes_when_it_is_old(output: Path, text: str) -> None:
    write(FILES, output)
    left = output / "promptwire" / ".__init__.py.4711"
    left.write_text(text)
    assert compare(FILES, output) == Drift()
    # another build may be at work
    assert write(FILES, output) == Drift()
    assert left.exists()
    os.utime(left, (0, 0))
    assert write(FILES, output) == Drift()
    assert tree(output) == FILES


def test_what_only_looks_like_it_stays_foreign(output: Path) -> None:
    write(FILES, output)
    (output / "promptwire" / ".notes.py.4711").write_text("mine")
    assert compare(FILES, output) == Drift(foreign=("promptwire/.notes.py.4711",))


def test_two_builds_at_once_do_not_meet(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(FILES | {"old/gone.py": HEAD, "gone.py": HEAD}, output)
    changed = FILES | {"README.md": f"<!-- {MARK} new -->\n"}

    def compare_slowly(*arguments: Any, **options: Any) -> Drift:
        drift = compare(*arguments, **options)
        monkeypatch.undo()
        # the other one does all of it before this one goes on
        assert write(changed, output) == drift
        return drift

    monkeypatch.setattr(sink, "compare", compare_slowly)
    drift = write(changed, output)
    assert (drift.stale, drift.orphan) == (("README.md",), ("gone.py", "old/gone.py"))
    assert tree(output) == changed
    assert not (output / "old").exists()


def test_a_file_becomes_a_folder(output: Path) -> None:
    write(FILES | {"deep": HEAD}, output)
    write(FILES | {"deep/file.py": HEAD}, output)
    assert tree(output) == FILES | {"deep/file.py": HEAD}


def test_a_full_disk_changes_nothing_and_says_so(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(FILES | {"gone.py": HEAD}, output)
    before = tree(output)
    real, opened = Path.open, list[str]()

    class Full:
        """A file on a disk that takes a few bytes more."""

        def __init__(self, stream: Any) -> None:
            self.stream = stream

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            self.stream.close()

        def writelines(self, pieces: Iterable[bytes]) -> None:
            self.stream.write(b"".join(pieces)[:5])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def open_on_a_full_disk(self: Path, mode: str = "r", **options: Any) -> Any:
        stream = real(self, mode, **options)
        if mode != "xb":
            return stream
        opened.append(self.name)
        return Full(stream) if len(opened) == 2 else stream

    monkeypatch.setattr(Path, "open", open_on_a_full_disk)
    changed = {path: f"{text}# more\n" for path, text in FILES.items()}
    said = f"{output / 'promptwire/__init__.py'} cannot be written: No space left on device"
    with pytest.raises(SinkError) as caught:
        write(changed, output)
    monkeypatch.undo()
    assert str(caught.value) == said
    assert len(opened) == 2
    assert tree(output) == before


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

    def broken(path: Path) -> bytes:
        raise PermissionError("permission denied")

    monkeypatch.setattr("promptwire_gen.sink.read_file", broken)
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
