"""What each shape of a part becomes: with all its fields, without some, and with one that it has no place for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from ..model.neutral import BY_MODEL
from ..model.wire import Alternative, WireModel
from ..spec.shapes import Choice, Hole, Object, Shape
from .bodies import cache_mark, texts_in, texts_of
from .claim import Claim
from .ruling import rule_on
from .sample import Sample
from .written import ABSENT, Undecided, matches, written

_TEXT = "A word"
_SAMPLES: Mapping[str, Any] = {
    "str": "word", "int": 7, "number": 0.25, "bool": True, "strings": ["one", "two"], "json": {"note": 1},
    "object": {"note": 1}, "arguments": {"query": 1}, "parts": _TEXT, "cache": {"ttl": "1h"},
}  # fmt: skip
_NAMED: Mapping[str, Any] = {
    "data": "aGk=", "url": "https://files.example/one", "uri": "s3://files/one",
    "id": "call12345", "call_id": "call12345",
}  # fmt: skip
_MEDIA_TYPES = {
    "image": "image/png", "document": "application/pdf", "audio": "audio/wav", "video": "video/mp4",
}  # fmt: skip
# a call and its result stand together
_ANSWERS = {"tool_call": "tool_result", "custom_tool_call": "custom_tool_result"}


@dataclass(frozen=True, slots=True)
class _Given:
    """A part as plain data: its shape, its own fields, and options of one API."""

    row: Alternative
    fields: Mapping[str, Any]
    vendor: Mapping[str, Any]

    def without(self, names: Collection[str]) -> _Given:
        return replace(self, fields=_left(self.fields, names), vendor=_left(self.vendor, names))

    def neutral(self, wire: str) -> dict[str, Any]:
        own = {"vendor": {wire: dict(self.vendor)}} if self.vendor else {}
        return {self.row.mode: {**self.fields, **own}}


@dataclass(frozen=True, slots=True)
class _Tried:
    """What is tried of a shape: a name, the part, and the fields that have no place."""

    name: str
    given: _Given
    lost: tuple[str, ...] = ()


def part_claims(model: WireModel, plain: Claim, sample: Sample) -> Iterator[Claim]:
    """Every claim on parts that the shapes and rules of a wire decide."""
    if plain.body is None or model.body.messages.key not in plain.body:
        return
    for row in model.parts:
        with suppress(Undecided):
            role = _role(model, row)
            for tried in _tried(row):
                with suppress(Undecided):
                    yield _claim(model, plain, sample, role, tried)


def _tried(row: Alternative) -> Iterable[_Tried]:
    """The forms in which a part is tried; the least that it may be stands second, or alone."""
    whole = _whole(row)
    key = row.key.partition("@")[0].partition(">")[0].rstrip("!")
    needed = {hole.path[-1] for hole in row.shape.required_holes} | {"type", row.source_key, *_always(row)}
    needed |= {hole.path[-1] for choice in _choices(row.shape) for hole in choice.forms[0].holes}
    optional = [name for name in (*whole.fields, *whole.vendor) if name not in needed]
    least = whole.without(optional)
    yield _Tried(f"{key} with all that it has", whole)
    if optional:
        yield _Tried(f"{key} with what it needs", least)
    if len(optional) > 1 and "cache" in optional:
        # rules speak of marks more than of any other field
        yield _Tried(f"{key} with all but a cache mark", whole.without(["cache"]))
    if len(optional) > 1:
        # each is missing once where another is given
        yield _Tried(f"{key} with some of it", whole.without(optional[::2]))
        yield _Tried(f"{key} with the rest of it", whole.without(optional[1::2]))
    lost = _without_place(row)
    if lost:
        fields = {**least.fields, **{name: _value(row, name, None) for name in lost}}
        yield _Tried(f"{key} and what it has no place for", replace(least, fields=fields), lost)


def _without_place(row: Alternative) -> tuple[str, ...]:
    """The fields that are lost: with an error, or with a note beside one."""
    if row.kind.name in BY_MODEL:
        return ()  # what a model thought is left out as a whole where nothing of it has a place
    # a source, and what it brings along, chooses the shape; a mark may be an element of its own, or refused by a rule
    others = {"cache", "content", "media_type", *row.kind.sources, *_always(row), *row.carried}
    lost = tuple([name for name in row.kind.fields if name not in others])
    return lost if any(not row.kind.fields[name].advisory for name in lost) else ()


def _always(row: Alternative) -> set[str]:
    return {name for name, field in row.kind.fields.items() if field.always}


def _whole(row: Alternative) -> _Given:
    fields: dict[str, Any] = {} if row.named is None else {"type": row.named}
    vendor: dict[str, Any] = {}
    # of several forms the first is filled
    later = {hole for choice in _choices(row.shape) for form in choice.forms[1:] for hole in form.holes}
    rests = [*_rests(row.shape)]
    for hole in row.shape.holes:
        if hole.read_only or hole in later:
            continue
        if hole.path[0] == "vendor":
            vendor[hole.path[1]] = _SAMPLES["object"] if hole in rests else _fitting("word", hole.guard)
        else:
            fields[hole.path[0]] = _value(row, hole.path[0], hole.guard)
    missing = [name for name in _always(row) if name not in fields]
    if missing:
        raise Undecided(f"{row.key} does not hold {missing[0]}")
    if row.kind.sources and ("content" if row.source == "parts" else row.source) not in fields:
        raise Undecided(f"{row.key} does not hold its source")
    return _Given(row, fields, vendor)


def _rests(shape: Shape) -> Iterator[Hole]:
    """The holes that take all other keys of an object."""
    if isinstance(shape, Object):
        yield from [shape.rest] if shape.rest is not None else []
        for entry in shape.fields:
            yield from _rests(entry.shape)


def _choices(shape: Shape) -> Iterator[Choice]:
    match shape:
        case Choice():
            yield shape
        case Object():
            for entry in shape.fields:
                yield from _choices(entry.shape)
        case _:
            return


def _value(row: Alternative, name: str, guard: str | None) -> Any:
    kind = row.kind.fields[name].type
    if kind not in _SAMPLES:
        raise Undecided(f"no sample of {kind}")
    usual = _MEDIA_TYPES.get(row.mode) if name == "media_type" else _NAMED.get(name)
    return _fitting(_SAMPLES[kind] if usual is None else usual, guard)


def _fitting(value: Any, guard: str | None) -> Any:
    """A value that a guard takes."""
    if guard is None or matches(str(value), guard.split("|")):
        return value
    return guard.partition("|")[0].replace("*", "one")


def _left(fields: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in names}


def _role(model: WireModel, row: Alternative) -> str:
    """The first role whose messages may hold a part."""
    results = row.mode in _ANSWERS.values()
    for role in ("user", "assistant", "tool", "system", "developer"):
        if (
            row.serves(role)
            and (role == "tool") == results
            and (role in model.messages or row.slot == "messages")
        ):
            return role
    raise Undecided("no message holds it")


def _claim(model: WireModel, plain: Claim, sample: Sample, role: str, tried: _Tried) -> Claim:
    given, name = tried.given, tried.name
    if not given.row.written or _rivals(model, given, role):
        raise Undecided("another shape may be written")
    if tried.lost and any(_alike(row, given.row) for row in _others(model, given)):
        raise Undecided("its fields choose the shape")
    talk = _talk(model, role, given)
    parts = [(role, *_said(each)) for role, each in talk]
    if rule_on(model, replace(sample, messages=[(role, "Hi") for role, _ in talk], parts=parts)).refused:
        raise Undecided("a rule refuses it")
    messages = [{role: "Hi" if each is None else [each.neutral(model.name)]} for role, each in talk]
    request = {**plain.request, "messages": messages}
    items = [_item(model, role, each) for role, each in talk]
    if tried.lost:
        return Claim(name=name, request=request, lost=tried.lost)
    return Claim(name=name, request=request, body={**(plain.body or {}), model.body.messages.key: items})


def _said(given: _Given | None) -> tuple[str, dict[str, Any]]:
    """Kind and fields of a part, as rules look at them."""
    return ("text", {}) if given is None else (given.row.mode, {**given.fields, **given.vendor})


def _rivals(model: WireModel, given: _Given, role: str) -> bool:
    """Whether another shape could take the same fields."""
    mine = given.row
    return any(
        _alike(row, mine)
        and row.named == mine.named
        and row.serves(role)
        and {hole.path[0] for hole in row.needs} <= given.fields.keys()
        and row.asks <= given.vendor.keys()
        for row in _others(model, given)
    )


def _alike(one: Alternative, other: Alternative) -> bool:
    return (one.mode, one.source_key) == (other.mode, other.source_key)


def _others(model: WireModel, given: _Given) -> list[Alternative]:
    return [row for row in model.parts if row.written and row is not given.row]


def _talk(model: WireModel, role: str, given: _Given) -> list[tuple[str, _Given | None]]:
    """A conversation around a part: its role and part each, None for plain text."""
    if role == "user":
        return [("user", given)]
    mode = given.row.mode
    if mode in _ANSWERS:
        return [("user", None), (role, given), ("tool", _plainest(model, _ANSWERS[mode], "tool"))]
    if role == "tool":
        call = next(call for call, answer in _ANSWERS.items() if answer == mode)
        return [("user", None), ("assistant", _plainest(model, call, "assistant")), (role, given)]
    if role == "assistant":
        return [("user", None), (role, given), ("user", None)]
    raise Undecided("instructions are claimed by themselves")


def _plainest(model: WireModel, mode: str, role: str) -> _Given:
    for row in model.parts:
        if row.mode == mode and row.written and row.serves(role):
            return [tried.given for tried in _tried(row) if not tried.lost][:2][-1]
    raise Undecided(f"no {mode} here")


def _item(model: WireModel, role: str, given: _Given | None) -> Any:
    """What stands in the list of messages."""
    if given is not None and given.row.slot == "messages":
        return _json(model, given)
    shape = model.messages[role].shape if role in model.messages else None
    if shape is None:
        raise Undecided(f"no message of {role}")
    slot = "content" if given is None else given.row.slot
    if all(hole.path != (slot,) for hole in shape.holes):
        raise Undecided(f"a message of {role} has no {slot}")

    def value_of(hole: Hole) -> Any:
        if hole.path != (slot,):
            return ABSENT
        if given is None or _bare(given):
            return texts_in(hole, [given.fields["text"] if given else "Hi"], texts_of(model, role))
        if hole.filters:
            raise Undecided("parts stand as one text")
        return [_json(model, given)] if model.slots[slot] == "list" else _json(model, given)

    return written(shape, value_of)


def _bare(given: _Given) -> bool:
    """Whether a part is text and nothing else."""
    return given.row.mode == "text" and set(given.fields) == {"text"} and not given.vendor


def _json(model: WireModel, given: _Given) -> Any:
    def value_of(hole: Hole) -> Any:
        head = hole.path[0]
        if head == "vendor":
            return given.vendor.get(hole.path[1], ABSENT)
        if head not in given.fields:
            return ABSENT
        if head == "content":
            role = model.content_role(given.row.mode)
            return texts_in(hole, [_TEXT], texts_of(model, role))
        if head == "cache":
            return cache_mark(model, given.fields[head])
        return given.fields[head]

    found = written(given.row.shape, value_of)
    if found in (None, ABSENT):
        raise Undecided("nothing is written")
    return found
