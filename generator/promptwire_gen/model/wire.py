"""The lowered model of one wire: frozen, named and ordered for the emitters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..layout import FIRST_PAGE
from ..problems import Span
from ..spec.answer_sections import StreamSection
from ..spec.client_sections import ClientSpec, Sdk
from ..spec.schema import (
    ContinuationSection,
    Example,
    InstructionsSection,
    PromptTemplateSpec,
    Signatures,
    Tools,
    TransportSection,
)
from ..spec.shapes import Alternatives, Hole, KeyShape, Object, Shape
from ..spec.wire_rules import FamilyRules, WireRule
from .answer_model import AnswerModel
from .body_model import Body
from .neutral import Kind
from .offers import Pass, SchemaDialect


@dataclass(frozen=True)
class ShapeKey:
    """The parsed key of a shape.

    Attributes:
        mode: Its first word: the part kind, the tool kind, the tool-choice mode ...
        source: The source of the part, or a word that distinguishes two shapes of the kind.
        remembered: The variant name of a shape that is read and remembered, but not written by a fresh build.
        roles: The roles it serves; empty for all.
        slot: Its place in a message; `messages` for an item of its own, `results` for one beside the messages.
        write_only: Whether it is never read, because its JSON is read as another kind.
        refused: Whether it is read although the API refuses it: no type has it.
    """

    mode: str
    source: str | None = None
    remembered: str | None = None
    roles: tuple[str, ...] = ()
    slot: str = "content"
    write_only: bool = False
    refused: bool = False


@dataclass(frozen=True, kw_only=True)
class Variant(ShapeKey):
    """One shape of one kind: a part, tool, tool choice, instruction layer, ...

    Attributes:
        key: Its key as written in the spec.
        label: The name of its functions (`image_data`, `text_assistant`).
    """

    union: str
    kind: Kind
    key: str
    label: str
    shape: Shape
    span: Span

    @property
    def standalone(self) -> bool:
        """Return whether it is an item of its own in the list of messages or in that of results."""
        return self.slot in ("messages", "results")

    @property
    def written(self) -> bool:
        """Return whether a fresh build may choose it."""
        return self.remembered is None

    def serves(self, role: str) -> bool:
        """Return whether a message of this role, or a part of this kind, may hold it."""
        return not self.roles or role in self.roles

    @property
    def source_key(self) -> str | None:
        """The source, if it decides which shape is written."""
        return self.source if self.kind.sources else None

    @cached_property
    def named(self) -> str | None:
        """The type stated by the key of a hosted kind whose shape does not contain `$type`."""
        if self.source is None or "type" not in self.kind.fields or not self.kind.fields["type"].always:
            return None
        return None if any(hole.path == ("type",) for hole in self.shape.holes) else self.source

    @cached_property
    def keyed(self) -> tuple[str, ...] | None:
        """The keys of a result that is written as an object: for success, for failure."""
        arguments = [f.arguments for hole in self.shape.holes for f in hole.filters if f.name == "keyed"]
        return arguments[0] if arguments else None

    @cached_property
    def tells_call(self) -> bool:
        """Return whether a result repeats the arguments of its call, which identify the call without an id."""
        return any(used.name == "arguments" for hole in self.shape.holes for used in hole.filters)

    @cached_property
    def repeats(self) -> str:
        """The vendor option of a result that repeats the arguments of an unknown call; empty if there is none."""
        choices = [
            piece for piece in self.shape.pieces if self.tells_call and isinstance(piece, Alternatives)
        ]
        options = [
            hole.path[1]
            for choice in choices
            for hole in choice.holes
            if hole.path[0] == "vendor" and any(form.filters for form in choice.holes)
        ]
        return options[0] if options else ""

    @cached_property
    def required_fields(self) -> tuple[Hole, ...]:
        """The holes that must be filled for this shape, of fields that may be absent."""
        return tuple(
            [
                hole
                for hole in self.shape.required_holes
                if hole.path[0] not in ("vendor", self.source_key)
                and not self.kind.fields[hole.path[0]].always
            ]
        )

    @cached_property
    def required_options(self) -> frozenset[str]:
        """The vendor options that must be given for this shape."""
        return frozenset(hole.path[1] for hole in self.shape.required_holes if hole.path[0] == "vendor")

    @cached_property
    def for_plain(self) -> bool:
        """Return whether it can write a node without optional fields."""
        looked_at = self.kind.looked_at
        return (
            self.written
            and not self.required_options
            and all(hole.path[0] in looked_at for hole in self.required_fields)
        )

    @cached_property
    def beside(self) -> frozenset[str]:
        """The fields that a node may have beside the source that the shape writes."""
        fields = self.kind.fields.items()
        return frozenset([name for name, field in fields if field.beside and field.beside == self.source_key])

    @cached_property
    def carried(self) -> frozenset[str]:
        """The neutral fields that it writes."""
        fields = {*self.shape.written_heads}
        # a result keyed by success or failure states `is_error`; repeated arguments tell the call, unless given
        fields |= {"is_error"} if self.keyed is not None else set()
        return frozenset(fields | ({"call_id"} if self.tells_call and not self.repeats else set()))

    @cached_property
    def vendor(self) -> frozenset[str]:
        """The vendor options that it writes."""
        return frozenset(hole.path[1] for hole in self.shape.holes if hole.path[0] == "vendor")


@dataclass(frozen=True, slots=True)
class MessageShape:
    """The shape of a role's message.

    Attributes:
        twin: Whether it is only written, as another role's message (tool results in user turns).
        also: Other words that are read as this role; None for a message without one.
    """

    role: str
    shape: Object
    wire_role: str
    slots: tuple[tuple[str, KeyShape], ...]
    twin: bool
    span: Span
    also: tuple[str | None, ...] = ()

    @property
    def content(self) -> KeyShape | None:
        """The key of its content."""
        return dict(self.slots).get("content")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WireModel:
    """The model of one wire. Each is equal only to itself, so that results about it can be cached.

    Attributes:
        provider: The provider in OpenTelemetry's conventions for GenAI.
        api: The wire that this is a dialect of, or its own name.
        extends: The wire that this one extends; `parent` is its model.
        chain: The wire and all specs that it extends, abstract ones too.
        prompt: The templates of the text that holds the conversation; empty where messages are a list.
        marks_cache: Whether cache marks are elements of their own, after the element they mark.
        defaults: Fields without a place in the body -> the API's fixed value.
        signatures: Which models accept the payloads of which others.
        group_under: The key under which all function tools are one element, and its aliases.
        answer: The API's answers, if the spec describes them; `stream` is their streamed form.
        clients: How clients take a request.
        sdks: The SDK types that describe the body.
        families: The rules of the families of models that it serves.
        has_same_requests: Whether it writes, reads and types requests exactly as `parent`.
    """

    name: str
    title: str
    provider: str
    api: str
    docs: tuple[str, ...]
    recorded: tuple[str, ...]
    file: str
    transport: TransportSection
    instructions: InstructionsSection
    continuation: ContinuationSection
    tools: Tools | None
    delivery: str
    body: Body
    slots: Mapping[str, str]
    messages: Mapping[str, MessageShape]
    parts: tuple[Variant, ...]
    unions: Mapping[str, tuple[Variant, ...]]
    flat_items: bool
    lone_message: str | None
    whole_with: tuple[str, ...]
    whole_lists: tuple[str, ...]
    speaker: str
    passes: tuple[Pass, ...]
    dialect: SchemaDialect | None
    rules: tuple[WireRule, ...]
    examples: tuple[Example, ...]
    keys: tuple[str, ...]
    constants: tuple[str | bool, ...]
    aliases: tuple[tuple[str, str], ...]
    echoes: tuple[tuple[str, str], ...]
    extends: str | None = None
    chain: tuple[str, ...] = ()
    parent: WireModel | None = None
    prompt: tuple[PromptTemplateSpec, ...] = ()
    marks_cache: bool = False
    group_under: tuple[str, ...] = ()
    defaults: Mapping[str, str | int | float | bool] = field(default_factory=dict[str, Any])
    signatures: Signatures | None = None
    answer: AnswerModel | None = None
    stream: StreamSection | None = None
    clients: Mapping[str, ClientSpec] = field(default_factory=dict[str, ClientSpec])
    # place of a family fact -> whether this wire has the field
    placed_facts: Mapping[Span, bool] = field(default_factory=dict[Span, bool])
    sdks: Mapping[str, Sdk] = field(default_factory=dict[str, Sdk])
    families: tuple[FamilyRules, ...] = ()
    has_same_requests: bool = False

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The shapes of parts, then those of all unions."""
        return (*self.parts, *(variant for variants in self.unions.values() for variant in variants))

    @property
    def source(self) -> str:
        """The file of the spec, or its folder."""
        return self.file.removesuffix(f"/{FIRST_PAGE}")

    @property
    def requests_of(self) -> WireModel:
        """The first of its parents whose requests are the same; itself if there is none."""
        return self.parent.requests_of if self.parent is not None and self.has_same_requests else self

    @property
    def merges(self) -> bool:
        """Return whether consecutive messages are merged."""
        return any(step.name in ("merge_neighbours", "merge_speakers") for step in self.passes)

    @property
    def drops_blank(self) -> bool:
        """Return whether text of only white space is left out."""
        return any(step.name == "drop_blank_text" for step in self.passes)

    @property
    def pairs_by_call(self) -> bool:
        """Return whether results identify their call by name and arguments, or by name and order, instead of an id."""
        if any(part.tells_call for part in self.parts):
            return True
        calls = [part for part in self.parts if part.mode in ("tool_call", "tool_result")]
        has_ids = any(hole.path in (("id",), ("call_id",)) for part in calls for hole in part.shape.holes)
        results = [part for part in calls if part.mode == "tool_result"]
        return not has_ids and any(
            hole.path == ("name",) for part in results for hole in part.shape.required_holes
        )

    @property
    def lists_instructions(self) -> bool:
        """Return whether the first message of instructions contains a list even for one text."""
        message = self.messages.get(self.instructions.speaker)
        if self.instructions.placement != "first_message" or message is None:
            return False
        return any(hole.path == ("content",) and hole.listed for hole in message.shape.holes)

    @property
    def pairs(self) -> str:
        """Return where tool results must be: `later`, in the next `turn` or `next` messages; empty for anywhere."""
        names = {step.name for step in self.passes}
        if "pair_tools_at_once" in names:
            return "turn" if self.merges else "next"
        return "later" if "pair_tools" in names else ""

    @property
    def steps(self) -> tuple[Pass, ...]:
        """The passes with a function, in the order of the spec."""
        return tuple([step for step in self.passes if step.function is not None])

    @property
    def tool_names(self) -> str:
        """The regular expression for tool names; empty if unknown."""
        return (self.tools.names or "") if self.tools is not None else ""

    @property
    def chooses_parallel(self) -> bool:
        """Return whether the API can be asked for one call at a time: a key of the body, or of a tool choice."""
        shapes = [self.body.shape, *(choice.shape for choice in self.unions["tool_choice"])]
        paths = {hole.path for shape in shapes for hole in shape.holes}
        return not paths.isdisjoint({("tool_choice", "parallel"), ("parallel",)})

    @property
    def waiting(self) -> dict[str, dict[str, str | int | float | bool]]:
        """The types of hosted calls that the caller runs or approves -> the keys that say so."""
        return {} if self.tools is None else {kind: dict(keys) for kind, keys in self.tools.waiting.items()}

    @property
    def answered(self) -> tuple[str, ...]:
        """The types of hosted calls that the API answers itself, and wants back with their results."""
        return () if self.tools is None else self.tools.answered

    @property
    def pairs_hosted(self) -> bool:
        """Return whether the API refuses the result of a hosted call without the call."""
        return bool(self.waiting or self.answered)

    @property
    def unique_names(self) -> bool:
        """Return whether the API refuses two tools of one name."""
        return self.tools is not None and self.tools.unique

    def find_content_key(self, role: str) -> str:
        """Return the key of a role's message that contains its parts."""
        content = self.messages[role].content if role in self.messages else None
        return "content" if content is None else content.key

    def find_content_role(self, kind: str) -> str:
        """Return whose shapes the parts inside a part of this kind use: its own if some key names it, else a role's."""
        if any(kind in part.roles for part in self.parts):
            return kind
        return "tool" if kind in ("tool_result", "custom_tool_result") else "user"

    @property
    def content_roles(self) -> tuple[str, ...]:
        """The roles and kinds that contain parts inside parts, in a fixed order."""
        holders = [part.mode for part in self.parts for hole in part.shape.holes if hole.path == ("content",)]
        return tuple(sorted({self.find_content_role(kind) for kind in holders}))

    def list_parts_of(self, role: str) -> tuple[Variant, ...]:
        """Return the part shapes that a message of this role, or a part of this kind, may hold."""
        return tuple([part for part in self.parts if part.serves(role)])
