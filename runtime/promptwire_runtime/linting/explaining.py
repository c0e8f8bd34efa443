"""Where each value of a request goes on one wire: sent, renamed, converted, moved, merged, made, dropped, rejected."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..build.result import Built
from ..errors import Problem, PromptwireError, RequestError
from ..model.kind_words import PART_KINDS, TOOL_KINDS
from ..model.request import Request
from ..nodes.records import fields, is_node
from ..reporting.node_paths import holds_nodes, nodes_of
from ..reporting.notes import Note
from ..reporting.policies import Policies
from ..wire_json.places import Steps, path_text

# never sent, or part of other rows
_INNER = frozenset({"kept", "provenance", "extra", "given", "is_plain", "fast_path", "turns", "source"})
# values that occur in other places of a body as well
_WORDS = frozenset({"role", "mode", "kind", "type"})
_HEAD = ("value", "went", "to", "why")


@dataclass(frozen=True, slots=True)
class LeafRow:
    """One value of a request or of a body.

    Attributes:
        path: The place in the request (`messages[0].parts[0].text`); empty for what the build made.
        value: The value.
        went: `sent` under its own name, `renamed`, `converted` to another form, `made` by the build, `rejected`,
            `unknown`, or the action of the note about it.
        to: The place in the body; empty if it is not there.
        cause: The note or the problem that is about it, if there is one.
    """

    path: str
    value: Any
    went: str
    to: str = ""
    cause: Note | Problem | None = None

    @property
    def why(self) -> str:
        """The reason that the note or the problem gives; empty without one."""
        cause = self.cause
        return "" if cause is None else cause.why if isinstance(cause, Note) else cause.reason

    def as_json(self) -> dict[str, Any]:
        """Return the row as JSON."""
        own = {name: getattr(self, name) for name in ("path", "value", "went", "to", "why")}
        return {**own, "policy": self.cause.policy if isinstance(self.cause, Note) else ""}


@dataclass(frozen=True, slots=True)
class Explanation:
    """An explanation of a build: what becomes of each value of a request on one wire.

    Attributes:
        wire: The name of the wire.
        rows: The values of the request in order, then what the build made.
        body: The body; None if the request cannot be built.
        problems: Why it cannot be built.
    """

    wire: str
    rows: tuple[LeafRow, ...]
    body: Any = None
    problems: tuple[Problem, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the same as JSON."""
        return {
            "wire": self.wire,
            "rows": [row.as_json() for row in self.rows],
            "problems": [str(problem) for problem in self.problems],
        }

    def __str__(self) -> str:
        """Show it as a table."""
        cells = [_HEAD, *((row.path or "-", row.went, row.to or "-", row.why) for row in self.rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(3)]
        lines = [
            "  ".join([*(text.ljust(width) for text, width in zip(row[:3], widths, strict=True)), row[3]])
            for row in cells
        ]
        return "\n".join([*(line.rstrip() for line in lines), *map(str, self.problems)])


def explain(
    build: Callable[..., Built[Any]],
    wire: str,
    request: Request,
    settings: Mapping[str, Any] | None,
    policies: Policies | str | Mapping[str, Any],
) -> Explanation:
    """Build a request, and return where each of its values went; if it cannot be built, which values are rejected."""
    try:
        built = build(request, settings=settings, policies=policies)
    except RequestError as error:
        rows = [_rejected(path, value, error.problems) for path, value in leaves(request)]
        return Explanation(wire, tuple(rows), problems=error.problems)
    return Explanation(wire, tuple(_rows(request, built)), built.body)


def leaves(request: Request) -> Iterator[tuple[str, Any]]:
    """Yield the path and value of everything that a request says; JSON such as a schema is one value."""
    for place, node in nodes_of(request).items():
        for field in fields(node) if is_node(node) else ():
            value = getattr(node, field.name)
            if field.name in _INNER or value is None or (holds_nodes(value) and any(map(is_node, value))):
                continue
            if is_node(value) or value == ():
                continue
            yield (f"{place}.{field.name}" if place else field.name), value


def _rejected(path: str, value: Any, problems: tuple[Problem, ...]) -> LeafRow:
    """Return the row of a value of a request that cannot be built."""
    problem = next((problem for problem in problems if _concerns(path, problem.path, problem.field)), None)
    return LeafRow(path, value, "unknown" if problem is None else "rejected", cause=problem)


def _concerns(path: str, place: str, field: str) -> bool:
    """Return whether a note or a problem at a place is about a value."""
    head, _, name = path.rpartition(".")
    last = field.rpartition(".")[2]
    own = f"{place}.{field}" if place and field else place or field
    if path == own or path.startswith((f"{own}.", f"{own}[")):
        return True
    # a note about a node as a whole names its kind
    return (
        bool(place)
        and (head == place or head.startswith(f"{place}."))
        and (last == name or _names_node(field))
    )


def _names_node(field: str) -> bool:
    return field in _KINDS


_KINDS = frozenset({*PART_KINDS, *TOOL_KINDS, "message", "instruction"})


def _rows(request: Request, built: Built[Any]) -> Iterator[LeafRow]:
    index = _BodyIndex(built.body)
    notes = built.notes
    url = "" if built.local else _url(built)
    for path, value in leaves(request):
        name = path.rpartition(".")[2]
        steps = index.take_place(value, name)
        note = next((note for note in notes if _concerns(path, note.path, note.field)), None)
        if steps is None and note is not None and note.action == "replaced":
            steps = index.take_named(name)
        to = "" if steps is None else path_text(steps)
        if note is not None and not (note.action == "dropped" and steps is not None):
            yield LeafRow(path, value, note.action, to, note)
        elif steps is None and isinstance(value, str) and value and value in url:
            yield LeafRow(path, value, "renamed", "the URL")
        elif steps is None:
            yield LeafRow(path, value, "converted")
        else:
            yield LeafRow(path, value, "sent" if steps and steps[-1] == name else "renamed", to)
    for steps, value in index.list_rest():
        yield LeafRow("", value, "made", path_text(steps))


def _url(built: Built[Any]) -> str:
    """Return the URL, or an empty text if a setting that it needs is missing."""
    try:
        return built.shown_url
    except PromptwireError:
        return ""


class _BodyIndex:
    """The values of a body by what they are equal to; a place is given out once."""

    def __init__(self, body: Any) -> None:
        self._places: dict[str, list[Steps]] = {}
        self._texts: list[tuple[Steps, str]] = []
        self._leaves: list[tuple[Steps, Any]] = []
        self._taken: set[Steps] = set()
        self._add((), body)

    def _add(self, steps: Steps, value: Any) -> None:
        self._places.setdefault(_key(value), []).append(steps)
        if isinstance(value, dict):
            for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
                self._add((*steps, str(key)), inner)  # pyright: ignore[reportUnknownArgumentType]
            return
        if isinstance(value, (list, tuple)):
            for place, inner in enumerate(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
                self._add((*steps, place), inner)
            return
        self._leaves.append((steps, value))
        if isinstance(value, str):
            self._texts.append((steps, value))
            if value[:1] in ("{", "["):
                try:
                    self._places.setdefault(_key(json.loads(value)), []).append(steps)
                except (ValueError, RecursionError):
                    return

    def take_place(self, value: Any, name: str) -> Steps | None:
        """Return the first place of a value that is not given out yet, if possible under its own name; else None."""
        places = [steps for steps in self._places.get(_key(value), ()) if steps not in self._taken]
        own = next((steps for steps in places if steps and steps[-1] == name), None)
        found = own if own is not None else next(iter(places), None)
        if name in _WORDS:
            found = own
        elif found is None and isinstance(value, str) and value:
            found = next((steps for steps, text in self._texts if value in text), None)
        if found is not None:
            self._taken.add(found)
        return found

    def take_named(self, name: str) -> Steps | None:
        """Return the only leaf of this name that is not given out yet; None if there is no or more than one."""
        places = [
            steps for steps, _ in self._leaves if steps and steps[-1] == name and steps not in self._taken
        ]
        if len(places) != 1:
            return None
        self._taken.add(places[0])
        return places[0]

    def list_rest(self) -> Iterator[tuple[Steps, Any]]:
        """Yield the leaves that no value of the request is the source of."""
        for steps, value in self._leaves:
            if not any(steps[: len(taken)] == taken for taken in self._taken):
                yield steps, value


def _key(value: Any) -> str:
    """Return a text that is the same for equal JSON."""
    try:
        return json.dumps(value, sort_keys=True, default=list)
    except (TypeError, ValueError):
        return repr(value)
