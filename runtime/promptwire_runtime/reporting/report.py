"""Report what a build cannot carry, what is missing and what is rejected. Policies decide between errors and notes."""

from __future__ import annotations

from ..errors import InvalidRequest, MissingField, NoPlace, Refused, RequestError
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_plain_json
from .losses import has_nearest, loss_of
from .notes import NoteLog
from .policies import Collecting
from .spec_words import spec_word

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.options import Continuation
    from ..model.request import Message
    from ..predicates.conditions import FieldCondition, FieldPath


class Report(NoteLog):
    """The methods with which rules, passes and generated code report problems.

    Attributes:
        left_out: The last message of which nothing is sent.
        last_apart: A list of the last opaque element among the messages, which may be null.
        last_reordered: The last message with a note that its content is sent before its calls.
        continuation: The continuation whose earlier messages are not sent.
        found: The errors so far of a build that goes on after one; None before the first.
    """

    __slots__ = ()

    found: list[RequestError] | None = None

    _emptied: dict[int, object] | None = None
    _forgotten: dict[int, object] | None = None
    _refused: set[tuple[int, str, str]] | None = None
    left_out: Message | None = None
    last_apart: list[Any] | None = None
    last_reordered: Message | None = None
    continuation: Continuation | None = None

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
        if policies.allow and policies.waives(self.path(node), field):
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
            why, wire=self.wire.name, path=self.path(node), field=field, value=value, source=source
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
        """Report a value that this wire does not need. Dropping it changes nothing for the model."""
        if not self._is_derived(node, field):
            self.note("dropped", node, field, f"{self.wire.title} does not use it")

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

    def emptied(self, message: Message) -> None:
        """Report a message of which nothing is sent, once for all copies of it."""
        self.left_out = message
        original_message = self.origins.original(message)
        if self._emptied is None:
            self._emptied = {}
        if id(original_message) not in self._emptied:
            self._emptied[id(original_message)] = original_message
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
        if self.found and self.path(node) in [error.path for error in self.found]:
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

    def check_vendor(self, node: Any, known: frozenset[str]) -> None:
        """Report vendor options that the shape of a node does not know; those of other wires get a note."""
        for wire, elsewhere in node.vendor.items():
            if wire != self.wire.name:
                self._check_elsewhere(node, wire, elsewhere)
        options = self.vendor(node)
        self.check_json(node, "vendor", options)
        for name in options:
            if name not in known:
                self.lost(
                    node, f"vendor.{self.wire.name}.{name}", f"{self.wire.title} has no such option here"
                )

    def _check_elsewhere(self, node: Any, wire: str, options: Mapping[str, Any]) -> None:
        """Report the options of another wire by their names. One that brings content of that wire alone is lost."""
        from ..model.own_content import OWN_CONTENT

        own = OWN_CONTENT.get(wire, {}) if node is self.request else {}
        for name in options or ("",):
            if name in own:
                self.lost(
                    node,
                    f"vendor.{wire}.{name}",
                    f"it brings content that only {wire} takes",
                    **own[name],
                )
            else:
                self.elsewhere(node, "vendor", wire, "it is for another API", name)

    def bare(self, node: Any) -> None:
        """Report options and extra JSON of a node that is written as a scalar, which has no keys for them."""
        if node.kept is not None:
            self.forget(node)
        if node.vendor is not None:
            self.check_vendor(node, frozenset())
        for wire in node.extra or ():
            if wire == self.wire.name:
                self.lost(node, f"extra.{wire}", "it is sent as a scalar, without keys")
            else:
                self.elsewhere(node, "extra", wire, "it is for another API")

    def elsewhere(self, node: Any, field: str, wire: str, why: str, name: str = "") -> None:
        """Report a value for another wire: with a note, or as lost if the name is a misspelling of this wire's."""
        from promptwire_text.words import is_misspelling

        place = f"{field}.{wire}"
        if self.wire.name not in getattr(node, field) and is_misspelling(wire, self.wire.name):
            self.lost(node, place, f'unknown wire; did you mean "{self.wire.name}"?')
        else:
            self.note("dropped", node, f"{place}.{name}" if name else place, why)

    def check_json(self, node: Any, field: str, value: Mapping[str, Any]) -> None:
        """Raise InvalidRequest for a value that JSON cannot hold, in JSON that a caller passes for this wire."""
        if self.policies.refusals == "ignore" or is_plain_json(value):
            return
        from ..wire_json.places import unwritable

        trouble = unwritable({self.wire.name: value})
        if trouble is not None:
            where = f"{field}.{trouble[0]}"
            raise InvalidRequest(
                f"{where}: {trouble[1]}", wire=self.wire.name, path=self.path(node), field=where
            )
