"""Copies and pickles of nodes, requests and readings keep everything; what Python cannot copy is an error of ours."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import promptwire
from promptwire import Document, Json, Message, PromptwireError, Request, Text, ToolCall, user
from promptwire.errors import InvalidRequest
from tests.laws.specimens import Specimen, divided, specimens
from tests.laws.strategies import example_bodies
from tests.laws.traces import address, module
from tests.searching import TESTED_WIRES, some_of


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301  # of our own


WAYS = (copy.copy, copy.deepcopy, pickled)
COPIES = pytest.mark.parametrize("copied", WAYS, ids=["copy", "deepcopy", "pickle"])


def outcome(wire: str, request: Request) -> Any:
    try:
        built = module(wire).build(request, settings=address(wire))
    except PromptwireError as error:
        return type(error), str(error)
    return built.body, built.notes


def outcomes(wire: str) -> tuple[tuple[Specimen, Request, Any], ...]:
    """Return specimens, a request that holds each, and its outcome; the wires share the specimens among them."""
    mine = some_of(divided(wire, specimens(wire)), TESTED_WIRES.index(wire), 10)
    requests = [(specimen, specimen.around(specimen.node)) for specimen in mine]
    return tuple([(specimen, request, outcome(wire, request)) for specimen, request in requests])


@pytest.mark.slow
@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_every_node_is_kept(wire: str) -> None:
    for (specimen, request, wanted), copied in product(outcomes(wire), WAYS):
        node = copied(specimen.node)
        assert (type(node), node) == (type(specimen.node), specimen.node)
        around = specimen.around(node)
        assert copied(request) == request == around
        assert outcome(wire, copied(request)) == wanted == outcome(wire, around)


def facts(wire: str, reading: promptwire.Reading) -> list[Any]:
    counts = [reading.leaves, reading.kept, reading.understood, list(reading.unknown)]
    return [
        reading.request,
        reading.body,
        dict(reading.settings),
        reading.notes,
        counts,
        outcome(wire, reading.request),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_every_reading_is_kept(wire: str) -> None:
    bodies = some_of(divided(wire, example_bodies(wire)), TESTED_WIRES.index(wire), 4)
    for body, copied in product(bodies, WAYS):
        reading = module(wire).read({**body, "x_unknown": {"a": [1, None, 2.5]}})
        # before the counts are made, and after
        early = copied(reading)
        wanted = facts(wire, reading)
        assert facts(wire, early) == wanted
        assert facts(wire, copied(reading)) == wanted


def nested(around: Callable[[Any], Any], value: Any, levels: int) -> Any:
    content: Any = value
    for _ in range(levels):
        content = around(content)
    return content


def in_object(value: Any) -> dict[str, Any]:
    return {"a": value}


def in_list(value: Any) -> list[Any]:
    return [value]


def in_tuple(value: Any) -> tuple[Any, ...]:
    return (value,)


def in_document(part: Any) -> Document:
    return Document(parts=(part,))


def call(arguments: Any) -> ToolCall:
    return ToolCall("c", "f", arguments)


def vendor(options: Any) -> Text:
    return Text("t", vendor={"openai_chat": options})


def question(part: Any) -> Message:
    return user(part)


def cyclic() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["a"] = value
    return value


def wide() -> list[Any]:
    value: list[Any] = []
    for _ in range(60):
        value = [value, value]
    return value


@pytest.mark.slow
@COPIES
@pytest.mark.parametrize(
    "made",
    [
        (call, in_object, {}),
        (Json, in_list, 1),
        (vendor, in_object, {}),
        (Json, in_tuple, 1),
        (question, in_document, Text("x")),
    ],
    ids=["arguments", "json", "vendor", "tuples", "parts"],
)  # fmt: skip
def test_what_is_nested_too_deep_is_not_copied(
    copied: Callable[[Any], Any], made: tuple[Callable[[Any], Any], Callable[[Any], Any], Any]
) -> None:
    around, deeper, value = made
    node = around(nested(deeper, value, 80))
    assert copied(node) == node
    node = around(nested(deeper, value, 20_000))
    for whole in (node, Request("m", [user("hi")], vendor={"w": {"a": node}})):
        with pytest.raises(InvalidRequest, match="nested too deep to be copied"):
            copied(whole)


@COPIES
@pytest.mark.parametrize("value", [cyclic(), wide()], ids=["cyclic", "wide"])
def test_what_has_no_end_is_not_copied(copied: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(
        InvalidRequest, match="Message: a value is nested too deep to be copied, holds itself"
    ):
        copied(Message("user", (Json(value),)))
