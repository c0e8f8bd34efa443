"""`gen codemod`: names that a project imports get their new names, and nothing else changes."""

from __future__ import annotations

import errno
import importlib
import os
from pathlib import Path

import pytest

from tests.internals.compiler import RENAMED_NAMES, CodemodError, rename, rename_policies

from .conftest import Gen

RENAMED = {
    "kit.Old": "kit.New",
    "kit.Moved": "kit.parts.Moved",
    "kit.Gone": "kit.parts.Fresh",
    "kit.cellar": "kit.attic",
}
CASES: dict[str, tuple[str, str]] = {
    "an attribute": ("import kit\nx = kit.Old(1)\n", "import kit\nx = kit.New(1)\n"),
    "an attribute of an alias": (
        "import kit as k\nx: k.Old = k.Old(1)\n",
        "import kit as k\nx: k.New = k.New(1)\n",
    ),
    "a name": ("from kit import Old\nx = Old(1)\n", "from kit import New\nx = New(1)\n"),
    "an alias": (
        "from kit import Old as O, Keep\nx = O(1)\n",
        "from kit import New as O, Keep\nx = O(1)\n",
    ),
    "in brackets, with comments": (
        "from kit import (\n    Keep,  # a\n    Old,  # b\n)\n",
        "from kit import (\n    Keep,  # a\n    New,  # b\n)\n",
    ),
    "in a function": (
        "def f():\n    from kit import Old\n    return Old()\n",
        "def f():\n    from kit import New\n    return New()\n",
    ),
    "a module": (
        "import kit.cellar.deep as d\nfrom kit.cellar import x\nfrom kit import cellar\n\ncellar.y(d, x)\n",
        "import kit.attic.deep as d\nfrom kit.attic import x\nfrom kit import attic\n\nattic.y(d, x)\n",
    ),
    "to another module": ("from kit import Moved\nMoved()\n", "from kit.parts import Moved\nMoved()\n"),
    "to another module, beside others": (
        "from kit import Gone, Keep, Old\nKeep(Gone, Old)\n",
        "from kit import Keep, New\nfrom kit.parts import Fresh\nKeep(Fresh, New)\n",
    ),
    "to another module, on one line": (
        "if a: from kit import Keep, Moved as M\nM()\n",
        "if a: from kit import Keep; from kit.parts import Moved as M\nM()\n",
    ),
    "an attribute in another module": (
        "import kit as k\nx = (k.Gone)()\n",
        "import kit as k\nimport kit.parts\n\nx = (kit.parts.Fresh)()\n",
    ),
    "the new name is taken": (
        "from kit import Old\nNew = Old()\n",
        "from kit import New as Old\nNew = Old()\n",
    ),
    "the old name is bound elsewhere": (
        "try:\n    from kit import Old\nexcept ImportError:\n    Old = None\n",
        "try:\n    from kit import New as Old\nexcept ImportError:\n    Old = None\n",
    ),
    "the old name is in an annotation that is a text": (
        "from kit import Old\n\ndef f(x: 'list[Old]'): ...\n",
        "from kit import New as Old\n\ndef f(x: 'list[Old]'): ...\n",
    ),
    "the old name is exported": (
        "from kit import Old\n__all__ = ['Old']\n",
        "from kit import New as Old\n__all__ = ['Old']\n",
    ),
    "line ends": ("from kit import Old\r\nOld()\r\n", "from kit import New\r\nNew()\r\n"),
}
UNCHANGED = {
    "another package": "from other import Old\nOld()\n",
    "a relative import": "from .kit import Old\nfrom . import Moved\nOld()\n",
    "an attribute of something else": "import kit\nx.Old(kit.Keep)\n",
    "a keyword": "from kit import Keep\nKeep(Old=1)\n",
    "a star": "from kit import *\nOld()\n",
    "a text": "import kit\nprint('kit.Old')\n",
}


@pytest.mark.parametrize("case", CASES)
def test_names_are_renamed(case: str) -> None:
    before, after = CASES[case]
    assert rename(before.encode(), RENAMED).decode() == after
    assert rename(after.encode(), RENAMED).decode() == after


@pytest.mark.parametrize("case", UNCHANGED)
def test_all_else_stays(case: str) -> None:
    assert rename(UNCHANGED[case].encode(), RENAMED).decode() == UNCHANGED[case]


def test_a_file_keeps_its_encoding() -> None:
    before = "# -*- coding: latin-1 -*-\nfrom kit import Old  # é\n".encode("latin-1")
    assert rename(before, RENAMED) == before.replace(b"Old", b"New")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"def (\n# Old\n", "1:5: invalid syntax"),
        (b"# coding: nothing\nOld\n", "1:1: unknown encoding: nothing"),
    ],
)
def test_what_is_no_python_is_an_error(source: bytes, message: str) -> None:
    with pytest.raises(CodemodError, match=f"^{message}$"):
        rename(source, RENAMED)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('Policies(thinking="as_text")', 'Policies(repairs={"thinking": "as_text"})'),
        (
            'Policies(loss="note", tool_names="error", thinking="drop", blank="keep")',
            'Policies(loss="note", repairs={"tool_names": "off", "thinking": "drop"}, blank="keep")',
        ),
        ('Policies(loss="note", repairs="skip")', 'Policies(loss="note", repairs="off")'),
        ('Policies(repairs="run", loss="note")', 'Policies(loss="note")'),
        ('replace(PORTABLE, thinking="as_text")', 'replace(PORTABLE, repairs={"thinking": "as_text"})'),
        (
            'context.ContextPolicies(late_system="demote_user", unasked_results="error")',
            'context.ContextPolicies(late_system="user", orphans="error")',
        ),
        ("ExecutionPolicies(blank='strict_seed')", "ExecutionPolicies(blank='keep')"),
        (
            'build(r, policies="lenient,tool_names=error,repairs=skip")',
            'build(r, policies="lenient,tool_names=off,repairs=off")',
        ),
        ('build(r, policies="portable,thinking=as_text")', 'build(r, policies="portable,thinking=as_text")'),
        ('Own(thinking="as_text")', 'Own(thinking="as_text")'),
    ],
)
def test_policies_get_their_present_names_and_words(before: str, after: str) -> None:
    head = """from dataclasses import replace
from promptwire import PORTABLE, Policies, context
from promptwire.execution import ExecutionPolicies
from mine import Policies as Own
"""
    assert rename_policies(f"{head}p = {before}\n".encode()).decode() == f"{head}p = {after}\n"


def test_every_new_name_exists() -> None:
    for old, new in RENAMED_NAMES.items():
        module, _, name = new.rpartition(".")
        assert hasattr(importlib.import_module(module), name), old


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of which some are to be changed, and which is the current one."""
    monkeypatch.setattr("promptwire_tools.renamed_names.RENAMED_NAMES", RENAMED)
    for name in ("src/old.py", "src/types.pyi", "src/.hidden/old.py", "src/env/old.py", "src/notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("from kit import Old\n")
    (tmp_path / "src" / "env" / "pyvenv.cfg").touch()
    (tmp_path / "src" / "fine.py").write_text("import kit\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "src"


def test_files_of_a_folder_are_rewritten(gen: Gen, code: Path) -> None:
    result = gen("codemod", "src")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "src/old.py\nsrc/types.pyi\n2 of 3 files changed\n"
    changed = sorted(path for path in code.rglob("*") if path.is_file() and "New" in path.read_text())
    assert changed == [code / "old.py", code / "types.pyi"]


def test_a_diff_writes_nothing(gen: Gen, code: Path) -> None:
    result = gen("codemod", "--diff", "src/old.py")
    assert result.exit_code == 0
    assert "-from kit import Old\n+from kit import New\n" in result.stdout
    assert result.stdout.endswith("1 of 1 files would change\n")
    assert (code / "old.py").read_text() == "from kit import Old\n"


def test_a_broken_file_stops_no_other(gen: Gen, code: Path) -> None:
    (code / "broken.py").write_text("Old =\n")
    result = gen("codemod", "src", "absent.py")
    assert result.exit_code == 2
    assert result.stderr == "src/broken.py:1:6: invalid syntax\ngen: absent.py: No such file or directory\n"
    assert result.stdout.endswith("2 of 5 files changed\n")


def test_links_below_a_folder_are_left_out(gen: Gen, code: Path) -> None:
    elsewhere = code.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "old.py").write_text("from kit import Old\n")
    (code / "folder").symlink_to(elsewhere)
    (code / "loop").symlink_to(code)
    (code / "link.py").symlink_to(elsewhere / "old.py")
    assert gen("codemod", "src").stdout == "src/old.py\nsrc/types.pyi\n2 of 3 files changed\n"
    assert (elsewhere / "old.py").read_text() == "from kit import Old\n"
    assert gen("codemod", "src/link.py").stdout == "src/link.py\n1 of 1 files changed\n"
    assert ((code / "link.py").is_symlink(), (elsewhere / "old.py").read_text()) == (
        True,
        "from kit import New\n",
    )


def test_a_file_that_cannot_be_written_stays_whole(
    gen: Gen, code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    result = gen("codemod", "src/old.py")
    assert (result.exit_code, result.stderr) == (2, "gen: src/old.py: No space left on device\n")
    assert (code / "old.py").read_text() == "from kit import Old\n"
    assert not [path for path in code.iterdir() if path.name.startswith(".old")]
