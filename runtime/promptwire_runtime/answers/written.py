"""The events of a written stream, as generated modules hold them: JSON with holes, in the notation of the specs.

The text `"$name"` is a hole, and so is its end in `"before_$name"`. The key `"name?"` is left out if its value says
nothing. An event is its data, or a list of its name and its data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..wire_json.kinds import is_list, is_object
from .table import WireTable

REST = "..."
"""The key whose template value, an object, is merged into the object around it."""
WrittenEvents = Sequence[Any]
_WHOLE = "$whole"


@dataclass(frozen=True, kw_only=True, eq=False)
class WrittenKind(WireTable):
    """The events of one kind of part.

    open   when it begins
    begin  when one of its texts begins
    piece  for each piece of its text
    end    when one of its texts has ended
    more   the path of a value -> the events that say it, where it came when the part was whole; `[]` is each element
    before  the same for what a part began with
    close  when it has ended
    item   the whole part, for events that repeat it; an element of a list with `$whole` stands for each of its texts
    empty  the text of one that came without any
    ids    whether every call must have an id
    json   whether the arguments of a call must be a JSON object
    """

    open: WrittenEvents = ()
    begin: WrittenEvents = ()
    piece: WrittenEvents = ()
    end: WrittenEvents = ()
    more: Mapping[tuple[str, ...], WrittenEvents] = field(
        default_factory=dict[tuple[str, ...], WrittenEvents]
    )
    before: Mapping[tuple[str, ...], WrittenEvents] = field(
        default_factory=dict[tuple[str, ...], WrittenEvents]
    )
    close: WrittenEvents = ()
    item: Any = None
    empty: str = ""
    ids: bool = False
    json: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class WrittenStream(WireTable):
    """All events of one wire.

    every   keys of each event but those of an error
    kinds   the events of `text`, `reasoning`, `refusal` and `call`, of a call of a `custom` tool, and of a whole `part`
            of any other kind, as far as the wire has them
    start   before the first part of a candidate
    finish  for each candidate, when all parts have ended
    usage   after these, where counts are known
    end     the last
    error   in place of all that would follow
    usage_on_request  whether the API sends the counts only where the request asks for them
    ends    the words for an end that can be said in a stream; without any, all
    """

    kinds: Mapping[str, WrittenKind]
    every: Mapping[str, Any] = field(default_factory=dict[str, Any])
    start: WrittenEvents = ()
    finish: WrittenEvents = ()
    usage: WrittenEvents = ()
    end: WrittenEvents = ()
    error: WrittenEvents = ()
    ends: tuple[str, ...] = ()
    usage_on_request: bool = False


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """Fill the holes of a template; an unknown value becomes null.

    The value `wholes`, the texts of a part, repeats the elements of lists that have one of them whole.
    """
    if type(template) is str:
        before, hole, name = template.partition("$")
        return _value(before, name, values) if hole else template
    if is_object(template):
        item: dict[str, Any] = {}
        for key, inner in template.items():
            value = filled(inner, values)
            if key == REST:
                item.update(value or {})
            elif not key.endswith("?"):
                item[key] = value
            elif not _says_nothing(value):
                item[key[:-1]] = value
        return item
    if is_list(template):
        return [filled(inner, each) for inner in template for each in _values_of(inner, values)]
    return template


def _values_of(template: Any, values: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the values for each element that an element of a list stands for: one for each text of a part."""
    texts = values.get("wholes")
    if not texts or not is_object(template) or _WHOLE not in template.values():
        return (values,)
    return [{**values, "whole": text} for text in texts]


def is_hole(template: Any) -> bool:
    """Return whether a template is a hole and nothing around it."""
    return type(template) is str and "$" in template


def _value(before: str, name: str, values: Mapping[str, Any]) -> Any:
    if name == "made" and values.get("given") is not None:
        # the id that came with the part
        return values["given"]
    value = values.get(name)
    return f"{before}{value}" if before else value


def _says_nothing(value: Any) -> bool:
    return value in (None, "") or (is_object(value) and all(map(_says_nothing, value.values())))
