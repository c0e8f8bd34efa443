"""The functions behind the pass `capitals` and the dialect `plain`; generated code calls them, without the compiler."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from promptwire_runtime import Message, Part, Request, Text
from promptwire_runtime.plugins import Report


def capitals(request: Request, report: Report) -> Request:
    """Begin every verse of the user with a capital; what was read from this wire stays as it is."""
    messages = tuple(_capital(message, report) for message in request.messages)
    unchanged = all(new is old for new, old in zip(messages, request.messages, strict=True))
    return request if unchanged else replace(request, messages=messages)


def _capital(message: Message, report: Report) -> Message:
    mine = message.provenance is not None and message.provenance.wire == report.wire.name
    if mine or message.role != "user":
        return message
    parts = tuple(_capital_part(part, report) for part in message.parts)
    if all(new is old for new, old in zip(parts, message.parts, strict=True)):
        return message
    changed = replace(message, parts=parts)
    report.copied(message, [changed])
    return changed


def _capital_part(part: Part, report: Report) -> Part:
    if not isinstance(part, Text) or not part.text[:1].islower():
        return part
    report.note("replaced", part, "text", "a verse begins with a capital")
    return replace(part, text=part.text[:1].upper() + part.text[1:])


def plain(schema: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Leave out the default of every property."""
    edits: list[tuple[str, str]] = []
    properties = schema.get("properties")
    for name, each in properties.items() if isinstance(properties, dict) else ():
        if isinstance(each, dict) and "default" in each:
            del each["default"]
            edits.append((f"properties.{name}.default", "poets know no defaults"))
    return schema, edits
