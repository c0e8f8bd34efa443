"""Documents beside a question: they go into the last message of the user, whatever they are, or are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptwire import Document, Image, Message, Note, Request, Text, ToolResult, assistant, openai_chat, user
from promptwire.errors import InvalidRequest, LoadError
from promptwire.prompts import Files, with_documents

ASKED = Request("gpt-4o", [user("Hi"), assistant("Hello."), user("What do they say?")])
GIVEN = {"a.md": "A\r\n", "b/c.txt": "C", "p.png": "aGk=", "r.pdf": "aGk="}


def parts_of(request: Request) -> tuple[Any, ...]:
    assert request.messages[:2] == ASKED.messages[:2]
    return request.messages[2].parts


def test_documents_stand_before_the_question() -> None:
    request = with_documents(ASKED, ["a.md", "p.png", "b/c.txt", "r.pdf"], files=GIVEN)
    assert parts_of(request) == (
        Text("=== a.md ===\nA\n"),
        Image(data="aGk=", media_type="image/png"),
        Text("=== b/c.txt ===\nC"),
        Document(data="aGk=", media_type="application/pdf", filename="r.pdf"),
        Text("What do they say?"),
    )
    assert with_documents(ASKED, []) == ASKED


def test_texts_are_one_part_a_blank_line_apart() -> None:
    policies = {"file_header": "xml", "normalise_newlines": False}
    request = with_documents(ASKED, ["a.md", "b/c.txt"], files=GIVEN, policies=policies)
    assert parts_of(request)[0] == Text(
        '<file path="a.md">\nA\r\n\n</file>\n\n<file path="b/c.txt">\nC\n</file>'
    )


def test_paths_are_read_where_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("A")
    monkeypatch.chdir(tmp_path / "docs")
    for path in ("a.md", "../docs/a.md", tmp_path / "docs" / "a.md"):
        assert parts_of(with_documents(ASKED, [path]))[0] == Text(f"=== {path} ===\nA")
    with pytest.raises(LoadError, match=r"^document '\.\./docs/a\.md': .*leaves its folder"):
        with_documents(ASKED, ["../docs/a.md"], files=Files(tmp_path))


def test_a_document_that_is_missing_is_an_error_or_a_note(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"^document 'gone\.md': .gone\.md. cannot be read"):
        with_documents(ASKED, ["gone.md"], files=Files(tmp_path))
    notes: list[Note] = []
    omit = {"missing_files": "omit"}
    request = with_documents(ASKED, ["gone.md", "a.md"], files=GIVEN, policies=omit, notes=notes)
    assert parts_of(request)[0] == Text("=== a.md ===\nA\n")
    assert list(map(str, notes)) == ['dropped documents[0]: the file "gone.md" is missing']


@pytest.mark.parametrize(
    ("request_", "paths", "error"),
    [
        (Request("m", [assistant("Hi")]), ["a.md"], "no message is the user's"),
        (ASKED, [7], "a document is the path of a file, not int"),
        (ASKED, "a.md", "documents"),
        ("hi", ["a.md"], "request"),
    ],
)
def test_what_cannot_be_is_told(request_: Any, paths: Any, error: str) -> None:
    with pytest.raises((InvalidRequest, LoadError), match=error):
        with_documents(request_, paths, files=GIVEN)


def test_documents_stand_behind_results() -> None:
    result = ToolResult("c1", [Text("12 C")])
    request = Request("m", [user("Hi"), Message("user", [result, Text("And now?")])])
    parts = with_documents(request, ["a.md"], files=GIVEN).messages[1].parts
    assert parts == (result, Text("=== a.md ===\nA\n"), Text("And now?"))


@pytest.mark.parametrize(
    "path", ["", ".", "..", "a\0.md", "\ud800.md", "x" * 5000, "C:\\a.md", "/dev/zero", "/dev/stdin"]
)
def test_no_odd_path_is_read(path: str) -> None:
    with pytest.raises(LoadError, match=r"^document ") as caught:
        with_documents(ASKED, [path])
    assert str(caught.value).isprintable()


def test_the_body_has_the_documents() -> None:
    body: Any = openai_chat.build(with_documents(ASKED, ["a.md"], files=GIVEN)).body
    assert body["messages"][-1]["content"] == [
        {"type": "text", "text": "=== a.md ===\nA\n"},
        {"type": "text", "text": "What do they say?"},
    ]
    assert isinstance(ASKED.messages[2], Message)
