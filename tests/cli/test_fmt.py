"""`gen fmt`: writes formatted specs, or lists those that are not."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from .conftest import Gen

TEXT = "wire: north_chat\nrules: [{source: a page, reject: [n]}]\n"
FORMATTED = """\
# yaml-language-server: $schema=../generated/provider_spec.schema.json
wire: north_chat
rules:
  - reject: [n]
    source: a page
"""


def test_fmt_writes_what_check_lists(gen: Gen, project: Path) -> None:
    path = project / "provider_specs" / "north_chat.yaml"
    path.write_text(TEXT, "utf-8")
    assert gen("fmt").exit_code == 0
    assert path.read_text("utf-8") == FORMATTED
    assert gen("fmt", "--check").output == "0 of 2 files would change\n"
    path.write_text(TEXT, "utf-8")
    listed = gen("fmt", "--check")
    assert (listed.exit_code, path.read_text("utf-8")) == (1, TEXT)
    assert (
        listed.output
        == "unformatted provider_specs/north_chat.yaml\n1 of 2 files would change: run gen fmt\n"
    )


def test_fmt_writes_nothing_if_a_file_is_unreadable(gen: Gen, project: Path) -> None:
    (project / "provider_specs" / "north_chat.yaml").write_text(TEXT, "utf-8")
    (project / "provider_specs" / "south_chat.yaml").write_text("wire: [\n", "utf-8")
    result = gen("fmt")
    assert result.exit_code == 2
    assert "provider_specs/south_chat.yaml:1:7" in result.output
    assert (project / "provider_specs" / "north_chat.yaml").read_text("utf-8") == TEXT


def test_fmt_keeps_links_and_permissions(gen: Gen, project: Path) -> None:
    path, target = (project / "provider_specs" / name for name in ("north_chat.yaml", "north_chat.txt"))
    path.unlink()
    target.write_text(TEXT, "utf-8")
    target.chmod(0o600)
    path.symlink_to(target.name)
    assert gen("fmt").exit_code == 0
    assert (path.is_symlink(), target.read_text("utf-8")) == (True, FORMATTED)
    assert target.stat().st_mode & 0o777 == 0o600


def test_fmt_that_cannot_write_says_so(gen: Gen, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project / "provider_specs" / "north_chat.yaml"
    path.write_text(TEXT, "utf-8")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    result = gen("fmt")
    assert (result.exit_code, result.output) == (2, "gen: No space left on device\n")
    assert path.read_text("utf-8") == TEXT
