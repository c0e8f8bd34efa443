"""Law 2, field by field: no field of any node can be set without a trace in what is sent, a note or an error."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import promptwire
from promptwire import Continuation, Message
from promptwire.plugins import Report
from tests.laws.fields import changes, untraced
from tests.laws.specimens import Specimen, base, divided, specimens
from tests.laws.traces import Names, Outcome, outcome
from tests.searching import TESTED_WIRES, some_of


def silent(wire: str, specimen: Specimen, policies: str) -> Iterator[str]:
    """Set every field of a node in turn, and tell of every leaf of its value that leaves no trace at all."""
    before = outcome(wire, specimen.around(specimen.node), policies)
    known = specimen.around(specimen.node)
    if before.error or Names(known, before.named).cover(f"{specimen.path}.any"):
        return
    for change in changes(wire, specimen):
        after = outcome(wire, change.request, policies)
        # a prompt of one message refuses the whole conversation, which is not silent
        found = () if is_refused_whole(after) else untraced(change, before, after)
        yield from (f"{policies}: {specimen.name}: {each}" for each in found)


def is_refused_whole(found: Outcome) -> bool:
    """Return whether an API with a prompt of one message refused a conversation."""
    problems = [found.error, *getattr(found.error, "problems", ())]
    return any(getattr(problem, "field", None) == "messages.count" for problem in problems)


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_no_field_is_lost_in_silence(wire: str) -> None:
    found = [
        each
        for policies, nodes in (
            ("lenient", some_of(divided(wire, specimens(wire)), promptwire.WIRES.index(wire), 2)),
            ("strict", some_of(divided(wire, specimens(wire)))),
        )
        for one in nodes
        for each in silent(wire, one, policies)
    ]
    assert found == []


@pytest.mark.parametrize("report", ["lost", "unused", "note"])
def test_it_would_be_seen(report: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Report, report, lambda *_: None)
    found = (each for one in specimens("openai_chat") for each in silent("openai_chat", one, "lenient"))
    assert next(found, None) is not None


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_messages_that_the_server_holds_are_named(wire: str) -> None:
    messages = (Message("user", "first"), Message("assistant", "second"), Message("user", "third"))
    continued = base(wire, messages=messages, continuation=Continuation(id="r1", start=2, wire=wire))
    found = outcome(wire, continued, "lenient")
    if is_refused_whole(found):
        return
    names = Names(continued, found.named)
    texts = {
        f"messages[{index}].parts[0].text": text for index, text in enumerate(("first", "second", "third"))
    }
    assert {path: text in found.sent or names.cover(path) for path, text in texts.items()} == dict.fromkeys(
        texts, True
    )
