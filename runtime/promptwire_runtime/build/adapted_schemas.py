"""Adapt the schemas of a request, of its tools and response format and of tools in messages, to the rules of an API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..model.options import ResponseFormat
from ..model.request import Message, Request
from ..model.tools import Tool, ToolAddition
from ..nodes.records import replace
from ..schemas.correcting import LOSSES
from ..schemas.rewriting import as_json_schema
from .wire import Wire

# heads and starts of the paths of rules about schemas
_ABOUT_SCHEMAS = ("strict_schemas.", "tools.parameters.")


@dataclass(frozen=True, slots=True)
class AdaptedNode:
    """A tool or response format whose schema was adapted, or a node around such a tool.

    Attributes:
        original: The node in the request that was given.
        copy: The node with the adapted schema, or around it.
        field: The field with the schema, or with the tools.
        edits: The place and the reason of each change of the schema; a node around a tool has none of its own.
    """

    original: Any
    copy: Any
    field: str
    edits: tuple[tuple[str, str], ...]


def is_about_schemas(field: str) -> bool:
    """Return whether a problem is about the inside of a schema, by its field."""
    return field.startswith(_ABOUT_SCHEMAS) or ("].parameters." in field and field.startswith("tools["))


def translated_schema(node: Any, wire: str) -> Any:
    """Return the schema of a tool or format that another API has as OpenAPI, as JSON Schema; None for any other.

    Args:
        node: The tool or response format.
        wire: The name of the wire that it is built for.
    """
    kept = node.kept
    if kept is None or kept.wire == wire or kept.shape is None or "openapi" not in kept.shape:
        return None
    given = getattr(node, "parameters", None) or getattr(node, "schema", None)
    translated = as_json_schema(given)
    return None if translated == given else translated


def adapted_request(
    request: Request, wire: Wire, settings: Mapping[str, Any] | None, most: str
) -> tuple[Request, tuple[AdaptedNode, ...]]:
    """Return a request whose schemas the rules accept, if that loses at most so much, and the changes.

    Args:
        request: The request, which never changes.
        wire: The wire.
        settings: The settings of the build.
        most: The greatest loss, in the words of `LOSSES`; a schema that loses more stays as it is.
    """
    run = _Adaptation(request, wire, settings, most)
    tools = run.tools(request.tools or ())
    messages = tuple(map(run.message, request.messages))
    form = run.form(request.response_format)
    if not run.adapted:
        return request, ()
    changes: dict[str, Any] = {"tools": tools} if request.tools is not None else {}
    if not all(map(_is, messages, request.messages)):
        changes["messages"] = messages
    return replace(request, **changes, response_format=form), tuple(run.adapted)


class _Adaptation:
    """The adaptation of all schemas of one request."""

    def __init__(self, request: Request, wire: Wire, settings: Mapping[str, Any] | None, most: str) -> None:
        self.adapted: list[AdaptedNode] = []
        self._request = request
        self._wire = wire
        self._decision = wire.decide(request.model, settings)
        self._most = LOSSES.index(most)

    def tools(self, tools: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return tools, and the tools of groups, with adapted parameters."""
        return tuple([self._tool(tool) for tool in tools])

    def message(self, message: Message) -> Message:
        """Return a message whose added tools have adapted parameters."""
        if not any(isinstance(part, ToolAddition) for part in message.parts):
            return message
        parts = [self._part(part) for part in message.parts]
        changed: Message = self._holder(message, "parts", tuple(parts))
        return changed

    def _part(self, part: Any) -> Any:
        if not isinstance(part, ToolAddition):
            return part
        return self._holder(part, "tools", self.tools(part.tools))

    def _tool(self, tool: Any) -> Any:
        grouped = getattr(tool, "tools", None)
        if grouped:
            return self._holder(tool, "tools", self.tools(grouped))
        if not isinstance(tool, Tool) or tool.parameters is None:
            return tool
        return self._node(tool, "parameters", strict=tool.strict is True)

    def _holder(self, node: Any, field: str, inner: tuple[Any, ...]) -> Any:
        """Return a node with the nodes inside it that were adapted."""
        if all(map(_is, inner, getattr(node, field))):
            return node
        changes: dict[str, Any] = {field: inner}
        copy = replace(node, **changes)
        self.adapted.append(AdaptedNode(node, copy, field, ()))
        return copy

    def form(self, form: ResponseFormat | None) -> ResponseFormat | None:
        """Return a response format with an adapted schema."""
        if form is None or form.schema is None:
            return form
        strict = form.strict is True or "response_format.strict" in self._wire.defaults
        changed: ResponseFormat = self._node(form, "schema", strict=strict)
        return changed

    def _node(self, node: Any, field: str, *, strict: bool) -> Any:
        given, kept = getattr(node, field), node.kept
        translated = translated_schema(node, self._wire.name)
        tool = node if isinstance(node, Tool) else None
        schema, edits = self._decision.adapted_schema(
            given if translated is None else translated, self._request, self._wire.name, tool, strict=strict
        )
        reasons = tuple([(path, why) for path, why, _ in edits.rows])
        if translated is not None:
            why = f"written as JSON Schema, not as OpenAPI: {kept.wire} has it so"
            reasons = (("", why), *reasons)
        if not reasons or LOSSES.index(edits.loss) > self._most:
            return node
        changes: dict[str, Any] = {field: schema}
        copy = replace(node, **changes)
        self.adapted.append(AdaptedNode(node, copy, field, reasons))
        return copy


def _is(left: object, right: object) -> bool:
    return left is right
