"""Ask for the format of an answer in words, where an API has no key for it or rejects it beside something else."""

from __future__ import annotations

from ..build.adapted_schemas import is_about_schemas
from ..build.shape_filters import write_json
from ..errors import NoPlace
from ..model.options import ResponseFormat
from ..nodes.records import replace
from ..typed import TYPE_CHECKING
from .changes import EditLog, history_repair
from .system import with_layer

if TYPE_CHECKING:
    from ..model.request import Request
    from .edits import RepairContext


@history_repair("answer_formats")
def format_as_words(request: Request, log: EditLog) -> Request:
    """Replace the response format by instructions that describe it; nothing enforces the format then."""
    given = request.response_format
    words = "" if given is None else _words(given)
    about_schemas = any(is_about_schemas(problem.field) for problem in log.context.problems)
    keeps_schema = about_schemas and log.context.policies.schemas != "adapt"
    if not words or keeps_schema:
        return request
    why = f"{log.title} does not accept it here; the instructions ask for it, and nothing enforces it"
    log.add("replaced", request, "response_format", why)
    form = log.made(given, ResponseFormat("json")) if _has_json_mode(given, log.context) else None
    return replace(request, response_format=form, instructions=with_layer(request, words))


def _has_json_mode(given: ResponseFormat | None, context: RepairContext) -> bool:
    """Return whether JSON mode may stand for a schema: the API has formats, and lacks this kind."""
    is_object = (
        given is not None and given.kind == "json_schema" and (given.schema or {}).get("type") == "object"
    )
    return is_object and any(
        isinstance(problem, NoPlace) and problem.field == "kind" for problem in context.problems
    )


def _words(given: ResponseFormat) -> str:
    """Return the instructions for a format; empty if words cannot describe it."""
    only = "Write nothing before or after it, and no code fence."
    if given.kind == "json":
        return f"Answer with one JSON object. {only}"
    if given.kind in ("json_schema", "enum") and given.schema is not None:
        schema = write_json(given.schema)
        return f"Answer with one JSON value that matches this JSON Schema. {only}\n{schema}"
    return ""
