"""Convert citations of pages between APIs, each of which has a form for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..build.wire import Wire
from ..model.parts import Part, Text
from ..model.request import Message
from ..model.tables import CITATIONS
from ..model.wire_memory import Provenance
from ..nodes.records import replace
from ..wire_json.kinds import is_list, is_object
from .written import filled


def with_own_citations(message: Message, wire: Wire, keys: Collection[str], text_before: int = 0) -> Message:
    """Return a message of another API with its citations of pages in the form of this API, where both have one.

    What is no citation of a page stays with its text, and is reported where the text is written.

    Args:
        message: The message.
        wire: The wire of this API.
        keys: The keys of a message of this API.
        text_before: The length of the text of the answer before this message, which holds one part of a stream.
    """
    origin = message.provenance
    source = CITATIONS.get("" if origin is None else origin.api or "")
    target = CITATIONS.get(wire.api)
    if source is None or target is None or origin is None or origin.api == wire.api:
        return message
    if target["option"] and target["option"] not in keys:
        return message
    found, parts, start = list[Any](), list[Part](), text_before
    texts = [part for part in message.parts if isinstance(part, Text)]
    for part in message.parts:
        cited = _citations_of(part, message, source, origin.wire or "", alone=len(texts) == 1)
        known = [_read(row, source["citation"]) for row in cited]
        if isinstance(part, Text):
            offset = start if target["option"] else 0
            rows = [_written(row, part.text, offset, target) for row in known if row is not None]
            found += rows
            start += len(part.text)
            if rows and len(rows) == len(known):
                api = Provenance(wire.name, None, wire.api)
                mine = None if target["option"] else rows
                parts.append(replace(part, citations=mine, provenance=api, kept=None))
                continue
        parts.append(part)
    if not found:
        return message
    vendor = {
        name: {option: value for option, value in options.items() if option != source["option"]}
        for name, options in (message.vendor or {}).items()
    }
    if target["option"]:
        vendor[wire.name] = {**vendor.get(wire.name, {}), target["option"]: found}
    vendor = {name: options for name, options in vendor.items() if options}
    return replace(message, parts=tuple(parts), vendor=vendor or None, kept=None)


def _citations_of(
    part: Part, message: Message, source: Mapping[str, Any], wire: str, *, alone: bool
) -> list[Any]:
    """Return the citations of a text: its own, or those of the message if it is the only text."""
    if not isinstance(part, Text):
        return []
    option = source["option"]
    rows: Any = part.citations if not option else None
    if option and alone:
        rows = (message.vendor or {}).get(wire, {}).get(option)
    return rows if is_list(rows) else []


def _read(row: Any, form: Any) -> dict[str, Any] | None:
    """Return the values that a citation has in the holes of a form; None if it has another form."""
    values: dict[str, Any] = {}
    return values if _takes(row, form, values) else None


def _takes(value: Any, form: Any, values: dict[str, Any]) -> bool:
    if is_object(form):
        return is_object(value) and all(
            _takes(value.get(key), inner, values) for key, inner in form.items() if not key.endswith("?")
        )
    if isinstance(form, str) and form.startswith("$"):
        values[form[1:]] = value
        return form != "$url" or (type(value) is str and bool(value))
    return bool(value == form)


def _written(values: Mapping[str, Any], text: str, offset: int, target: Mapping[str, Any]) -> Any:
    """Return a citation in the form of an API. One that does not say where it stands is of the whole text."""
    start, end = (values.get(name) for name in ("start", "end"))
    start = start if type(start) is int else 0
    end = end if type(end) is int else len(text)
    known = {
        "url": values["url"],
        "title": values.get("title") or "",
        "text": values.get("text") or text[start:end],
        "start": start + offset,
        "end": end + offset,
    }
    return filled({key.removesuffix("?"): row for key, row in target["citation"].items()}, known)
