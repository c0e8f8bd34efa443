"""What everybody who reports needs to know about a wire: its names, its settings, and what its API does anyway."""

from __future__ import annotations

from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import Record
from ..typed import Any, Mapping, new_dict


@dataclass(frozen=True, eq=False, repr=False)
class Setting(Record):
    """One build setting: its default, its choices, and whether it is a list."""

    default: Any = None
    choices: tuple[str, ...] = ()
    listed: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class ServerState(Record):
    """What the server of a wire keeps of a conversation, and what a request that continues it leaves out.

    by      the field of a continuation that takes the id of an answer: `id`, `conversation`
    omits   fields of a request that are always left out; a vendor option as `vendor.name`
    spares  fields that are left out while they are as the server has them
    binds   `model` and settings: an id is known only where they are the same
    begins  own options that make the server keep what is sent
    """

    by: str
    omits: tuple[str, ...] = ()
    spares: tuple[str, ...] = ()
    binds: tuple[str, ...] = ()
    begins: Mapping[str, Any] = field(default_factory=new_dict)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WireFacts(Record):
    """What rules and passes may ask about a wire.

    api          the wire whose dialect this one is, or its own name
    implied      fields that it has no place for -> the value that says what it does anyway
    names        the regular expression that the name of a tool matches; unique_names: no two tools share one
    pairs        where the result of a tool call stands: `later`, in the next `turn`, or in the `next` messages; empty
                 where the API does not ask
    state        what its server keeps of a conversation; None where it keeps nothing
    known_names, fine_tools  what was found out: names that match, and the last tools whose names were fine
    """

    name: str
    title: str
    api: str
    settings: Mapping[str, Setting] = field(default_factory=new_dict)
    implied: Mapping[str, Any] = field(default_factory=new_dict)
    names: str = ""
    unique_names: bool = False
    pairs: str = ""
    state: ServerState | None = None
    known_names: set[str] = field(default_factory=set[str])
    fine_tools: list[tuple[Any, ...]] = field(default_factory=list[Any])
