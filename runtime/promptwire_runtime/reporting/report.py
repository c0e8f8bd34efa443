"""What a build reports: values without a place, missing or refused, and the errors that policies make of them."""

from __future__ import annotations

from ..errors import InvalidRequest, MissingField, NoPlace, Refused, RequestError
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_plain_json
from .notes import NoteLog
from .policies import Collecting
from .spec_words import spec_word

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.options import Continuation
    from ..model.request import Message
    from ..predicates.conditions import FieldPath


class Report(NoteLog):
    """What rules and passes call, and generated code through the build's context.

    Three attributes are what the assembler of messages and the passes over a message tell each other:

    left_out        the last message of which nothing is sent
    last_apart      the last element that stands as it came, in a list of its own: it may be null
    last_reordered  the last message of which it is noted that its content is sent before its calls
    """

    __slots__ = ()

    _emptied: dict[int, object] | None = None
    _forgotten: dict[int, object] | None = None
    _refused: set[tuple[int, str, str]] | None = None
    left_out: Message | None = None
    last_apart: list[Any] | None = None
    last_reordered: Message | None = None
    # what the wire's server goes on with
    continued: Continuation | None = None

    def lost(self, node: object, field: str, why: str = "") -> None:
        """Report a value that this wire cannot carry: an error, or a note under `loss="note"`."""
        if self._is_derived(node, field):
            return
        if self.wire.implied and self._is_implied(node, field):
            self.note("dropped", node, field, f"it says what {self.wire.title} does anyway")
            return
        why = why or f"{self.wire.title} has no place for it"
        field = field or spec_word(node)
        if self.policies.loss == "raise":
            self.stop(NoPlace, f"{field}: {why}", node, field, value=getattr(node, field, None))
        else:
            self.note("dropped", node, field, why)

    def stop(
        self,
        error: type[RequestError],
        why: str,
        node: object,
        field: str,
        *,
        value: object = None,
        source: str = "",
    ) -> None:
        """Raise what the policies make an error of; where all problems are asked for, go on to the next."""
        raised = error(
            why, wire=self.wire.name, path=self.path(node), field=field, value=value, source=source
        )
        if not isinstance(self.policies, Collecting):
            raise raised
        self.policies.errors.append(raised)

    def _is_implied(self, node: object, field: str) -> bool:
        """Tell whether a value says what the API does anyway."""
        is_request = node is self.request or node is self.request.options
        path = field if is_request else f"{spec_word(node).removesuffix('_options')}.{field}"
        value = self.wire.implied.get(path)
        return value is not None and getattr(node, field, None) == value

    def unused(self, node: object, field: str) -> None:
        """Note a value that this wire does not need: dropping it changes nothing for the model."""
        if not self._is_derived(node, field):
            self.note("dropped", node, field, f"{self.wire.title} does not use it")

    def _is_derived(self, node: Any, field: str) -> bool:
        """Tell whether the memory writes a field, unchanged since it was read, under a key that is only read."""
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
        """Report every given option that this wire does not have."""
        for name in sorted(self.request.options.given - carried):
            self.lost(self.request.options, name)

    def missing(self, node: object, field: str, why: str = "") -> None:
        """Report a value that the wire requires: an error, or a note that key or element is left out."""
        why = why or f"{self.wire.title} requires it"
        if self.policies.missing == "raise":
            self.stop(MissingField, f"{field} is missing: {why}", node, field)
        else:
            self.note("omitted", node, field, f"it is missing, though {why}")

    def emptied(self, message: Message) -> None:
        """Note a message that is not sent, since none of its parts has a place; once for the copies of one."""
        self.left_out = message
        original_message = next(
            (original for copy, original in self._copies or () if copy is message), message
        )
        if self._emptied is None:
            self._emptied = {}
        if id(original_message) not in self._emptied:
            self._emptied[id(original_message)] = original_message
            why = "none of its parts has a place here" if message.parts else "it holds nothing"
            self.note("omitted", message, spec_word(message), why)
            if getattr(original_message, "kept", None) is not None:
                self.forget(original_message)

    def forget(self, node: Any) -> None:
        """Note the keys that reading kept for another wire; once for a node that is written in several pieces."""
        kept = node.kept
        if self._forgotten is None:
            self._forgotten = {}
        if kept.wire == self.wire.name or id(node) in self._forgotten:
            return
        from .derived_keys import unknown_paths

        self._forgotten[id(node)] = node
        for path in unknown_paths(kept.form, spelled=False):
            self.note("dropped", node, path, f"only {kept.wire} knows it")

    def note_kept(self, node: Any) -> None:
        """Note the keys that reading kept for this wire without understanding them: they go out as they came."""
        from .derived_keys import unknown_paths

        for path in unknown_paths(node.kept.form, spelled=False):
            why = f"{self.wire.title} does not know this key here, or not with this value"
            self.note("kept", node, path, f"{why}: it is sent as it was read")

    def incomplete(self, node: object, field: str) -> None:
        """Report what a model wrote without a value that the wire requires: nobody else can complete it."""
        # what was taken off it is a problem already
        if isinstance(self.policies, Collecting) and self.path(node) in self.policies.paths:
            return
        self.lost(node, "", f"{self.wire.title} takes none without its {field}")

    def refused(self, path: FieldPath | str, value: Any, why: str, node: object, source: str = "") -> None:
        """Report a value that this wire takes from nobody, or not from this model; `source` says who says so.

        `path` is that of a rule, or a field by its name.
        """
        if self.policies.refusals == "ignore":
            return
        from .wording import said

        field = path if isinstance(path, str) else path.text
        known = (id(node), field, why)
        if self._refused is None:
            self._refused = set()
        elif known in self._refused:
            return
        self._refused.add(known)
        what = said(path, value, node, self.wire)
        if self.policies.refusals == "raise":
            model = self.request.model
            text = f"{what} is refused{f' for {model}' if model else ''}: {why}"
            self.stop(Refused, text, node, field, value=value, source=source)
        else:
            self.note("refused", node, field, f"{what}: {why}" + (f" ({source})" if source else ""))

    def vendor(self, node: Any) -> Mapping[str, Any]:
        """Give this wire's own options on a node."""
        options: Mapping[str, Mapping[str, Any]] = node.vendor or {}
        return options.get(self.wire.name, {})

    def check_vendor(self, node: Any, known: frozenset[str]) -> None:
        """Report vendor options that no shape of this node names; those of other wires get a note."""
        for wire in node.vendor:
            if wire != self.wire.name:
                self.elsewhere(node, "vendor", wire, "options of another wire")
        options = self.vendor(node)
        self.check_json(node, "vendor", options)
        for name in options:
            if name not in known:
                self.lost(
                    node, f"vendor.{self.wire.name}.{name}", f"{self.wire.title} knows no such option here"
                )

    def bare(self, node: Any) -> None:
        """Report options and extra JSON of a node whose value stands bare, where no key could join it."""
        if node.kept is not None:
            self.forget(node)
        if node.vendor is not None:
            self.check_vendor(node, frozenset())
        for wire in node.extra or ():
            if wire == self.wire.name:
                self.lost(node, f"extra.{wire}", "its value stands bare")
            else:
                self.elsewhere(node, "extra", wire, "meant for another wire")

    def elsewhere(self, node: Any, field: str, wire: str, why: str) -> None:
        """Note what is for another wire; a name that is nearly this wire's, where this wire has nothing, is lost."""
        from promptwire_text.near_words import is_misspelling

        if self.wire.name not in getattr(node, field) and is_misspelling(wire, self.wire.name):
            self.lost(node, f"{field}.{wire}", f'no such wire: did you mean "{self.wire.name}"?')
        else:
            self.note("dropped", node, f"{field}.{wire}", why)

    def check_json(self, node: Any, field: str, value: Mapping[str, Any]) -> None:
        """Refuse what JSON cannot hold where a caller gives JSON of this wire."""
        if self.policies.refusals == "ignore" or is_plain_json(value):
            return
        from ..wire_json.unwritable import unwritable

        trouble = unwritable({self.wire.name: value})
        if trouble is not None:
            where = f"{field}.{trouble[0]}"
            raise InvalidRequest(
                f"{where}: {trouble[1]}", wire=self.wire.name, path=self.path(node), field=where
            )
