"""Request files that were made to hurt: numbers without measure, in every spelling and place."""

from __future__ import annotations

import io
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from promptwire import load_request
from promptwire.errors import LoadError
from tests.internals.commands import CommandError, bytes_from, inputs, lines_from, request_from
from tests.internals.compiler import LayoutError, SinkError, compare, diff, find_layout
from tests.internals.runtime import MOST_BYTES

NUMBERS = ("9" * 5000, "-" + "9" * 5000, "0x" + "f" * 5000, "0o" + "7" * 9000, "1e999", ".inf", ".nan")
KINDS = ("device", "pipe", "socket", "folder")
PLACES = (
    "options: {max_tokens: %s}",
    "options: {temperature: %s}",
    "metadata: {a: %s}",
    "vendor: {openai_chat: {x: [%s]}}",
    "stream: %s",
    "tools: [{name: f, parameters: {x: %s}}]",
)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:4])
def test_a_number_without_measure_is_told_with_its_place(tmp_path: Path, number: str, place: str) -> None:
    file = tmp_path / "request.yaml"
    file.write_text("model: m\nmessages: [{user: hi}]\n" + place % number, encoding="utf-8")
    with pytest.raises(LoadError, match=r"request.yaml:3:\d+: .*(a number of \d+ digits|an infinite number)"):
        load_request(file)


def special(kind: str, folder: Path, ending: str) -> Path:
    """Make a file of a kind that is no plain file, with the name of one, and a link to it."""
    place, link = folder / f"it{ending}", folder / f"link{ending}"
    if kind == "device":
        place.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "socket":
        socket.socket(socket.AF_UNIX).bind(str(place))
    else:
        place.mkdir()
    link.symlink_to(place)
    return link


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", [".json", ".yaml"])
def test_what_is_no_plain_file_is_not_read(tmp_path: Path, kind: str, ending: str) -> None:
    with pytest.raises(LoadError, match="cannot be read: "):
        load_request(special(kind, tmp_path, ending))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("read", [request_from, bytes_from, lambda file: list(lines_from(file))])
def test_what_is_no_plain_file_is_no_input_of_a_command(
    tmp_path: Path, kind: str, read: Callable[[str], object]
) -> None:
    with pytest.raises(CommandError):
        read(str(special(kind, tmp_path, ".json")))


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "request.json"
    with file.open("wb") as stream:
        stream.truncate(MOST_BYTES + 1)
    with pytest.raises(LoadError, match=r"cannot be read: it is larger than 256,000,000 bytes"):
        load_request(file)


def test_what_a_foreign_file_says_is_not_repeated(tmp_path: Path) -> None:
    file = tmp_path / "request.yaml"
    file.write_text("root:x:0:0:root:/root:/bin/sh\nb:x:1\n", encoding="utf-8")
    with pytest.raises(LoadError) as caught:
        load_request(file)
    assert str(caught.value) == f"{file}:1:1: expected a mapping (the request), found text"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_plain_file_is_no_spec(tmp_path: Path, kind: str) -> None:
    (tmp_path / "provider_specs").mkdir()
    (tmp_path / "templates").mkdir()
    special(kind, tmp_path / "provider_specs", ".yaml")
    with pytest.raises(LayoutError, match=r"cannot be read: |is a link to a file outside"):
        find_layout(tmp_path).read_specs()


def project_in(folder: Path) -> Path:
    """Make the folders of a project, and one beside it, which holds what no spec is."""
    (folder / "project" / "provider_specs").mkdir(parents=True)
    (folder / "project" / "templates").mkdir()
    (folder / "secret").write_text("root:x:0:0:root\n", encoding="utf-8")
    return folder / "project"


def test_a_spec_is_no_link_out_of_the_project(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    link = project / "provider_specs" / "chat.yaml"
    link.symlink_to(tmp_path / "secret")
    with pytest.raises(LayoutError) as caught:
        find_layout(project).read_specs()
    assert str(caught.value) == f"{link} is a link to a file outside of the project: copy the file there"


def test_a_spec_may_be_a_link_inside_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptwire_gen.layout._find_shipped", lambda: None)
    project = project_in(tmp_path)
    (project / "kept.yaml").write_text("wire: chat\n", encoding="utf-8")
    (project / "provider_specs" / "chat.yaml").symlink_to("../kept.yaml")
    assert find_layout(project).read_specs() == {"provider_specs/chat.yaml": "wire: chat\n"}


def test_a_produced_file_without_measure_is_not_compared(tmp_path: Path) -> None:
    for size in (0, MOST_BYTES + 1):
        with (tmp_path / "README.md").open("wb") as stream:
            stream.truncate(size)
        if size:
            with pytest.raises(SinkError, match=r"cannot be read: .*larger than 256,000,000 bytes"):
                compare({"README.md": "text\n"}, tmp_path)
            with pytest.raises(SinkError, match=r"cannot be read: .*larger than 256,000,000 bytes"):
                list(diff({"README.md": "text\n"}, tmp_path, ["README.md"]))
        else:
            assert compare({"README.md": "text\n"}, tmp_path).foreign == ("README.md",)


def test_standard_input_and_lines_have_a_measure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(inputs, "MOST_BYTES", 10)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1234567}')))
    with pytest.raises(CommandError, match="standard input: it is larger than 10 bytes"):
        bytes_from("-")
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b'{"a": 123}\n' + b"{}\n")
    with pytest.raises(CommandError, match=r"rows.jsonl:1: a line is larger than 10 bytes"):
        list(lines_from(str(file)))
    file.write_bytes(b'{"a": 12}\n' * 2 + b"{}")
    assert list(lines_from(str(file))) == [(1, b'{"a": 12}\n'), (2, b'{"a": 12}\n'), (3, b"{}")]
