"""What a node that was read remembers of its wire: unknown keys, and which spelling was used.

A body that `build` would write itself leaves no memory.
A memory is a hint: it applies on the wire it came from, and only where the neutral value still fits.
"""

from __future__ import annotations

from ..typed import Any, Mapping, new_dict
from .nodes import Node, dataclass, field


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Swap(Node):
    """One value written instead of another, as long as a fresh build still writes `fresh`.

    unread  scalar leaves of `read` that no neutral field holds
    """

    fresh: Any
    read: Any
    unread: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Form(Node):
    """Spellings inside one JSON object, relative to what a fresh build writes there.

    added    keys that no shape knows, or whose value did not fit, as they stood
    absent   keys written as null, empty or as a tolerated constant though they have no value
    echoed   key that only reading knows -> the field of the node that holds its value as well, and the value
    renamed  fresh key -> synonym that was used
    listed   key -> the list element that stood where a fresh build writes bare text, and its text key
    repeated synonym -> the fresh key whose value stood under it as well
    dropped  key -> what a fresh build writes although the body did not have it
    moved    known values that stood under other keys, all together
    swapped  key -> another spelling of the whole value
    inside   key -> spellings in the object below it; for a list, index -> spellings of that element
    """

    added: Mapping[str, Any] = field(default_factory=new_dict)
    absent: Mapping[str, Any] = field(default_factory=new_dict)
    echoed: Mapping[str, tuple[str, Any]] = field(default_factory=new_dict)
    renamed: Mapping[str, str] = field(default_factory=new_dict)
    listed: Mapping[str, tuple[Mapping[str, Any], str]] = field(default_factory=new_dict)
    repeated: Mapping[str, str] = field(default_factory=new_dict)
    dropped: Mapping[str, Any] = field(default_factory=new_dict)
    moved: Swap | None = None
    swapped: Mapping[str, Swap] = field(default_factory=new_dict)
    inside: Mapping[str, Form | Mapping[int, Form]] = field(default_factory=new_dict)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Kept(Node):
    """The memory of one node.

    wire   the wire it was read from; every other wire ignores the memory
    form   unknown keys and spellings of known values
    shape  the alternative of the spec that matched, where a fresh build would choose another
    model  of a request: the model that takes its spellings
    """

    wire: str
    form: Form | None = None
    shape: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Provenance(Node):
    """Where a message or part came from: the wire it was read from and the model that wrote it.

    `api` is the wire whose dialect that wire is, or the wire itself: what is signed or encrypted stays with its API.
    """

    wire: str | None = None
    model: str | None = None
    api: str | None = None
