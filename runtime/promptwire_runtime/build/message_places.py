"""Messages under several keys of a body: the last ones under keys of their own, results in a list beside the others."""

from __future__ import annotations

from ..model.parts import CustomToolCall, CustomToolResult, ToolCall, ToolResult
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import class_of, is_list, is_object

if TYPE_CHECKING:
    from typing import Any

    from ..reporting.report import Report

_CALLS = (ToolCall, CustomToolCall)
_RESULTS = (ToolResult, CustomToolResult)
_APART = "results stand in a list beside the messages here: it is read as one behind the message of its call"


class LastMessage:
    """A key of the body that takes the message at the end of the conversation, where it is of one role.

    place      the key of the body
    speaker    the key of a message that tells whose it is
    words      those of the role there; None for a message without one
    constant   what every message of the role says
    key        the key of the message whose value stands there alone; empty for the whole message
    role       the role, where only one value of the message stands there
    fields     the keys of the message -> the fields of the neutral one that they hold
    every      whether all messages of the role at the end are taken, as one list
    otherwise  what stands there where the last message is of another role; `optional`: nothing does
    why        why there must be one; empty where a body may go without
    """

    __slots__ = (
        "constant",
        "every",
        "fields",
        "key",
        "optional",
        "otherwise",
        "place",
        "role",
        "speaker",
        "why",
        "words",
    )

    def __init__(  # noqa: PLR0913  # a row of a table
        self,
        place: str,
        speaker: str,
        words: tuple[str | None, ...],
        constant: dict[str, Any],
        *,
        key: str = "",
        role: str = "",
        fields: dict[str, str] | None = None,
        every: bool = False,
        otherwise: Any = None,
        optional: bool = False,
        why: str = "",
    ) -> None:
        self.place = place
        self.speaker = speaker
        self.words = words
        self.constant = constant
        self.key = key
        self.role = role
        self.fields = fields or {}
        self.every = every
        self.otherwise = otherwise
        self.optional = optional
        self.why = why

    def fill(self, body: dict[str, Any], items: list[Any], build: Report) -> None:
        """Put what stands here into a body, and take it off the end of the items."""
        value = self._taken_from(items, build)
        if value is not None:
            body[self.place] = value
        elif self.why:
            build.missing(build.request, self.place, self.why)
        elif not self.optional:
            body[self.place] = self.otherwise

    def _taken_from(self, items: list[Any], build: Report) -> Any:
        taken: list[Any] = []
        while items and self._fits(items[-1]) and (self.every or not taken):
            taken.insert(0, items.pop())
        if not taken:
            return None
        if not self.key:
            return taken if self.every else taken[0]
        for item in taken:
            self._report(item, build)
        values = [item[self.key] for item in taken]
        return [element for value in values for element in value] if self.every else values[0]

    def _fits(self, item: Any) -> bool:
        word = item.get(self.speaker) if is_object(item) else self
        return (word is None or class_of(word) is str) and word in self.words and self._has_value(item)

    def _has_value(self, item: dict[str, Any]) -> bool:
        if not self.key:
            return True
        value = item.get(self.key)
        return is_list(value) if self.every else value is not None and value != self.otherwise

    def _report(self, item: dict[str, Any], build: Report) -> None:
        """Report what a message says beside the value that is sent of it."""
        beside = item.keys() - self.constant.keys() - {self.key, self.speaker}
        if not beside:
            return
        why = f"only {self.key} of the last message is sent, as {self.place}"
        message = next(message for message in reversed(build.request.messages) if message.role == self.role)
        wire = build.wire.name
        extra = (message.extra or {}).get(wire, {})
        for key in sorted(beside):
            field = self.fields.get(key, key).replace("vendor.", f"vendor.{wire}.")
            build.lost(message, f"extra.{wire}.{key}" if key in extra else field, why)

    def items(self, value: Any) -> list[Any]:
        """Give the items of messages that a value under this key stands for."""
        if value is None or value == self.otherwise:
            return []
        if not self.key:
            return value if self.every and is_list(value) else [value]
        return [{**self.constant, self.key: value}]


class MessagePlaces:
    """The keys of a body that hold one conversation together, in its order.

    rest      the list of all messages without a place of their own; `optional`: an empty one is left out
    last      the keys of the last messages
    results   the list of tool results beside it, told by the lack of a `speaker`; empty where there is none
    """

    __slots__ = ("last", "needs_results", "optional", "rest", "results", "speaker")

    def __init__(  # a row of a table
        self,
        rest: str,
        *,
        optional: bool = False,
        last: tuple[LastMessage, ...] = (),
        results: str = "",
        needs_results: bool = False,
        speaker: str = "role",
    ) -> None:
        self.rest = rest
        self.optional = optional
        self.last = last
        self.results = results
        self.needs_results = needs_results
        self.speaker = speaker

    def fill(self, body: dict[str, Any], items: list[Any], build: Report) -> None:
        """Put the items of a conversation where they stand in a body; `items` keeps those of the list."""
        results = self._results_from(items, build) if self.results else []
        if results or self.needs_results:
            body[self.results] = results
        for place in reversed(self.last):
            place.fill(body, items, build)
        if items or not self.optional:
            body[self.rest] = items

    def _results_from(self, items: list[Any], build: Report) -> list[Any]:
        results = [item for item in items if is_object(item) and self.speaker not in item]
        if results:
            items[:] = [item for item in items if not (is_object(item) and self.speaker not in item)]
            _note_moved(build)
        return results

    def items(self, body: dict[str, Any]) -> list[Any]:
        """Give the items of a conversation that stand in a body, the results beside it aside."""
        rest = body.get(self.rest)
        items = [*rest] if is_list(rest) else []
        for place in self.last:
            items += place.items(body.get(place.place))
        return items


def _note_moved(build: Report) -> None:
    """Note each result that does not stand right behind the message with its call."""
    calls: set[str | None] = set()
    for message in build.request.messages:
        results = [part for part in message.parts if isinstance(part, _RESULTS)]
        for part in results:
            if part.call_id not in calls:
                build.note("moved", part, "call_id", _APART)
        if len(results) < len(message.parts) or not message.parts:
            calls = {part.id for part in message.parts if isinstance(part, _CALLS)}
