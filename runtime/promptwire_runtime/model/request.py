"""The neutral conversation: Request and Message."""

from __future__ import annotations

from operator import attrgetter

from ..typed import TYPE_CHECKING, Iterable, Mapping, TypeAlias
from .forms import form_of
from .nodes import Node, dataclass, field
from .options import (
    LAYER_ROLES,
    Continuation,
    Instruction,
    Options,
    ReasoningOptions,
    ResponseFormat,
    ToolChoice,
)
from .parts import Cache, Part, PartsLike, PerWire, as_parts
from .plain import as_texts, as_tuple, is_blank, unknown_role
from .tools import AnyTool
from .wire_memory import Kept, Provenance

ROLES = ("system", "developer", "user", "assistant", "tool")
NO_OPTIONS = Options()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Message(Node):
    """One turn: a role and its parts (given as text, one part, or a list; held as a tuple).

    role is `system`, `developer`, `user`, `assistant` or `tool`; `name` tells speakers of one role apart;
    `id`, `status` and `phase` are what flat wires put on stored messages.
    """

    role: str
    parts: tuple[Part, ...] = ()
    name: str | None = field(default=None, kw_only=True)
    id: str | None = field(default=None, kw_only=True)
    status: str | None = field(default=None, kw_only=True)
    phase: str | None = field(default=None, kw_only=True)
    provenance: Provenance | None = field(default=None, kw_only=True)
    vendor: PerWire | None = field(default=None, kw_only=True)
    extra: PerWire | None = field(default=None, kw_only=True)
    kept: Kept | None = field(default=None, kw_only=True)
    plain: bool = field(init=False, repr=False, compare=False)
    form: str = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:  # a caller may give more than the fields hold

        def __init__(
            self,
            role: str,
            parts: PartsLike = (),
            *,
            name: str | None = None,
            id: str | None = None,
            status: str | None = None,
            phase: str | None = None,
            provenance: Provenance | None = None,
            vendor: PerWire | None = None,
            extra: PerWire | None = None,
            kept: Kept | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Check the role, turn the parts into a tuple, and note which form the message has."""
        if self.role not in ROLES:
            raise unknown_role(self.role, "role", ROLES)
        if type(self.parts) is not tuple or str in map(type, self.parts):
            object.__setattr__(self, "parts", as_parts(self.parts))
        object.__setattr__(self, "form", form_of(self.role, self.parts) if self.plain else "")


InstructionsLike: TypeAlias = str | Instruction | Iterable[str | Instruction]


def as_instructions(value: InstructionsLike) -> str | tuple[Instruction, ...]:
    """Turn what a caller gives as instructions into text or a tuple of layers."""
    if isinstance(value, str):
        return value
    if isinstance(value, Instruction):
        return (value,)
    layers = as_tuple(value, "instructions")
    return tuple([Instruction(layer) if isinstance(layer, str) else layer for layer in layers])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Request(Node):
    """One neutral request: the conversation and everything that goes with it.

    instructions  text, or layers (`Instruction`) from the most general to the most particular
    tools         Tool, CustomTool, ToolGroup or HostedTool
    vendor        wire -> known options of that one API; unknown ones are refused
    extra         wire -> JSON merged into the body last
    All containers are read, never changed, and schemas, arguments and payloads are passed by reference.
    """

    model: str | None = None
    messages: tuple[Message, ...] = ()
    instructions: str | tuple[Instruction, ...] | None = field(default=None, kw_only=True)
    tools: tuple[AnyTool, ...] | None = field(default=None, kw_only=True)
    options: Options = field(default=NO_OPTIONS, kw_only=True)
    tool_choice: ToolChoice | None = field(default=None, kw_only=True)
    response_format: ResponseFormat | None = field(default=None, kw_only=True)
    reasoning: ReasoningOptions | None = field(default=None, kw_only=True)
    continuation: Continuation | None = field(default=None, kw_only=True)
    metadata: Mapping[str, str] | None = field(default=None, kw_only=True)
    user_id: str | None = field(default=None, kw_only=True)
    stream: bool | None = field(default=None, kw_only=True)
    stream_usage: bool | None = field(default=None, kw_only=True)
    include: tuple[str, ...] | None = field(default=None, kw_only=True)
    verbosity: str | None = field(default=None, kw_only=True)
    modalities: tuple[str, ...] | None = field(default=None, kw_only=True)
    cache: Cache | None = field(default=None, kw_only=True)
    vendor: PerWire | None = field(default=None, kw_only=True)
    extra: PerWire | None = field(default=None, kw_only=True)
    kept: Kept | None = field(default=None, kw_only=True)
    rare: frozenset[str] = field(init=False, repr=False, compare=False)
    simple: bool = field(init=False, repr=False, compare=False)
    simple_turns: bool = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:  # a caller may give more than the fields hold

        def __init__(
            self,
            model: str | None = None,
            messages: Message | Iterable[Message] = (),
            *,
            instructions: InstructionsLike | None = None,
            tools: Iterable[AnyTool] | None = None,
            options: Options = NO_OPTIONS,
            tool_choice: ToolChoice | None = None,
            response_format: ResponseFormat | None = None,
            reasoning: ReasoningOptions | None = None,
            continuation: Continuation | None = None,
            metadata: Mapping[str, str] | None = None,
            user_id: str | None = None,
            stream: bool | None = None,
            stream_usage: bool | None = None,
            include: str | Iterable[str] | None = None,
            verbosity: str | None = None,
            modalities: str | Iterable[str] | None = None,
            cache: Cache | None = None,
            vendor: PerWire | None = None,
            extra: PerWire | None = None,
            kept: Kept | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Turn lists into tuples; note what is rare: some fields, unusual instructions, an answer begun."""
        for name in ("messages", "tools"):
            value = getattr(self, name)
            if value is not None and type(value) is not tuple:
                object.__setattr__(
                    self, name, (value,) if isinstance(value, Message) else as_tuple(value, name)
                )
        for name in ("include", "modalities"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, as_texts(value, name))
        given = self.instructions
        if (
            given is not None
            and type(given) is not str
            and (type(given) is not tuple or str in map(type, given))
        ):
            object.__setattr__(self, "instructions", as_instructions(given))
        values = _rare_values(self)
        rare = NOTHING_RARE
        if values != _ABSENT:
            rare = frozenset(
                [name for name, value in zip(RARE_FIELDS, values, strict=True) if value is not None]
            )
        turns = self.messages
        begun = bool(turns) and getattr(turns[-1], "role", None) == "assistant"
        instructed = bool(turns) and getattr(turns[0], "role", None) in LAYER_ROLES
        unusual = instructed or _has_blank(self.instructions)
        object.__setattr__(self, "rare", rare)
        object.__setattr__(self, "simple", not (rare or begun))
        object.__setattr__(self, "simple_turns", not (rare or begun or unusual))


def _has_blank(given: str | tuple[Instruction, ...] | None) -> bool:
    """Tell whether a layer of instructions says nothing; an empty text is as good as none."""
    if not given:
        return False
    if isinstance(given, str):
        return given.isspace()
    return any(is_blank(getattr(layer, "text", None)) for layer in given)


# what most requests leave out: builders skip all of these behind one test
RARE_FIELDS = (
    "tool_choice", "response_format", "reasoning", "continuation", "metadata", "user_id", "stream", "stream_usage",
    "include", "verbosity", "modalities", "cache", "vendor", "extra", "kept",
)  # fmt: skip
NOTHING_RARE: frozenset[str] = frozenset()
_ABSENT = (None,) * len(RARE_FIELDS)
_rare_values = attrgetter(*RARE_FIELDS)
