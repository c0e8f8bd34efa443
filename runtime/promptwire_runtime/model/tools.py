"""Tools: functions, free-text tools, groups, hosted tools, and the part that adds tools in mid-conversation."""

from __future__ import annotations

from ..typed import TYPE_CHECKING, TypeAlias
from .nodes import Node, dataclass, field
from .parts import Cache, JsonObject, Opaque, Part, PerWire
from .plain import as_tuple
from .wire_memory import Kept

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import ClassVar

    from .wire_memory import Provenance
else:
    from ..typed import ClassVar


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tool(Node):
    """A function that the model may call; `parameters` and `returns` are JSON Schemas, passed by reference.

    strict enforces the schema; deferred loads the tool on demand; stream_arguments sends arguments as written.
    """

    LOOKED_AT: ClassVar = frozenset({"description", "parameters"})

    name: str
    description: str | None = None
    parameters: JsonObject | None = None
    strict: bool | None = field(default=None, kw_only=True)
    returns: JsonObject | None = field(default=None, kw_only=True)
    deferred: bool | None = field(default=None, kw_only=True)
    stream_arguments: bool | None = field(default=None, kw_only=True)
    cache: Cache | None = field(default=None, kw_only=True)
    vendor: PerWire | None = field(default=None, kw_only=True)
    extra: PerWire | None = field(default=None, kw_only=True)
    kept: Kept | None = field(default=None, kw_only=True)
    plain: bool = field(init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CustomTool(Node):
    """A tool that takes free text; `format` is the wire's own JSON for its grammar."""

    LOOKED_AT: ClassVar = frozenset({"description", "format"})

    name: str
    description: str | None = None
    format: JsonObject | None = None
    deferred: bool | None = field(default=None, kw_only=True)
    cache: Cache | None = field(default=None, kw_only=True)
    vendor: PerWire | None = field(default=None, kw_only=True)
    extra: PerWire | None = field(default=None, kw_only=True)
    kept: Kept | None = field(default=None, kw_only=True)
    plain: bool = field(init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToolGroup(Node):
    """Tools under one name, so that a call names group and tool."""

    LOOKED_AT: ClassVar = frozenset({"description"})

    name: str
    description: str | None = None
    tools: tuple[AnyTool, ...] = ()
    vendor: PerWire | None = field(default=None, kw_only=True)
    extra: PerWire | None = field(default=None, kw_only=True)
    kept: Kept | None = field(default=None, kw_only=True)
    plain: bool = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:  # a caller may give a list

        def __init__(
            self,
            name: str,
            description: str | None = None,
            tools: Iterable[AnyTool] = (),
            *,
            vendor: PerWire | None = None,
            extra: PerWire | None = None,
            kept: Kept | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Turn a list into a tuple."""
        object.__setattr__(self, "tools", as_tuple(self.tools, "tools"))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HostedTool(Node):
    """A tool that the provider runs: its `type`, and the rest of that wire's own JSON in `config`."""

    LOOKED_AT: ClassVar = frozenset({"name", "config"})

    type: str
    name: str | None = None
    config: JsonObject | None = None
    cache: Cache | None = field(default=None, kw_only=True)
    vendor: PerWire | None = field(default=None, kw_only=True)
    extra: PerWire | None = field(default=None, kw_only=True)
    kept: Kept | None = field(default=None, kw_only=True)
    plain: bool = field(init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToolAddition(Part):
    """Tools that become available from here on."""

    tools: tuple[AnyTool, ...] = ()
    id: str | None = field(default=None, kw_only=True)

    if TYPE_CHECKING:  # a caller may give a list

        def __init__(
            self,
            tools: Iterable[AnyTool] = (),
            *,
            id: str | None = None,
            cache: Cache | None = None,
            signature: str | None = None,
            provenance: Provenance | None = None,
            vendor: PerWire | None = None,
            extra: PerWire | None = None,
            kept: Kept | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Turn a list into a tuple."""
        object.__setattr__(self, "tools", as_tuple(self.tools, "tools"))


AnyTool: TypeAlias = Tool | CustomTool | ToolGroup | HostedTool | Opaque
