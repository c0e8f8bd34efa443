"""Rules about the order inside and between messages, and about all text of the messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptwire import Message, Request, ResponseFormat, Text, ToolCall
from promptwire.errors import Refused
from tests.compiler.compiled import load_wire
from tests.compiler.rule_cases import HELD, RESULT, USER, said
from tests.compiler.ruled_spec import ruled
from tests.internals.compiler import SpecError

CALL = ToolCall("a1", "f", {})
CALLING = Message("assistant", [CALL])
PICTURED = Message("user", [HELD])
OUTSIDE, INSIDE = "assistant.tool_call.before=end|user.text", "assistant.tool_call.before!=tool_call|tool.*"
BEHIND: list[tuple[str, list[Request], list[Request]]] = [
    (
        OUTSIDE,
        [said(USER, CALLING), said(CALLING, USER), said(Message("assistant", [Text("a"), CALL]), USER)],
        [said(CALLING, RESULT), said(CALLING, PICTURED), said(Message("assistant", [CALL, Text("a")]), USER)],
    ),
    (
        INSIDE,
        [said(CALLING, USER), said(CALLING), said(Message("assistant", [CALL, Text("a")]), RESULT)],
        [said(CALLING, RESULT), said(Message("assistant", [CALL, CALL]), RESULT), said(USER)],
    ),
    ("assistant.tool_call.before=text", [said(Message("assistant", [CALL, Text("a")]))], [said(CALLING, USER)]),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "refused", "taken"), BEHIND, ids=[row[0] for row in BEHIND])
def test_what_stands_behind_a_part_is_the_next_one_or_the_next_message(
    tmp_path: Path, entry: str, refused: list[Request], taken: list[Request]
) -> None:
    made = load_wire(tmp_path, "ruled_chat", ruled(entry))
    for request in refused:
        with pytest.raises(Refused) as caught:
            made.build(request)
        assert caught.value.field == "assistant.tool_call.before"
        assert ".parts[" in (caught.value.path or "")
    for request in taken:
        made.build(request)


def test_a_part_is_no_neighbour_that_a_spec_can_misspell(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r'"txet" is no message beside one'):
        load_wire(tmp_path, "ruled_chat", ruled("assistant.tool_call.before=txet"))


def test_a_word_may_stand_anywhere_in_the_messages(tmp_path: Path) -> None:
    spec = ruled("messages.text!~.*please.*")
    asked = load_wire(
        tmp_path, "ruled_chat", spec.replace("  - reject", "  - when: {given: [response_format]}\n    reject")
    )
    form = ResponseFormat("json_schema", schema={"title": "please"})

    def formed(*messages: Message) -> Request:
        return Request("m", messages, response_format=form)

    with pytest.raises(Refused) as caught:
        asked.build(formed(USER, Message("assistant", "hm"), USER))
    assert caught.value.field == "messages.text"
    asked.build(said(USER))
    asked.build(formed(USER, Message("assistant", "hm"), Message("user", ["Go on,\n", "please."])))
    asked.build(formed(Message("assistant", [ToolCall("a1", "f", {"say": "please"})]), RESULT))
