"""Options under a name that is nearly the one of the wire are not taken for another wire's."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from itertools import permutations
from typing import Any

import pytest

import promptwire
from promptwire import Request, Text, openai_chat, user
from promptwire.errors import NoPlace
from tests.internals.runtime import is_misspelling
from tests.laws.specimens import base

OWN: Mapping[str, Any] = {"prediction": {"type": "content", "content": "x"}}


@pytest.mark.parametrize("name", ["opnai_chat", "openai-chat", "OpenAI Chat", "openai_chats"])
@pytest.mark.parametrize("field", ["vendor", "extra"])
def test_a_slip_in_the_name_of_the_wire_is_no_other_wire(field: str, name: str) -> None:
    given: dict[str, Any] = {field: {name: OWN}}
    for request, path in (
        (Request("m", [user("hi")], **given), ""),
        (Request("m", [user("hi", **given)]), "messages[0]"),
        (Request("m", [user("a", Text("hi", **given))]), "messages[0].parts[1]"),
    ):
        with pytest.raises(NoPlace) as refused:
            openai_chat.build(request)
        why = 'unknown wire; did you mean "openai_chat"?'
        where = f"openai_chat: {path}: " if path else "openai_chat: "
        assert str(refused.value).split("\n")[0] == f"{where}{field}.{name}: {why}"
        (note,) = openai_chat.build(request, policies="lenient").notes
        assert (note.action, note.path, note.field, note.why) == ("dropped", path, f"{field}.{name}", why)


def test_one_request_holds_options_for_many_wires() -> None:
    wires: dict[str, Any] = {wire: {"tier": 1} for wire in promptwire.WIRES}
    request = Request("m", [user("hi")], extra={**wires, "openai_chat": OWN})
    built = openai_chat.build(request)
    assert built.body["prediction"] == OWN["prediction"]
    assert {note.action for note in built.notes} == {"added", "dropped"}


def test_a_wire_of_the_caller_may_be_named_like_another() -> None:
    request = Request("m", [user("hi")], vendor={"openai_chat": OWN, "openai_chat2": {"a": 1}})
    (note,) = openai_chat.build(request).notes
    assert str(note) == "dropped vendor.openai_chat2.a: it is for another API"


def test_no_two_wires_are_near() -> None:
    # other vendors of one API
    known = {"aptix_responses", "xai_responses"}
    near = [pair for pair in permutations(promptwire.WIRES, 2) if is_misspelling(*pair)]
    assert [pair for pair in near if {*pair} != known] == []


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_every_wire_knows_slips_in_its_name(wire: str) -> None:
    module: Any = import_module(f"promptwire.{wire}")
    given = {wire.replace("_", ""): {"a": 1}}
    with pytest.raises(NoPlace, match=f'unknown wire; did you mean "{wire}"'):
        module.build(base(wire, extra=given))
