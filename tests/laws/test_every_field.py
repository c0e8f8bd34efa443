"""Law 2, field by field: no field of any node can be set without a trace in what is sent, a note or an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import is_dataclass, replace
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import promptwire
import pytest

from promptwire_runtime import InvalidRequest, MissingField, Refused
from promptwire_runtime.parts import Cache, Text
from promptwire_runtime.request import Message
from promptwire_runtime.tools import Tool
from tests.laws.specimens import Specimen, field_names, specimens, vendor_names
from tests.laws.traces import is_named, outcome, walk

MARK = "mk7391"
NUMBER = 73915573
MARKS = re.compile(rf"{MARK}\d*|{NUMBER}")
# fields whose value decides which node it is; every one of their values is a specimen of its own
KINDS = {("Message", "role"), ("ToolChoice", "mode"), ("ResponseFormat", "kind"), ("Opaque", "wire"), ("Opaque", "place")}


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
        yield from (f"{kind}/{MARK}" for kind in ("image", "audio", "video", "application"))
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


def silent(wire: str, specimen: Specimen, name: str, value: Any) -> list[tuple[str, str]]:
    """Set one field and give (policies, path) of every leaf of its value that leaves no trace at all."""
    try:
        changed = specimen.around(replace(specimen.node, **{name: value}))
    except InvalidRequest:
        return []
    unchanged = specimen.around(specimen.node)
    path = f"{specimen.path}.{name}" if specimen.path else name
    found: list[tuple[str, str]] = []
    for policies in ("lenient", "strict"):
        before = outcome(wire, unchanged, policies)
        if before.error:
            continue
        after = outcome(wire, changed, policies)
        places = [(place, MARKS.findall(str(leaf))) for place, leaf in walk(value, path) if not is_holder(leaf)]
        if after.error is not None:
            told = isinstance(after.error, (MissingField, Refused))  # these may name the other field of a pair
            if not told and not any(is_named(changed, place, after.named) for place, _ in places):
                found.append((policies, f"{path} = {value!r}: {after.error}"))
            continue
        for place, marks in places or [(path, [])]:
            sent = after.sent != before.sent and all(mark in after.sent for mark in marks)
            if not sent and not is_named(changed, place, after.named):
                found.append((policies, f"{place} = {value!r}: neither sent nor named"))
    return found


def is_holder(value: Any) -> bool:
    """Tell whether a value only holds other values."""
    return isinstance(value, (tuple, list, dict)) or is_dataclass(value)


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_no_field_is_lost_in_silence(wire: str) -> None:
    found: list[str] = []
    for specimen in specimens(wire):
        cls = type(specimen.node)
        for name in field_names(cls):
            if (cls.__name__, name) in KINDS:
                continue
            for value in values(wire, cls, name):
                if value != getattr(specimen.node, name):
                    found += silent(wire, specimen, name, value)
    assert found == []

