"""Values for every field of every node, each with a mark, and where a value that was set left its trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass, replace
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import promptwire
from promptwire import Cache, Message, Request, Text, Tool
from promptwire.errors import InvalidRequest, MissingField, NoPlace, Refused
from tests.laws.specimens import Specimen, field_names, vendor_names
from tests.laws.traces import Names, Outcome, module, walk

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
# fields of what an API gave under an id, which it knows by the id
HELD_BY_ID = {("Audio", "data"), ("Audio", "transcript")}


@dataclass(frozen=True)
class Change:
    """A request in which one field of a node, or several, were set: path and value of each."""

    request: Request
    values: tuple[tuple[str, Any], ...]


def changes(wire: str, specimen: Specimen) -> Iterator[Change]:
    """Set every field of a node in turn, to each value that it may have."""
    known = specimen.around(specimen.node)
    cls = type(specimen.node)
    for name in field_names(cls):
        path = f"{specimen.path}.{name}" if specimen.path else name
        known_by_id = (cls.__name__, name) in HELD_BY_ID and specimen.node.id is not None
        for value in () if known_by_id or (cls.__name__, name) in KINDS else values(wire, cls, name):
            if name == "stream" and value is False and _url_streams(wire):
                continue  # another address asks for a stream
            try:
                request = specimen.around(replace(specimen.node, **{name: value}))
            except InvalidRequest:
                continue
            if request != known:
                yield Change(request, ((path, value),))


def _url_streams(wire: str) -> bool:
    """Return whether a wire asks for a stream by its URL alone."""
    return any(streams is not None for _, streams, _ in module(wire).WIRE.urls)


def values(wire: str, cls: type, name: str) -> Iterator[Any]:
    """Yield values to set one field to; all but bools hold `MARK` or `NUMBER`."""
    if name in ("vendor", "extra"):
        yield {wire: {MARK: MARK}}
        yield {"elsewhere": {"a": MARK}}
        if name == "vendor":
            yield {
                wire: {
                    option: f"{MARK}{index}" for index, option in enumerate(vendor_names(wire) or ("none",))
                }
            }
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
    yield from _of_hint(_hints(cls)[name])


@cache
def _hints(cls: type) -> dict[str, Any]:
    """Return the types of a node's fields; to work them out takes longer than a build."""
    return get_type_hints(cls)


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


def untraced(change: Change, before: Outcome, after: Outcome) -> Iterator[str]:
    """Yield every leaf of the values that were set and is neither sent nor named by a note or the error."""
    names = Names(change.request, after.named)
    for path, value in change.values:
        places = [
            (place, MARKS.findall(str(leaf))) for place, leaf in walk(value, path) if not is_holder(leaf)
        ]
        if after.error is not None:
            # these may name the other field of a pair: NoPlace, where two fields of one part have shapes of their own
            node = path.rpartition(".")[0]
            pair = node.endswith("]") and any(place == node for place, _ in after.named)
            told = isinstance(after.error, (MissingField, Refused)) or (
                isinstance(after.error, NoPlace) and pair
            )
            if not told and not any(names.cover(place) for place, _ in places):
                yield f"{path} = {value!r}: {after.error}"
            continue
        for place, marks in places or [(path, [])]:
            changed = after.sent != before.sent or _says(after.body, place, value)
            sent = changed and all(mark in after.sent for mark in marks)
            if not sent and not names.cover(place):
                yield f"{place} = {value!r}: neither sent nor named"


def _says(body: Any, field: str, value: Any) -> bool:
    """Return whether a body says that a flag is false, as it may where nobody has set it."""
    return value is False and isinstance(body, dict) and body.get(field) is False


def is_holder(value: Any) -> bool:
    """Return whether a value only holds other values."""
    return isinstance(value, (tuple, list, dict)) or is_dataclass(value)
