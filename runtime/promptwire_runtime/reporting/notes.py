"""Notes: one row for everything that a build or a reading moved, renamed, merged or dropped."""

from __future__ import annotations

from ..nodes.light_dataclasses import dataclass
from ..nodes.records import LightRecord
from ..typed import TYPE_CHECKING
from .node_paths import Origins
from .policies import STRICT, Policies
from .settings import settings_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..model.request import Request
    from .facts import WireFacts
    from .settings import Settings

# not pickled: caches by identity of nodes, which changes in copies, and credentials
_NOT_KEPT = frozenset({"_emptied", "_forgotten", "_checked_nodes", "_neighbours", "_refused"})
_STATE = ("wire", "request")


@dataclass(frozen=True, eq=False, repr=False)
class Note(LightRecord):
    """What a build, a repair or a reading did at one place.

    Attributes:
        action: `dropped`, `missing` (the API asks for it, and it is sent without), `moved`, `merged`, `replaced`,
            `added`, `refused` (sent although a rule rejects it), `passed through` (its meaning is unknown), `ignored`
            (sent, without effect there), or `ambiguous` (the API may misread it).
        path: The path in the Request (`messages[2].parts[0]`); empty for the Request itself.
        field: The field of that node.
        why: The reason, in words.
        policy: For a repair, the policy that decides about it: `ids`, `tool_names`.
        given: For a reversible change, the caller's value.
        sent: For a reversible change, the value that is sent, so that an answer can be mapped back.
    """

    action: str
    path: str
    field: str
    why: str
    policy: str = ""
    given: str | None = None
    sent: str | None = None

    def __str__(self) -> str:
        """Return the note as one line."""
        # the reason of a refusal names the field in words
        field = "" if self.action == "refused" else self.field
        where = ".".join(piece for piece in (self.path, field) if piece)
        return f"{self.action} {where}: {self.why}" if where else f"{self.action}: {self.why}"


class NoteLog:
    """The notes of one build, and the paths of the nodes that they refer to."""

    # every build reads these: slots are faster than other attributes
    __slots__ = ("__dict__", "request", "wire")

    wire: WireFacts
    request: Request
    policies: Policies = STRICT
    settings: Settings | None = None
    # created when first needed; most builds need none of them
    _notes: list[tuple[str, object, str, str]] | None = None
    _origins: Origins | None = None
    _roles: frozenset[str] | None = None
    # what repairs changed before this build
    edits: tuple[Note, ...] = ()

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return the notes on values that were moved, merged or dropped, in order."""
        rows = self._notes or ()
        own = [Note(action, self.path(node), field, why) for action, node, field, why in rows]
        return (*self.edits, *own)

    @property
    def origins(self) -> Origins:
        """The caller's request, and where the nodes of this one come from."""
        if self._origins is None:
            self._origins = Origins(self.request)
        return self._origins

    def edited(self, origins: Origins, edits: tuple[Note, ...]) -> None:
        """Take the notes of repairs that ran before this build. Paths refer to the caller's request from now on."""
        self.origins.follow(origins)
        self.edits = edits

    def path(self, node: object) -> str:
        """Return the first path of a node of the request; empty for the request itself."""
        return self.origins.path(node)

    def replaced(self, request: Request) -> None:
        """Continue with another request. Paths of nodes that are also in the caller's request refer to that."""
        self.origins.replaced(request)
        self.request, self._roles = request, None

    @property
    def caller_request(self) -> Request:
        """The request that the caller passed."""
        return self.request if self._origins is None else self._origins.caller_request

    @property
    def was_read(self) -> bool:
        """Return whether some message of the caller's request was read from this wire."""
        origins = [message.provenance for message in self.caller_request.messages]
        return any(origin is not None and origin.wire == self.wire.name for origin in origins)

    @property
    def roles(self) -> frozenset[str]:
        """The roles of the request's messages."""
        if self._roles is None:
            self._roles = frozenset([message.role for message in self.request.messages])
        return self._roles

    def copied(self, original: object, copies: Iterable[object]) -> None:
        """Remember that some nodes are copies of a node of the request, and have its path."""
        self.origins.copied(original, copies)

    def __getstate__(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the state without caches."""
        rest = {name: value for name, value in vars(self).items() if name not in _NOT_KEPT}
        return rest, {name: getattr(self, name) for name in _STATE if hasattr(self, name)}

    def note(self, action: str, node: object, field: str, why: str) -> None:
        """Add one note. The path of its node is computed when notes are read, because that is expensive."""
        if self._notes is None:
            self._notes = []
        self._notes.append((action, node, field, why))

    def change_setting(self, name: str, value: Any) -> None:
        """Set one of the build settings."""
        settings = settings_of({}, {}) if self.settings is None else self.settings
        self.settings = settings.with_values({name: value})

    def shown_settings(self) -> dict[str, Any]:
        """Return the settings that the caller passed, with `$NAME` in place of each credential."""
        return {} if self.settings is None else self.settings.shown()

    def setting(self, name: str) -> Any:
        """Return a build setting, or its default."""
        return self.wire.setting(name, self.settings)
