"""What the events of a stream do to the answer that grows: steps as data, and what they want of one event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from .grown import EACH, Slots
from .told import Told

# a key, a number in a list, or `At`, which finds the number in the event
Path: TypeAlias = tuple[Any, ...]
Above: TypeAlias = tuple[tuple[Any, type[dict[Any, Any]]], ...]
"""Keys that lead to a place, each with what it opens there: an object, or a list by numbers."""
Around: TypeAlias = tuple[tuple[dict[str, Any], int | None], ...]
"""The objects of an event around a value, the nearest first, each with its number where it stands in a list."""


class At:
    """A place in a list, by the number that stands under a key of the event."""

    __slots__ = ("key",)

    def __init__(self, key: str) -> None:
        self.key = key

    def number(self, around: Around) -> int:
        """Find the number; an element that does not say its `index` has the one that it stands at."""
        key = self.key
        for item, place in around:
            number = item.get(key, place if key == "index" else None)
            if type(number) is int:
                return number
        return 0


class Step:
    """What one event does to the answer.

    how     `put`: the value replaces what is there; `merge`: the values of an object do; `grow`: text is appended,
            objects and lists are merged; `extend`: elements are added to a list, text to the text before it;
            `end`: nothing of the target follows
    source  where the value stands in the event; `[]` is each element of a list
    target  where it goes
    when    a key that the element of a list must have for it, and `unless` one that it must not have
    constants  what goes there instead, once the value is found
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


class Deed:
    """A step whose value is found.

    above  the keys of its target from the place where it starts, but the last, each with what it opens
    key    the last; None where the target is the whole answer
    told   what is told of the target
    asks   whether it depends on the element of a list, which stands behind so many keys as `before` are
    """

    __slots__ = ("above", "asks", "before", "constants", "how", "key", "told", "unless", "when")

    def __init__(self, step: Step, told: Told | None, start: int) -> None:
        self.when = step.when
        self.unless = step.unless
        self.how = step.how
        self.constants = step.constants
        self.told = told
        self.above = opening(step.target, start, len(step.target) - 1)
        self.key: Any = step.target[-1] if step.target else None
        self.asks = bool(step.when or step.unless)
        self.before = self.above[: max(_element(step) - start, 0)]
        if self.asks:
            self.above = self.above[len(self.before) :]

    def fits(self, element: dict[Any, Any]) -> bool:
        """Tell whether the element of a list is one that the step is for."""
        return (not self.when or self.when in element) and self.unless not in element

    @property
    def plain(self) -> bool:
        """Whether the value is only put under a key of the whole answer."""
        return self.how == "put" and self.told is None and not self.above and isinstance(self.key, str)


class Wanted:
    """What the steps of an event want of one of its values; at the top of an event, `plain` is taken first.

    base   the keys that lead to the place where they all start, each with what it opens
    deeds  the steps that take the value itself
    plain  a key of the object -> the key of the whole answer under which its value is put
    keys   a key of the object -> what they want there, in the order of the steps; `inside` finds one of them
    names  these keys
    each   what they want of every object of the list
    deep   whether they want anything inside the value
    """

    __slots__ = ("base", "deeds", "deep", "each", "inside", "keys", "names", "plain")

    deeds: tuple[Deed, ...]
    deep: bool

    def __init__(
        self,
        deeds: tuple[Deed, ...],
        keys: Mapping[str, Wanted],
        each: Wanted | None,
        base: Above,
        *,
        top: bool,
    ) -> None:
        plain = {
            key: [deed.key for deed in inside.deeds]
            for key, inside in keys.items()
            if top and not inside.deep and all(deed.plain for deed in inside.deeds)
        }
        self.base = base
        self.deeds = deeds
        self.plain = tuple([(key, target) for key, targets in plain.items() for target in targets])
        self.keys = tuple([(key, inside) for key, inside in keys.items() if key not in plain])
        self.inside = {key: (inside,) for key, inside in self.keys}
        self.names = frozenset(keys)
        self.each = each
        self.deep = bool(keys) or each is not None


def opening(target: Path, start: int, end: int) -> Above:
    """Give some keys of a target, each with what it opens: a list where a number follows."""
    return tuple([(target[n], dict if isinstance(target[n + 1], str) else Slots) for n in range(start, end)])


def wanted(steps: Sequence[Step], told: Told, depth: int = 0, start: int = 0) -> Wanted:
    """Group steps by the keys that lead to their values.

    Args:
        steps: the steps of an event, or those of them that want something of this value.
        told: what is told of the whole answer.
        depth: how many keys of the event led here.
        start: how many keys of each target lead to the place where they start.
    """
    here: list[Deed] = []
    inside: dict[str, list[Step]] = {}
    base = _shared(steps, depth, start)
    end = start + len(base)
    for step in steps:
        if len(step.source) == depth:
            here.append(Deed(step, told.at(step.target), end))
        else:
            inside.setdefault(step.source[depth], []).append(step)
    rows = {key: wanted(inner, told, depth + 1, end) for key, inner in inside.items()}
    each = rows.pop(EACH, None)
    return Wanted(tuple(here), rows, each, base, top=not depth)


def _element(step: Step) -> int:
    """Give how many keys of a target lead to the last element whose number an event says; none where none does."""
    places = [number for number, key in enumerate(step.target[:-1]) if isinstance(key, At)]
    return places[-1] + 1 if places else 0


def _shared(steps: Sequence[Step], depth: int, start: int) -> Above:
    """Give the keys that all steps about one object inside the event, or the elements of one list, go down first."""
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
