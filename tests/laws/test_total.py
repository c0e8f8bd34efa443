"""Law 7: whatever comes in, out comes a result or an error of ours, and never a credential."""

from __future__ import annotations

import contextlib
from collections import UserDict
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import strategies as st

import promptwire
from promptwire import Built, Message, PromptwireError, Reading, Request, Text
from tests.laws.fitting import fitting
from tests.laws.specimens import divided, least_options, specimens
from tests.laws.strategies import damaged, example_bodies, law
from tests.laws.traces import address, module
from tests.searching import TESTED_WIRES, some_of
from tests.strategies import json_values, requests

SECRET = "sk-3141592653589793"


def cyclic() -> dict[str, Any]:
    """Make an object that holds itself."""
    found: dict[str, Any] = {"a": 1}
    found["self"] = [found]
    return found


def deep(levels: int) -> Any:
    """Make a list in a list in a list."""
    found: Any = "bottom"
    for _ in range(levels):
        found = [found]
    return found


ODD: tuple[Any, ...] = (
    None, "", " ", "text", "\ud800", "\x00", 0, -1, 10**5000, True, 0.5, float("nan"), float("inf"), b"bytes", (), (None,),
    ("text",), [], ["text"], [None], {}, {1: 2}, {None: 1, "a": 2}, {(1, 2): 3}, {"a": {"b": float("nan")}}, {"a": object()},
    MappingProxyType({"a": 1}), UserDict({"a": 1}), object(), {"a"}, deep(3000), int, Request(),
)  # fmt: skip


def everything(wire: str, request: Request, settings: Any, policies: Any) -> str:
    """Build a request, use all that a caller can use, and give the text of all that is shown."""
    shown: list[str] = []
    uses: list[Callable[[Built[Any]], object]] = [
        lambda built: built.json().decode(),
        lambda built: built.curl(),
        lambda built: built.digest,
        lambda built: (built.url, built.headers),
        repr,
    ]
    try:
        built: Built[Any] = module(wire).build(request, settings=settings, policies=policies)
    except PromptwireError as error:
        return f"{error} {error!r}"
    for use in uses:
        try:
            shown.append(str(use(built)))
        except PromptwireError as error:
            shown.append(f"{error} {error!r}")
    return " ".join([*shown, repr(built.notes), *map(str, built.notes)])


def broken(data: st.DataObject, node: Any) -> Any:
    """Return a copy of a node with odd values in some fields, as far as its class takes them."""
    names = [each.name for each in fields(node) if each.init]
    for name in data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)):
        value = getattr(node, name)
        inside = value[0] if type(value) is tuple and value else value
        if is_dataclass(inside) and data.draw(st.booleans()):
            odd = broken(data, inside)
            odd = (odd, *value[1:]) if type(value) is tuple else odd
        else:
            odd = cyclic() if data.draw(st.integers(0, 30)) == 7 else data.draw(st.sampled_from(ODD))
        with contextlib.suppress(PromptwireError):
            node = replace(node, **{name: odd})
    return node


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(50, dialect=24)
def test_any_request(wire: str, data: st.DataObject) -> None:
    request = broken(data, data.draw(fitting(wire) | requests(), "request"))
    policies = data.draw(st.sampled_from(("strict", "lenient", "verbatim")))
    everything(wire, request, None, policies)


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_any_value_in_any_field(wire: str) -> None:
    odds, first = divided(wire, [*ODD, cyclic()]), promptwire.WIRES.index(wire)
    seen: set[tuple[type, str]] = set()
    for specimen in specimens(wire):
        for each in fields(specimen.node):
            if not each.init or (type(specimen.node), each.name) in seen:
                continue
            seen.add((type(specimen.node), each.name))
            for odd in some_of(odds, first + len(seen), 10):
                with contextlib.suppress(PromptwireError):
                    everything(
                        wire, specimen.around(replace(specimen.node, **{each.name: odd})), None, "lenient"
                    )


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_any_settings_and_policies(wire: str) -> None:
    request = Request("m", [promptwire.user("hi")], options=promptwire.Options(max_tokens=8))
    names = list(module(wire).WIRE.settings)
    for odd in (*ODD, cyclic()):
        everything(wire, request, odd, "strict")
        everything(wire, request, None, odd)
        for name in names:
            everything(wire, request, {name: odd}, "strict")


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(25, dialect=12)
def test_no_credential_is_shown(wire: str, data: st.DataObject) -> None:
    found = module(wire).WIRE
    settings = dict.fromkeys(found.secrets, SECRET)
    request = data.draw(fitting(wire) | requests(), "request")
    unknown = data.draw(st.booleans())
    settings |= {"api_kye": SECRET} if unknown else {}
    built_with = everything(wire, request, settings, data.draw(st.sampled_from(("strict", "lenient"))))
    shown = built_with.replace(_headers(wire, request, settings), "")
    assert SECRET not in shown


def _headers(wire: str, request: Request, settings: dict[str, Any]) -> str:
    """Return the text of the headers, the one place where a credential belongs."""
    with contextlib.suppress(PromptwireError):
        return str(module(wire).build(request, settings=settings, policies="lenient").headers)
    return ""


def use(wire: str, body: Any) -> None:
    """Read any value, use all that a reading offers, and build it again."""
    try:
        reading: Reading = module(wire).read(body)
        assert reading.understood + reading.kept == reading.leaves
        assert all(type(path) is str for path in reading.unknown)
        everything(wire, reading.request, None, "verbatim")
        everything(wire, reading.request, None, "strict")
    except PromptwireError:
        return


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(60, dialect=24)
def test_any_body(wire: str, data: st.DataObject) -> None:
    keys = sorted({key for body in example_bodies(wire) for key in body})
    objects = st.dictionaries(st.sampled_from(keys), json_values() | st.lists(json_values()), max_size=5)
    use(wire, data.draw(st.one_of(json_values(), objects, damaged(wire)), "body"))


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_odd_bodies(wire: str) -> None:
    first = promptwire.WIRES.index(wire)
    for number, key in enumerate(sorted({key for body in example_bodies(wire) for key in body}), first):
        body = next(body for body in example_bodies(wire) if key in body)
        for odd in some_of(divided(wire, ODD), number, 4):
            use(wire, {**body, key: odd})
    for odd in ODD:
        use(wire, odd)


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_curl_shows_a_variable_for_each_credential(wire: str) -> None:
    secrets = module(wire).WIRE.secrets
    request = Request("m", Message("user", (Text("hi"),)), options=least_options(wire))
    addresses = dict.fromkeys(("base_url", "endpoint"), "https://x")
    unused = {*secrets, *module(wire).WIRE.address_only}
    others = {name: addresses.get(name, "x") for name in module(wire).WIRE.settings if name not in unused}
    others = {name: value for name, value in others.items() if not module(wire).WIRE.settings[name].choices}
    others |= address(wire)
    for name, variable in secrets.items():
        shown = module(wire).build(request, settings={**others, name: SECRET}).curl()
        assert SECRET not in shown
        assert f"${variable}" in shown
