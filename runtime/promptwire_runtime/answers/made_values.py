"""Values that an answer of another API lacks and this API always gives: made ids, the time, and the spec's defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from time import gmtime, strftime, time
from typing import Any

from ..build.wire import Wire
from ..errors import InvalidRequest
from ..nodes.record_fields import shown
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..wire_json.kinds import is_list, is_object
from .answer import Answer
from .answer_shapes import ABSENT, COUNTS, Vendor
from .table import AnswerTable
from .written import filled

BETWEEN_THOUGHTS = "\n\n"
"""Between texts of thinking that another API has as one."""
_YEAR_10000 = 253_402_300_800


def digest_of(text: str) -> str:
    """Return the letters of a made id, which depend on a text only."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def made_id(identity: str | None, candidate: int, place: int, name: str | None) -> str:
    """Return the letters of the id of a part: they depend on the answer's id, and on place and name of the part."""
    return digest_of(f"{identity}:{candidate}:{place}:{name}")


def time_text(created: int) -> str:
    """Return seconds since 1970 as text. Raises InvalidRequest for what is no such number."""
    check_class(created, int, "created")
    if not 0 <= created < _YEAR_10000:
        raise InvalidRequest(f"created is seconds since 1970, not {shown(created)}", field="created")
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(created))


def with_time(answer: Answer, created: int | None, wire: Wire, table: AnswerTable) -> Answer:
    """Return an answer with the time at which it was made, where the API has keys for it.

    Without `created`, an answer of another API gets the time that it has under the same key, or else the present one.
    """
    known = _options(answer, wire.name)
    if created is not None:
        times = _times(table, created)
    elif answer.wire == wire.name:
        return answer
    else:
        there, now = _options(answer, answer.wire or ""), _times(table, int(time()))
        times = {
            name: there[name] if type(there.get(name)) is type(now[name]) else now[name]
            for name in _required(table)
            if name not in known
        }
    if not times:
        return answer
    return replace(answer, vendor={**(answer.vendor or {}), wire.name: {**known, **times}})


def _times(table: AnswerTable, created: int) -> dict[str, Any]:
    """Return the vendor options that hold a time."""
    text = time_text(created)
    return {name: created if form == "seconds" else text for name, form in table.created.items()}


def _options(answer: Answer, wire: str) -> Mapping[str, Any]:
    vendor: Mapping[str, Mapping[str, Any]] = answer.vendor or {}
    return vendor.get(wire, {})


def _required(table: AnswerTable) -> Iterator[str]:
    """Yield the names of the times that the API always gives."""
    for key in table.body.keys:
        if key.required and isinstance(key.value, Vendor) and key.value.name in table.created:
            yield key.value.name


def complete(body: dict[str, Any], table: AnswerTable, told: Callable[[str], None]) -> None:
    """Put the defaults of the API under the keys that a body lacks; `told` is given the path of each count."""
    if not table.defaults:
        return
    key = table.id_key
    identity = body.get(key) if key else None
    if identity is None and key in table.defaults:
        body[key] = identity = filled(table.defaults[key], {"made": digest_of(repr(body))})
    _complete(body, table.defaults, {"id": identity}, "", told)


def _complete(
    item: dict[str, Any],
    defaults: Mapping[str, Any],
    values: Mapping[str, Any],
    path: str,
    told: Callable[[str], None],
) -> None:
    for name, default in defaults.items():
        key = name.removesuffix("?")
        known, place = item.get(key, ABSENT), f"{path}.{key}" if path else key
        if is_list(known) and is_list(default):
            for number, element in enumerate(known):
                if is_object(element):
                    made = made_id(values["id"], 0, number, element.get("name"))
                    rows = [row for row in default if row.get("type") in (None, element.get("type"))]
                    for row in rows:
                        _complete(element, row, {**values, "made": made}, f"{place}[{number}]", told)
        elif is_object(known) and is_object(default):
            _complete(known, default, values, place, told)
        elif known is ABSENT and key == name:
            item[key] = filled(default, values)
            if _counts(item[key], place):
                told(place)


def _counts(value: Any, path: str) -> bool:
    """Return whether a value is the usage or one of its counts; those in objects of the usage only divide these."""
    above = path.count(".")
    if is_object(value):
        return not above and any(type(inner) is int for inner in value.values())
    return above == 1 and type(value) is int


def complete_counts(counts: dict[str, Any], table: AnswerTable) -> dict[str, Any]:
    """Put the defaults of the API under the keys that counts lack, and return the counts."""
    for key in table.body.keys:
        default = table.defaults.get(key.name, table.defaults.get(f"{key.name}?"))
        if key.value is COUNTS and is_object(default):
            _complete(counts, default, {}, "", lambda _: None)
    return counts
