"""What a build reports: notes, and the errors that its policies make of them."""

from __future__ import annotations

from operator import attrgetter

from ..errors import MissingField, NoPlace, Refused
from ..model.paths import places_of
from ..rules.paths import kind_of, spec_word
from ..rules.tool_values import added_tools
from ..typed import TYPE_CHECKING
from .notes import Note

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..build.wire import Wire
    from ..model.options import ToolChoice
    from ..model.request import Message, Request
    from ..rules.rule import Rule
    from .policies import Policies


_MOST_NAMES = 4096
_NOWHERE = [""]
_BY_IDENTITY = frozenset({"_emptied", "_forgotten", "_judged", "_places", "_refused"})
_STATE = ("wire", "request", "policies")
_NAME = attrgetter("name")

# of a refused text, in an error
_MOST_SHOWN = 80


class Reports:
    """Notes of one build; every report names the node of the caller's request that it is about."""

    # what every build looks at: slots are found sooner than other attributes
    __slots__ = ("__dict__", "__weakref__", "policies", "request", "wire")

    wire: Wire
    request: Request
    policies: Policies
    # made when they are first needed: most builds need none of them
    _notes: list[tuple[str, object, str, str]] | None = None
    left_out: Message | None = None
    no_tools: bool = False
    _emptied: dict[int, object] | None = None
    _forgotten: dict[int, object] | None = None
    _judged: dict[int, object] | None = None
    _kinds_checked: bool = False
    _tools_checked: bool = False
    _schemas_checked: bool = False
    _refused: set[tuple[int, str, str]] | None = None
    _copies: list[tuple[object, object]] | None = None
    _places: dict[int, list[str]] | None = None
    # the caller's request, where a pass has made another one of it
    _given: Request | None = None
    _roles: frozenset[str] | None = None
    # how many first messages of the caller's request are instructions in this one
    lifted: int = 0

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

    def without_foreign(self, message: Message) -> Message:
        """Report what another API signed or encrypted in a message, and give the message without it."""
        from ..passes.foreign import without_foreign

        return without_foreign(message, self)

    def own_part(self, part: Any) -> Any:
        """Report what another API signed or encrypted in a part, and give the part without it, or None."""
        from ..passes.foreign import own_part

        return own_part(part, self)

    def __getstate__(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Leave out what is known by the identity of nodes: pickles and copies have others."""
        rest = {name: value for name, value in vars(self).items() if name not in _BY_IDENTITY}
        return rest, {name: getattr(self, name) for name in _STATE if hasattr(self, name)}

    def note(self, action: str, node: object, field: str, why: str) -> None:
        """Add one row; where its node stands is found out when somebody asks."""
        if self._notes is None:
            self._notes = []
        self._notes.append((action, node, field, why))

    def lost(self, node: object, field: str, why: str = "") -> None:
        """Report a value that this wire cannot carry: an error, or a note under `loss="note"`."""
        if self._is_echoed(node, field):
            return
        if self.wire.implied and self._is_implied(node, field):
            self.note("dropped", node, field, f"it says what {self.wire.title} does anyway")
            return
        why = why or f"{self.wire.title} has no place for it"
        field = field or spec_word(node)
        if self.policies.loss == "raise":
            path = self.path(node)
            raise NoPlace(f"{field}: {why}", wire=self.wire.name, path=path, field=field)
        self.note("dropped", node, field, why)

    def _is_implied(self, node: object, field: str) -> bool:
        """Tell whether a value says what the API does anyway."""
        whole = node is self.request or node is self.request.options
        path = field if whole else f"{spec_word(node).removesuffix('_options')}.{field}"
        value = self.wire.implied.get(path)
        return value is not None and getattr(node, field, None) == value

    def unused(self, node: object, field: str) -> None:
        """Note a value that this wire does not need: dropping it changes nothing for the model."""
        if not self._is_echoed(node, field):
            self.note("dropped", node, field, f"{self.wire.title} does not use it")

    def _is_echoed(self, node: Any, field: str) -> bool:
        """Tell whether the memory writes a field, unchanged since it was read, under a key that is only read."""
        kept = self.request.kept if node is self.request.options else getattr(node, "kept", None)
        if kept is None or kept.form is None or kept.wire != self.wire.name:
            return False
        from ..read.form_memory import echoed, says

        holder = self.request if node is self.request.options else node
        return any(
            path == field and says(holder, path, value, kept.wire) for path, value in echoed(kept.form)
        )

    def lost_options(self, carried: frozenset[str]) -> None:
        """Report every given option that this wire does not have."""
        for name in sorted(self.request.options.given - carried):
            self.lost(self.request.options, name)

    def missing(self, node: object, field: str) -> None:
        """Report a value that the wire requires: an error, or a note that key or element is left out."""
        why = f"{self.wire.title} requires it"
        if self.policies.missing == "raise":
            path = self.path(node)
            raise MissingField(f"{field} is missing: {why}", wire=self.wire.name, path=path, field=field)
        self.note("omitted", node, field, f"it is missing, though {why}")

    def emptied(self, message: Message) -> None:
        """Note a message that is not sent, since none of its parts has a place; once for the copies of one."""
        self.left_out = message
        whole = next((original for copy, original in self._copies or () if copy is message), message)
        if self._emptied is None:
            self._emptied = {}
        if id(whole) not in self._emptied:
            self._emptied[id(whole)] = whole
            why = "none of its parts has a place here" if message.parts else "it holds nothing"
            self.note("omitted", message, spec_word(message), why)
            if getattr(whole, "kept", None) is not None:
                self.forget(whole)

    def without_tools(self) -> None:
        """Leave out the tool choice as well: the request has tools, and none of them is sent."""
        self.no_tools = True
        choice = self.request.tool_choice
        if choice is not None:
            self.note("omitted", choice, spec_word(choice), "none of the tools has a place here")

    def forget(self, node: Any) -> None:
        """Note the keys that reading kept for another wire; once for a node that is written in several pieces."""
        kept = node.kept
        if self._forgotten is None:
            self._forgotten = {}
        if kept.wire == self.wire.name or id(node) in self._forgotten:
            return
        from ..read.form_memory import unknown_paths

        self._forgotten[id(node)] = node
        for path in unknown_paths(kept.form, spelled=False):
            self.note("dropped", node, path, f"only {kept.wire} knows it")

    def incomplete(self, node: object, field: str) -> None:
        """Report what a model wrote without a value that the wire requires: nobody else can complete it."""
        self.lost(node, "", f"{self.wire.title} takes none without its {field}")

    def refuse(self, path: str, value: Any, rule: Rule, node: object) -> None:
        """Report a value that a rule refuses."""
        self.refused(path, value, rule.because + (f" ({rule.source})" if rule.source else ""), node)

    def refused(self, path: str, value: Any, why: str, node: object) -> None:
        """Report a value that this wire takes from nobody, or not from this model."""
        if self.policies.refusals == "raise":
            short = (
                value if type(value) is not str or len(value) <= _MOST_SHOWN else f"{value[:_MOST_SHOWN]}..."
            )
            shown = f"{path}={short!r}" if type(value) in (str, int, float, bool) else path
            shown = f"no {path}" if value is None else shown
            message = f"{shown} is refused for {self.request.model}: {why}"
            raise Refused(message, wire=self.wire.name, path=self.path(node), field=path)
        if self.policies.refusals == "note":
            if self._refused is None:
                self._refused = set()
            known = (id(node), path, why)
            if known not in self._refused:
                self._refused.add(known)
                self.note("refused", node, path, why)

    def check_choice(self, choice: ToolChoice) -> None:
        """Refuse the choice of a tool that the request does not have, where it has tools at all."""
        tools = [each for tool in self.request.tools or () for each in (tool, *getattr(tool, "tools", ()))]
        names = {getattr(tool, "name", None) for tool in tools}
        if not tools or not all(isinstance(name, str) for name in names):
            return
        given = [name for name in choice.names or (choice.name,) if name is not None]
        if not names.issuperset(given):
            names |= {getattr(tool, "name", None) for tool in added_tools(self.request)}
        for name in given:
            if name not in names:
                self.refused("tool_choice.name", name, "no tool of the request has this name", choice)

    def check_names(self, tools: tuple[Any, ...]) -> None:
        """Refuse names of tools that do not match the wire's pattern and, where it says so, names given twice."""
        wire = self.wire
        # the turns of one conversation have the same tools
        if wire.fine_tools and wire.fine_tools[0] is tools:
            return
        try:
            names = set(map(_NAME, tools))
            if names <= wire.known_names and len(names) == len(tools):
                wire.fine_tools[:] = [tools]
                return
        except (AttributeError, TypeError):
            pass  # the JSON of this wire has no name of ours
        seen: set[str] = set()
        for tool in tools:
            name = getattr(tool, "name", None)
            if isinstance(name, str):
                self.check_name(tool)
                if name in seen and wire.unique_names:
                    self.refused("tools.name", name, f"{wire.title} takes each name once", tool)
                seen.add(name)

    def check_name(self, node: Any) -> None:
        """Refuse the name of a tool or call that does not match the wire's pattern; those that do are remembered."""
        from ..rules.entries import is_unlike

        known, pattern = self.wire.known_names, self.wire.names
        if not isinstance(node.name, str) or not pattern or node.name in known:
            return
        if not is_unlike(node.name, pattern):
            if len(known) >= _MOST_NAMES:
                known.clear()
            known.add(node.name)
        else:
            self.refused(
                f"{kind_of(node)}.name",
                node.name,
                f"names of tools match {pattern} at {self.wire.title}",
                node,
            )
