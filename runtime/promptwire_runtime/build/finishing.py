"""Finish the JSON of a node: vendor options, extra JSON, form memory, and opaque elements."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..nodes.records import is_node
from ..reporting.report import Report
from ..reporting.spec_words import spec_word
from ..typed import TYPE_CHECKING
from ..wire_json.copies import own_json
from ..wire_json.kinds import is_mapping
from ..wire_json.values import wrapped
from .writers import Row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..model.request import Request
    from .writers import BodyRow

NO_ROW = Row()


class NodeFinisher(Report):
    """The methods that generated code calls after the fields of a node are written."""

    __slots__ = ()

    # whether an answer is written, which has keys that requests do not repeat
    answering: bool = False

    def opaque(self, node: Any) -> Any:
        """Return an opaque element of this wire unchanged, and report the other fields of its node."""
        if not node.is_plain:
            for name in ("cache", "signature"):
                if getattr(node, name) is not None:
                    self.lost(node, name, "the element is sent unchanged")
            self.bare(node)
        if self.policies.refusals != "ignore" and self.was_read:
            self.note(
                "passed through",
                node,
                "",
                f"{self.wire.title} has no such element: it is sent as it was read",
            )
        return node.value

    def lost_tool(self, tool: Any) -> None:
        """Report a tool that this wire has no shape for, or that is JSON of another wire.

        Raises TypeError for a value that is no node, such as a dict, whose place the build then names.
        """
        if not is_node(tool):
            raise TypeError("a tool is not a node")
        word = spec_word(tool)
        if word == "opaque":
            why = f"it is JSON of {tool.wire}, which no other API accepts"
        else:
            named = f" ({tool.type})" if word == "hosted" else ""
            why = f"this API has no tools of this kind{named}" + (self._instead_of(tool) if named else "")
        self.lost(tool, "", why)

    def _instead_of(self, tool: Any) -> str:
        """Return what a caller can use instead of a hosted tool."""
        from ..model.hosted import hosted_words

        words = hosted_words(tool.type, self.wire.name, self.wire.api)
        if "option" in words:
            return f"; set vendor.{self.wire.name}.{words['option']} instead"
        return f"; use its own, {words['type']}" if "type" in words else ""

    def apart(self, node: Any) -> Any:
        """Return an opaque element among the messages; no neighbour is merged into it."""
        value = self.opaque(node)
        self.last_apart = [value]
        return value

    def finish_scalar(self, node: Any, row: Row = NO_ROW) -> None:
        """Report fields, options and extra JSON of a node that is written as a scalar, which has no keys for them."""
        self.report_row(node, row)
        if node.kept is not None:
            self.leave(node)
        self.bare(node)

    def leave(self, node: Any) -> None:
        """Report the memory of another wire in a node: keys that only that has, and a schema in its own dialect."""
        kept = node.kept
        if kept.form is not None:
            self.forget(node)
        if kept.shape is None or kept.wire == self.wire.name:
            return
        from .adapted_schemas import translated_schema

        if translated_schema(node, self.wire.name) is not None:
            path = "tools.parameters.type" if hasattr(node, "parameters") else "strict_schemas.root"
            why = f"it is in the OpenAPI dialect of {kept.wire}, not JSON Schema"
            self.refused(path, getattr(node, "parameters", None) or node.schema, why, node)

    def report_row(self, node: Any, row: Row) -> None:
        """Report the fields of a node that its shape has no key for."""
        for field, effect in row.fields:
            value = getattr(node, field)
            if value is None:
                continue
            if effect == "unsupported" or (effect == "unsupported_if_true" and value):
                self.lost(node, field)
            else:
                self.unused(node, field)

    def _recall(self, item: dict[str, Any], node: Any) -> dict[str, Any]:
        """Apply form memory to the JSON of a node."""
        kept = node.kept
        if kept.wire != self.wire.name:
            self.leave(node)
            return item
        if kept.form is None:
            return item
        from .restoring import has_unread, restore, unheld

        form = kept.form
        if has_unread(form) and self.policies.refusals != "ignore":
            self.note_kept(node)
        # another model may expect other spellings; a server that holds the conversation holds the model too
        known = kept.model is None or getattr(node, "model", None) in (None, kept.model)
        return restore(item, form if known else unheld(form), node, self.wire.name)

    def finish(self, item: dict[str, Any], node: Any, row: Row = NO_ROW) -> dict[str, Any]:
        """Complete a node's JSON: report fields without a key, apply form memory and extra JSON, check options."""
        if row.fields:
            self.report_row(node, row)
        if node.kept is not None:
            item = self._recall(item, node)
        if node.vendor is not None:
            self.check_vendor(node, row.vendor)
        if node.extra is not None:
            item = self._extend(item, node)
        if self.answering and (row.read_only or row.answered):
            self._complete(item, node, row)
        if row.read_only:
            for field in self._unwritten(item, node, row.read_only):
                self.unused(node, field)
        return item

    def finish_body(self, body: dict[str, Any], request: Request, row: BodyRow) -> dict[str, Any]:
        """Complete a body: apply form memory and extra JSON, check vendor options."""
        if self.wire.wrapping:
            # form memory knows the body as it is sent
            body = wrapped(body, *self.wire.wrapping)
        body = self.finish(body, request, row.shape)
        for field in self._unwritten(body, request, row.read_only):
            self.lost(request, field)
        return body

    def _unwritten(
        self, item: Mapping[str, Any], node: Any, options: Mapping[str, Sequence[str]]
    ) -> list[str]:
        """Return the read-only options whose keys form memory has not written."""
        given_options = self.vendor(node)
        return [
            f"vendor.{self.wire.name}.{option}"
            for option, keys in options.items()
            if option in given_options and not _has(item, keys)
        ]

    def _complete(self, item: dict[str, Any], node: Any, row: Row) -> None:
        """Write the values that an answer has and a request does not repeat, where form memory has not written them."""
        given_options = self.vendor(node)
        values = [(keys, given_options.get(option)) for option, keys in row.read_only.items()]
        values += [(keys, getattr(node, field)) for field, keys in row.answered.items()]
        for keys, value in values:
            if value is not None and not _has(item, keys):
                inside = item
                for key in keys[:-1]:
                    inside = inside.setdefault(key, {})
                inside[keys[-1]] = value

    def _extend(self, item: dict[str, Any], node: Any) -> dict[str, Any]:
        for wire, addition in node.extra.items():
            if wire == self.wire.name:
                self.check_json(node, "extra", addition)
                if getattr(node, "continuation", None) is not None:
                    self._check_continued(item, addition, node)
                item = _merge(item, addition)
                self.note("added", node, "extra", f"merged as given: {', '.join(map(str, addition))}")
            else:
                self.elsewhere(node, "extra", wire, "it is for another API")
        return item

    def _check_continued(
        self, item: Mapping[str, Any], addition: Mapping[str, Any], request: Request
    ) -> None:
        """Reject extra JSON that replaces the id which the request continues, or names another beside it."""
        continued = request.continuation
        state = self.wire.state
        if state is None or not (getattr(continued, "id", None) or getattr(continued, "conversation", None)):
            return
        for key, value in addition.items():
            if key in state.fields and value is not None and item.get(key) != value:
                why = f"`{key}` contradicts the continuation of the request: leave one of them out"
                self.refused(f"extra.{self.wire.name}.{key}", value, why, request)

    def spread(
        self, named: dict[str, Any], rest: Mapping[str, Any] | None, node: object, option: str = ""
    ) -> dict[str, Any]:
        """Add a copy of free-form JSON to the named keys of a node.

        Args:
            named: The keys that are written by name.
            rest: The free-form JSON.
            node: The node that holds it.
            option: The vendor option that it was passed as, if any.

        Raises:
            InvalidRequest: `rest` is not an object, or has a key that is also in `named`.
        """
        content: Any = rest
        if content is not None and not is_mapping(content):
            path, kind = self.path(node), type(content).__name__
            field = f"vendor.{self.wire.name}.{option}" if option else ""
            text = (
                f"{option} must be an object, not {kind}"
                if option
                else f"expected a JSON object, found {kind}"
            )
            raise InvalidRequest(text, wire=self.wire.name, path=path, field=field)
        if rest:
            for key in rest:
                if key in named:
                    path = self.path(node)
                    raise InvalidRequest(
                        f'the key "{key}" is set twice', wire=self.wire.name, path=path, field=key
                    )
            named.update(own_json(rest))
        return named

    def shape_of(self, node: Any) -> str | None:
        """Return the shape that a node was read as, if it was read from this wire."""
        kept = node.kept
        return kept.shape if kept is not None and kept.wire == self.wire.name else None


def _has(item: Any, keys: Sequence[str]) -> bool:
    """Return whether a path of keys exists in JSON."""
    for key in keys:
        if not is_mapping(item) or key not in item:
            return False
        item = item[key]
    return True


def _merge(item: Mapping[str, Any], addition: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(item)
    for key, value in addition.items():
        old = merged.get(key)
        if is_mapping(old) and is_mapping(value):
            merged[key] = _merge(old, value)
        else:
            merged[key] = value
    return merged
