"""The parts of a message: one frozen class a kind, in the field's own words.

Every part may carry `cache`, `signature`, `provenance`, `vendor` (wire -> known options of that one API),
`extra` (wire -> JSON merged into the part last) and `kept` (what reading remembered).
Media hold exactly one source: `url`, `data` (base64 text, with `media_type`), `file_id`, `uri` (storage), ...
"""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING, Any, Iterable, Mapping, TypeAlias, new_dict
from .nodes import Node, dataclass, field
from .plain import as_texts, as_tuple, is_blank, is_usual_id, is_usual_name
from .wire_memory import Kept, Provenance

JsonObject: TypeAlias = Mapping[str, Any]
PerWire: TypeAlias = Mapping[str, JsonObject]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cache(Node):
    """A prompt-cache breakpoint after the node that carries it; `ttl` is the wire's own word (`5m`, `1h`)."""

    ttl: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Part(Node):
    """What all parts share."""

    cache: Cache | None = None
    signature: str | None = None
    provenance: Provenance | None = None
    vendor: PerWire | None = None
    extra: PerWire | None = None
    kept: Kept | None = None
    plain: bool = field(init=False, repr=False, compare=False)


PartsLike: TypeAlias = str | Part | Iterable[str | Part]


def as_parts(value: PartsLike) -> tuple[Part, ...]:
    """Turn text, one part, or a mix of both into a tuple of parts."""
    if isinstance(value, str):
        return (Text(value),)
    if isinstance(value, Part):
        return (value,)
    parts = tuple([Text(item) if isinstance(item, str) else item for item in as_tuple(value, "parts")])
    for item in parts:
        if not isinstance(item, Part):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
            raise InvalidRequest(f"a part is text or a Part, not {type(item).__name__}")
    return parts


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Text(Part):
    """Plain text. `citations` and `logprobs` are the wire's own JSON."""

    text: str
    citations: Any = field(default=None, kw_only=True)
    logprobs: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Blank text is not plain, so that builders look at it."""
        if is_blank(self.text):
            object.__setattr__(self, "plain", False)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Json(Part):
    """A JSON value as content, e.g. the object a tool returned."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToolCall(Part):
    """The model's call of a function.

    `arguments` is an object, or the JSON text exactly as it came. `item_id` names the item on flat wires.
    """

    id: str | None
    name: str
    arguments: JsonObject | str = field(default_factory=new_dict)
    item_id: str | None = field(default=None, kw_only=True)
    status: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """A call with an unusual id or name is not plain, so that builders look at it."""
        if not (is_usual_id(self.id) and is_usual_name(self.name) and type(self.arguments) is dict):
            object.__setattr__(self, "plain", False)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToolResult(Part):
    """What a function returned. `parts` may be given as text."""

    call_id: str | None
    parts: tuple[Part, ...] = ()
    name: str | None = field(default=None, kw_only=True)
    is_error: bool | None = field(default=None, kw_only=True)
    item_id: str | None = field(default=None, kw_only=True)
    status: str | None = field(default=None, kw_only=True)

    if TYPE_CHECKING:  # a caller may give text, one part, or a list

        def __init__(
            self,
            call_id: str | None,
            parts: PartsLike = (),
            *,
            name: str | None = None,
            is_error: bool | None = None,
            item_id: str | None = None,
            status: str | None = None,
            cache: Cache | None = None,
            signature: str | None = None,
            provenance: Provenance | None = None,
            vendor: PerWire | None = None,
            extra: PerWire | None = None,
            kept: Kept | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Turn text or a list into a tuple of parts; a plain result has a usual id, and is one plain text."""
        if type(self.parts) is not tuple or str in map(type, self.parts):
            object.__setattr__(self, "parts", as_parts(self.parts))
        parts = self.parts
        one_text = len(parts) == 1 and type(parts[0]) is Text and parts[0].plain
        if not (one_text and is_usual_id(self.call_id)):
            object.__setattr__(self, "plain", False)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CustomToolCall(Part):
    """The model's call of a tool that takes free text instead of JSON."""

    id: str | None
    name: str
    input: str = ""
    item_id: str | None = field(default=None, kw_only=True)
    status: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CustomToolResult(Part):
    """What a free-text tool returned."""

    call_id: str | None
    parts: tuple[Part, ...] = ()
    name: str | None = field(default=None, kw_only=True)
    item_id: str | None = field(default=None, kw_only=True)
    status: str | None = field(default=None, kw_only=True)

    if TYPE_CHECKING:  # a caller may give text, one part, or a list

        def __init__(
            self,
            call_id: str | None,
            parts: PartsLike = (),
            *,
            name: str | None = None,
            item_id: str | None = None,
            status: str | None = None,
            cache: Cache | None = None,
            signature: str | None = None,
            provenance: Provenance | None = None,
            vendor: PerWire | None = None,
            extra: PerWire | None = None,
            kept: Kept | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Turn text or a list into a tuple of parts."""
        if type(self.parts) is not tuple or str in map(type, self.parts):
            object.__setattr__(self, "parts", as_parts(self.parts))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HostedCall(Part):
    """A call that the provider runs itself (web search, code ...). `payload` holds the keys of that one type."""

    type: str
    id: str | None = field(default=None, kw_only=True)
    name: str | None = field(default=None, kw_only=True)
    arguments: JsonObject | str | None = field(default=None, kw_only=True)
    server: str | None = field(default=None, kw_only=True)
    status: str | None = field(default=None, kw_only=True)
    payload: JsonObject | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HostedResult(Part):
    """What a provider's own tool returned. `result` and `payload` are the wire's own JSON."""

    type: str
    call_id: str | None = field(default=None, kw_only=True)
    id: str | None = field(default=None, kw_only=True)
    result: Any = field(default=None, kw_only=True)
    is_error: bool | None = field(default=None, kw_only=True)
    status: str | None = field(default=None, kw_only=True)
    payload: JsonObject | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToolReference(Part):
    """A tool by name. `change` (`addition`, `removal`) loads or unloads a deferred tool from here on."""

    name: str
    change: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Reasoning(Part):
    """The model's thinking, to be replayed unmodified to the API that wrote it.

    `text` is the thinking itself, `summary` its summary texts, `texts` thinking in pieces;
    `encrypted` and `redacted` are opaque payloads.
    """

    text: str | None = None
    summary: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    encrypted: str | None = None
    redacted: str | None = None
    id: str | None = None
    status: str | None = None

    if TYPE_CHECKING:  # a caller may give one text or a list

        def __init__(
            self,
            *,
            text: str | None = None,
            summary: str | Iterable[str] | None = None,
            texts: str | Iterable[str] | None = None,
            encrypted: str | None = None,
            redacted: str | None = None,
            id: str | None = None,
            status: str | None = None,
            cache: Cache | None = None,
            signature: str | None = None,
            provenance: Provenance | None = None,
            vendor: PerWire | None = None,
            extra: PerWire | None = None,
            kept: Kept | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Turn one text, or a list of them, into a tuple."""
        for name in ("summary", "texts"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, as_texts(value, name))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Refusal(Part):
    """The model's refusal, as text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Compaction(Part):
    """What stands for the conversation before it, as the API compacted it."""

    text: str | None = None
    encrypted: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Upload(Part):
    """A file handed to the code container."""

    file_id: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SearchResult(Part):
    """A search hit given as content. `url` is its source; `citations` is wire JSON."""

    url: str
    title: str
    parts: tuple[Part, ...] = ()
    citations: Any = field(default=None, kw_only=True)

    if TYPE_CHECKING:  # a caller may give text, one part, or a list

        def __init__(
            self,
            url: str,
            title: str,
            parts: PartsLike = (),
            *,
            citations: Any = None,
            cache: Cache | None = None,
            signature: str | None = None,
            provenance: Provenance | None = None,
            vendor: PerWire | None = None,
            extra: PerWire | None = None,
            kept: Kept | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Turn text or a list into a tuple of parts."""
        if type(self.parts) is not tuple or str in map(type, self.parts):
            object.__setattr__(self, "parts", as_parts(self.parts))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemReference(Part):
    """An item that the API has stored, by id."""

    id: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Opaque(Part):
    """An element of one wire that no shape of its spec knows, kept as it came.

    `place` is the list it stood in (`content`, `messages`, `tools` ...).
    """

    wire: str
    value: Any
    place: str = "content"
