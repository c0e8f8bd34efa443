"""`gen list --hosts`: hosts with addresses of their own, and those of which nothing is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.internals.compiler import app

REEF = """
host: reef
title: Reef
urls: ["https://reef.example/v1", "https://*.reef.example/v1"]
groups: {big: [big-*]}
values:
  stop, top_k: {unsupported: true, source: "a page, 2026-11"}
needs:
  stream_usage: {given: {stream: true}, source: "a page, 2026-11"}
models:
  temperature:
    big: [{maximum: 1, source: "a page, 2026-11"}, {minimum: 0, source: "a page, 2026-11"}]
rules:
  - {when: {models: big}, reject: [seed], because: it is random, source: "a page, 2026-11"}
"""
BARE = """
host: bare
title: Bare
urls: https://bare.example/v1
"""


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "provider_specs" / "hosts"
    folder.mkdir(parents=True)
    (tmp_path / "templates").mkdir()
    (folder / "reef.yaml").write_text(REEF, "utf-8")
    (folder / "bare.yaml").write_text(BARE, "utf-8")
    monkeypatch.chdir(tmp_path)
    return folder


def test_hosts_are_listed_with_their_facts_and_addresses(hosts: Path) -> None:
    rows = json.loads(CliRunner().invoke(app, ["list", "--hosts", "--json"]).stdout)
    assert {"host": "bare", "title": "Bare", "facts": 0, "urls": ["https://bare.example/v1"]} in rows
    assert [row["facts"] for row in rows if row["host"] == "reef"] == [5]
    shown = CliRunner().invoke(app, ["list", "--hosts"]).stdout
    assert "none known" in next(line for line in shown.splitlines() if line.startswith("bare"))
    assert "https://*.reef.example/v1" in shown


def test_a_page_with_a_fault_is_told(hosts: Path) -> None:
    (hosts / "bare.yaml").write_text(BARE.replace("title: Bare", "titel: Bare"), "utf-8")
    result = CliRunner().invoke(app, ["list", "--hosts"])
    assert result.exit_code == 2
    assert "bare.yaml:3" in result.output
