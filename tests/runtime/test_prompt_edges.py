"""Edges of evaluation cases: whole error texts, notes of what is left out, media, files and patterns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptwire import Image, Request, Text, user
from promptwire.context import ContextPolicies
from promptwire.errors import InvalidRequest, LoadError
from promptwire.prompts import (
    ChatMessage,
    Files,
    InputMessage,
    ProviderRequest,
    Segment,
    as_request,
    convert,
    deliver,
    load_case,
    load_cases,
    matches,
)
from tests.internals.runtime import expanded
from tests.notes import changes

PNG = "iVBORw=="


def case(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"input_messages": list(messages), **more}


def said(role: str, *content: Any) -> dict[str, Any]:
    return {"role": role, "content": list(content)}


def file(path: str) -> dict[str, str]:
    return {"type": "file", "value": path}


def notes_of(prompt: ProviderRequest) -> list[str]:
    return [str(note) for note in prompt.notes]


HI = said("user", "Hi")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ({"input_messages": [HI], "cases": []}, "cases: expected a list of cases, found an empty list"),
        ({"cases": 5}, "cases: expected a list of cases, found number 5"),
        ({"cases": [case(HI)], "id": "x"}, '"id" belongs to a case: it stands beside "cases"'),
        ({"cases": [5]}, "cases[0]: expected a mapping (a case), found number 5"),
        ({"id": "x"}, '"input_messages" is missing; expected a list of messages'),
        (case(HI, request={"messages": []}), 'request: "messages" cannot be given: the messages of the case say it'),
        (case(HI, policies={"preset": 5}), "policies: int is not a preset; use one of standard"),
        (case(HI, policies={"trimm": "none"}), 'policies: unknown policy "trimm"; did you mean "trim"'),
        (case(HI, policies={"trim": "no"}), 'policies: trim="no" is not a valid policy; use one of guidelines, none'),
        (case({"content": "x"}), 'input_messages[0]: "role" is missing; expected'),
        (case({"role": None}), "input_messages[0].role: expected text, found"),
        (case({"user": "x"}), 'unknown key "user": a message is written {role: user, content: ...}'),
        (case({"role": "userr"}), 'input_messages[0].role: unknown role "userr"; did you mean "user"'),
        (case(said("user", {"value": "x"})), 'content[0]: a part has a "type": expected'),
        (case(said("user", {"value": "x"})), "found nothing"),
        (case(said("user", {"type": 5})), "found number 5"),
        (case(said("user", {"type": "txt", "value": "x"})), 'content[0].type: unknown part type "txt"'),
        (case(said("user", {"type": "text"})), 'content[0]: "value" is missing; expected text'),
        (case(said("user", {"type": "file"})), 'content[0]: "value" is missing; expected the path of a file'),
        (case(said("user", {"type": "text", "value": "x", "valeu": 1})), 'content[0]: unknown key "valeu"'),
        (case(HI, policies="od"), 'policies: "od" is not a preset; use one of standard'),
        (case(HI, guideline_patterns=["ok", " "]), 'guideline_patterns[1]: the pattern " " is empty'),
        (case(HI, guideline_patterns=["!a"]), 'the pattern "!a" is negated: write only what is meant'),
        (case(said("user", file("a.md"))), '"a.md" is not given, and there is no folder to read it from'),
        (5, "a case is loaded from a mapping, a path or a text, not from int"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_case(source: Any, text: str) -> None:
    with pytest.raises(LoadError) as raised:
        load_cases(source)
    assert text in str(raised.value)


def test_the_line_of_a_mistake() -> None:
    text = "input_messages:\n- {role: user, content: Hi}\nguidelinez: []\n"
    with pytest.raises(LoadError, match=r'^text:3:1: unknown key "guidelinez"'):
        load_cases(text)
    with pytest.raises(LoadError, match=r"^a\.txt: the name of a case file must end in \.json, "):
        load_cases("a.txt")
    with pytest.raises(LoadError, match=r"expected a mapping .*case"):
        load_cases("- a\n")
    with pytest.raises(LoadError, match=r'^guideline_patterns\[0\]: the pattern " " is empty'):
        convert([HI], guideline_patterns=[" "])


def test_messages_may_be_values_of_the_package() -> None:
    message = InputMessage("user", (Segment("text", "Hi"), Segment("file", "a.md")))
    found = convert([message, {"role": "assistant", "content": [Segment("text", "Ok")]}], files={"a.md": "x"})
    assert found.question == "[User]: Hi\n=== a.md ===\nx\n[Assistant]: Ok"
    assert [case.id for case in load_cases({"cases": [case(HI), case(HI)]})] == [None, None]
    with pytest.raises(InvalidRequest, match=r"^a message of the chat prompt is "):
        ProviderRequest(chat_prompt=("Hi",))  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match=r"^guidelines are a list"):
        ProviderRequest(guidelines=5)  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match=r"^messages of a chat prompt are a list"):
        ProviderRequest(chat_prompt=5)  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match=r"^a path is an int, not str"):
        matches(5, ["a"])  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match=r"^patterns are a list"):
        matches("a", 5)  # type: ignore[arg-type]


def test_a_single_turn_with_media_is_a_conversation() -> None:
    policies = ContextPolicies(structured_when="multi_turn")
    assert convert([said("user", "See", file("a.png"))], files={"a.png": PNG}, policies=policies).chat_prompt
    assert (
        convert([said("user", "See", file("png"))], files={"png": "text"}).question
        == "[User]: See\n=== png ===\ntext"
    )
    sent = deliver(convert([said("user", "See", file("a.png"))], files={"a.png": PNG}), channel="transcript")
    assert changes(sent.notes) == ["dropped media"]


def test_several_mistakes_are_all_named() -> None:
    with pytest.raises(LoadError) as raised:
        load_case({"cases": [case({"role": "userr"}, id="a"), case(HI, id="a", request={"modle": 1})]})
    assert len(str(raised.value).splitlines()) == 2
    with pytest.raises(LoadError, match=r'^no case has the id "b"$'):
        load_case(case(HI), id="b")
    told = load_case(case(HI, request={"model": "m"}), channel="transcript").request
    assert told.messages == (user("[User]: Hi"),)
    with pytest.raises(LoadError, match=r"^there are 2 cases: choose one by its id: a, one without id$"):
        load_case({"cases": [case(HI, id="a"), case(HI)]})


def test_files_are_read_below_the_root_or_the_folder_of_the_case(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.txt").write_text("outer", "utf-8")
    (tmp_path / "inner" / "a.txt").write_text("inner", "utf-8")
    path = tmp_path / "inner" / "case.yaml"
    path.write_text("input_messages:\n- {role: user, content: [{type: file, value: a.txt}]}\n", "utf-8")
    assert load_case(path).prompt.question == "[User]: === a.txt ===\ninner"
    assert load_case(path, root=tmp_path).prompt.question == "[User]: === a.txt ===\nouter"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Files(5), "root is the path of a folder, not int"),  # type: ignore[arg-type]
        (lambda: Files(given={"a": "x", "./a": "y"}), 'two given files are "a"'),
        (lambda: Files(given={"a": 5}), 'the text of "a"'),  # type: ignore[dict-item]
        (lambda: Files(given={"": "x"}), "this is not the path of a file"),
        (lambda: Files(given={"/a": "x"}), '"/a" is absolute: files are read below one folder'),
        (lambda: Files(given={"C:a": "x"}), '"C:a" is absolute'),
        (lambda: Files(given={"a/../b": "x"}), '"a/../b" leaves its folder: ".." is not read'),
        (lambda: Files(given={"a": "xx"}, max_total_characters=1).read("a"), "more than 1 characters are attached"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file(make: Any, text: str) -> None:
    with pytest.raises((LoadError, InvalidRequest)) as raised:
        make()
    assert text in str(raised.value)


def test_limits_of_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfabc")
    (tmp_path / "b.png").write_bytes(b"12345")
    (tmp_path / "nul.txt").write_bytes(b"a\0")
    (tmp_path / "bad.txt").write_bytes(b"ab\xff")
    assert Files(tmp_path, max_bytes=6).read("a.txt") == "abc"
    assert Files(tmp_path, max_bytes=1, max_media_bytes=5, max_total_characters=1).read("b.png") == "MTIzNDU="
    assert Files(tmp_path).address("a.txt") == (tmp_path / "a.txt").as_uri()
    assert Files().address("./a.txt") == "a.txt"
    for files, name, text in (
        (Files(tmp_path, max_bytes=5), "a.txt", '"a.txt" is larger than 5 bytes'),
        (Files(tmp_path, max_media_bytes=4), "b.png", '"b.png" is larger than 4 bytes'),
        (Files(tmp_path), "nul.txt", '"nul.txt" has a NUL character: it is not text'),
        (Files(tmp_path), "bad.txt", '"bad.txt" is not UTF-8: 0xff at byte 2'),
        (Files(tmp_path), "none.txt", '"none.txt" cannot be read: No such file or directory'),
    ):
        with pytest.raises(LoadError) as raised:
            files.read(name)
        assert str(raised.value) == text


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("*.{md,txt}", "a.txt", True),
        ("{a,{b,c}}/x", "c/x", True),
        ("{a}/x", "{a}/x", True),
        ("{a,b}{c,d}", "bc", True),
        ("{a,b}{c,d}", "ab", False),
        ("[!a].md", "b.md", True),
        ("[^a].md", "b.md", True),
        ("[^a].md", "a.md", False),
        ("[!a].md", "^.md", True),
        ("**/a.md", "a.md", True),
        ("**/a.md", "x/y/a.md", True),
        ("**/a.md", ".x/a.md", False),
        ("**/.x/a.md", "y/.x/a.md", True),
        ("**", "x/y/z", True),
        ("x/**", "x", True),
        ("x/**/z", "x/z", True),
        ("x/**/z", "x/y/y/z", True),
        ("x/*/z", "x/z", False),
        ("*", "x/y", False),
        (".*", ".a", True),
        ("*", ".a", False),
        ("/a", "/a", True),
        ("/a", "a", False),
        ("a", "/a", False),
        ("", "a", None),
        ("a" * 4097, "a", None),
        ("{a,b}" * 10, "a", None),
    ],
)
def test_what_a_pattern_means(pattern: str, path: str, meant: bool | None) -> None:
    if meant is None:
        with pytest.raises(InvalidRequest, match=r"^the pattern "):
            expanded(pattern)
    else:
        assert matches(path, [pattern]) is meant


def test_media_that_a_message_cannot_hold_are_noted() -> None:
    messages = [
        said("user", "See:", file("a.png"), "and", "that"),
        said("tool", "r", file("a.png")),
        said("system", "Late.", file("a.png")),
    ]
    files = {"a.png": PNG}
    moved = convert(messages, files=files, policies=ContextPolicies(tool_role="assistant"))
    assert notes_of(moved) == [
        "merged input_messages[1]: a tool message becomes the assistant's, behind a marker",
        "dropped input_messages[1]: its media are named only",
        "merged input_messages[2]: a later system message goes to the start",
        "dropped input_messages[2]: its media are named only",
    ]
    system, user, _ = moved.chat_prompt or ()
    assert (system.content, system.parts) == ("Late.\n<Attached: a.png>", ())
    assert user.content == "See:\n<Attached: a.png>\nand\nthat"
    assert user.parts == (Text("See:"), Image(data=PNG, media_type="image/png"), Text("and\nthat"))
    late = convert(messages[::2], files=files, policies=ContextPolicies(late_system="user"))
    assert notes_of(late) == [
        "merged input_messages[1]: a later system message becomes the user's, behind a marker",
        "dropped input_messages[1]: its media are named only",
    ]
    assert notes_of(convert([HI, said("system", "Late.")])) == [
        "merged input_messages[1]: a later system message goes to the start"
    ]


def test_guidelines_alone_may_bring_the_default_prompt() -> None:
    def system(policy: str, guidelines: Any, *messages: Any, **more: Any) -> list[str]:
        policies = ContextPolicies(guidelines_alone=policy)
        prompt = convert([*messages, HI], guidelines=guidelines, policies=policies, **more).chat_prompt or ()
        return [message.content for message in prompt if message.role == "system"]

    block = "[[ ## Guidelines ## ]]\n\nBe brief."
    assert system("default_prompt", "Be brief.") == [f"You are a careful assistant.\n\n{block}"]
    assert system("as_they_are", "Be brief.") == [block]
    assert system("default_prompt", "Be brief.", system_prompt="P") == [f"P\n\n{block}"]
    assert system("default_prompt", ()) == []
    assert system("default_prompt", " ") == []
    assert convert([HI], guidelines=[" ", "Be brief."]).guidelines == ("Be brief.",)
    assert system("default_prompt", "Be brief.", said("system", "Mine.")) == [f"Mine.\n\n{block}"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"messages": 5}, "input_messages are"),
        ({"guideline_patterns": 5}, "guideline_patterns"),
        ({"guidelines": 5}, "guidelines"),
        ({"system_prompt": 5}, "system_prompt"),
    ],
)
def test_arguments_of_convert(given: dict[str, Any], text: str) -> None:
    arguments = {"messages": [HI], **given}
    with pytest.raises(InvalidRequest, match=rf"^{text}\b"):
        convert(arguments.pop("messages"), **arguments)


def test_a_single_turn_keeps_its_prompt_guidelines_and_files(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Two spaces.", "utf-8")
    turn = said("user", "Hi", file("a.md"))
    policies = ContextPolicies(structured_when="multi_turn")
    found = convert(
        [turn],
        files=Files(tmp_path),
        guideline_patterns=["*.md"],
        system_prompt="Be brief.",
        policies=policies,
    )
    address = (tmp_path / "a.md").as_uri()
    assert (found.chat_prompt, found.system_prompt, found.guidelines) == (None, "Be brief.", ("Two spaces.",))
    assert found.guideline_files == {"a.md": address}
    both = convert(
        [turn, said("assistant", "Ok")], files=Files(tmp_path), guideline_patterns=["*.md"], system_prompt="P"
    )
    assert (both.guideline_files, both.system_prompt) == ({"a.md": address}, "P")
    files = ContextPolicies(transcript_context="files")
    (sent,) = deliver(both, files, channel="transcript").messages
    assert sent.content.startswith(f"Read all guideline files:\n* [a.md]({address})\n\n[User]: Hi")
    empty = convert([said("system", "S")])
    assert notes_of(empty) == ["dropped input_messages: none is left that a model could answer"]


def test_where_instructions_of_a_prompt_go() -> None:
    def request(*rows: tuple[str, str], path: Any = "native") -> Request:
        prompt = [ChatMessage(role, text) for role, text in rows]
        return as_request(ProviderRequest(chat_prompt=tuple(prompt)), path=path)

    first = request(("system", "S"), ("user", "u"))
    assert (first.instructions, [message.role for message in first.messages]) == ("S", ["user"])
    kept = request(("system", "S"), ("user", "u"), path="message")
    assert (kept.instructions, [message.role for message in kept.messages]) == (None, ["system", "user"])
    later = request(("system", "S"), ("user", "u"), ("system", "T"))
    assert (later.instructions, len(later.messages)) == (None, 3)
    with_media = ChatMessage("system", "S", parts=(Text("S"), Image(data=PNG, media_type="image/png")))
    media = as_request(ProviderRequest(chat_prompt=(with_media, ChatMessage("user", "u"))))
    assert (media.instructions, len(media.messages)) == (None, 2)
    with pytest.raises(InvalidRequest, match="there is no message and no question to send"):
        as_request(ProviderRequest())
    with pytest.raises(InvalidRequest, match="no message is the user's, and this API requires one"):
        deliver(ProviderRequest(chat_prompt=(ChatMessage("system", "S"),)), requires_user_message=True)
    with pytest.raises(InvalidRequest, match="a channel is structured, transcript or an API, not"):
        deliver(ProviderRequest(question="Hi"), channel="odd")  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match=r'^"odd" is not a role of a prompt: use one of system, user'):
        ChatMessage("odd", "x")
