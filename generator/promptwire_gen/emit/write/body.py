"""Functions that write the whole body, in the order of the spec's keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from ...model.message_places import is_place
from ...model.neutral import COMMON_OPTIONS, COMMON_REQUEST_FIELDS
from ...model.rules import looks_at_tools, looks_inside
from ...model.wire import WireModel
from ...spec.shapes import KeyShape, Object
from ...spec.wire_rules import IN_MESSAGES
from ..conditions import either
from ..docs import body_doc
from ..field_access import FieldAccess
from ..python import Expression, display, item, listing, literal, name
from .body_keys import BODY, BodyKey, body_key, layer_of_text
from .body_pages import BodyPage, Variable, body_page, body_pages, optional_keys, variables_of
from .body_row import BodyTable, body_row, common_losses
from .instructions import FirstMessage, first_message
from .limits import counts_one, limits_of
from .plain_messages import PlainText, ShownParts
from .reports import ReportCall
from .values import value_of


@dataclass(frozen=True, slots=True)
class BodyEntry:
    """A key of the body, with the variables that it needs; `page` writes it at length."""

    variables: tuple[Variable, ...]
    keys: tuple[BodyKey, ...]
    page: BodyPage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyWriter:
    """The function that writes the body.

    required    the keys without holes
    entries     the keys that most requests have
    losses      fields of any request without a key
    first       the message of instructions that stand first; None where they have a key
    instructions  the content of that message, where they are one text
    server      whether the server holds messages, so that only the others are sent
    texts       the one message of a conversation, where that is one text of the user or the assistant
    shown       the same, where it is texts and images of the user
    limits      tests of the number of messages
    late        keys of settings that may change while messages are written
    target      where the messages stand; `optional` where no messages is no key
    places      whether they stand under several keys, as a table says
    moves       whether a rule moves values inside the body
    """

    doc: str
    required: Expression
    entries: tuple[BodyEntry, ...]
    losses: tuple[ReportCall, ...]
    first: FirstMessage | None
    instructions: Expression
    server: bool
    texts: tuple[PlainText, ...]
    shown: Expression | None
    limits: tuple[ReportCall, ...]
    late: tuple[BodyKey, ...]
    target: Expression
    optional: bool
    places: bool
    moves: bool
    name: str = "write_body"
    macro: ClassVar[str] = "body_writer"


BodyDefinition: TypeAlias = BodyTable | BodyPage | BodyWriter


class BodyEmitter:
    """Prepares the functions that write the body of one wire."""

    def __init__(self, model: WireModel, access: FieldAccess) -> None:
        """`access` is the place of the request's holes."""
        self.model = model
        self.access = access
        fields = model.body.shape.fields
        self._late = [entry for entry in fields if self._is_late(entry)]
        self._apart = optional_keys(model)
        self.pages = body_pages(model, access)
        self._required = [
            entry
            for entry in model.body.shape.required
            if entry is not model.body.messages and not entry.shape.written_holes
        ]

    def definitions(self, texts: tuple[PlainText, ...], shown: ShownParts | None) -> list[BodyDefinition]:
        """Row, pages and functions; `texts` and `shown` are written at once where they are the only message."""
        row = body_row(self.model)
        if not texts or counts_one("messages", self.model):
            texts, shown = (), None
        body = self._body(texts, shown)
        inside = [entry.page for entry in body.entries if entry.page is not None]
        return [row, *inside, *self.pages, body]

    def _body(self, texts: tuple[PlainText, ...], shown: ShownParts | None) -> BodyWriter:
        model, messages = self.model, self.model.body.messages
        placed = [entry for entry in model.body.shape.fields if is_place(entry)]
        away = (*self._required, *self._apart, *self._late, messages, *placed)
        moves = any(not switches_key(*pair) for rule in model.rules for pair in rule.rename.items())
        first = model.instructions.placement == "first_message"
        return BodyWriter(
            doc=body_doc("Write the whole body", model),
            required=display([(entry.key, value_of(entry.shape, self.access)) for entry in self._required]),
            entries=tuple([self._entry(entry) for entry in model.body.entries if entry not in away]),
            losses=common_losses(model),
            first=first_message(model, either(name("role"), literal(model.instructions.role)))
            if first
            else None,
            instructions=self._instructions(),
            server=model.continuation.mode == "server",
            texts=texts,
            shown=None if shown is None else shown.item,
            limits=limits_of("messages", name("turns"), model),
            late=tuple([key for entry in self._late for key in body_key(entry, self.access, model)]),
            target=item(BODY, messages.key),
            optional=messages.optional,
            places=model.body.messages_apart,
            moves=moves,
        )

    def _instructions(self) -> Expression:
        if self.model.lists_instructions:
            return listing([layer_of_text(self.access, self.model)])
        return name("instructions")

    def _entry(self, entry: KeyShape) -> BodyEntry:
        """Return the code of one key of any body; an object with many rarely used keys gets a function of its own."""
        common = _common_part(entry)
        if common is None:
            return BodyEntry(variables_of([entry]), body_key(entry, self.access, self.model))
        keys = body_key(common, self.access, self.model)
        return BodyEntry(variables_of([common]), keys, body_page([entry], self.access, self.model))

    def _is_late(self, entry: KeyShape) -> bool:
        """Return whether a key holds a setting that may be filled in while messages are written."""
        added = {
            setting
            for rule in self.model.rules
            if looks_inside(rule) or looks_at_tools(rule)
            for setting in rule.add
        }
        return any(hole.path[0] == "settings" and hole.path[1] in added for hole in entry.shape.holes)


def _common_part(entry: KeyShape) -> KeyShape | None:
    """Of an optional object that is written if some key of it is, the keys that most requests have; None of others."""
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
