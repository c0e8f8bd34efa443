"""The streamed answers of one wire as data, which generated modules construct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, TypeAlias, TypeVar

from ..wire_json.kinds import is_list, is_object
from .buffers import EACH, IndexedList, leads_to, number_of
from .call_pieces import PiecedCalls
from .event_paths import EventPaths, event_paths
from .table import AnswerTable, WireTable

# each step is a key, an index, or `At`, which reads the index from the event
Path: TypeAlias = tuple[Any, ...]
Above: TypeAlias = tuple[tuple[Any, type[dict[Any, Any]]], ...]
"""The keys of a path, each with the container to create there: an object or an indexed list."""
Around: TypeAlias = tuple[tuple[dict[str, Any], int | None], ...]
"""The objects of an event that enclose a value, innermost first, each with its index if it is in a list."""


class At:
    """An index in a list, read from a key of the event."""

    __slots__ = ("key",)

    def __init__(self, key: str) -> None:
        self.key = key

    def number(self, around: Around) -> int | None:
        """Return the index; an element without an `index` has its own position. None if unknown."""
        key = self.key
        for item, place in around:
            number = number_of(item.get(key, place if key in ("index", "Index") else None))
            if number is not None:
                return number
        return None


class Step:
    """The effect of one event on the answer.

    how     `put`: replace the old value; `merge`: replace the keys of an object; `grow`: append text, merge objects
            and lists; `base64`: join the bytes of pieces of base64; `extend`: append elements to a list, and text to
            the previous text; `repeat`: the value is everything so far, and only new text is reported; `move`: the
            value under the key `when` of the list element moves, and is not reported again; `end`: the target is
            complete
    source  the path of the value in the event; `[]` stands for each element of a list
    target  the path in the answer
    when    a key that the list element must have; `unless`: a key that it must not have
    constants  written instead of the value, if the event has the value
    """

    __slots__ = ("constants", "how", "source", "target", "unless", "when")

    def __init__(
        self,
        how: str,
        source: Path,
        target: Path,
        *,
        when: str = "",
        unless: str = "",
        constants: Mapping[str, Any] | None = None,
    ) -> None:
        self.how = how
        self.source = source
        self.target = target
        self.when = when
        self.unless = unless
        self.constants = constants


class Action:
    """A compiled step.

    above  the keys of the target from its start to the last but one, each with the container to create
    key    the last key of the target; None if the target is the whole answer
    paths  the event paths at and inside the target
    outside  whether an element of a list says something about the whole answer
    wants_object  whether the value grows an object: no other type is applied
    asks   whether the step is `outside`, or depends on a list element (`when`, `unless`); `before` is the path to that
           element
    """

    __slots__ = (
        "above",
        "asks",
        "before",
        "constants",
        "how",
        "key",
        "outside",
        "paths",
        "unless",
        "wants_object",
        "when",
    )

    def __init__(self, step: Step, paths: EventPaths | None, start: int) -> None:
        self.when = step.when
        self.unless = step.unless
        self.how = step.how
        self.constants = step.constants
        self.paths = paths
        self.above = opening(step.target, start, len(step.target) - 1)
        self.key: Any = step.target[-1] if step.target else None
        self.outside = _is_outside(step)
        self.wants_object = (
            step.how == "grow" and paths is not None and bool(paths.inner) and EACH not in paths.inner
        )
        self.asks = bool(step.when or step.unless) or self.outside
        self.before = self.above[: max(_element(step) - start, 0)]
        if self.asks:
            self.above = self.above[len(self.before) :]

    def fits(self, element: dict[Any, Any]) -> bool:
        """Return whether a list element fulfils `when` and `unless`."""
        return (not self.when or self.when in element) and self.unless not in element

    @property
    def plain(self) -> bool:
        """Whether the step only puts the value under a top-level key of the answer."""
        return self.how == "put" and self.paths is None and not self.above and isinstance(self.key, str)


class EventFilter:
    """The steps of an event that apply to one of its values. At the top of an event, `plain` is applied first.

    base   the common start of all targets, each key with the container to create
    actions  the steps whose source is the value itself
    plain  pairs of a key of the object and the top-level key of the answer that gets its value
    keys   pairs of a key of the object and the filter of its value; `inside`: the same by key
    names  the keys of the object that have a filter
    named  these, and keys that say nothing about the answer; all others are kept. None: no unknown key is kept
    each   the filter of every object of a list
    deep   whether any step applies inside the value
    """

    __slots__ = ("actions", "base", "deep", "each", "inside", "keys", "named", "names", "plain")

    actions: tuple[Action, ...]
    deep: bool

    def __init__(
        self,
        actions: tuple[Action, ...],
        keys: Mapping[str, EventFilter],
        each: EventFilter | None,
        base: Above,
        *,
        top: bool,
        keeps: frozenset[str] | None = None,
    ) -> None:
        plain = {
            key: [action.key for action in inside.actions]
            for key, inside in keys.items()
            if top and not inside.deep and all(action.plain for action in inside.actions)
        }
        self.base = base
        self.actions = actions
        self.plain = tuple([(key, target) for key, targets in plain.items() for target in targets])
        self.keys = tuple([(key, inside) for key, inside in keys.items() if key not in plain])
        self.inside = {key: (inside,) for key, inside in self.keys}
        self.names = frozenset(keys)
        self.named = None if keeps is None or not keys or not (top or base) else keeps.union(keys)
        self.each = each
        self.deep = bool(keys) or each is not None


def opening(target: Path, start: int, end: int) -> Above:
    """Return keys of a target, each with the container to create: a list if a number follows."""
    return tuple(
        [(target[n], dict if isinstance(target[n + 1], str) else IndexedList) for n in range(start, end)]
    )


def build_filter(
    steps: Sequence[Step],
    paths: EventPaths,
    depth: int = 0,
    start: int = 0,
    keeps: frozenset[str] | None = None,
) -> EventFilter:
    """Group steps by the keys that lead to their values.

    Args:
        steps: the steps of an event that apply to this value.
        paths: the paths of the answer that are reported as events.
        depth: the length of the path from the event to this value.
        start: the length of the common start of all targets.
        keeps: keys that say nothing about the answer, if all other unknown keys are kept; else None.
    """
    here: list[Action] = []
    inside: dict[str, list[Step]] = {}
    base = _shared(steps, depth, start)
    end = start + len(base)
    for step in steps:
        if len(step.source) == depth:
            here.append(Action(step, paths.at(step.target), end))
        else:
            inside.setdefault(step.source[depth], []).append(step)
    rows = {key: build_filter(inner, paths, depth + 1, end, keeps) for key, inner in inside.items()}
    each = rows.pop(EACH, None)
    return EventFilter(tuple(here), rows, each, base, top=not depth, keeps=keeps)


def _element(step: Step) -> int:
    """Return the length of the path to the last list element that an event indexes; 0 if there is none."""
    places = [number for number, key in enumerate(step.target[:-1]) if isinstance(key, At)]
    return places[-1] + 1 if places else 0


def _is_outside(step: Step) -> bool:
    return EACH in step.source and len(step.target) == 1


def _shared(steps: Sequence[Step], depth: int, start: int) -> Above:
    """Return the common start of the targets of all steps for one object, or for the elements of one list."""
    steps = [step for step in steps if not _is_outside(step)]
    inside = depth > 0 and len(steps) > 1 and all(len(step.source) > depth for step in steps)
    if not inside or any(EACH in step.source[depth:] for step in steps):
        return ()
    shortest = min(steps, key=lambda step: len(step.target))
    last = min([_element(step) if step.when or step.unless else len(step.target) for step in steps])
    end = start
    for n in range(start, min(len(shortest.target) - 1, last)):
        if any(not _is_same(step.target[n], shortest.target[n]) for step in steps):
            break
        end = n + 1
    return opening(shortest.target, start, end)


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, At) and isinstance(other, At):
        return one.key == other.key
    return type(one) is type(other) and bool(one == other)


RowT = TypeVar("RowT")


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamTable(WireTable):
    """The streamed answers of one wire.

    framing  the format of the bytes: `sse`, `ndjson`, `json_array` or `aws_event_stream`
    events   name of an event -> its steps; `*` is any other event
    by       the key of the event's data that holds its name; empty if none does
    start    name of the event that begins an answer; empty where events have no names
    envelope  whether each event is an object whose only key is its name
    inside   the path of a type inside the event, in lists that of the first element; steps for one type are named
             `event/type`, or `*/type`
    text_paths  path of a text, without indices -> the kind of event that reports its growth
    call     the path of a call; inside it the paths of its id and its name, and of the name of a custom tool call if
             that differs
    part     the path of a part, or of the message if parts are not in a list
    called   the types of calls that the caller answers; a call without a type is one of them
    thought  keys and values that mark an object as reasoning
    decoded  paths of texts that hold JSON
    pieces   the keys of arguments that arrive as JSON paths with values: `list` of the pieces in a call; in a piece its
             `path`, its value under one of `values`, or null under `empty`; `more` announces further pieces
    fails    names of events that report an error, besides `error`
    done     names of events, and data, that end the stream
    last     keys and values that mark the last event
    inclusive_counts  globs of models whose streams count in the input or output what is beside it in whole answers
    """

    framing: str
    events: Mapping[str, tuple[Step, ...]]
    text_paths: Mapping[tuple[str, ...], str]
    by: str = ""
    start: str = ""
    envelope: bool = False
    inside: tuple[str, ...] = ()
    call: tuple[tuple[str, ...], ...] = ()
    part: tuple[str, ...] = ()
    called: frozenset[str] = frozenset()
    thought: Mapping[str, Any] = field(default_factory=dict[str, Any])
    decoded: frozenset[tuple[str, ...]] = frozenset()
    pieces: Mapping[str, Any] = field(default_factory=dict[str, Any])
    done: frozenset[str] = frozenset()
    fails: frozenset[str] = frozenset()
    last: Mapping[str, Any] = field(default_factory=dict[str, Any])
    inclusive_counts: str = ""

    @cached_property
    def ends(self) -> bool:
        """True if this API has events that mark the end of a part."""
        return any(step.how == "end" for steps in self.events.values() for step in steps)

    def event_paths(self, answers: AnswerTable) -> EventPaths:
        """Return the paths that events report, computed for the first stream."""
        return _event_paths(self, answers)

    def filters(self, answers: AnswerTable) -> dict[str, EventFilter]:
        """Return the filter of each event, computed for the first stream."""
        return _filters(self, answers)

    def usual(self, filters: Mapping[str, EventFilter]) -> dict[str | None, EventFilter]:
        """Return name -> filter, without events whose name is an error and those that depend on a type inside."""
        if self.inside:
            return {}
        return {name: row for name, row in filters.items() if name not in ("*", "error", *self.fails)}

    def steps(
        self, data: Mapping[str, Any], name: str | None, filters: Mapping[str, EventFilter]
    ) -> EventFilter | None:
        """Return the steps of an event, chosen by name and content; None for an unknown event."""
        return self._row(data, name, filters)

    def is_last(self, data: Mapping[str, Any]) -> bool:
        """Return whether an event is marked as the last one."""
        return bool(self.last) and all(data.get(key) == value for key, value in self.last.items())

    @cached_property
    def wholes(self) -> Mapping[str, str]:
        """Name of an event -> its key that holds a whole answer."""
        return {
            name: step.source[0]
            for name, steps in self.events.items()
            for step in steps
            if self.by and step.how in ("put", "merge") and len(step.source) == 1 and not step.target
        }

    def is_event(self, body: Mapping[str, Any]) -> bool:
        """Return whether an object is one event of this stream, sent without its framing."""
        return bool(self.by) and body.get(self.by) in self.events

    def ends_answer(self, name: str | None) -> bool:
        """Return whether an event that may tell an error is also the end of an answer."""
        return name in self.fails and name in self.events

    def plain_steps(self, data: Mapping[str, Any], name: str | None) -> tuple[Step, ...]:
        """Return the steps of an event as the spec states them; empty for an unknown event."""
        return self._row(data, name, self.events) or ()

    def finds(self, data: Mapping[str, Any], name: str | None) -> bool:
        """Return whether an event has a value for any of its steps, or has no steps."""
        steps = () if "*" in self.events else self.plain_steps(data, name)
        return not steps or any(leads_to(data, step.source) for step in steps)

    def _row(self, data: Mapping[str, Any], name: str | None, rows: Mapping[str, RowT]) -> RowT | None:
        row = rows.get(name or "*") or rows.get("*")
        if self.inside:
            word: Any = data
            for key in self.inside:
                if key == EACH:
                    word = word[0] if is_list(word) and word else None
                else:
                    word = word.get(key) if is_object(word) else None
            # a flag is a word as JSON spells it
            word = str(word).lower() if type(word) is bool else word
            row = rows.get(f"{name}/{word}") or rows.get(f"*/{word}") or row
        return row

    def opened(self, data: Mapping[str, Any]) -> str | None:
        """Return the key of an envelope that is the name of an event; None if there is none."""
        return next((key for key in data if key in self.events), None)

    def name_of(self, data: Mapping[str, Any], beside: str | None) -> str | None:
        """Return the name of an event from its data, or else the name from its frame."""
        name = data.get(self.by) if self.by else None
        return name if type(name) is str and name else beside


@cache
def _event_paths(table: StreamTable, answers: AnswerTable) -> EventPaths:
    kinds = {**answers.paths, **table.text_paths}
    paths = event_paths(kinds, table.call, table.part, marked=bool(table.thought))
    if table.pieces and table.call:
        *above, key = table.call[0]
        paths.open(above).pieced = PiecedCalls(key, paths.open(table.call[0]), table.pieces)
    return paths


@cache
def _filters(table: StreamTable, answers: AnswerTable) -> dict[str, EventFilter]:
    paths, constants = _event_paths(table, answers), answers.body.constants.union([table.by])
    return {
        name: build_filter(steps, paths, keeps=constants if name.startswith("*") and steps else None)
        for name, steps in table.events.items()
    }
