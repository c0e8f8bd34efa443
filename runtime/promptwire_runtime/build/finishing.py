"""Completing a node's JSON: options of this wire, extra JSON, memory, and elements that go out as they came."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..reporting.report import Reports
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_mapping, is_plain_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Completing(Reports):
    """What generated code calls when the fields of a node are written."""

    __slots__ = ()

    # in a list of its own: the element may be null
    last_apart: list[Any] | None = None

    def vendor(self, node: Any) -> Mapping[str, Any]:
        """Give this wire's own options on a node."""
        given: Mapping[str, Mapping[str, Any]] = node.vendor or {}
        return given.get(self.wire.name, {})

    def check_vendor(self, node: Any, known: frozenset[str]) -> None:
        """Report vendor options that no shape of this node names; those of other wires get a note."""
        for wire in node.vendor:
            if wire != self.wire.name:
                self._elsewhere(node, "vendor", wire, "options of another wire")
        own = self.vendor(node)
        self._check_json(node, "vendor", own)
        for name in own:
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
                self._elsewhere(node, "extra", wire, "meant for another wire")

    def opaque(self, node: Any) -> Any:
        """Give an element of this wire as it came, and report what a caller put beside it."""
        if not node.plain:
            for name in ("cache", "signature"):
                if getattr(node, name) is not None:
                    self.lost(node, name, "the element is sent as it came")
            self.bare(node)
        return node.value

    def apart(self, node: Any) -> Any:
        """Give an element that stands as it came among the messages: none of its neighbours joins it."""
        value = self.opaque(node)
        self.last_apart = [value]
        return value

    def recall(self, item: dict[str, Any], node: Any) -> dict[str, Any]:
        """Apply the memory of this wire to a node's JSON."""
        kept = node.kept
        if kept is None or kept.form is None:
            return item
        if kept.wire != self.wire.name:
            self.forget(node)
            return item
        from ..read.form_memory import restore, unheld

        # another model may take other spellings
        known = kept.model is None or kept.model == getattr(node, "model", None)
        return restore(item, kept.form if known else unheld(kept.form), node, self.wire.name)

    def finish(self, item: dict[str, Any], node: Any, known: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Complete a node's JSON: memory of this wire, unknown vendor options, extra JSON."""
        if node.kept is not None:
            item = self.recall(item, node)
        if node.vendor is not None:
            self.check_vendor(node, known)
        if node.extra is not None:
            item = self._extend(item, node)
        return item

    def _extend(self, item: dict[str, Any], node: Any) -> dict[str, Any]:
        for wire, addition in node.extra.items():
            if wire == self.wire.name:
                self._check_json(node, "extra", addition)
                item = _merge(item, addition)
                self.note("added", node, "extra", f"merged as given: {', '.join(map(str, addition))}")
            else:
                self._elsewhere(node, "extra", wire, "meant for another wire")
        return item

    def _elsewhere(self, node: Any, field: str, wire: str, why: str) -> None:
        """Note what is for another wire; a name that is nearly this wire's, where this wire has nothing, is lost."""
        from .near_names import is_near

        if self.wire.name not in getattr(node, field) and is_near(wire, self.wire.name):
            self.lost(node, f"{field}.{wire}", f'no such wire: did you mean "{self.wire.name}"?')
        else:
            self.note("dropped", node, f"{field}.{wire}", why)

    def _check_json(self, node: Any, field: str, value: Mapping[str, Any]) -> None:
        """Refuse what JSON cannot hold where a caller gives JSON of this wire."""
        if self.policies.refusals == "ignore" or is_plain_json(value):
            return
        from ..wire_json.unwritable import unwritable

        found = unwritable({self.wire.name: value})
        if found is not None:
            where = f"{field}.{found[0]}"
            raise InvalidRequest(
                f"{where}: {found[1]}", wire=self.wire.name, path=self.path(node), field=where
            )

    def spread(
        self, named: dict[str, Any], rest: Mapping[str, Any] | None, node: object, option: str = ""
    ) -> dict[str, Any]:
        """Put free JSON beside the named keys of a node; a name that both hold is an error, as is what has no names.

        `option` names the vendor option that the JSON was given as.
        """
        given: Any = rest
        if given is not None and not is_mapping(given):
            path, shown = self.path(node), type(given).__name__
            field = f"vendor.{self.wire.name}.{option}" if option else ""
            text = f"{option} is an object" if option else f"a JSON object stands here, not {shown}"
            raise InvalidRequest(text, wire=self.wire.name, path=path, field=field)
        if rest:
            for key in rest:
                if key in named:
                    path = self.path(node)
                    raise InvalidRequest(f'"{key}" is given twice', wire=self.wire.name, path=path, field=key)
            named.update(rest)
        return named

    def shape_of(self, node: Any) -> str | None:
        """Give the alternative that a node was read as, when it was read from this wire."""
        kept = node.kept
        return kept.shape if kept is not None and kept.wire == self.wire.name else None


def _merge(item: Mapping[str, Any], addition: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(item)
    for key, value in addition.items():
        old = out.get(key)
        if is_mapping(old) and is_mapping(value):
            out[key] = _merge(old, value)
        else:
            out[key] = value
    return out
