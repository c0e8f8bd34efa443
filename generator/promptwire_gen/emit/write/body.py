"""Functions that write the whole body, in the order of the spec's keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeAlias

from ...model.neutral import COMMON_OPTIONS, COMMON_REQUEST_FIELDS, OPTIONS
from ...model.rules import looks_at_tools, looks_inside
from ...model.wire import WireModel
from ...spec.shapes import Field, Object
from ..docs import body_doc
from ..field_access import FieldAccess
from ..python import Expression, attribute, call, display, item, literal, name, word_of
from ..python.conditions import conditional, either
from .body_keys import BODY, BodyKey, body_key
from .body_row import BodyRow, body_row, common_losses
from .limits import counts_one, limits_of
from .plain_messages import PlainText, ShownParts
from .reports import Report
from .values import value_of, written_holes

# the values of fields that are not given
EMPTY = {"tool_choice": "NO_TOOL_CHOICE", "reasoning": "NO_REASONING", "continuation": "NO_CONTINUATION"}
# how many keys a function writes before the next goes on
_KEYS_OF_A_PAGE = 14


@dataclass(frozen=True, slots=True)
class Variable:
    """`name = value`, before the keys that need it."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class RarePage:
    """The function that writes some keys that most requests leave out."""

    name: str
    doc: str
    variables: tuple[Variable, ...]
    keys: tuple[BodyKey, ...]
    uses: frozenset[str] = frozenset()
    macro: ClassVar[str] = "rare_page"


@dataclass(frozen=True, slots=True)
class BodyEntry:
    """A key of the body with the variables that it needs; `page` writes it where the request is a rare one."""

    variables: tuple[Variable, ...]
    keys: tuple[BodyKey, ...]
    page: RarePage | None = None


@dataclass(frozen=True, slots=True)
class RareWriter:
    """The function that writes all keys that most requests leave out, and reports what has no key."""

    pages: tuple[str, ...]
    name: str = "write_rare"
    macro: ClassVar[str] = "rare_writer"

    @property
    def uses(self) -> frozenset[str]:
        """The functions of the pages."""
        return frozenset(self.pages)


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyWriter:
    """The function that writes the body.

    required    the keys without holes
    entries     the keys that most requests have
    losses      fields of any request without a key
    first       the role of instructions that are a first message; None where they have a key
    server      whether the server holds messages, so that only the others are sent
    texts       the one message of a conversation, where that is one text of the user or the assistant
    shown       the same, where it is texts and images of the user
    limits      tests of the number of messages
    late        keys of settings that may change while messages are written
    target      where the messages stand; `optional` where no messages is no key
    moves       whether a rule moves values inside the body
    """

    # a dialect whose body differs only in rare keys has the same function
    doc: str = field(compare=False)
    required: Expression
    entries: tuple[BodyEntry, ...]
    losses: tuple[Report, ...]
    first: Expression | None
    server: bool
    texts: tuple[PlainText, ...]
    shown: ShownParts | None
    limits: tuple[Report, ...]
    late: tuple[BodyKey, ...]
    target: Expression
    optional: bool
    moves: bool
    uses: frozenset[str]
    name: str = "write_body"
    macro: ClassVar[str] = "body_writer"


BodyDefinition: TypeAlias = BodyRow | RarePage | RareWriter | BodyWriter


class BodyEmitter:
    """Prepares the functions that write the body of one wire."""

    def __init__(self, model: WireModel, access: FieldAccess) -> None:
        """`access` is the place of the request's holes."""
        self.model = model
        self.access = access
        fields = model.body.shape.fields
        self._late = [entry for entry in fields if self._is_late(entry)]
        self._rare = _rare_fields(model)
        self._required = [
            entry for entry in fields
            if not entry.optional and entry is not model.body.messages and not written_holes(entry.shape)
        ]  # fmt: skip

    def definitions(self, texts: tuple[PlainText, ...], shown: ShownParts | None) -> list[BodyDefinition]:
        """Row, pages and functions; `texts` and `shown` are written at once where they are the only message."""
        imports = self.access.imports
        imports.use("promptwire_runtime.build.shape_rows", "BodyRow")
        imports.use("promptwire_runtime.model.options", *EMPTY.values())
        row, pages = body_row(self.model), self._pages()
        if not texts or counts_one("messages", self.model):
            texts, shown = (), None
        body = self._body(texts, shown)
        inside = [entry.page for entry in body.entries if entry.page is not None]
        rare = RareWriter(tuple([page.name for page in pages]))
        return [row, *inside, *pages, rare, body]

    def _body(self, texts: tuple[PlainText, ...], shown: ShownParts | None) -> BodyWriter:
        model, messages = self.model, self.model.body.messages
        away = (*self._required, *self._rare, *self._late, messages)
        moves = any(not is_top_level(*pair) for rule in model.rules for pair in rule.rename.items())
        if moves:
            self.access.imports.use("promptwire_runtime.build.moves", "move")
        first = model.instructions.placement == "first_message"
        entries = tuple(
            [
                self._entry(entry)
                for entry in model.body.shape.fields
                if not any(entry is other for other in away)
            ]
        )
        uses = {"write_instructions"} if first else set[str]()
        uses |= {shown.name} if shown is not None else set()
        uses |= {entry.page.name for entry in entries if entry.page is not None}
        return BodyWriter(
            doc=body_doc("Write the whole body", model),
            required=display([(entry.key, value_of(entry.shape, self.access)) for entry in self._required]),
            entries=entries,
            losses=common_losses(model),
            first=literal(model.instructions.role) if first else None,
            server=model.continuation.mode == "server",
            texts=texts,
            shown=shown,
            limits=limits_of("messages", name("turns"), model),
            late=tuple([key for entry in self._late for key in body_key(entry, self.access, model)]),
            target=item(BODY, messages.key),
            optional=messages.optional,
            moves=moves,
            uses=frozenset(uses),
        )

    def _entry(self, entry: Field) -> BodyEntry:
        """A key of any body; an object that holds much beside what most requests have is written at length apart."""
        common = _common_part(entry)
        if common is None:
            return BodyEntry(self._variables([entry]), body_key(entry, self.access, self.model))
        keys = body_key(common, self.access, self.model)
        return BodyEntry(self._variables([common]), keys, self._page([entry]))

    def _pages(self) -> list[RarePage]:
        return [self._page(entries) for entries in _paged(self.model)]

    def _page(self, entries: Sequence[Field]) -> RarePage:
        first, last = entries[0].key, entries[-1].key
        span = first if first == last else f"{first} to {last}"
        return RarePage(
            f"write_body_{word_of(first)}",
            f"Write {span}.",
            self._variables(entries, rare=True),
            tuple([key for entry in entries for key in body_key(entry, self.access, self.model)]),
        )

    def _variables(self, entries: Sequence[Field], *, rare: bool = False) -> tuple[Variable, ...]:
        """The variables behind the holes of some keys."""
        heads = {hole.path[0] for entry in entries for hole in written_holes(entry.shape)}
        variables: list[Variable] = []
        for head, word in EMPTY.items():
            if head in heads:
                empty = name(word)
                value = either(attribute(name("request"), head), empty)
                if rare and head == "tool_choice":
                    value = conditional(attribute(name("build"), "no_tools"), empty, value)
                variables.append(Variable(head, value))
        if rare and heads & OPTIONS.keys():
            variables.insert(0, Variable("options", attribute(name("request"), "options")))
        if "vendor" in heads:
            variables.append(Variable("vendor", call("build.vendor", name("request"))))
        return tuple(variables)

    def _is_late(self, entry: Field) -> bool:
        """Whether a key holds a setting that may get what it lacks while messages are written."""
        added = {
            setting
            for rule in self.model.rules
            if looks_inside(rule) or looks_at_tools(rule)
            for setting in rule.add
        }
        return any(hole.path[0] == "settings" and hole.path[1] in added for hole in entry.shape.holes)


def _is_rare(entry: Field) -> bool:
    heads = {hole.path[0] for hole in entry.shape.holes}
    return (
        entry.optional and bool(heads) and not heads & (COMMON_REQUEST_FIELDS | COMMON_OPTIONS | {"settings"})
    )


def _common_part(entry: Field) -> Field | None:
    """Of an optional object that is written if some key of it is, the keys that most requests have; None of others."""
    shape = entry.shape
    if not entry.optional or not isinstance(shape, Object) or shape.required_holes:
        return None
    fields = [field for field in shape.fields if not field.optional or _is_common(field)]
    if len(fields) == len(shape.fields) and shape.rest is None:
        return None
    return replace(entry, shape=Object(tuple(fields), None, shape.span))


def _is_common(field: Field) -> bool:
    heads = {hole.path[0] for hole in field.shape.holes}
    return heads <= COMMON_REQUEST_FIELDS | COMMON_OPTIONS


def _rare_fields(model: WireModel) -> list[Field]:
    return [entry for entry in model.body.shape.fields if _is_rare(entry)]


def _paged(model: WireModel) -> list[list[Field]]:
    """Split rare keys into runs that fit on a page each; those of a dialect end where its parent's do."""
    ends = set[str]() if model.parent is None else {page[-1].key for page in _paged(model.parent)}
    pages: list[list[Field]] = [[]]
    size = 0
    for entry in _rare_fields(model):
        weight = max(1, len(written_holes(entry.shape)))
        full = pages[-1] and (pages[-1][-1].key in ends or size + weight > _KEYS_OF_A_PAGE)
        if full:
            pages.append([])
            size = 0
        pages[-1].append(entry)
        size += weight
    return pages if pages[-1] else []


def is_top_level(key: str, other: str) -> bool:
    """Whether a rule renames a key of the body itself; else it moves a value inside it."""
    return "." not in key and "." not in other
