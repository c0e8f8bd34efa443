"""What each shape of a part becomes in a conversation, and what a call becomes without its result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from ..model.rule_entries import parse_entry
from ..model.wire import Alternative, WireModel
from ..spec.shapes import Hole
from .bodies import cache_mark, texts_in, texts_of
from .claim import Claim
from .part_forms import SOME_TEXT, GivenPart, TriedPart, tried_forms
from .ruling import rule_on
from .sample import Sample
from .written import ABSENT, Undecided, written

# a call and its result stand together
_ANSWERS = {"tool_call": "tool_result", "custom_tool_call": "custom_tool_result"}


# a role and its part each, None for plain text
_Talk: TypeAlias = list[tuple[str, GivenPart | None]]


def part_claims(model: WireModel, plain: Claim, sample: Sample) -> Iterator[Claim]:
    """Every claim on parts that the shapes and rules of a wire decide."""
    if plain.body is None or model.body.messages.key not in plain.body:
        return
    for row in model.parts:
        with suppress(Undecided):
            role = _role(model, row)
            for tried in tried_forms(row):
                with suppress(Undecided):
                    yield _claim(model, plain, sample, role, tried)
    with suppress(Undecided):
        yield from _pair_claims(model, plain, sample)


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


def _claim(model: WireModel, plain: Claim, sample: Sample, role: str, tried: TriedPart) -> Claim:
    given, name = tried.given, tried.name
    if not given.row.written or _rivals(model, given, role):
        raise Undecided("another shape may be written")
    if tried.lost and any(_alike(row, given.row) for row in _others(model, given)):
        raise Undecided("its fields choose the shape")
    return _conversation(model, plain, sample, name, _talk(model, role, given), tried.lost)


def _conversation(
    model: WireModel, plain: Claim, sample: Sample, name: str, talk: _Talk, lost: tuple[str, ...] = ()
) -> Claim:
    """The claim on a conversation that no rule refuses: its body, or the fields that are lost."""
    request = _request(model, plain, sample, talk)
    items = [_item(model, role, each) for role, each in talk]
    if lost:
        return Claim(name=name, request=request, lost=lost)
    return Claim(name=name, request=request, body={**(plain.body or {}), model.body.messages.key: items})


def _refused(model: WireModel, plain: Claim, sample: Sample, name: str, talk: _Talk, field: str) -> Claim:
    """The claim on a conversation that no rule refuses, and the pairing of calls and results does."""
    request = _request(model, plain, sample, talk)
    for role, each in talk:
        _item(model, role, each)
    return Claim(name=name, request=request, error="Refused", field=field)


def _request(model: WireModel, plain: Claim, sample: Sample, talk: _Talk) -> dict[str, Any]:
    parts = [(role, *_said(each)) for role, each in talk]
    if rule_on(model, replace(sample, messages=[(role, "Hi") for role, _ in talk], parts=parts)).refused:
        raise Undecided("a rule refuses it")
    messages = [{role: "Hi" if each is None else [each.neutral(model.name)]} for role, each in talk]
    return {**plain.request, "messages": messages}


def _pair_claims(model: WireModel, plain: Claim, sample: Sample) -> Iterator[Claim]:
    """A call without its result, a result without its call, and a result that comes late."""
    if not model.pairs:
        return
    said: tuple[str, GivenPart | None] = ("user", None)
    answered: tuple[str, GivenPart | None] = ("assistant", None)
    _, call, result = _talk(model, "assistant", _plainest(model, "tool_call", "assistant"))
    late = [said, call, said, answered, result]
    yield _refused(model, plain, sample, "a call without its result", [said, call, said], "tool_call.id")
    yield _refused(
        model, plain, sample, "a result without its call", [said, answered, result], "tool_result.call_id"
    )
    if model.pairs == "later":
        yield _conversation(model, plain, sample, "a result that comes late", late)
    else:
        yield _refused(model, plain, sample, "a result that comes late", late, "tool_call.id")


def _said(given: GivenPart | None) -> tuple[str, dict[str, Any]]:
    """Kind and fields of a part, as rules look at them."""
    return ("text", {}) if given is None else (given.row.mode, {**given.fields, **given.vendor})


def _rivals(model: WireModel, given: GivenPart, role: str) -> bool:
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


def _others(model: WireModel, given: GivenPart) -> list[Alternative]:
    return [row for row in model.parts if row.written and row is not given.row]


def _talk(model: WireModel, role: str, given: GivenPart) -> _Talk:
    """A conversation around a part: its role and part each, None for plain text."""
    if role == "user":
        return [("user", given)]
    mode = given.row.mode
    if mode in _ANSWERS:
        return _pair(model, given, _plainest(model, _ANSWERS[mode], "tool"))
    if role == "tool":
        call = next(call for call, answer in _ANSWERS.items() if answer == mode)
        return _pair(model, _plainest(model, call, "assistant"), given)
    if role == "assistant":
        followed = any(parse_entry(text).path == f"{role}.{mode}.before" for text in _refusals(model))
        return [("user", None), (role, given), *([(role, None)] if followed else []), ("user", None)]
    raise Undecided("instructions are claimed by themselves")


def _refusals(model: WireModel) -> Iterator[str]:
    """All entries that some rule refuses."""
    return (text for rule in model.rules for text in rule.reject)


def _pair(model: WireModel, call: GivenPart, result: GivenPart) -> _Talk:
    if model.pairs and ("id" not in call.fields or "call_id" not in result.fields):
        raise Undecided("nothing says that they are one pair")
    return [("user", None), ("assistant", call), ("tool", result)]


def _plainest(model: WireModel, mode: str, role: str) -> GivenPart:
    for row in model.parts:
        if row.mode == mode and row.written and row.serves(role):
            return [tried.given for tried in tried_forms(row) if not tried.lost][:2][-1]
    raise Undecided(f"no {mode} here")


def _item(model: WireModel, role: str, given: GivenPart | None) -> Any:
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


def _bare(given: GivenPart) -> bool:
    """Whether a part is text and nothing else."""
    return given.row.mode == "text" and set(given.fields) == {"text"} and not given.vendor


def _json(model: WireModel, given: GivenPart) -> Any:
    def value_of(hole: Hole) -> Any:
        head = hole.path[0]
        if head == "vendor":
            return given.vendor.get(hole.path[1], ABSENT)
        if head not in given.fields:
            return ABSENT
        if head == "content":
            role = model.content_role(given.row.mode)
            return texts_in(hole, [SOME_TEXT], texts_of(model, role))
        if head == "cache":
            return cache_mark(model, given.fields[head])
        return given.fields[head]

    found = written(given.row.shape, value_of)
    if found in (None, ABSENT):
        raise Undecided("nothing is written")
    return found
