"""Attached files: read below one folder only, as text, and not too much of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptwire.errors import LoadError
from promptwire.prompts import Files, load_case, load_cases
from tests.internals.runtime import STEP_BY_STEP, files as opening


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with files, and a secret beside it."""
    folder = tmp_path / "cases"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "a.md").write_bytes(b"A\r\n")
    (folder / "bom.md").write_bytes("\ufeffB\u00e9".encode())
    (tmp_path / "secret.md").write_text("secret")
    return folder


@pytest.fixture(params=[True, False], ids=["step by step", "by path"])
def _either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Open files as where folders are held open, and as where they cannot be."""
    if request.param and not STEP_BY_STEP:
        pytest.skip("folders cannot be held open here")
    monkeypatch.setattr(opening, "STEP_BY_STEP", request.param)


either_way = pytest.mark.usefixtures("_either_way")


def refusal(files: Files, path: str) -> str:
    """Return the error for a path that is not read."""
    with pytest.raises(LoadError) as caught:
        files.read(path)
    return str(caught.value)


@either_way
@pytest.mark.parametrize("path", ["docs/a.md", "./docs/a.md", r"docs\a.md", "docs//./a.md"])
def test_a_file_is_read_by_any_spelling_of_its_path(root: Path, path: str) -> None:
    assert Files(root).read(path) == "A\r\n"


def test_a_byte_order_mark_is_no_text(root: Path) -> None:
    assert Files(root).read("bom.md") == "B\u00e9"


def test_a_path_and_a_file_may_be_as_long_as_they_may(root: Path) -> None:
    (root / "x").write_text("1234")
    name = "a" * 4096
    assert [Files(root, {name: "given"}, max_bytes=4).read(path) for path in ("x", name)] == ["1234", "given"]


def test_given_texts_come_before_files(root: Path) -> None:
    files = Files(root, {"./docs/a.md": "given"})
    assert (files.read("docs/a.md"), files.read("bom.md")) == ("given", "B\u00e9")


@either_way
@pytest.mark.parametrize(
    ("link", "target", "path"),
    [
        ("link.md", "docs/a.md", "link.md"),
        ("link.md", "../secret.md", "link.md"),
        ("link", "docs", "link/a.md"),
        ("link", "..", "link/secret.md"),
        ("docs/link.md", "nowhere", "docs/link.md"),
    ],
)
def test_links_are_not_followed_wherever_they_lead(root: Path, link: str, target: str, path: str) -> None:
    (root / link).symlink_to(target)
    name = Path(link).name
    assert refusal(Files(root), path) == (
        f'"{path}" is behind a symbolic link ("{name}"): links are not followed'
    )


@either_way
def test_the_folder_itself_may_be_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert Files(tmp_path / "link").read("docs/a.md") == "A\r\n"


class Swapped:
    """Calls of the system, of which one finds the folder `docs` swapped for a link to another."""

    def __init__(self, root: Path, at: int) -> None:
        self.root = root
        self.left = at

    def __call__(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def swapped(*args: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                (self.root / "docs").rename(self.root / "moved")
                (self.root / "docs").symlink_to("../outside")
            return call(*args, **named)

        return swapped


@pytest.mark.skipif(not STEP_BY_STEP, reason="folders cannot be held open here")
@pytest.mark.parametrize("at", range(1, 12))
def test_a_folder_that_becomes_a_link_meanwhile_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    (root.parent / "outside").mkdir()
    (root.parent / "outside" / "a.md").write_text("secret")
    swap = Swapped(root, at)
    with monkeypatch.context() as patch:
        for name in ("open", "stat", "lstat"):
            patch.setattr(os, name, swap(getattr(os, name)))
        try:
            text = Files(root).read("docs/a.md")
        except LoadError:
            return
    assert text == "A\r\n"


@either_way
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="nothing lists open files here")
def test_no_file_stays_open(root: Path) -> None:
    (root / "link").symlink_to("docs")
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208  # only the number matters
    for path in ("docs/a.md", "docs", "docs/none.md", "link/a.md", "bom.md/a", "none/a.md"):
        with contextlib.suppress(LoadError):
            Files(root).read(path)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


@pytest.mark.parametrize(
    "path", ["a\0b", "a\ud800.md", "docs/\udcff", "a" * 5000, "", "a" * 300, "docs/" + "b" * 300]
)
def test_an_odd_path_is_an_error_of_ours(root: Path, path: str) -> None:
    refusal(Files(root), path).encode()
    with pytest.raises(LoadError):
        Files(root, {path: "text"}).read("docs/nothing.md")


@either_way
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../secret.md", '"../secret.md" leaves its folder: ".." is not read'),
        ("docs/../docs/a.md", '"docs/../docs/a.md" leaves its folder: ".." is not read'),
        (r"..\secret.md", r'"..\secret.md" leaves its folder: ".." is not read'),
        ("docs", '"docs" is a folder, not a file'),
        ("docs/a.md/x", '"docs/a.md/x" cannot be read: Not a directory'),
        ("missing.md", '"missing.md" cannot be read: No such file or directory'),
        ("", "this is not the path of a file"),
        ("a" * 4097, "this is not the path of a file"),
        ("a" * 300, f'"{"a" * 300}" cannot be read: File name too long'),
    ],
)
def test_what_is_no_file_below_the_folder_is_refused(root: Path, path: str, said: str) -> None:
    assert refusal(Files(root), path) == said


def test_absolute_paths_are_refused_though_they_lead_below_the_folder(root: Path) -> None:
    path = str(root / "docs" / "a.md")
    assert refusal(Files(root), path) == f'"{path}" is absolute: files are read below one folder'


@either_way
def test_a_pipe_is_never_opened(root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert refusal(Files(root), "pipe") == '"pipe" is a special file, not a file'


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"a\xff", '"x" is not UTF-8: 0xff at byte 1'),
        (b"a\0", '"x" has a NUL character: it is not text'),
        (b"12345", '"x" is larger than 4 bytes'),
    ],
)
def test_what_is_no_text_or_too_much_is_refused(root: Path, raw: bytes, said: str) -> None:
    (root / "x").write_bytes(raw)
    assert refusal(Files(root, max_bytes=4), "x") == said


def test_all_files_together_are_limited_each_time_they_are_attached(root: Path) -> None:
    files = Files(root, max_total_characters=6)
    assert [files.read("docs/a.md"), files.read("docs/a.md")] == ["A\r\n", "A\r\n"]
    assert refusal(files, "docs/a.md") == "more than 6 characters are attached"


def case_text(path: str) -> str:
    return f"input_messages:\n  - role: user\n    content:\n      - {{type: file, value: {path}}}\n"


def test_the_files_of_a_case_are_beside_it_or_below_the_root(root: Path) -> None:
    (root / "case.yaml").write_text(case_text("docs/a.md"))
    found = [
        load_case(root / "case.yaml"),
        load_case(str(root / "case.yaml")),
        load_case(case_text("a.md"), root=root / "docs"),
    ]
    assert [case.prompt.question for case in found] == [
        "[User]: === docs/a.md ===\nA\n",
        "[User]: === docs/a.md ===\nA\n",
        "[User]: === a.md ===\nA\n",
    ]


def test_a_file_that_is_not_there_is_named_with_its_place(root: Path) -> None:
    file = root / "case.yaml"
    file.write_text(case_text("../secret.md"))
    with pytest.raises(LoadError) as caught:
        load_case(file)
    assert str(caught.value) == (
        f'{file}:4:29: input_messages[0].content[0].value: "../secret.md" leaves its folder: ".." is not read'
    )


def test_all_cases_of_a_file_are_loaded_in_order(root: Path) -> None:
    file = root / "cases.json"
    file.write_text(
        '{"cases": [{"id": "a", "input_messages": [{"role": "user", "content": "1"}]},'
        ' {"input_messages": [{"role": "user", "content": "2"}]}]}'
    )
    assert [(case.id, case.prompt.question) for case in load_cases(file)] == [
        ("a", "[User]: 1"),
        (None, "[User]: 2"),
    ]


def test_a_source_of_another_kind_is_refused() -> None:
    with pytest.raises(LoadError) as caught:
        load_case(5)  # type: ignore[arg-type]
    assert str(caught.value) == "a case is loaded from a mapping, a path or a text, not from int"
