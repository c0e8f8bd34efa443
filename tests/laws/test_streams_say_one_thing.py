"""Law 14: events, written streams and the answer say one thing, whatever a host does; where they cannot, an event says so.

Each damage is one that hosts do. Where the events of a stream do not add up to its answer, or a stream written from them
does not say what the written answer says, an event `problem`, `replaced`, `unknown` or `error` came, or the stream failed.
"""

from __future__ import annotations

import copy
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given, settings, strategies as st

from promptwire import Answer, Event, Note, PromptwireError, Reasoning, Text, ToolCall
from promptwire.parts import CustomToolCall, Refusal
from tests.answers import Events, cut, module, stream_bytes, streams
from tests.searching import examples
from tests.written_streams import ACROSS

TELLING = frozenset({"problem", "replaced", "unknown", "error"})
PIECES = frozenset(
    {
        "text",
        "content",
        "delta",
        "partial_json",
        "arguments",
        "input",
        "reasoning_content",
        "thinking",
        "output",
    }
)
INDEXES = frozenset({"index", "output_index", "content_index", "contentBlockIndex", "summary_index"})
IDS = frozenset({"id", "item_id", "call_id", "toolUseId", "tool_call_id"})
# fields of notes by which a writer says that it leaves something out
TOLD = frozenset({"text", "reasoning", "refusal", "arguments", "call", "candidate"})
View = dict[int, dict[str, Any]]
Leaf = tuple[Any, Any]
"""An object or a list of an event, and the key of a value in it."""


def leaves(value: Any) -> Iterator[Leaf]:
    rows: Iterable[Any] = ()
    if isinstance(value, dict):
        rows = value.items()
    elif isinstance(value, list):
        rows = enumerate(value)
    for key, inner in list(rows):
        yield value, key
        yield from leaves(inner)


def pieces(events: Events) -> list[Leaf]:
    return [
        (holder, key)
        for _, data in events
        for holder, key in leaves(data)
        if key in PIECES and isinstance(holder[key], str) and holder[key]
    ]


def named(events: Events, keys: frozenset[str]) -> list[Leaf]:
    return [(holder, key) for _, data in events for holder, key in leaves(data) if key in keys]


# ---- damages: each changes events, which are its own


def repeated(events: Events, random: Random) -> None:
    place = random.randrange(len(events))
    events.insert(random.randint(place, len(events)), copy.deepcopy(events[place]))


def dropped(events: Events, random: Random) -> None:
    del events[random.randrange(len(events))]


def swapped(events: Events, random: Random) -> None:
    place = random.randrange(max(1, len(events) - 1))
    events[place : place + 2] = events[place : place + 2][::-1]


def cut_off(events: Events, random: Random) -> None:
    last = events[random.randrange(len(events))]
    events[events.index(last) :] = events[-1:]


def shortened(events: Events, random: Random) -> None:
    holder, key = random.choice(pieces(events))
    holder[key] = holder[key][: len(holder[key]) // 2]


def growing(events: Events, random: Random) -> None:
    """Each piece of one kind repeats all before it."""
    chosen = random.choice(pieces(events))[1]
    before = ""
    for holder, key in pieces(events):
        if key == chosen:
            before = holder[key] = before + holder[key]


def snapshot(events: Events, random: Random) -> None:
    holder, key = random.choice(pieces(events))
    holder[key] = "".join([other[name] for other, name in pieces(events) if name == key])


def enciphered(events: Events, random: Random) -> None:
    holder, key = random.choice(pieces(events))
    holder[key] = "U2FsdGVk"


def empty_first(events: Events, random: Random) -> None:
    place, (name, data) = random.choice([*enumerate(events)])
    blank = copy.deepcopy((name, data))
    for holder, key in pieces([blank]):
        holder[key] = "{}"
    events.insert(place, blank)


def shifted(events: Events, random: Random) -> None:
    for holder, key in named(events[random.randrange(len(events)) :], INDEXES):
        if type(holder[key]) is int:
            holder[key] += 1


def without_indexes(events: Events, _: Random) -> None:
    for holder, key in named(events, INDEXES):
        holder.pop(key, None)


def one_index(events: Events, _: Random) -> None:
    for holder, key in named(events, INDEXES):
        holder[key] = 0


def other_ids(events: Events, random: Random) -> None:
    for holder, key in named(events[random.randrange(len(events)) :], IDS):
        holder[key] = f"{holder[key]}x"


def name_last(events: Events, random: Random) -> None:
    """The name of a call comes with the last event that could have it."""
    found = named(events, frozenset({"name"}))
    if found:
        holder, key = random.choice(found)
        name = holder.pop(key)
        later = [other for _, data in events for other, inner in leaves(data) if inner == "arguments"]
        if later:
            later[-1]["name"] = name


def other_kind(events: Events, random: Random) -> None:
    holder, key = random.choice(pieces(events))
    other = random.choice(sorted(PIECES - {key}))
    if isinstance(holder, dict):
        holder[other] = holder.pop(key)


def begun_again(events: Events, random: Random) -> None:
    again = copy.deepcopy(events[0])
    if random.random() < 0.5:
        for holder, key in named([again], IDS):
            holder[key] = f"{holder[key]}2"
    events.insert(random.randrange(1, len(events) + 1), again)


def twice(events: Events, random: Random) -> None:
    again = copy.deepcopy(events)
    for holder, key in named(again, IDS):
        holder[key] = f"{holder[key]}2"
    del events[random.randrange(1, len(events) + 1) :]
    events += again


def flat(events: Events, _: Random) -> None:
    """Answers stand beside the name of their event."""
    for place, (name, data) in enumerate(events):
        inner = data.get("response") if isinstance(data, dict) else None
        if isinstance(inner, dict):
            events[place] = name, {**inner, "type": data.get("type")}


def whole_first(events: Events, _: Random) -> None:
    """An item comes whole before its pieces."""
    items = [
        (data, key)
        for _, data in events
        if isinstance(data, dict)
        for key in ("item", "content_block")
        if key in data
    ]
    for (first, key), (last, other) in pairwise(items):
        if key == other and first[key].get("id") == last[key].get("id"):
            first[key] = copy.deepcopy(last[key])


def silent_items(events: Events, _random: Random) -> None:
    """Items end without their texts."""
    for _, data in events:
        for holder, key in leaves(data.get("item") if isinstance(data, dict) else None):
            if key in PIECES and isinstance(holder[key], str):
                holder[key] = ""


DAMAGES: tuple[Callable[[Events, Random], None], ...] = (
    repeated, dropped, swapped, cut_off, shortened, growing, snapshot, enciphered, empty_first, shifted, without_indexes,
    one_index, other_ids, name_last, other_kind, begun_again, twice, flat, whole_first, silent_items,
)  # fmt: skip


# ---- what a caller has in hand


def canonical(arguments: Any) -> str:
    if not isinstance(arguments, str):
        return json.dumps(arguments or {}, sort_keys=True, default=dict)
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True)
    except ValueError:
        return arguments


def blank() -> View:
    return defaultdict(lambda: {"text": "", "reasoning": "", "refusal": "", "calls": [], "finish": None})


def thought(part: Reasoning) -> str:
    return part.text or "".join(part.texts or part.summary or ())


def view_of(answer: Answer, *, once: bool = True) -> View:
    """Return what an answer says; `once`: without a thought that the others repeat, as hosts send it."""
    view = blank()
    for number, choice in enumerate(answer.candidates):
        mine = view[number if choice.index is None else choice.index]
        mine["finish"] = choice.finish
        parts = () if choice.message is None else choice.message.parts
        mine["text"] = "".join([part.text for part in parts if isinstance(part, Text)])
        mine["refusal"] = "".join([part.text for part in parts if isinstance(part, Refusal)])
        thoughts = [thought(part) for part in parts if isinstance(part, Reasoning)]
        repeats = once and len(thoughts) > 1 and thoughts[0] == "".join(thoughts[1:])
        mine["reasoning"] = "".join(thoughts[1:] if repeats else thoughts)
        calls = [part for part in parts if isinstance(part, (ToolCall, CustomToolCall))]
        given = [call.input if isinstance(call, CustomToolCall) else call.arguments for call in calls]
        mine["calls"] = sorted((call.name, canonical(args)) for call, args in zip(calls, given, strict=True))
    return dict(view)


def view_of_events(events: Iterable[Event]) -> View:
    view, calls, came = blank(), dict[Any, list[str]](), set[Any]()
    for event in events:
        mine, place = view[event.candidate], (event.candidate, event.place)
        if event.kind in ("text", "reasoning", "refusal"):
            mine[event.kind] += event.text
            came |= {(event.candidate, event.kind), (event.candidate, event.part, event.kind)}
        elif event.kind == "call":
            calls[place] = [event.name or "", ""]
            mine["calls"].append(calls[place])
            came |= {(event.candidate, "call"), (event.candidate, event.part, "call")}
        elif event.kind == "arguments" and place in calls:
            calls[place][1] += event.text
        elif event.kind == "part":
            take_whole(event, mine, came)
        elif event.kind == "finish":
            mine["finish"] = event.name
    for mine in view.values():
        mine["calls"] = sorted((name, canonical(args)) for name, args in mine["calls"])
    return dict(view)


def take_whole(event: Event, mine: dict[str, Any], came: set[Any]) -> None:
    """Take the parts of which no event told a piece."""
    words = {
        Text: "text",
        Refusal: "refusal",
        Reasoning: "reasoning",
        ToolCall: "call",
        CustomToolCall: "call",
    }
    for part in event.data.parts:
        word = words.get(type(part))
        key = (event.candidate, word) if event.part is None else (event.candidate, event.part, word)
        if word is None or key in came:
            continue
        if word == "call":
            given = part.input if isinstance(part, CustomToolCall) else part.arguments
            mine["calls"].append(
                [part.name, given if isinstance(given, str) else json.dumps(given, default=dict)]
            )
        else:
            mine[word] += thought(part) if isinstance(part, Reasoning) else part.text


def differences(one: View, other: View) -> set[str]:
    nothing = blank()
    return {
        f"{number} {word}"
        for number in one.keys() | other.keys()
        for word in ("text", "reasoning", "refusal", "calls", "finish")
        if one.get(number, nothing[-1])[word] != other.get(number, nothing[-1])[word]
    }


# ---- the law


def faults(wire: str, framing: str, raw: Iterable[bytes]) -> tuple[set[str], bool]:
    """Return where events, written streams and the answer differ, and whether an event or an error said that they may."""
    stream = module(wire).stream(framing)
    events: list[Event] = []
    try:
        for chunk in raw:
            events += stream.feed(chunk)
        events += stream.rest()
        answer: Answer = stream.close()
    except PromptwireError:
        return set(), True
    heard = view_of_events(events)
    # `answer.reasoning` leaves out a thought that others repeat
    wrong = differences(heard, view_of(answer)) & differences(heard, view_of(answer, once=False))
    found = {f"events: {word}" for word in wrong}
    told = any(event.kind in TELLING for event in events)
    for target in ACROSS:
        found |= {f"{target}: {word}" for word in written_differences(target, events, answer)}
    return found, told


def written_differences(target: str, events: list[Event], answer: Answer) -> set[str]:
    """Return where a written stream, read again, differs from the written answer, read again."""
    notes, whole_notes = list[Note](), list[Note]()
    wire = module(target)
    writer = wire.write_stream(id="a1", model="m", created=1, usage=True, policies="lenient", notes=notes)
    try:
        raw = b"".join([*map(writer.feed, events), writer.close()])
        body = wire.write_answer(answer, policies="lenient", notes=whole_notes)
    except PromptwireError:
        return set()
    said = {(note.path, note.field) for note in whole_notes}
    if any((note.path, note.field) not in said and note.field in TOLD for note in notes):
        # the writer reported it
        return set()
    stream = wire.stream()
    stream.feed(raw)
    again, whole = stream.close(), wire.read_answer(body)
    found = differences(view_of(again, once=False), view_of(whole, once=False))
    if view_of(answer) != view_of(answer, once=False):
        # a written answer leaves out a thought that others repeat
        found = {word for word in found if not word.endswith("reasoning")}
    if answer.finish is None:
        # a stream needs an end
        found = {word for word in found if not word.endswith("finish")}
    return found


@cache
def known_faults(wire: str, name: str) -> set[str]:
    """Return the differences of an example that is not damaged."""
    (example,) = [row for row in streams() if (row.wire, row.name) == (wire, name)]
    return faults(wire, example.framing, [example.bytes()])[0]


@given(data=st.data())
@settings(max_examples=examples(1000, 1 if os.environ.get("CI") else 20))
def test_events_written_streams_and_the_answer_say_one_thing(data: st.DataObject) -> None:
    example = data.draw(
        st.sampled_from([row for row in streams() if any(pieces([event]) for event in row.events)]), "stream"
    )
    damages = data.draw(st.lists(st.sampled_from(DAMAGES), min_size=1, max_size=2), "damages")
    random = Random(data.draw(st.integers(0, 2**16), "seed"))  # noqa: S311
    events = copy.deepcopy(example.events)
    for damage in damages:
        if len(events) > 1 and pieces(events):
            damage(events, random)
    raw = stream_bytes(example.framing, events)
    found, told = faults(example.wire, example.framing, cut(raw, random))
    shown = f"{example}: {[damage.__name__ for damage in damages]}: {found}\n{raw.decode('utf-8', 'replace')}"
    assert told or found <= known_faults(example.wire, example.name), shown
