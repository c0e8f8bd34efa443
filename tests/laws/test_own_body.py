"""Law: a body is new: what the request does not hold itself can be changed, and nothing else changes with it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, cast

import pytest
from hypothesis import strategies as st

import promptwire
from promptwire import PromptwireError
from promptwire_runtime.nodes.records import fields, is_node
from tests.laws.fitting import fitting
from tests.laws.strategies import law
from tests.laws.traces import module


def containers(value: Any) -> Iterator[Any]:
    """Give every dict and list inside a value."""
    if is_node(value):
        for field in fields(value):
            yield from containers(getattr(value, field.name))
    elif isinstance(value, dict):
        yield value
        for item in cast("dict[Any, Any]", value).values():
            yield from containers(item)
    elif isinstance(value, list | tuple):
        if isinstance(value, list):
            yield value
        for item in cast("list[Any]", value):
            yield from containers(item)


@pytest.mark.parametrize("wire", promptwire.WIRES)
@law(20, dialect=8)
def test_what_is_changed_in_a_body_is_in_no_other(wire: str, data: st.DataObject) -> None:
    request = data.draw(fitting(wire), "request")
    before = copy.deepcopy(request)
    try:
        built = module(wire).build(request, policies="lenient")
    except PromptwireError:
        return
    body = copy.deepcopy(built.body)
    shared = {id(container) for container in containers(request)}
    for container in list(containers(built.body)):
        if id(container) not in shared:
            container.clear()
    assert request == before
    assert module(wire).build(request, policies="lenient").body == body
