"""Law: whatever the message of an error promises holds when it is done.

Promises are `policies="..." builds this request, with N notes`, `use its own, TYPE`, `set vendor.API.OPTION instead`
and `no repair is right`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import promptwire
from promptwire import HostedTool, Options, PromptwireError, Request, RequestError, load_request, user
from tests.internals.runtime import HOSTED_KINDS, hosted_words
from tests.laws.test_built_is_accepted import models
from tests.laws.test_witnesses import witnesses
from tests.laws.traces import address, module

_BUILDS = re.compile(r'policies="(\w+)" builds this request, with (\d+) notes?')
_OWN = re.compile(r"use its own, [\w:.-]+")
_OPTION = re.compile(r"set vendor\.(\w+)\.(\w+) instead")
# what the caller of a tool says itself
_SETTINGS = {"mcp": {"server_label": "a", "server_url": "https://a.example"}}
_WIRES = sorted(promptwire.WIRES)

pytestmark = pytest.mark.slow


def broken_promises(wire: str, request: Request, settings: dict[str, Any]) -> Iterator[str]:
    """Yield what the message of a strict build promises and does not hold."""
    build = module(wire).build
    try:
        build(request, settings=settings)
    except PromptwireError as error:
        said = str(error)
    else:
        return
    for preset, count in _BUILDS.findall(said):
        built = build(request, settings=settings, policies=preset)
        if len(built.notes) != int(count):
            yield f"{preset} builds it with {len(built.notes)} notes: {said}"
    if not _BUILDS.search(said):
        for preset in ("portable", "lenient"):
            try:
                build(request, settings=settings, policies=preset)
            except PromptwireError:
                continue
            yield f"{preset} builds it, which is not said: {said}"


@pytest.mark.parametrize("wire", _WIRES)
def test_the_preset_that_is_named_builds_the_request(wire: str) -> None:
    found = [
        broken
        for row in witnesses(wire)
        for broken in broken_promises(
            wire, load_request(row["request"]), {**address(wire), **(row.get("settings") or {})}
        )
    ]
    assert found == []


def hosted_tools() -> Iterator[HostedTool]:
    """Yield a tool of each type that some provider runs."""
    for wires in HOSTED_KINDS.values():
        for words in wires.values():
            if "type" in words:
                yield HostedTool(words["type"], words.get("name"), words.get("config"))


def about_tools(wire: str, request: Request) -> list[str]:
    """Return the problems of a strict build with its tools or options."""
    try:
        module(wire).build(request, settings=address(wire))
    except RequestError as error:
        found = error.problems
    else:
        return []
    return [str(each) for each in found if each.path.startswith("tools") or each.field.startswith("vendor")]


@pytest.mark.parametrize("wire", _WIRES)
def test_the_tool_or_option_that_is_named_is_accepted(wire: str) -> None:
    for model in models(wire):
        for tool in hosted_tools():
            request = Request(model, [user("hi")], tools=[tool], options=Options(max_tokens=99))
            said = "\n".join(about_tools(wire, request))
            if _OWN.search(said):
                words = hosted_words(tool.type, wire, module(wire).WIRE.api)
                assert words["type"] in said
                settings = {**(words.get("config") or {}), **_SETTINGS.get(words["type"], {})}
                own = HostedTool(words["type"], words.get("name"), settings)
                assert about_tools(wire, request.replace(tools=[own])) == [], (model, said)
            for name, option in _OPTION.findall(said):
                changed = request.replace(tools=None, vendor={name: {option: {}}})
                assert about_tools(wire, changed) == [], (model, said)
