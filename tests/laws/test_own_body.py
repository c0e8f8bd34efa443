"""Law: a body is new: what it does not share with the request by design is in no other place, body or request."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import strategies as st

import promptwire
from promptwire import Cache, PromptwireError, Request
from tests.internals.runtime import fields, holds_nodes, is_list, is_node, is_object, replace
from tests.laws.fitting import fitting
from tests.laws.specimens import Specimen, base, divided, specimens, vendor_names
from tests.laws.strategies import law
from tests.laws.traces import address, module
from tests.searching import TESTED_WIRES, some_of

# the fields whose lists and objects stand in a body without a copy, as the docstring of `build` says
SHARED = (
    "parameters", "returns", "format", "schema", "arguments", "result", "value", "citations", "clip", "extra", "kept",
)  # fmt: skip
JSON = {"a": [{"b": ["c"]}]}
# a build each: a repair builds several times
UNREPAIRED = "loss=note,refusals=send,repairs=off"


def containers(value: Any, *, shared: bool = True) -> Iterator[Any]:
    """Yield every dict and list inside a value; of nodes, only those that a body may share, or only the others."""
    if is_node(value):
        for field in fields(value):
            content = getattr(value, field.name)
            if is_node(content) or type(content) is tuple or (field.name in SHARED) is shared:
                yield from containers(content, shared=shared)
    elif is_object(value):
        yield value
        for item in value.values():
            yield from containers(item)
    elif is_list(value) or holds_nodes(value):
        if is_list(value):
            yield value
        for item in value:
            yield from containers(item, shared=shared)


def sharing(wire: str, request: Request, policies: str = "lenient") -> str:
    """Change all that is the body's own; say what else changed with it. Nothing of a request that is refused."""
    before = copy.deepcopy(request)
    try:
        built = module(wire).build(request, policies=policies, settings=address(wire))
    except PromptwireError:
        return ""
    body = copy.deepcopy(built.body)
    known = {id(container) for container in containers(request)}
    own = [container for container in containers(built.body) if id(container) not in known]
    if len(set(map(id, own))) < len(own):
        return f"something stands twice in {body}"
    for container in own:
        container.clear()
    if request != before:
        return f"{before} became {request}"
    again = module(wire).build(request, policies=policies, settings=address(wire)).body
    return "" if again == body else f"{body} became {again}"


def is_written(wire: str, specimen: Specimen) -> bool:
    """Return whether a wire has a place for a node: nothing of one that is left out can be shared."""
    request = specimen.around(specimen.node)
    try:
        module(wire).build(request, policies="refusals=send,repairs=off", settings=address(wire))
    except PromptwireError:
        return False
    return True


def dressed(node: Any, wire: str, options: tuple[str, ...]) -> Any:
    """Return a node with a cache mark and options of a wire, where it may have them, and so its parts and tools."""
    changes: dict[str, Any] = {}
    for field in fields(node):
        content = getattr(node, field.name)
        if field.name == "cache":
            changes["cache"] = Cache()
        elif field.name == "vendor" and options:
            changes["vendor"] = {wire: {option: copy.deepcopy(JSON) for option in options}}
        elif field.name in ("messages", "parts", "tools", "instructions") and holds_nodes(content):
            changes[field.name] = tuple([dressed(item, wire, options) for item in content])
    return replace(node, **changes)


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(20, dialect=8)
def test_what_is_changed_in_a_body_is_in_no_other(wire: str, data: st.DataObject) -> None:
    request = data.draw(fitting(wire), "request")
    options = data.draw(
        st.lists(st.sampled_from(vendor_names(wire) or ("none",)), max_size=3, unique=True), "options"
    )
    if data.draw(st.booleans(), "dressed"):
        request = dressed(request, wire, tuple(options))
    assert sharing(wire, request) == ""


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_marks_and_options_of_every_node_are_its_own(wire: str) -> None:
    names = vendor_names(wire)
    written = [specimen for specimen in divided(wire, specimens(wire)) if is_written(wire, specimen)]
    for number, specimen in enumerate(written):
        # options that exclude each other are refused together
        for options in (names, *some_of([names[at::4] for at in range(4)], number, 4)):
            request = specimen.around(dressed(specimen.node, wire, options))
            assert sharing(wire, request, UNREPAIRED) == "", (specimen.name, options)


@pytest.mark.parametrize("wire", TESTED_WIRES)
@pytest.mark.parametrize(
    "given",
    [
        {"metadata": {"a": "b"}},
        {"options": promptwire.Options(max_tokens=8, logit_bias={"7": 1.5})},
        {"tools": (promptwire.HostedTool("web_search", config=JSON),)},
        {"tool_choice": promptwire.ToolChoice("hosted", type="web_search", config=JSON)},
        {"messages": [promptwire.Message("assistant", [promptwire.parts.HostedCall("x", payload=JSON)])]},
    ],
    ids=["metadata", "logit_bias", "config", "config of a choice", "payload"],
)
def test_small_objects_are_copied(wire: str, given: dict[str, Any]) -> None:
    assert sharing(wire, base(wire, **copy.deepcopy(given))) == ""
