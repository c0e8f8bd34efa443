"""`gen fmt`: writes formatted specs, or lists those that are not."""

from __future__ import annotations

from pathlib import Path

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
