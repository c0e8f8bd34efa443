"""The result of reading a body, and how much of it was understood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..build.wire import Wire
from ..model.parts import Opaque
from ..model.request import Request
from ..model.wire_memory import Kept
from ..nodes.records import fields, is_node, replace
from ..reporting.derived_keys import unknown_paths
from ..reporting.node_paths import holds_nodes
from ..reporting.notes import Note
from ..reporting.settings import Settings, settings_of
from ..wire_json.kinds import as_value, bag, count_leaves, is_empty, leaves
from ..wire_json.places import path_text, places_of_elements
from .form_memory import MemoryWords, kept_leaves, names_only

if TYPE_CHECKING:
    from typing import TypeAlias

    from ..wire_json.places import Steps

    PlacedNote: TypeAlias = tuple[Steps, Note]

LACKING: Any = object()
"""Stands for content that an API always sends, where it is absent or null."""


def _note_at(steps: Steps, action: str, why: str) -> tuple[Steps, Note]:
    """Return the steps to a place of a body with a note, whose path leads into the body."""
    *above, last = steps or ("",)
    if isinstance(last, str):
        return steps, Note(action, path_text(above), last, why)
    return steps, Note(action, path_text(steps), "", why)


def located(
    body: Any,
    deviations_found: Sequence[tuple[Any, tuple[str, ...], str, str]],
    unread_found: Sequence[tuple[Any, str]],
    title: str,
) -> tuple[tuple[PlacedNote, ...], tuple[PlacedNote, ...]]:
    """Return notes on the deviations and on the unread content of a body, each with the steps to its place."""
    if not deviations_found and not unread_found:
        return (), ()
    elements = [row[0] for row in (*deviations_found, *unread_found)]
    places = places_of_elements(body, elements)
    deviations = [
        _note_at((*places.get(id(element), ()), *keys), action, why)
        for element, keys, action, why in deviations_found
    ]
    kept = f"no shape of {title} takes this: it is kept as it came"
    lacking = f"{title} always has this, and here it is absent, null or empty"
    unread = [
        _note_at((place,), "passed through", lacking)
        if element is LACKING
        else _note_at(places.get(id(element)) or (place,), "passed through", kept)
        for element, place in unread_found
    ]
    return tuple(deviations), tuple(unread)


NodeT = TypeVar("NodeT")


class Reading:
    """The result of `read`.

    request  the neutral Request, with its form memory
    settings what URL and body show of the build's settings, defaults aside
    leaves   how many JSON leaves the body has
    kept     how many of them no neutral field holds (unknown keys, elements that no shape knows)
    understood  how many landed in neutral fields: the request without any memory builds them again
    notes    what reading moved (instructions out of the messages), and a URL that is none of this wire
    deviations  where the body differs from every documented shape, and what was assumed there: a constant that is
                absent, null or empty, arguments of another JSON type; paths lead into the body
    unread      what no shape takes: it is kept, and a build of the same wire sends it as it came
    """

    def __init__(  # noqa: PLR0913  # what a reading has found out
        self,
        wire: Wire,
        words: MemoryWords,
        body: dict[str, Any],
        request: Request,
        *,
        counted: Request,
        write: Callable[[Request], Any],
        settings: Mapping[str, Any],
        notes: Sequence[Note],
        noted: tuple[Sequence[PlacedNote], Sequence[PlacedNote]] = ((), ()),
    ) -> None:
        """Store the result; counts are computed when they are first read.

        `counted` is the request as it remembers a body that `write` builds.
        """
        self._settings = settings
        self.wire = wire
        self._words = words
        self.body = body
        self.request = request
        self.counted = counted
        self.notes = tuple(notes)
        self.noted = noted
        self._write = write

    @cached_property
    def settings(self) -> Settings:
        """The build settings that URL and body show, without those that have their default."""
        return settings_of(self._settings, self.wire.secrets)

    @property
    def deviations(self) -> tuple[Note, ...]:
        """The places where the body differs from every documented shape, and the assumption at each."""
        return tuple([note for _, note in self.noted[0]])

    @property
    def unread(self) -> tuple[Note, ...]:
        """Content of the body that no shape takes, and known keys whose values no field takes."""
        assumed = {steps[-1:] for steps, _ in self.noted[0]}
        keys = [(path, path.rpartition(".")[2]) for path in self._unknown(spelled=False)]
        known = [path for path, key in keys if key in self._words.keys and (key,) not in assumed]
        why = f"{self.wire.title} has this key, but not here, or not with such a value: it is kept as it came"
        return (
            *[note for _, note in self.noted[1]],
            *[Note("passed through", "", path, why) for path in known],
        )

    @property
    def problems(self) -> tuple[Note, ...]:
        """The earlier name of `unread`."""
        from ..moved_names import warn_deprecated

        warn_deprecated(f"{type(self).__name__}.problems is unread now")
        return self.unread

    @cached_property
    def leaves(self) -> int:
        """The number of leaves of the body."""
        return count_leaves(self.body)

    @cached_property
    def _kept(self) -> Counter[tuple[type, Any]]:
        leaves: Counter[tuple[type, Any]] = Counter()
        for node in nodes_of(self.counted):
            if isinstance(node, Opaque):
                leaves.update(bag(node.value, as_value))
            elif node.kept is not None:
                leaves.update(as_value(leaf) for leaf in kept_leaves(node.kept))
        return leaves

    @property
    def kept(self) -> int:
        """The number of leaves that only the memory holds."""
        return self._kept.total()

    @cached_property
    def understood(self) -> int:
        """The number of leaves that a build without memory reproduces, or that are the wire's own words."""
        fresh = self._write(without_memory(self.counted))
        return count_understood(self.body, fresh, self._kept, self._words.explain)

    @property
    def unknown(self) -> Iterator[str]:
        """The dotted key paths of values that only the memory holds."""
        return self._unknown(spelled=True)

    def _unknown(self, *, spelled: bool) -> Iterator[str]:
        """Yield what only the memory holds; `spelled`: also known values in another spelling."""
        for node in nodes_of(self.counted):
            name = type(node).__name__
            if isinstance(node, Opaque):
                yield f"{node.place}[] (unknown element)"
            elif node.kept is not None:
                yield from (f"{name}.{path}" for path in unknown_paths(node.kept.form, spelled=spelled))


def count_understood(
    body: Any, fresh: Any, kept: Counter[tuple[type, Any]], explain: Callable[[Any], bool]
) -> int:
    """Count the leaves of a body that are understood.

    Args:
        body: The body that was read.
        fresh: What is written without memory.
        kept: How often each value (see `as_value`) is held by memory alone.
        explain: Whether a leaf is one of the wire's own words.
    """
    spare, kept = bag(fresh, as_value), kept.copy()
    count = 0
    for leaf in leaves(body):
        value = as_value(leaf)
        silent = is_empty(leaf) or explain(leaf)
        holder = kept if kept[value] > 0 else spare
        count += holder is spare and (silent or spare[value] > 0)
        holder[value] -= 1
    # a single element under a key is remembered twice
    return count - sum([number for number in kept.values() if number > 0])


def nodes_of(node: Any) -> Iterator[Any]:
    """Walk every node that may carry memory."""
    if hasattr(node, "kept"):
        yield node
    for name in ("messages", "parts", "tools", "instructions"):
        children = getattr(node, name, None)
        if holds_nodes(children):
            for child in children:
                yield from nodes_of(child)
    if isinstance(node, Request):
        for child in (node.tool_choice, node.response_format, node.reasoning):
            if child is not None:
                yield child


def without_memory(node: NodeT) -> NodeT:
    """Return a copy of a node whose memory has no values: only its shape, and which keys repeat a value."""
    changes: dict[str, Any] = {}
    if not is_node(node):
        return node
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name == "kept" and value is not None:
            names = names_only(value.form)
            kept = None if value.shape is None and names is None else Kept(value.wire, names, value.shape)
            changes["kept"] = kept
        elif holds_nodes(value) and value and is_node(value[0]):
            changes[field.name] = tuple([without_memory(child) for child in value])
        elif field.init and is_node(value) and field.name not in ("provenance", "options"):
            changes[field.name] = without_memory(value)
    return cast("NodeT", replace(node, **changes)) if changes else node
