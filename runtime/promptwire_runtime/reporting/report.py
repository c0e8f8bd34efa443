"""The report of one build: notes on what it changed, and problems. Policies decide between errors and notes."""

from __future__ import annotations

from ..errors import MissingField, NoPlace, Refused, RequestError
from ..model.calls import ToolCall
from ..nodes.records import construct
from ..typed import TYPE_CHECKING
from .losses import has_nearest, loss_of
from .node_paths import Origins
from .notes import Note
from .policies import STRICT, Collecting, Policies
from .settings import settings_of
from .spec_words import spec_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..model.options import Continuation
    from ..model.request import Message, Request
    from ..predicates.conditions import FieldCondition, FieldPath
    from .call_pairs import CallPairs
    from .facts import WireFacts
    from .settings import Settings

# not pickled: caches by identity of nodes, which changes in copies
_NOT_KEPT = frozenset({"_calls", "_forgotten", "_refused", "omitted_messages"})
_STATE = ("wire", "request")


class Report:
    """The request of one build with its wire, policies and settings, and what rules, passes and writers report.

    Attributes:
        wire: The facts of the API.
        request: The request that is written; passes and rules may have changed the caller's.
        edits: The notes of the repairs that changed the caller's request before this build.
        found: The errors so far of a build that goes on after one; None before the first.
        omitted_messages: The messages of which nothing is sent, by their identity.
        last_apart: A list of the last opaque element among the messages, which may be null.
        last_reordered: The last message with a note that its content is sent before its calls.
        continuation: The continuation whose earlier messages are not sent.
    """

    # every build reads these: slots are faster than other attributes
    __slots__ = ("__dict__", "request", "wire")

    wire: WireFacts
    request: Request
    policies: Policies = STRICT
    settings: Settings | None = None
    edits: tuple[Note, ...] = ()
    # created when first needed; most builds need none of them
    found: list[RequestError] | None = None
    omitted_messages: dict[int, object] | None = None
    last_apart: list[Any] | None = None
    last_reordered: Message | None = None
    continuation: Continuation | None = None
    _calls: CallPairs | None = None
    _notes: list[tuple[str, object, str, str]] | None = None
    _origins: Origins | None = None
    _roles: frozenset[str] | None = None
    _forgotten: dict[int, object] | None = None
    _refused: set[tuple[int, str, str]] | None = None

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return the notes on values that were moved, merged or dropped, in order."""
        rows = self._notes or ()
        own = [
            construct(Note, action=action, path=self.origins.path(node), field=field, why=why)
            for action, node, field, why in rows
        ]
        return (*self.edits, *own)

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return action and field of each note, in order; to find the paths of many nodes takes longer than a build."""
        edits = [(edit.action, edit.field) for edit in self.edits]
        return (*edits, *[(action, field) for action, _, field, _ in self._notes or ()])

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

    def replaced(self, request: Request) -> None:
        """Continue with another request. Paths of nodes that are also in the caller's request refer to that."""
        self.origins.replaced(request)
        self.request, self._roles = request, None

    @property
    def calls(self) -> CallPairs:
        """The calls of the request and the results that answer them."""
        if self._calls is None:
            from .call_pairs import CallPairs

            self._calls = CallPairs(self.request.messages)
        return self._calls

    @property
    def was_read(self) -> bool:
        """Return whether some message of the caller's request was read from this wire."""
        origins = [message.provenance for message in self.origins.caller_request.messages]
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

    def reordered(self, message: Message) -> None:
        """Report, once per message, that content which follows the calls is sent before them."""
        if self.last_reordered is not message:
            self.last_reordered = message
            self.note("moved", message, "parts", "content after the tool calls is sent before them")

    def lost(self, node: object, field: str, why: str = "", **known: str) -> None:
        """Report a value that this wire does not support: an error, or a note if policies allow to drop it.

        `known` are attributes of the `Problem`: `fix`, `no_repair`, `role` or `guard`.
        """
        if self._is_derived(node, field):
            return
        if self.wire.defaults and self._is_implied(node, field):
            self.note("dropped", node, field, f"{self.wire.title} does this by default")
            return
        why = why or f"{self.wire.title} does not support it"
        field = field or spec_word(node)
        if self._stops_loss(node, field):
            self.stop(
                NoPlace,
                f"{field}: {why}",
                node,
                field,
                value=getattr(node, field, None),
                **known,
            )
        else:
            self.note("dropped", node, field, why)

    def _stops_loss(self, node: object, field: str) -> bool:
        """Return whether a value may not be dropped, or not before a repair was tried."""
        policies = self.policies
        if policies.loss == "note" and policies.skips_repairs:
            return False
        if policies.allow and policies.waives(self.origins.path(node), field):
            return False
        if policies.loss == "raise" or loss_of(node, field) == "meaning":
            return True
        return not policies.skips_repairs and has_nearest(node, field)

    def stop(
        self,
        error: type[RequestError],
        why: str,
        node: object,
        field: str,
        *,
        value: object = None,
        source: str = "",
        **known: object,
    ) -> None:
        """Report an error: raise it where no repair and no caller needs to know all of them, else go on.

        `known` are other attributes of the `Problem`: `fix`, `rule` and `condition` of a rule, `role` or `guard`.
        """
        raised = error(
            why, wire=self.wire.name, path=self.origins.path(node), field=field, value=value, source=source
        )
        raised.node = node
        vars(raised.problem).update(known, loss=loss_of(node, field))
        if not (self.policies.may_repair or isinstance(self.policies, Collecting)):
            raise raised
        if self.found is None:
            self.found = []
        self.found.append(raised)

    def _is_implied(self, node: object, field: str) -> bool:
        """Return whether a value is what the API does by default."""
        is_request = node is self.request or node is self.request.options
        path = field if is_request else f"{spec_word(node).removesuffix('_options')}.{field}"
        value = self.wire.defaults.get(path)
        return value is not None and getattr(node, field, None) == value

    def unused(self, node: object, field: str) -> None:
        """Report a value that this wire does not need, unless a call and its result share it (the name or the id).

        Dropping it changes nothing for the model.
        """
        if not (self._is_shared(node, field) or self._is_derived(node, field)):
            self.note("dropped", node, field, f"{self.wire.title} does not use it")

    def _is_shared(self, node: Any, field: str) -> bool:
        """Return whether a call has a value of its result, or the other way round."""
        if field == "id":
            return type(node) is ToolCall and self.calls.is_answered(node)
        if field == "call_id":
            return self.calls.call_of(node) is not None
        if field != "name" or getattr(node, "call_id", None) is None:
            return False
        call = self.calls.call_of(node)
        return call is not None and call.name == node.name

    def _is_derived(self, node: Any, field: str) -> bool:
        """Return whether form memory writes a field, unchanged since it was read, into a derived key."""
        kept = self.request.kept if node is self.request.options else getattr(node, "kept", None)
        if kept is None or kept.form is None or kept.wire != self.wire.name:
            return False
        from .derived_keys import derived_fields, holds

        holder = self.request if node is self.request.options else node
        return any(
            path == field and holds(holder, path, value, kept.wire)
            for path, value in derived_fields(kept.form)
        )

    def lost_options(self, carried: frozenset[str]) -> None:
        """Report every option of the request that this wire does not have."""
        for name in sorted(self.request.options.given - carried):
            self.lost(self.request.options, name)

    def missing(self, node: object, field: str, why: str = "") -> None:
        """Report a value that the wire requires: an error, or a note that it is sent without."""
        why = why or f"{self.wire.title} requires it"
        if self.policies.missing != "omit":
            self.stop(MissingField, f"{field} is missing; {why}", node, field)
        else:
            self.note("missing", node, field, why)

    def omit_message(self, message: Message) -> None:
        """Report a message of which nothing is sent, once for all copies of it."""
        original_message = self.origins.original(message)
        if self.omitted_messages is None:
            self.omitted_messages = {}
        if id(original_message) not in self.omitted_messages:
            self.omitted_messages[id(original_message)] = original_message
            why = "none of its parts is sent" if message.parts else "it is empty"
            self.note("dropped", message, spec_word(message), why)
            if getattr(original_message, "kept", None) is not None:
                self.forget(original_message)

    def forget(self, node: Any) -> None:
        """Report the keys that form memory holds for another wire, once for a node that is written as several items."""
        kept = node.kept
        if self._forgotten is None:
            self._forgotten = {}
        if kept.wire == self.wire.name or id(node) in self._forgotten:
            return
        from .derived_keys import unknown_paths

        self._forgotten[id(node)] = node
        for path in unknown_paths(kept.form, spelled=False):
            self.note("dropped", node, path, f"only {kept.wire} has this key")

    def note_kept(self, node: Any) -> None:
        """Report the keys that are passed through: they were read from this wire, and their meaning is unknown."""
        from .derived_keys import unknown_paths

        for path in unknown_paths(node.kept.form, spelled=False):
            why = f"not a known {self.wire.title} key or value; sent unchanged"
            self.note("passed through", node, path, why)

    def incomplete(self, node: object, field: str) -> None:
        """Report a part of a model's answer without a value that the wire requires, which no caller can add."""
        # the removal of the value is an error already
        if self.found and self.origins.path(node) in [error.path for error in self.found]:
            return
        words = {"redacted": "encrypted text", "texts": "text"}
        self.lost(node, "", f"{self.wire.title} requires its {words.get(field, field)}")

    def refused(  # noqa: PLR0913  # what a rule knows
        self,
        path: FieldPath | str,
        value: Any,
        why: str,
        node: object,
        source: str = "",
        *,
        fix: str = "",
        no_repair: str = "",
        rule: str = "",
        condition: FieldCondition | None = None,
    ) -> None:
        """Report a value that this API, or this model, rejects. `source` cites the rule.

        `path` is the path of a rule, or the name of a field. `fix` is the repair that the rule names, `no_repair`
        why none is right, `rule` its name, `condition` what the value meets.
        """
        if self.policies.refusals == "ignore":
            return
        from .wording import describe_value

        field = path if isinstance(path, str) else path.text
        reported = (id(node), field, why)
        if self._refused is None:
            self._refused = set()
        elif reported in self._refused:
            return
        self._refused.add(reported)
        what = describe_value(path, value, node, self.wire)
        if self.policies.refusals != "send":
            model = self.request.model
            text = f"{what} is refused{f' for {model}' if model else ''}: {why}"
            known = {"fix": fix, "no_repair": no_repair, "rule": rule, "condition": condition}
            self.stop(Refused, text, node, field, value=value, source=source, **known)
        else:
            self.note("refused", node, field, f"{what}: {why}" + (f" ({source})" if source else ""))

    def vendor(self, node: Any) -> Mapping[str, Any]:
        """Return the vendor options of a node for this wire."""
        options: Mapping[str, Mapping[str, Any]] = node.vendor or {}
        return options.get(self.wire.name, {})
