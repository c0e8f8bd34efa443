"""Messages in several keys of a body: the last message in a key of its own, tool results in a list of their own."""

from __future__ import annotations

from ..model.parts import CALLS, RESULTS
from ..nodes.light_dataclasses import dataclass
from ..nodes.records import LightRecord
from ..typed import TYPE_CHECKING, Mapping
from ..wire_json.kinds import class_of, is_list, is_object

if TYPE_CHECKING:
    from typing import Any

    from ..reporting.report import Report

NO_ROWS: Mapping[str, str] = {}
_SEPARATE = (
    "this API takes tool results in a separate list; it is read as one that follows the message of its call"
)


@dataclass(frozen=True, eq=False, repr=False)
class LastMessage(LightRecord):
    """A key of the body that holds the last message of the conversation, if it has a certain role.

    Attributes:
        place: The key of the body.
        speaker: The key of a message that holds its role.
        words: The values of `speaker` that are accepted; None for a message without one.
        constant: The keys that every message of the role has.
        key: The key of the message whose value is written; empty for the whole message.
        role: The neutral role, where only one value of the message is written.
        fields: A key of the message -> the neutral field that it holds.
        every: Whether all messages of the role at the end are taken, as one list.
        otherwise: The value where the last message has another role; with `optional`, the key is omitted.
        why: Why there must be such a message; empty if there need not be one.
    """

    place: str
    speaker: str
    words: tuple[str | None, ...]
    constant: dict[str, Any]
    key: str = ""
    role: str = ""
    fields: Mapping[str, str] = NO_ROWS
    every: bool = False
    otherwise: Any = None
    optional: bool = False
    why: str = ""

    def fill(self, body: dict[str, Any], items: list[Any], report: Report) -> None:
        """Move the last message or messages from the items to the body."""
        value = self._taken_from(items, report)
        if value is not None:
            body[self.place] = value
        elif self.why:
            report.missing(report.request, self.place, self.why)
        elif not self.optional:
            body[self.place] = self.otherwise

    def _taken_from(self, items: list[Any], report: Report) -> Any:
        taken: list[Any] = []
        while items and self._fits(items[-1]) and (self.every or not taken):
            taken.insert(0, items.pop())
        if not taken:
            return None
        if not self.key:
            return taken if self.every else taken[0]
        for item in taken:
            self._report(item, report)
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

    def _report(self, item: dict[str, Any], report: Report) -> None:
        """Report the keys of a message other than the one whose value is sent."""
        beside = item.keys() - self.constant.keys() - {self.key, self.speaker}
        if not beside:
            return
        why = f"only {self.key} of the last message is sent, in {self.place}"
        message = next(message for message in reversed(report.request.messages) if message.role == self.role)
        wire = report.wire.name
        extra = (message.extra or {}).get(wire, {})
        for key in sorted(beside):
            field = self.fields.get(key, key).replace("vendor.", f"vendor.{wire}.")
            report.lost(message, f"extra.{wire}.{key}" if key in extra else field, why)

    def items(self, value: Any) -> list[Any]:
        """Return the items of the messages that a value of this key represents."""
        if value is None or value == self.otherwise:
            return []
        if not self.key:
            return value if self.every and is_list(value) else [value]
        return [{**self.constant, self.key: value}]


@dataclass(frozen=True, eq=False, repr=False)
class MessagePlaces(LightRecord):
    """The keys of a body that together hold one conversation, in order.

    Attributes:
        rest: The list of all messages that have no key of their own. With `optional`, an empty list is omitted.
        last: The keys of the last messages.
        results: The separate list of tool results, which are items without a `speaker`; empty if there is none.
    """

    rest: str
    optional: bool = False
    last: tuple[LastMessage, ...] = ()
    results: str = ""
    needs_results: bool = False
    speaker: str = "role"

    def fill(self, body: dict[str, Any], items: list[Any], report: Report) -> None:
        """Write the items of a conversation into a body; `items` keeps those of the main list."""
        results = self._results_from(items, report) if self.results else []
        if results or self.needs_results:
            body[self.results] = results
        for place in reversed(self.last):
            place.fill(body, items, report)
        if items or not self.optional:
            body[self.rest] = items

    def is_raw(self, body: dict[str, Any], model: str | None) -> bool:  # noqa: ARG002  # as of a prompt
        """Return whether the conversation is a text without the marks of a prompt: a list of messages never is."""
        return False

    def template_in(self, body: dict[str, Any]) -> None:  # as of a prompt
        """Return None: a list of messages has no template."""

    def _results_from(self, items: list[Any], report: Report) -> list[Any]:
        results = [item for item in items if is_object(item) and self.speaker not in item]
        if results:
            items[:] = [item for item in items if not (is_object(item) and self.speaker not in item)]
            _note_moved(report)
        return results

    def items(self, body: dict[str, Any]) -> list[Any]:
        """Return the items of the conversation in a body, without the separate tool results."""
        rest = body.get(self.rest)
        items = [*rest] if is_list(rest) else []
        for place in self.last:
            items += place.items(body.get(place.place))
        return items


def _note_moved(report: Report) -> None:
    """Report, with a note, each result that does not directly follow the message with its call."""
    calls: set[str | None] = set()
    for message in report.request.messages:
        results = [part for part in message.parts if isinstance(part, RESULTS)]
        for part in results:
            if part.call_id not in calls:
                report.note("moved", part, "call_id", _SEPARATE)
        if len(results) < len(message.parts) or not message.parts:
            calls = {part.id for part in message.parts if isinstance(part, CALLS)}
