"""Law 2, field by field: no field of any node can be set without a trace in what is sent, a note or an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import is_dataclass, replace
from types import NoneType, UnionType
from typing import Union, get_args, get_origin, get_type_hints

import pytest

import promptwire
from promptwire_runtime import (
    BuildContext,
    Cache,
    Continuation,
    InvalidRequest,
    Message,
    MissingField,
    NoPlace,
    Refused,
    Request,
    Text,
    Tool,
)
from promptwire_runtime.typed import Any
from tests.laws.specimens import Specimen, base, divided, field_names, specimens, vendor_names
from tests.laws.traces import Names, Outcome, module, outcome, walk

MARK = "mk7391"
NUMBER = 73915573
MARKS = re.compile(rf"{MARK}\d*|{NUMBER}")
# fields whose value decides which node it is; every one of their values is a specimen of its own
KINDS = {
    ("Message", "role"),
    ("ToolChoice", "mode"),
    ("ResponseFormat", "kind"),
    ("Opaque", "wire"),
    ("Opaque", "place"),
}


def values(wire: str, cls: type, name: str) -> Iterator[Any]:
    """Give values to set one field to; all but bools hold `MARK` or `NUMBER`."""
    if name in ("vendor", "extra"):
        yield {wire: {MARK: MARK}}
        yield {"elsewhere": {"a": MARK}}
        if name == "vendor":
            yield {wire: {option: f"{MARK}{index}" for index, option in enumerate(vendor_names(wire))}}
        return
    if (cls.__name__, name) == ("Instruction", "role"):
        yield "developer"
        return
    if (cls.__name__, name) == ("Continuation", "wire"):
        yield "elsewhere"
        return
    if (cls.__name__, name) == ("Continuation", "start"):
        yield 1
        return
    if name == "messages":
        yield (Message("user", MARK),)
        return
    if name == "media_type":
        yield from (f"{kind}/{MARK}" for kind in ("image", "audio", "application"))
    if name == "arguments":
        yield f'{{"a": "{MARK}"}}'
    yield from _of_hint(get_type_hints(cls)[name])


def _of_hint(hint: Any) -> Iterator[Any]:
    if get_origin(hint) in (Union, UnionType):
        for each in get_args(hint):
            yield from _of_hint(each)
    elif get_origin(hint) is tuple:
        for each in _of_hint(get_args(hint)[0]):
            yield (each,)
    elif hint is Any:
        yield {"a": MARK}
    elif hint in _OF_TYPE:
        yield from _OF_TYPE[hint]
    elif hint is not NoneType:
        made = _NODES.get(getattr(hint, "__name__", ""))
        if made is not None:
            yield from made
        elif get_origin(hint) is not None:
            yield {MARK: NUMBER}


_OF_TYPE: dict[Any, tuple[Any, ...]] = {str: (MARK,), bool: (True, False), int: (NUMBER,), float: (NUMBER,)}
_NODES: dict[str, tuple[Any, ...]] = {
    "Cache": (Cache(), Cache(MARK)),
    "Part": (Text(MARK),),
    "Instruction": (promptwire.Instruction(MARK),),
    "Tool": (Tool(MARK, parameters={"type": "object"}),),
    "Options": (),  # these have specimens of their own
}


def silent(wire: str, specimen: Specimen, policies: str) -> Iterator[str]:
    """Set every field of a node in turn, and tell of every leaf of its value that leaves no trace at all."""
    before = outcome(wire, specimen.around(specimen.node), policies)
    known = specimen.around(specimen.node)
    if before.error or Names(known, before.named).cover(f"{specimen.path}.any"):
        return
    cls = type(specimen.node)
    for name in field_names(cls):
        path = f"{specimen.path}.{name}" if specimen.path else name
        for value in () if (cls.__name__, name) in KINDS else values(wire, cls, name):
            if name == "stream" and value is False and _url_streams(wire):
                continue  # another address asks for a stream
            try:
                changed = specimen.around(replace(specimen.node, **{name: value}))
            except InvalidRequest:
                continue
            if changed != known:
                found = untraced(changed, path, value, before, outcome(wire, changed, policies))
                yield from (f"{policies}: {specimen.name}: {each}" for each in found)


def _url_streams(wire: str) -> bool:
    """Tell whether a wire asks for a stream by its URL alone."""
    return any(streams is not None for _, streams, _ in module(wire).WIRE.urls)


def untraced(changed: Request, path: str, value: Any, before: Outcome, after: Outcome) -> Iterator[str]:
    """Tell of every leaf of a value that was set and is neither sent nor named by a note or the error."""
    places = [(place, MARKS.findall(str(leaf))) for place, leaf in walk(value, path) if not is_holder(leaf)]
    names = Names(changed, after.named)
    if after.error is not None:
        # these may name the other field of a pair: NoPlace, where two fields of one part have shapes of their own
        node = path.rpartition(".")[0]
        pair = node.endswith("]") and any(place == node for place, _ in after.named)
        told = isinstance(after.error, (MissingField, Refused)) or (isinstance(after.error, NoPlace) and pair)
        if not told and not any(names.cover(place) for place, _ in places):
            yield f"{path} = {value!r}: {after.error}"
        return
    for place, marks in places or [(path, [])]:
        sent = after.sent != before.sent and all(mark in after.sent for mark in marks)
        if not sent and not names.cover(place):
            yield f"{place} = {value!r}: neither sent nor named"


def is_holder(value: Any) -> bool:
    """Tell whether a value only holds other values."""
    return isinstance(value, (tuple, list, dict)) or is_dataclass(value)


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_no_field_is_lost_in_silence(wire: str) -> None:
    found = [
        each
        for policies, nodes in (("lenient", specimens(wire)), ("strict", divided(wire, specimens(wire))))
        for one in nodes
        for each in silent(wire, one, policies)
    ]
    assert found == []


@pytest.mark.parametrize("report", ["lost", "unused", "note"])
def test_it_would_be_seen(report: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BuildContext, report, lambda *_: None)
    found = (each for one in specimens("openai_chat") for each in silent("openai_chat", one, "lenient"))
    assert next(found, None) is not None


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_messages_that_the_server_holds_are_named(wire: str) -> None:
    messages = (Message("user", "first"), Message("assistant", "second"), Message("user", "third"))
    continued = base(wire, messages=messages, continuation=Continuation(id="r1", start=2, wire=wire))
    found = outcome(wire, continued, "lenient")
    names = Names(continued, found.named)
    texts = {
        f"messages[{index}].parts[0].text": text for index, text in enumerate(("first", "second", "third"))
    }
    assert {path: text in found.sent or names.cover(path) for path, text in texts.items()} == dict.fromkeys(
        texts, True
    )
