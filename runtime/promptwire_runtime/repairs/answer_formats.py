"""Ask for the format of an answer in words, where an API has no key for it or rejects it beside something else."""

from __future__ import annotations

import json

from ..nodes.records import replace
from ..typed import TYPE_CHECKING
from .changes import EditLog
from .system import with_layer

if TYPE_CHECKING:
    from ..model.options import ResponseFormat
    from ..model.request import Request
    from .edits import Edit, RepairContext


def format_as_words(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Replace the response format by instructions that describe it; nothing enforces the format then."""
    log = EditLog(context, "answer_formats")
    given = request.response_format
    words = "" if given is None else _words(given)
    if not words or context.policies.answer_formats == "error":
        return request, ()
    why = (
        f"{context.wire.title} does not accept it here; the instructions ask for it, and nothing enforces it"
    )
    log.add("replaced", request, "response_format", why)
    changed = replace(request, response_format=None, instructions=with_layer(request, words))
    return log.result(request, changed)


def _words(given: ResponseFormat) -> str:
    """Return the instructions for a format; empty if words cannot describe it."""
    only = "Write nothing before or after it, and no code fence."
    if given.kind == "json":
        return f"Answer with one JSON object. {only}"
    if given.kind in ("json_schema", "enum") and given.schema is not None:
        schema = json.dumps(given.schema, ensure_ascii=False, separators=(",", ":"))
        return f"Answer with one JSON value that matches this JSON Schema. {only}\n{schema}"
    return ""
