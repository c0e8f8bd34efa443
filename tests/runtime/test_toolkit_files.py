"""Requests with toolkits as files, and what `promptwire preview` shows of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from promptwire import load_request
from promptwire.errors import LoadError
from promptwire.toolkits import Member, load_with_toolkits
from tests.internals.compiler import app

WRITTEN: dict[str, Any] = {
    "model": "gpt-5.6",
    "messages": [{"user": "Hello"}],
    "toolkits": [
        {
            "name": "Disk",
            "description": "Files",
            "system_prompt": "Look first.",
            "tools": [
                {"name": "read", "parameters": {"type": "object"}},
                {
                    "toolkit": {
                        "name": "Trash",
                        "tools": [{"name": "empty", "parameters": {"type": "object"}}],
                    }
                },
            ],
        }
    ],
    "collapsing": {"description_style": "when_truncated"},
}


def test_a_file_holds_toolkits(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(WRITTEN), "utf-8")
    request, kits = load_with_toolkits(path)
    assert kits is not None
    assert load_with_toolkits(WRITTEN) == (request, kits)
    assert (request.model, kits.config.description_style) == ("gpt-5.6", "when_truncated")
    assert {name: row.path for name, row in kits.members.items()} == {
        "read": ("Disk",),
        "empty": ("Disk", "Trash"),
    }
    assert isinstance(kits.tops[0].entries[0], Member)


def test_a_request_without_is_a_request() -> None:
    plain = {"model": "m", "messages": [{"user": "Hello"}]}
    assert load_with_toolkits(plain) == (load_request(plain), None)


@pytest.mark.parametrize(
    ("changes", "trouble"),
    [
        ({"toolkits": {}}, "toolkits: a list is expected"),
        ({"toolkits": [3]}, r"toolkits\[0\]: an object with a name is expected"),
        ({"toolkits": [{"name": "A", "tool": []}]}, r'toolkits\[0\]: "tool" is not a field of a toolkit'),
        ({"toolkits": [{"name": "A", "tools": [{"nam": "f"}]}]}, r"toolkits\[0\]\.tools\[0\]"),
        ({"toolkits": [{"name": "A", "tools": []}]}, "the toolkit A holds no function"),
        ({"collapsing": []}, "collapsing: an object"),
        ({"collapsing": {"deferral": "x"}}, 'deferral="x": use one of auto'),
        ({"collapsing": {"defer": "x"}}, "unexpected keyword argument 'defer'"),
        ({"modell": "x"}, "modell"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(changes: dict[str, Any], trouble: str, tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps({**WRITTEN, **changes}), "utf-8")
    with pytest.raises(LoadError, match=trouble) as caught:
        load_with_toolkits(path)
    assert str(caught.value).startswith(f"{path}:")


def preview(path: Path, *arguments: str) -> str:
    result = CliRunner().invoke(app, ["preview", *arguments[:1], str(path), *arguments[1:]])
    assert result.exit_code == 0, result.output
    return result.output


def test_preview_shows_what_a_wire_gets_and_what_it_costs(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(WRITTEN), "utf-8")
    text = preview(path, "openai_responses")
    assert "the API finds 2 functions of 2 toolkits itself; openai_responses defers tools" in text
    rows = [line.split() for line in text.split("\n\n")[-1].splitlines()]
    assert [row[:2] for row in rows] == [
        ["tools", "shown"],
        ["whole", "2"],
        ["collapsed", "1"],
        ["deferred", "3"],
    ]
    shown = json.loads(preview(path, "openai_responses", "--json"))
    assert [tool["type"] for tool in shown["body"]["tools"]] == ["tool_search", "namespace", "namespace"]
    assert shown["notes"][0]["why"].startswith("native: ")
    notes = preview(path, "openai_responses", "--notes", "--model", "gpt-4o")
    assert notes.startswith("replaced tools: containers: 2 toolkits for 2 functions")
