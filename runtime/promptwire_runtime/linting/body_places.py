"""The places in a body of nodes and fields that errors name in words of the neutral model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from ..errors import Refused, RequestError
from ..model.request import Request
from ..read.readers import NEAREST_ITEM, Readers
from ..reporting.node_paths import nodes_of
from ..wire_json.kinds import is_list, is_object, same
from ..wire_json.places import Steps

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
# the filter of a rule's path, which selects one of several nodes
_CHOSEN = re.compile(r"\[[^\]]*\]")
_LAST_NODE = re.compile(r"(.*)[.\[].*", re.DOTALL)
_ENDS = frozenset({"first_message", "last_message"})
_INSIDE = frozenset({"count", "keys", "values"})
# how much a key must be like a name: have nearly all of its words, or most of them
_LEAST = 0.99
_NEAR = 0.6
# a key with the value of the error is better than any other: likeness is at most 1.25, and a quarter of that for a path
_SAME_VALUE = 2.0


def walked(value: Any) -> Iterator[tuple[Steps, Any]]:
    """Return every value of a body with the steps that lead to it, itself first."""
    stack: list[tuple[Steps, Any]] = [((), value)]
    while stack:
        here, item = stack.pop()
        yield here, item
        stack += [((*here, step), inner) for step, inner in reversed(rows_of(item))]


def rows_of(value: Any) -> list[tuple[str | int, Any]]:
    """Return the values of an object or list, each with its key or index."""
    if is_object(value):
        return [*value.items()]
    return [*enumerate(value)] if is_list(value) else []


class Trace:
    """The elements of a body, each with the node that it became."""

    def __init__(self) -> None:
        # by the identity of nodes, which the trace keeps alive
        self._rows: dict[int, tuple[object, Any]] = {}

    def item_of(self, node: object) -> Any:
        """Return the JSON of a node; None if it was not an element of its own."""
        row = self._rows.get(id(node))
        return None if row is None else row[1]

    def add(self, node: object, item: Any) -> None:
        """Record an element; the last node that it becomes counts."""
        self._rows[id(node)] = (node, item)

    def readers(self, readers: Readers) -> Readers:
        """Return a table of readers that records each element and message."""
        traced = readers.changed()
        # every message is read by its function
        traced.texts = {}
        traced.elements = {
            place: self._noting(read, stands=place in ("messages", NEAREST_ITEM))
            for place, read in traced.elements.items()
        }
        traced.messages = {word: self._noting(read) for word, read in traced.messages.items()}
        return traced

    def _noting(self, read: Callable[[Any, Any], Any], *, stands: bool = False) -> Callable[[Any, Any], Any]:
        def reading(item: Any, reader: Any) -> Any:
            node = read(item, reader)
            if node is not None:
                # an item that is a part of its own comes with the role of its turn
                self.add(node[1] if stands else node, item)
            return node

        return reading


class BodyPlaces:
    """The places of one body: of its objects and lists, and of the nodes that were read from them."""

    def __init__(self, body: dict[str, Any], request: Request, trace: Trace) -> None:
        """Store the body; places are computed when first needed, because most bodies have no problem."""
        self.body = body
        self.nodes = nodes_of(request)
        self._trace = trace

    @cached_property
    def _steps(self) -> dict[int, Steps]:
        return {id(item): steps for steps, item in walked(self.body) if is_object(item) or is_list(item)}

    @cached_property
    def _owned(self) -> set[int]:
        """Return the identities of the JSON items that became a node of their own."""
        return {id(item) for item in map(self._trace.item_of, self.nodes.values()) if item is not None}

    def of_item(self, item: Any) -> Steps | None:
        """Return the steps to an object or list of the body; None for anything else."""
        return self._steps.get(id(item)) if is_object(item) or is_list(item) else None

    def of_node(self, path: str) -> Steps:
        """Return the steps to the JSON of a node of the request, or of the nearest node around it."""
        while path:
            steps = self.of_item(self._trace.item_of(self.nodes.get(path)))
            if steps is None and path.startswith("messages[") and "." not in path:
                steps = self._of_message(path)
            if steps is not None:
                return steps
            outer = _LAST_NODE.fullmatch(path)
            path = outer[1] if outer else ""
        return ()

    def _of_message(self, path: str) -> Steps | None:
        """Return the steps to a message of several items: to the first of them."""
        steps = self.of_item(self._trace.item_of(self.nodes.get(f"{path}.parts[0]")))
        ends = [index for index, step in enumerate(steps or ()) if isinstance(step, int)]
        return steps[: ends[0] + 1] if steps and ends else None

    def of_error(self, error: RequestError) -> Steps:
        """Return the steps to the value of an error, or to the nearest object around it."""
        head, _, tail = _CHOSEN.sub("", error.field).partition(".")
        base = self.of_node(error.path or head)
        if head == "message" and tail:
            base = self._item_with(tail, error.value, base)
        if head == "strict_schemas":
            return self._best((), "tools" if "tools" in self.body else "response_format", None, _NEAR)
        if head == "tools" and not error.path:
            return self.find((), "tools", None)
        # inside a message, match the last word of the path; elsewhere the whole path
        inside = head in _ENDS or error.path.startswith("messages[")
        words = tail if inside and tail else error.field
        if error.value is None and isinstance(error, Refused):
            # a missing value has no place: a key of the same name belongs to another field
            return base
        return self.find(base, head if tail in _INSIDE else words, error.value)

    def _item_with(self, key: str, value: Any, first: Steps) -> Steps:
        """Return the steps to the item of a message, of which `first` is one, that has a value under a key."""
        *above, start = first or ("",)
        if not isinstance(start, int):
            return first
        items = self._value(above)
        # an item with bare text is not a node, and may precede the first that is one
        near = [*range(start, len(items)), *range(max(start - 1, 0), start)]
        found = [index for index in near if is_object(items[index]) and items[index].get(key) == value]
        return (*above, found[0]) if found else first

    def _value(self, steps: Iterable[str | int]) -> Any:
        value: Any = self.body
        for step in steps:
            value = value[step]
        return value

    def of_missing(self, error: RequestError, missing: list[Steps]) -> Steps:
        """Return the steps to a missing value: to the required key, or to the name of its field."""
        base, words = self.of_node(error.path), _tokens(error.field)
        near = [steps for steps in missing if steps[:-1] == base and _alike(words, _tokens(str(steps[-1])))]
        return near[0] if near else (*base, error.field)

    def find(self, base: Steps, words: str, value: Any) -> Steps:
        """Return the steps to a value below others, found by its value and its name in the neutral model.

        If no key has the last word of the name, the words before it are looked for. If nothing is found, return `base`.
        """
        steps = self._best(base, words, value, _LEAST)
        outer = words.rpartition(".")[0]
        while steps == base and outer:
            steps = self._best(base, outer, None, _NEAR)
            outer = outer.rpartition(".")[0]
        return steps

    def _best(self, base: Steps, words: str, value: Any, least: float) -> Steps:
        """Return the steps to the best match; `base` if there is none, or several are equally good.

        Errors name fields of the neutral model, and rules name no keys. So keys are compared with the last word of the
        field's name, and their paths with the whole name, which decides between equal keys.
        """
        names, everything = _tokens(words.rpartition(".")[2]), _tokens(words)
        best, most, ambiguous = base, least, False
        for steps, item in self._own(base):
            keys = [step for step in steps[len(base) :] if isinstance(step, str)]
            alike = _alike(names, _tokens(keys[-1])) if keys else 0.0
            score = alike + _alike(everything, _tokens(" ".join(keys))) / 4
            if value is not None and keys and item is not None and same(_plain(value), item):
                score += _SAME_VALUE
            if score > most:
                best, most, ambiguous = steps, score, False
            elif score == most and not alike:
                ambiguous = True
        return base if ambiguous else best

    def _own(self, base: Steps) -> Iterator[tuple[Steps, Any]]:
        """Yield the values below some steps, without those of nodes inside."""
        stack: list[tuple[Steps, Any]] = [(base, self._value(base))]
        while stack:
            here, item = stack.pop()
            owned = here != base and (is_object(item) or is_list(item)) and id(item) in self._owned
            # an element of a list has no name
            if not (owned and isinstance(here[-1], int)):
                yield here, item
            if owned:
                continue
            stack += [((*here, step), inner) for step, inner in reversed(rows_of(item))]


def _plain(value: Any) -> Any:
    return [*value] if isinstance(value, tuple) else value


def _tokens(name: str) -> frozenset[str]:
    return frozenset([word.lower() for word in _WORDS.findall(name)])


def _alike(wanted: frozenset[str], given: frozenset[str]) -> float:
    """Return how much a key is like a name: the share of the name's words that the key has.

    A quarter of the share of the key's own words is added, so that `max_tokens` is better for `max_tokens`
    than `max_tokens_per_document`.
    """
    shared = len(wanted & given)
    if not shared:
        return 0.0
    return shared / len(wanted) + 0.25 * shared / len(given)
