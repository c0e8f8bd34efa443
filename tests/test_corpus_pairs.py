"""Recorded pairs of requests: what follows an answer that a server holds is the request that its client sent.

A line of the file names two recorded requests, `first` and `next`, and the answer between them has the id of the first;
pairs of other kinds than `server_state` are passed over.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import promptwire
from promptwire import Continuation, Request
from tests.answers import module, read_stream
from tests.internals.commands import choose_wires
from tests.test_corpus_answers import Row

Pair = tuple[Row, Any, Any, Any]


def _by_id(path: Path) -> dict[Any, Any]:
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {(row["id"], row.get("take", 0)): row for row in rows}


@pytest.fixture(scope="module")
def pairs(recorded_pairs: Path, corpus: Path, recorded_answers: Path) -> list[Pair]:
    """Each answer that a server holds, with the requests before and after it."""
    wires = choose_wires(promptwire.WIRES, (), promptwire.ALIASES)
    requests, answers = _by_id(corpus), _by_id(recorded_answers)
    held: list[Pair] = []
    for pair in map(json.loads, recorded_pairs.read_text("utf-8").splitlines()):
        if pair["kind"] == "server_state":
            recorded = answers[pair["first"], pair.get("take", 0)]
            wire = str(wires.find_wire(recorded["api"], recorded["wire"]))
            row = Row(recorded["id"], recorded["api"], wire, recorded)
            held.append((row, requests[pair["first"], 0], requests[pair["next"], 0], pair["by"]))
    assert held, f"{recorded_pairs} holds no pair of the kind server_state"
    return held


def _following(pair: Pair) -> tuple[Request, Any]:
    """Return the next request as it was read, but with our history and continuation."""
    row, first, following, _ = pair
    wire = module(row.wire)
    asked = wire.read(first["body"], first["url"]).request
    asked = asked if asked.continuation is not None else replace(asked, continuation=Continuation())
    answer = (
        read_stream(row.wire, [row.raw()], row.framing)[1]
        if row.recorded["streamed"]
        else wire.read_answer(row.recorded["response"])
    )
    reading = wire.read(following["body"], following["url"])
    after = asked.after(answer, *reading.request.messages)
    return replace(
        reading.request, messages=after.messages, continuation=after.continuation
    ), reading.settings


def test_every_request_that_continues_is_built_as_it_was_sent(pairs: list[Pair]) -> None:
    for pair in pairs:
        request, settings = _following(pair)
        built = module(pair[0].wire).build(request, settings=settings or None)
        assert built.body == pair[2]["body"], pair[0].name


def test_without_what_the_server_holds_all_is_sent(pairs: list[Pair]) -> None:
    for pair in pairs:
        request, settings = _following(pair)
        assert request.continuation is not None
        forgotten = replace(request, continuation=replace(request.continuation, expired=True))
        body = module(pair[0].wire).build(forgotten, settings=settings or None, policies="lenient").body
        assert pair[3] not in body, pair[0].name
        assert len(body["input"]) > len(pair[2]["body"]["input"]), pair[0].name
