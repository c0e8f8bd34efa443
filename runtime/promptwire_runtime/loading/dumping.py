"""Dump a Request as plain JSON values, in the form that `load_request` reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Any

from ..errors import InvalidRequest
from ..model.options import Instruction, ResponseFormat, ToolChoice
from ..model.parts import Part, Text
from ..model.request import Message, Request
from ..passes.foreign import holds_payload
from ..prepared import PreparedLayers, PreparedText, Written, own_of
from .problems import (
    KIND_OF_PART,
    KIND_OF_TOOL,
    MEMORY,
    TEXT_CHOICES,
    TEXT_FORMATS,
    first_key,
    implied_format,
    implied_mode,
    neutral_fields,
)
from .value_readers import is_list, is_mapping


def dump_request(request: Request, *, kept: bool = False) -> dict[str, Any]:
    """Return a Request as a mapping of JSON values, without the fields that have their default.

    `load_request` returns an equal Request for it. The result shares no container with the Request.

    Args:
        request: The Request to dump.
        kept: Whether to include form memory (`kept`) and provenance. Signed and encrypted parts keep their provenance
            in any case, because they are not sent without it, and so do messages that a pipeline wrote.

    Raises:
        InvalidRequest: `request` is not a Request, or a value contains itself or is nested too deeply.
    """
    if not isinstance(request, Request):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise InvalidRequest(f"expected a Request, not {type(request).__name__}")
    try:
        return _RequestDumper(frozenset() if kept else MEMORY).fields(request)
    except RecursionError:
        raise InvalidRequest("a value of the request contains itself, or is nested too deeply") from None


def _defaults(cls: type) -> dict[str, Any]:
    """Return the defaults of the fields that are omitted when they have their default."""
    return _found_defaults(cls)


@cache
def _found_defaults(cls: type) -> dict[str, Any]:
    defaults: dict[str, Any] = {}
    by_name = {field.name: field for field in fields(cls)}
    for field in neutral_fields(cls):
        if field.required:
            if field.nullable:
                defaults[field.name] = None
        else:
            factory: Any = by_name[field.name].default_factory
            defaults[field.name] = by_name[field.name].default if factory is MISSING else factory()
    return defaults


_REQUIRED = object()


@dataclass(frozen=True, slots=True)
class _RequestDumper:
    """Dumps nodes; `exclude` are the names of the fields that are omitted everywhere."""

    exclude: frozenset[str]

    def value(self, value: Any) -> Any:
        """Return any value of a neutral class as JSON."""
        if isinstance(value, (PreparedText, PreparedLayers)) and (own := own_of(value)) is not None:
            sent = str(value) if isinstance(value, str) else self.value(tuple(value))
            return {"written": sent, "own": self.value(own)}
        if isinstance(value, Part):
            return self.part(value)
        if is_mapping(value):
            return {str(key): self.value(item) for key, item in value.items()}
        if is_list(value):
            return [self.value(item) for item in value]
        if is_dataclass(value):
            writer = _WRITERS.get(type(value))
            return writer(self, value) if writer else self.fields(value)
        return str(value) if isinstance(value, PreparedText) else value

    def fields(self, node: Any) -> dict[str, Any]:
        """Return a node as a mapping of its fields."""
        cls: type[Any] = node.__class__
        defaults = _defaults(cls)
        data: dict[str, Any] = {}
        for field in neutral_fields(cls):
            value = getattr(node, field.name)
            default = defaults.get(field.name, _REQUIRED)
            if _is_default(value, default) or self._is_excluded(field.name, node):
                continue
            data[field.key] = self.content(value) if field.name == "parts" else self.value(value)
        return data

    def _is_excluded(self, name: str, node: Any) -> bool:
        """Return whether a field is excluded memory.

        The provenance of a signed or encrypted payload is not, nor is the mark of a message that a pipeline wrote.
        """
        if name not in self.exclude or (name == "provenance" and isinstance(node.provenance, Written)):
            return False
        parts = node.parts if isinstance(node, Message) else (node,) if isinstance(node, Part) else ()
        return name != "provenance" or not any(map(holds_payload, parts))

    def part(self, part: Part) -> Any:
        """Return a part: plain text if it has no other fields, else a mapping with its kind as the key."""
        if type(part) not in KIND_OF_PART:
            raise InvalidRequest(f"{type(part).__name__} is not a concrete part; use a class such as Text")
        kind, first = KIND_OF_PART[type(part)], first_key(type(part))
        data = self.fields(part)
        if list(data) == [first] and data[first] is not None and not isinstance(data[first], dict):
            return part.text if isinstance(part, Text) else {kind: data[first]}
        return data if isinstance(part, Text) else {kind: data}

    def content(self, parts: Iterable[Part]) -> Any:
        """Return content: one part by itself, several (or none) as a list."""
        written = [self.part(part) for part in parts]
        return written[0] if len(written) == 1 else written

    def message(self, message: Message) -> dict[str, Any]:
        """Return a message with its role as the key of its content."""
        data = self.fields(message)
        del data["role"]
        return {message.role: data.pop("content", []), **data}

    def instruction(self, layer: Instruction) -> Any:
        """Return one layer: plain text if it has no other fields."""
        data = self.fields(layer)
        return layer.text if list(data) == ["text"] else data

    def mark(self, mark: Written) -> dict[str, Any]:
        """Return the mark of a message that a pipeline wrote."""
        return {"wire": mark.wire, "own": self.value(mark.own)}

    def tool(self, tool: Any) -> dict[str, Any]:
        """Return a tool other than a function as a mapping with its kind as the key."""
        return {KIND_OF_TOOL[type(tool)]: self.fields(tool)}

    def choice(self, choice: ToolChoice) -> Any:
        """Return a tool choice: one word, or its fields without a mode that they imply."""
        return self._named(choice, "mode", TEXT_CHOICES, implied_mode)

    def format(self, form: ResponseFormat) -> Any:
        """Return a response format: one word, or its fields without a kind that they imply."""
        return self._named(form, "kind", TEXT_FORMATS, implied_format)

    def _named(
        self, node: Any, key: str, words: tuple[str, ...], implied: Callable[[Iterable[str]], str | None]
    ) -> Any:
        data = self.fields(node)
        own = data.pop(key, None)
        if own in words and not data:
            return own
        return data if own == implied(data) else {key: own, **data}


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and value == default)


_WRITERS: dict[type, Callable[[_RequestDumper, Any], Any]] = {
    Message: _RequestDumper.message,
    Instruction: _RequestDumper.instruction,
    Written: _RequestDumper.mark,
    ToolChoice: _RequestDumper.choice,
    ResponseFormat: _RequestDumper.format,
    **{cls: _RequestDumper.tool for cls, kind in KIND_OF_TOOL.items() if kind and not issubclass(cls, Part)},
}
