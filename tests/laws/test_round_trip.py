"""Law 3: a body that was read is built again to the letter, and reading has a fixed point."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import reject, strategies as st

from promptwire import BodyError, Built, Reading, Request, RequestError
from promptwire.errors import MissingField, SettingError
from tests.internals.runtime import count_leaves, same, without_memory
from tests.laws.fitting import fitting
from tests.laws.strategies import damaged, example_bodies, law
from tests.laws.traces import address, module, walk
from tests.searching import TESTED_WIRES
from tests.strategies import requests


def built(wire: str, request: Request, policies: str) -> tuple[Any, str | None]:
    """Build a body, pass it through its JSON text as a server would see it, and give it with its URL."""
    made: Built[Any] = module(wire).build(request, policies=policies, settings=address(wire) or None)
    body = json.loads(made.json())
    try:
        return body, None if made.local else made.url
    except (MissingField, SettingError):  # a URL with a host of the caller's own, or with the model
        return body, None


def read(wire: str, body: Any, url: str | None) -> Reading:
    """Read a copy of a body, and see that the counts of the reading add up."""
    reading: Reading = module(wire).read(copy.deepcopy(body), url)
    counts = (reading.leaves, reading.understood + reading.kept)
    assert counts == (count_leaves(body), count_leaves(body))
    return reading


def comes_back(wire: str, body: Any, url: str | None = None) -> None:
    """See that a body comes back exactly, and that reading it once more changes nothing."""
    first = read(wire, body, url)
    again, _ = built(wire, first.request, "verbatim")
    assert same(again, body), (again, body)
    assert read(wire, again, url).request == first.request


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(25, dialect=14)
def test_what_was_built_comes_back(wire: str, data: st.DataObject) -> None:
    request = data.draw(st.one_of(fitting(wire), requests(), requests(memory=True)), "request")
    try:
        body, url = built(wire, request, "lenient")
    except RequestError:
        reject()
    comes_back(wire, body, url)


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(25, dialect=14)
def test_what_was_built_needs_no_memory(wire: str, data: st.DataObject) -> None:
    request = data.draw(fitting(wire), "request")
    try:
        body, url = built(wire, request, "strict")
    except RequestError:
        reject()
    reading = read(wire, body, url)
    remembered = {
        path: node.kept for path, node in walk(reading.request) if getattr(node, "kept", None) is not None
    }
    assert remembered == {}
    assert (reading.understood, reading.kept) == (reading.leaves, 0)
    assert same(built(wire, reading.request, "strict")[0], body)
    assert without_memory(reading.request) == reading.request


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_examples_come_back(wire: str) -> None:
    for body in example_bodies(wire):
        comes_back(wire, body)


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(80, dialect=24)
def test_damaged_bodies_come_back(wire: str, data: st.DataObject) -> None:
    body = data.draw(damaged(wire), "body")
    try:
        comes_back(wire, body)
    except BodyError as error:
        conversation = re.findall(r'"(\w+)"', str(error).partition(":")[2])
        assert conversation
        assert not any(type(body.get(key)) in (list, str) for key in conversation)
