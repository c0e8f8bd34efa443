"""The function that writes the whole body, in the order of the spec's keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...model.message_places import is_place
from ...model.neutral import COMMON_OPTIONS, COMMON_REQUEST_FIELDS
from ...model.rules import looks_at_tools, looks_inside
from ...model.wire import WireModel
from ...spec.shapes import KeyShape, Object
from ...spec.wire_rules import IN_MESSAGES
from ..docs import body_doc
from .body_pages import BodyPage, body_pages, optional_keys, variables_of
from .body_row import common_losses
from .limits import counts_one
from .plain_messages import PlainText, ShownParts


@dataclass(frozen=True)
class BodyEntry:
    """A key of the body, with the variables that it needs; `page` writes it at length."""

    key: KeyShape
    page: BodyPage | None = None

    @property
    def variables(self) -> list[str]:
        """The variables that the key needs."""
        return variables_of([self.key])


@dataclass(frozen=True)
class BodyWriter:
    """The function that writes the body.

    Attributes:
        texts: The one message of a conversation, where that is one text of the user or the assistant.
        shown: The same, where it is texts and images of the user.
    """

    wire: WireModel
    texts: Sequence[PlainText]
    shown: ShownParts | None

    @property
    def doc(self) -> str:
        """Return the docstring of the function."""
        return body_doc("Write the whole body", self.wire)

    @cached_property
    def required(self) -> list[KeyShape]:
        """The keys without holes, which stand in every body."""
        body = self.wire.body
        return [
            entry
            for entry in body.shape.required
            if entry is not body.messages and not entry.shape.written_holes
        ]

    @cached_property
    def late(self) -> list[KeyShape]:
        """Keys of settings that may change while messages are written."""
        rules = [rule for rule in self.wire.rules if looks_inside(rule) or looks_at_tools(rule)]
        added = {setting for rule in rules for setting in rule.add}
        return [
            entry
            for entry in self.wire.body.shape.fields
            if any(hole.path[0] == "settings" and hole.path[1] in added for hole in entry.shape.holes)
        ]

    @cached_property
    def entries(self) -> list[BodyEntry]:
        """The keys that most requests have; an object with many rarely used keys gets a function of its own."""
        body = self.wire.body
        placed = [entry for entry in body.shape.fields if is_place(entry)]
        away = (*self.required, *optional_keys(self.wire), *self.late, body.messages, *placed)
        return [_entry(entry) for entry in body.entries if entry not in away]

    @property
    def losses(self) -> list[tuple[str, str]]:
        """Fields of any request without a key, each with its report."""
        return common_losses(self.wire)

    @cached_property
    def pages(self) -> list[BodyPage]:
        """Return the functions that write the keys which most requests leave out."""
        return body_pages(self.wire)

    @property
    def moves(self) -> bool:
        """Return whether a rule moves values inside the body."""
        return any(not switches_key(*pair) for rule in self.wire.rules for pair in rule.rename.items())


def body_writer(wire: WireModel, texts: Sequence[PlainText], shown: ShownParts | None) -> BodyWriter:
    """Return the function; `texts` and `shown` are written at once where they are the only message."""
    if not texts or counts_one("messages", wire):
        return BodyWriter(wire, (), None)
    return BodyWriter(wire, texts, shown)


def _entry(entry: KeyShape) -> BodyEntry:
    common = _common_part(entry)
    return BodyEntry(entry) if common is None else BodyEntry(common, BodyPage([entry]))


def _common_part(entry: KeyShape) -> KeyShape | None:
    """Return an optional object with only the keys that most requests have.

    None if the object is required, holds required values, or has no other keys.
    """
    shape = entry.shape
    if not entry.optional or not isinstance(shape, Object) or shape.required_holes:
        return None
    fields = [field for field in shape.fields if not field.optional or _is_common(field)]
    if len(fields) == len(shape.fields) and shape.extra_keys is None:
        return None
    return replace(entry, shape=Object(tuple(fields), None, shape.span))


def _is_common(field: KeyShape) -> bool:
    heads = {hole.path[0] for hole in field.shape.holes}
    return heads <= COMMON_REQUEST_FIELDS | COMMON_OPTIONS


def switches_key(key: str, other: str) -> bool:
    """Return whether a rule renames a key of the body or of its messages, instead of moving a value inside it."""
    return key.startswith(IN_MESSAGES) or ("." not in key and "." not in other)
