"""Notes: one row for everything that a build or a reading moved, renamed, merged or dropped."""

from __future__ import annotations

from ..nodes.light_dataclasses import dataclass
from ..nodes.records import Record
from ..typed import TYPE_CHECKING
from .node_paths import places_of
from .policies import STRICT, Policies
from .settings import settings_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..model.request import Request
    from .facts import WireFacts
    from .settings import Settings

_NOWHERE = [""]
# what is known by the identity of nodes, which pickles and copies do not keep, and what holds credentials
_NOT_KEPT = frozenset(
    {"_emptied", "_forgotten", "_checked_nodes", "_neighbours", "_places", "_refused", "_sent"}
)
_STATE = ("wire", "request")


@dataclass(frozen=True, eq=False, repr=False)
class Note(Record):
    """One row.

    action  `dropped`, `omitted`, `moved`, `merged`, `replaced`, `added`, `refused`, `kept`: sent as it was read, though
            nobody here knows it, or `ambiguous`: it may be misread
    path    where in the Request (`messages[2].parts[0]`); empty for the Request itself
    field   which field of that node
    why     the reason, in words
    """

    action: str
    path: str
    field: str
    why: str

    def __str__(self) -> str:
        """Show the row as one line."""
        # why something is refused names it in words
        field = "" if self.action == "refused" else self.field
        where = ".".join(piece for piece in (self.path, field) if piece)
        return f"{self.action} {where}: {self.why}" if where else f"{self.action}: {self.why}"


class NoteLog:
    """Notes of one build, and the paths of the nodes that they are about."""

    # what every build looks at: slots are found sooner than other attributes
    __slots__ = ("__dict__", "request", "wire")

    wire: WireFacts
    request: Request
    policies: Policies = STRICT
    settings: Settings | None = None
    # made when they are first needed: most builds need none of them
    _notes: list[tuple[str, object, str, str]] | None = None
    _copies: list[tuple[object, object]] | None = None
    _places: dict[int, list[str]] | None = None
    # the caller's request, where a pass has made another one of it
    _given: Request | None = None
    _roles: frozenset[str] | None = None
    # how many first messages of the caller's request are instructions in this one
    hoisted: int = 0

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was moved, merged or dropped, in the order it happened."""
        rows = self._notes or ()
        return tuple([Note(action, self.path(node), field, why) for action, node, field, why in rows])

    def path(self, node: object) -> str:
        """Give the path of a node of the request, the first if it recurs; empty for the request."""
        return self.paths(node)[0]

    def paths(self, node: object) -> list[str]:
        """Give all paths of a node of the request, or of the node that it is a copy of."""
        if self._places is None:
            self._places = places_of(self.request)
            if self._given is not None:
                self._places |= places_of(self._given)
            for copy, original in self._copies or ():
                self._places[id(copy)] = self._places.get(id(original), _NOWHERE)
        return self._places.get(id(node), _NOWHERE)

    def replaced(self, request: Request) -> None:
        """Go on with another request; a node that the caller's has too stands where it stands there."""
        if self._given is None:
            self._given = self.request
        self.request, self._places, self._roles = request, None, None

    @property
    def caller_request(self) -> Request:
        """The request as the caller gave it."""
        return self.request if self._given is None else self._given

    @property
    def was_read(self) -> bool:
        """Whether the caller's request was read from this wire: some message of it came from there."""
        origins = [message.provenance for message in self.caller_request.messages]
        return any(origin is not None and origin.wire == self.wire.name for origin in origins)

    @property
    def roles(self) -> frozenset[str]:
        """The roles of the request's messages."""
        if self._roles is None:
            self._roles = frozenset([message.role for message in self.request.messages])
        return self._roles

    def copied(self, original: object, copies: Iterable[object]) -> None:
        """Take note that these stand for a node of the request."""
        if self._copies is None:
            self._copies = []
        for copy in copies:
            self._copies.append((copy, original))
            if self._places is not None:
                self._places[id(copy)] = self._places.get(id(original), _NOWHERE)

    def __getstate__(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Leave out what is found out again."""
        rest = {name: value for name, value in vars(self).items() if name not in _NOT_KEPT}
        return rest, {name: getattr(self, name) for name in _STATE if hasattr(self, name)}

    def note(self, action: str, node: object, field: str, why: str) -> None:
        """Add one row; where its node stands is found out when somebody asks."""
        if self._notes is None:
            self._notes = []
        self._notes.append((action, node, field, why))

    def change_setting(self, name: str, value: Any) -> None:
        """Set one of the build settings."""
        settings = settings_of({}, {}) if self.settings is None else self.settings
        self.settings = settings.with_values({name: value})

    def shown_settings(self) -> dict[str, Any]:
        """Give the settings that were given as they may be shown: a credential is none of them."""
        return {} if self.settings is None else self.settings.shown()

    def setting(self, name: str) -> Any:
        """Give a build setting, or its default."""
        if self.settings is not None and name in self.settings:
            return self.settings[name]
        return self.wire.settings[name].default
