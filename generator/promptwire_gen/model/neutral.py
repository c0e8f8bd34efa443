"""The neutral model for specs: kinds of nodes, their fields and types, derived from the files of `neutral/`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..neutral.node_classes import NodeClass, NodeField
from ..neutral.source import read_neutral_model


@dataclass(frozen=True, slots=True)
class NeutralField:
    """One field: its type, whether it is always set, and whether dropping it is harmless.

    Attributes:
        least: The minimum that any API accepts.
        usual: What a plain node is known to have there: an `id` or `name` of usual characters, an `object`, one plain
            `text`; or `given` if it is tested.
        beside: Another source of the same content, which the API that gave both sends beside this field.
        sent: Whether some API may get it.
    """

    type: str
    always: bool = False
    advisory: bool = False
    least: int | None = None
    usual: str = ""
    unit: str = ""
    beside: str = ""
    sent: bool = True


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of node: the runtime's class, its fields, and the fields that may be its source.

    Attributes:
        plain: Whether the class records that a node has no optional fields.
        even_plain: Optional fields that a plain node may have.
        vendor: Whether a node may have vendor options.
        module: The runtime's module of the class.
        maker: The function there that makes a node of values which were looked at.
        made: The fields that it takes; none where it does not exist.
    """

    name: str
    cls: str
    fields: dict[str, NeutralField]
    sources: tuple[str, ...] = ()
    plain: bool = True
    even_plain: frozenset[str] = frozenset()
    vendor: bool = True
    module: str = ""
    maker: str = ""
    made: tuple[str, ...] = ()

    @property
    def looked_at(self) -> frozenset[str]:
        """The fields that builders read from every node, plain or not."""
        return self.even_plain | {name for name, field in self.fields.items() if field.always}

    @property
    def usual(self) -> dict[str, str]:
        """Field -> the kind of value that a plain node of this kind has there; empty for kinds without such values."""
        return {name: field.usual for name, field in self.fields.items() if field.usual}


def _make_field(field: NodeField) -> NeutralField:
    declaration = field.declaration
    return NeutralField(
        declaration.type or "json",
        beside=declaration.beside or "",
        always=field.always,
        advisory=declaration.advisory,
        least=declaration.least,
        usual=declaration.usual or "",
        unit=declaration.unit or "",
        sent=declaration.written != "never",
    )


def _make_fields(fields: Iterable[NodeField]) -> dict[str, NeutralField]:
    return {field.called: _make_field(field) for field in fields if field.declaration.hole}


def _make_kind(node: NodeClass) -> Kind:
    looked_at = {field.called for field in node.fields if field.declaration.looked_at}
    sources = node.declaration.sources
    called = {node.by_name[name].called for name in sources}
    return Kind(
        node.declaration.kind or node.name,
        node.name,
        _make_fields(node.fields),
        sources,
        plain=node.notes_plain,
        even_plain=frozenset({*looked_at, *sources, *called}),
        vendor="vendor" in node.by_name,
        module=node.module,
        maker=node.maker,
        made=node.declaration.made,
    )


def _make_kinds(table: str) -> dict[str, Kind]:
    kinds = [_make_kind(node) for node in _MODEL.list_classes(table)]
    return {kind.name: kind for kind in kinds}


def _make_only_kind(table: str) -> Kind:
    (node,) = _MODEL.list_classes(table)
    return _make_kind(node)


def _find_common_fields(name: str) -> frozenset[str]:
    return frozenset({field.called for field in _MODEL.nodes[name].fields if field.declaration.common})


def _list_values(name: str, field: str) -> tuple[str, ...]:
    return _MODEL.nodes[name].by_name[field].declaration.values


_MODEL = read_neutral_model()
# field types that are JSON objects: of any values, of texts, of numbers
OBJECTS = ("object", "text_object", "number_object")
# kinds of parts that only a model writes
BY_MODEL = frozenset(
    {node.declaration.kind for node in _MODEL.list_classes("parts") if node.declaration.by_model}
)
# fields for which False means the same as leaving them out
FALSE_BY_DEFAULT = frozenset(
    {
        field.called
        for node in _MODEL.nodes.values()
        for field in node.fields
        if field.declaration.false_by_default
    }
)
PARTS = _make_kinds("parts")
TOOLS = _make_kinds("tools")
LAYER = _make_only_kind("layer")
TOOL_CHOICE = _make_only_kind("tool_choice")
RESPONSE_FORMAT = _make_only_kind("response_format")
REASONING = _make_only_kind("reasoning")
CONTINUATION = _make_only_kind("continuation")
CACHE = _make_only_kind("cache")
MESSAGE = _make_only_kind("message")
OPTIONS = _make_fields(_MODEL.nodes["Options"].fields)
# request fields outside options; fields with a kind of their own can also be used in dotted holes
REQUEST = _make_fields(_MODEL.nodes["Request"].fields)
DOTTED = {"tool_choice": TOOL_CHOICE, "reasoning": REASONING, "continuation": CONTINUATION}
COMMON_REQUEST_FIELDS = _find_common_fields("Request") & REQUEST.keys()
# options that most requests set; builders read the others only if one of those is given
COMMON_OPTIONS = _find_common_fields("Options")
ROLES = _list_values("Message", "role")
LAYER_ROLES = _list_values("Instruction", "role")
# kinds whose parts can be restricted: `image.data@user,tool_result`
CONTAINERS = tuple(name for name, kind in PARTS.items() if "content" in kind.fields)
KINDS = (*PARTS.values(), *TOOLS.values(), LAYER, RESPONSE_FORMAT, CACHE, MESSAGE, *DOTTED.values())
TOOL_CHOICE_MODES = _list_values("ToolChoice", "mode")
UNIONS = ("instruction", "tool", "tool_choice", "response_format", "reasoning", "cache")


def find_field(path: tuple[str, ...], kind: Kind | None) -> NeutralField | None:
    """Return the field that a hole names in a node of a kind, or in the request if `kind` is None.

    None for options of one API, settings, places of messages and names that do not exist.
    """
    head = path[0]
    if len(path) > 1:
        return DOTTED[head].fields.get(path[1]) if head in DOTTED else None
    return kind.fields.get(head) if kind is not None else OPTIONS.get(head) or REQUEST.get(head)
