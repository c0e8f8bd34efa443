"""A node and the shape that writes it: fields without a key, checks before writing, and keys of plain nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from ...model.neutral import BY_MODEL, FALSE_BY_DEFAULT, MESSAGE, Kind
from ...model.offers import ShapeFilter
from ...model.vocabulary import find_required_choices
from ...model.wire import MessageShape, Variant, WireModel
from ...spec.shapes import Alternatives, Hole, Object, Shape
from ..docs import make_writer_doc
from ..field_holder import SETTINGS, FieldHolder, group_keys, name_variable
from ..text_shapes import find_bare_text
from .looks import Look, find_part_looks, find_tool_looks
from .rule_facts import list_rejected

# metadata of a layer for its author; no wire writes it
_UNWRITTEN = {"layer": {"role", "source", "stability", "trust"}}


@dataclass(frozen=True)
class LossRow:
    """`NAME = Row("field ~other", vendor=..., read_only=..., answered=...)`.

    Attributes:
        fields: The fields without a key, as one text: `name` is unsupported, `~name` ignored, and `name?` unsupported
            if it is true.
        vendor: The known options of this API.
        read_only: Options that only reading knows -> the keys that lead to each.
        answered: The same of fields that answers have beside the source of the node, and requests do not repeat.
    """

    name: str
    fields: str
    vendor: list[str]
    read_only: dict[str, Any]
    answered: dict[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class ShapedNode(FieldHolder):
    """A node of one shape; `elsewhere` are the fields that the body writes in another place."""

    variant: Variant
    # keyword arguments have no order, so a field without a default may follow
    kind: Kind  # pyright: ignore[reportGeneralTypeIssues]
    elsewhere: frozenset[str] = frozenset()
    shape: Shape = field(init=False)

    def __post_init__(self) -> None:
        """Take the shape of the variant."""
        object.__setattr__(self, "shape", self.variant.shape)

    @property
    def doc(self) -> str:
        """The docstring of its function."""
        return make_writer_doc(self.variant)

    @property
    def has_keyed_content(self) -> bool:
        """Return whether the content of the node is written as an object and its media under another key."""
        return self.variant.keyed is not None

    @property
    def content_role(self) -> str:
        """Return the role or kind of part whose shapes the parts inside the node have."""
        return self.wire.find_content_role(self.variant.mode)

    @cached_property
    def collapses(self) -> bool:
        """Return whether content that is one plain text is written as a string."""
        return find_bare_text(self.wire, self.content_role) is not None

    @property
    def dialect(self) -> str:
        """The dialect of JSON Schema in which the parameters of a function are written."""
        is_function = (self.variant.union, self.variant.mode) == ("tool", "function")
        return self.wire.dialect.name if is_function and self.wire.dialect else ""

    @cached_property
    def needed(self) -> list[Hole]:
        """Return the fields that the shape requires; the chooser has already tested those that take only some words."""
        holes = [hole for hole in self.variant.required_fields if not hole.takes_words]
        return list({hole.path: hole for hole in holes}.values())

    @cached_property
    def asked(self) -> list[Hole]:
        """Return the options of this API that the shape requires."""
        return list(
            {each.path[1]: each for each in self.shape.required_holes if each.own and not each.fixed}.values()
        )

    @property
    def choices(self) -> list[Alternatives]:
        """Return the choices of which one form must be written."""
        return list(find_required_choices(self.shape))

    @cached_property
    def asks_first(self) -> bool:
        """Return whether options of this API decide if the shape is written."""
        return bool(self.asked) or any(choice.asks_options for choice in self.choices)

    @cached_property
    def asks_options(self) -> bool:
        """Return whether keys of the shape hold options of this API."""
        return any(hole.own and not hole.fixed for hole in self.shape.written_holes)

    @cached_property
    def lost(self) -> list[tuple[str, bool]]:
        """Return the fields that no key of the shape writes; True if the loss changes nothing for the model."""
        variant, kind = self.variant, self.kind
        carried = variant.carried | self.elsewhere | _UNWRITTEN.get(kind.name, set[str]()) | variant.beside
        carried |= {"mode"} if variant.union in ("tool_choice", "reasoning") else set[str]()
        carried |= {"kind"} if kind.name == "response_format" else set[str]()
        # a medium has exactly one source, so the others are empty
        carried |= {"content" if source == "parts" else source for source in kind.sources}
        # if data is accepted without a type, the type is detected from its bytes
        implied = {"media_type"} if variant.source_key == "data" else set[str]()
        if self.wire.pairs_by_call:
            # results repeat what was called, so no id is needed to tell which call they answer
            implied |= {{"tool_call": "id", "tool_result": "call_id"}.get(variant.mode, "")}
        return [
            (name, known.advisory or name in implied)
            for name, known in kind.fields.items()
            if name not in carried and (not known.always or known.type in ("parts", "tools"))
        ]

    @cached_property
    def lost_from_any(self) -> list[tuple[Hole, bool]]:
        """Return the lost fields that a plain node may have; for a cache mark, all lost fields."""
        looked_at = self.kind.fields if self.kind.name == "cache" else self.kind.looked_at
        return [
            (Hole((name,), self.variant.span), advisory) for name, advisory in self.lost if name in looked_at
        ]

    @cached_property
    def row(self) -> LossRow | None:
        """Return the row of the remaining lost fields, which `build.finish` reports; None if it would be empty."""
        variant = self.variant
        fields = [row for row in self.lost if row[0] not in self.kind.looked_at]
        fields = [] if self.kind.name == "cache" else fields
        return make_loss_row(variant.label.upper(), fields, variant.vendor, variant.shape, variant.beside)

    @cached_property
    def hollow(self) -> tuple[list[str], list[str]] | None:
        """Return the lost fields and the fields with a key of a thinking part whose shape requires no field.

        None for other nodes. Such a part is incomplete if it has only lost fields.
        """
        if not may_be_hollow(self.variant):
            return None
        heads = self.shape.written_heads - {"status", "vendor", "cache"}
        lost = [name for name, advisory in self.lost if not advisory and name not in ("cache", "parts")]
        return (lost, sorted(heads)) if lost and heads else None

    @property
    def constant(self) -> bool:
        """Return whether a setting is the same JSON in every request, so that it becomes a constant."""
        if self.variant.union not in SETTINGS or self.shape.holes or self.lost_from_any or self.hollow:
            return False
        return self.row is None or not (self.row.vendor or self.row.read_only)

    # ---- rules

    @cached_property
    def looks(self) -> dict[str, list[Look] | None]:
        """Return field -> the quick tests that decide whether rules must check the node; None for always."""
        union = self.variant.union
        if union == "part":
            return find_part_looks(self.variant, self.wire)
        return find_tool_looks(self.variant, self.wire) if union == "tool" else {}

    @cached_property
    def early(self) -> list[Look] | Literal["always"]:
        """Return the quick tests on fields that plain nodes have too; "always" if rules check every node."""
        if None in self.looks.values():
            return "always"
        return self._list_looks(
            [name for name in self.looks if name == "part" or name in self.kind.looked_at]
        )

    @cached_property
    def late(self) -> list[Look]:
        """Return the quick tests on fields that plain nodes lack."""
        if self.early == "always":
            return []
        return self._list_looks(
            [name for name in self.looks if name != "part" and name not in self.kind.looked_at]
        )

    def _list_looks(self, fields: list[str]) -> list[Look]:
        return list(dict.fromkeys([look for name in fields for look in self.looks[name] or ()]))

    @property
    def checks_name(self) -> bool:
        """Return whether the name of a call is checked."""
        return self.variant.mode in ("tool_call", "custom_tool_call") and bool(self.wire.tool_names)

    @property
    def checks_added(self) -> bool:
        """Return whether added tools are checked, because some rule is about tools."""
        added = self.kind.name == "tool_addition"
        return added and any(condition.head in ("tool", "tools") for condition in list_rejected(self.wire))

    # ---- plain nodes

    @cached_property
    def before_plain(self) -> Object:
        """Return the object with only the keys that a plain node may need."""
        assert isinstance(self.shape, Object)
        return _split(self.shape, self.kind, free=True)

    @property
    def writes_early(self) -> bool:
        """Return whether a plain node may have optional keys."""
        return self.before_plain.extra_keys is not None or any(
            True for _ in group_keys(self.before_plain.fields)
        )

    @cached_property
    def after_plain(self) -> Object:
        """Return the object with only the keys that a plain node never needs."""
        assert isinstance(self.shape, Object)
        return _split(self.shape, self.kind, free=False)


def make_node(
    variant: Variant,
    wire: WireModel,
    filters: Mapping[str, ShapeFilter],
    elsewhere: frozenset[str] = frozenset(),
) -> ShapedNode:
    """Return the node that a shape writes."""
    return ShapedNode(
        wire,
        filters,
        name_variable(variant.kind),
        kind=variant.kind,
        named_by_call=is_named_by_call(variant),
        variant=variant,
        elsewhere=elsewhere,
    )


def is_named_by_call(variant: Variant) -> bool:
    """Return whether a result requires its tool's name, which comes from the call that it answers."""
    is_result = variant.kind.name == "tool_result"
    return is_result and any(hole.path == ("name",) for hole in variant.required_fields)


def may_be_hollow(variant: Variant) -> bool:
    """Return whether a shape of thinking requires no field, so that every given field may be lost."""
    thought = variant.union == "part" and variant.kind.name in BY_MODEL
    return thought and isinstance(variant.shape, Object) and not variant.required_fields


def make_loss_row(
    name: str,
    lost: list[tuple[str, bool]],
    vendor: frozenset[str],
    shape: Shape,
    beside: frozenset[str] = frozenset(),
) -> LossRow | None:
    """Return the row of a shape, None if it would be empty.

    `lost` has True for fields whose loss changes nothing; `beside` are the fields that answers have beside the source.
    """
    words = [f"~{word}" if ok else f"{word}?" if word in FALSE_BY_DEFAULT else word for word, ok in lost]
    answered = {path: keys for path, keys in shape.read_only_fields.items() if keys and path in beside}
    own = read_only_options(shape)
    filled = lost or vendor or own or answered
    return LossRow(name, " ".join(words), sorted(vendor), own, answered) if filled else None


def make_item_row(message: MessageShape) -> LossRow | None:
    """Return the row of a message: the fields that its item has no key for."""
    kept = dict(message.slots).values()
    own = [hole for entry in message.shape.fields if entry not in kept for hole in entry.shape.holes]
    carried = message.shape.written_heads
    lost = [(name, known.advisory) for name, known in MESSAGE.fields.items() if name not in carried]
    vendor = frozenset([hole.path[1] for hole in own if hole.own])
    return make_loss_row(f"{message.role.upper()}_ITEM", lost, vendor, message.shape)


def read_only_options(shape: Shape) -> dict[str, tuple[str, ...]]:
    """Return the options that only reading knows -> the keys that lead to each."""
    fields = shape.read_only_fields.items()
    return {
        path.removeprefix("vendor."): keys for path, keys in fields if keys and path.startswith("vendor.")
    }


def _split(shape: Object, kind: Kind, *, free: bool) -> Object:
    """Return an object with only the keys that a plain node may need, if `free`, or with the others."""
    if not kind.plain:
        return Object((), None, shape.span) if free else shape
    entries = [
        replace(entry, shape=_split(entry.shape, kind, free=free))
        if not entry.optional and isinstance(entry.shape, Object)
        else entry
        for entry in shape.fields
        if (not entry.optional and isinstance(entry.shape, Object))
        or (entry.shape.heads <= kind.looked_at) is free
    ]
    rest = shape.extra_keys
    keeps_rest = rest is not None and (rest.path[0] in kind.looked_at) is free
    return Object(tuple(entries), rest if keeps_rest else None, shape.span)
