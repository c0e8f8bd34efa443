"""Values of events that arrive whole, or that repeat all that came: put into the body, and reported."""

from __future__ import annotations

from base64 import b64decode, b64encode
from itertools import zip_longest
from typing import Any

from ..wire_json.kinds import is_list, is_object
from .buffers import EACH, IndexedList, TextBuffer
from .event_paths import EventPaths, OnEvent

# kinds of events that are text, of which callers hear each piece once
_HEARD = frozenset({"text", "reasoning", "summary", "refusal", "arguments"})
_NOTHING: tuple[Any, ...] = (None, "", [], {})


def paths_inside(paths: EventPaths | None, key: Any) -> EventPaths | None:
    """Return the event paths inside a key."""
    return paths and paths.inner.get(key)


def put(
    place: Any, key: Any, value: Any, paths: EventPaths | None, numbers: tuple[Any, ...], on_event: OnEvent
) -> None:
    """Replace a value, and report it where callers want to hear of it."""
    old: Any = place.get(key)
    # null and empty text do not overwrite a known value
    if value in (None, "") and old is not None:
        return
    if old is not None and type(value) in (dict, list):
        if paths is not None and paths.kind == "usage" and is_object(value) and is_object(old):
            value = counts_after(old, value)
        else:
            value = _with_known(old, value, paths)
    place[key] = value
    if paths is not None:
        report(value, paths, numbers, on_event)


def join_bytes(
    place: Any, key: Any, value: Any, paths: EventPaths | None, numbers: tuple[Any, ...], on_event: OnEvent
) -> None:
    """Join the bytes of a piece of base64 with those that came."""
    old = place.get(key)
    if type(old) is str and old and type(value) is str:
        try:
            value = b64encode(b64decode(old, validate=True) + b64decode(value, validate=True)).decode()
        except ValueError:
            value = old + value
    put(place, key, value, paths, numbers, on_event)


def _with_known(old: Any, value: Any, paths: EventPaths | None) -> Any:
    """Return an element with what is known of it: some hosts begin it again, or end it without its content."""
    if is_list(value) and value and isinstance(old, (list, IndexedList)) and paths is not None:
        inside = paths.inner.get(EACH)
        known = _elements_of(old, len(value))
        return [
            _with_known(before, element, inside)
            for before, element in zip_longest(known[: len(value)], value)
        ]
    if not (is_object(value) and is_object(old)) or value.get("type") != old.get("type"):
        return value
    whole: dict[str, Any] = {}
    for name, inner in value.items():
        before = old.get(name)
        if inner in _NOTHING and before:
            whole[name] = before
        elif before is not None and type(inner) in (dict, list):
            whole[name] = _with_known(before, inner, paths_inside(paths, name))
    # a text that came is not taken back by an element without it
    for name, inside in paths.inner.items() if paths is not None else ():
        if name not in value and old.get(name) and (inside.inner or inside.kind in _HEARD):
            whole[name] = old[name]
    return {**value, **whole} if whole else value


def _elements_of(known: Any, count: int) -> list[Any]:
    """Return the first elements of a list that came at once or in pieces."""
    if isinstance(known, IndexedList):
        return [known.get((number, "")) for number in range(count)]
    return list(known)


def merge_whole(body: dict[str, Any], value: Any, paths: EventPaths | None, on_event: OnEvent) -> None:
    """Overwrite keys of the body with those of a complete body, unless its list lacks elements that came."""
    for key, inner in value.items() if is_object(value) else ():
        old, whole = body.get(key), inner
        place = paths_inside(paths, key)
        if isinstance(old, IndexedList) and is_list(inner):
            # vLLM parses the answer twice (vllm-project/vllm PR 38227, 2026-03)
            if len(inner) >= len(old):
                _merge_list(old, inner, place, on_event)
            continue
        if inner == [] and old:
            continue
        if whole is not None or old is None:
            body[key] = whole
            if place is not None:
                report(whole, place, (), on_event)


def _merge_list(old: IndexedList, elements: list[Any], paths: EventPaths | None, on_event: OnEvent) -> None:
    """Replace the elements of a list by those of the whole list, each at the number that it came with."""
    inside = paths_inside(paths, EACH)
    numbers = old.numbers_of(elements)
    whole = {
        number: _with_known(old.get((number, "")), element, inside)
        for number, element in zip(numbers, elements, strict=True)
    }
    old.replace_all(whole)
    for number, element in whole.items():
        if inside is not None:
            report(element, inside, (number,), on_event)


def counts_after(old: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """Return counts of tokens that came behind others. They never go down: zero or null replaces no known count."""
    known = {}
    for name, count in value.items():
        before = old.get(name)
        if is_object(count) and is_object(before):
            known[name] = counts_after(before, count)
        elif before and (count is None or count == 0):
            known[name] = before
    return {**value, **known}


def move(
    place: Any,
    key: Any,
    value: Any,
    paths: EventPaths | None,  # noqa: ARG001
    numbers: tuple[Any, ...],  # noqa: ARG001
    on_event: OnEvent,  # noqa: ARG001
) -> None:
    """Put a value that stood elsewhere, where callers heard of it."""
    place[key] = value


def is_grown_text(old: Any, value: Any) -> bool:
    """Return whether a text begins with the one that came before it."""
    before = old.text() if isinstance(old, TextBuffer) else old
    return type(before) is str and type(value) is str and bool(before) and value.startswith(before)


def report(value: Any, paths: EventPaths, numbers: tuple[Any, ...], on_event: OnEvent) -> None:
    """Report a value that arrived complete, and the values inside it."""
    if value in (None, ""):
        return
    on_event(value, paths, numbers)
    if is_object(value):
        for name, inner in value.items():
            if name in paths.inner:
                report(inner, paths.inner[name], numbers, on_event)
    elif is_list(value) and EACH in paths.inner:
        for number, element in enumerate(value):
            report(element, paths.inner[EACH], (*numbers, number), on_event)


def repeat(
    place: Any, key: Any, value: Any, paths: EventPaths | None, numbers: tuple[Any, ...], on_event: OnEvent
) -> None:
    """Replace what came by a value that repeats it, and report the end of a text that is new."""
    old = place.get(key)
    if is_object(value):
        if not is_object(old):
            old = place[key] = {}
        if paths is not None:
            on_event(value, paths, numbers)
        for name, inner in value.items():
            repeat(old, name, inner, paths_inside(paths, name), numbers, on_event)
    elif is_list(value):
        if not isinstance(old, IndexedList):
            old = place[key] = IndexedList()
        inside = paths_inside(paths, EACH)
        for number, element in enumerate(value):
            repeat(old, (number, ""), element, inside, (*numbers, number), on_event)
    elif type(value) is str and value and paths is not None and paths.kind in _HEARD:
        heard = _heard(old, value)
        place[key] = value if heard <= len(value) else old
        if len(value) > heard:
            on_event(value[heard:], paths, numbers, grows=True)
    else:
        put(place, key, value, paths, numbers, on_event)


def _heard(old: Any, value: str) -> int:
    """Return how many letters of a text callers heard; more than it has if they heard pieces of another text.

    Such pieces tell the text. One that begins otherwise than one that came whole replaces it, and is heard again.
    """
    pieces = type(old) is TextBuffer
    known = "".join(old) if pieces else old if type(old) is str else ""
    if value.startswith(known):
        return len(known)
    return len(value) + 1 if pieces else 0
