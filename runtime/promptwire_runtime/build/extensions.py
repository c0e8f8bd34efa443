"""Run the extensions of a plugin during a build: passes over the request, and dialects of JSON Schema."""

from __future__ import annotations

from copy import deepcopy

from ..errors import InvalidRequest, PromptwireError
from ..model.request import Request
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import class_of, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from ..model.tools import Tool
    from ..reporting.report import Report
    from .context import BuildContext

    # a schema as the API accepts it, and each edit: path in the schema, and reason
    Adapted: TypeAlias = tuple[dict[str, Any], Iterable[tuple[str, str]]]

_MOST_SCHEMAS = 4096


def continue_with(name: str, request: object, report: Report) -> Request:
    """Continue the build with the request that a pass returned. Raises InvalidRequest if it is not a Request.

    Paths in notes still refer to the caller's request.
    """
    if not isinstance(request, Request):
        text = f'the pass "{name}" returned {type(request).__name__}, not a Request'
        raise InvalidRequest(text, wire=report.wire.name)
    if request is not report.request:
        report.replaced(request)
    return request


def adapted(tool: Tool, name: str, dialect: Callable[[Any], Adapted], build: BuildContext) -> Any:
    """Return a tool's parameters in a dialect of JSON Schema, with a note for each edit.

    The result is cached for as long as the schema does not change.

    Raises:
        InvalidRequest: the dialect fails or returns something else.
    """
    schema: Any = tool.parameters
    if build.report.policies.schemas == "keep":
        return schema
    known = build.wire.schemas
    entry = known.get(id(schema))
    # the caller may have changed the object in place
    if entry is None or entry[0] is not schema or entry[1] != schema:
        if len(known) >= _MOST_SCHEMAS:
            known.clear()
        entry = known[id(schema)] = (schema, deepcopy(schema), *_run_dialect(tool, name, dialect, build))
    for path, why in entry[3]:
        build.report.note("replaced", tool, f"parameters.{path}" if path else "parameters", why)
    # callers may change the body; the next one must not see it
    return deepcopy(entry[2])


def _run_dialect(
    tool: Tool, name: str, dialect: Callable[[Any], Adapted], build: BuildContext
) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    try:
        # a copy, so that a dialect cannot change the caller's schema
        return _schema_and_edits(dialect(deepcopy(tool.parameters)))
    except PromptwireError:
        raise
    except Exception as error:
        text, path = (
            f'the dialect "{name}" fails: {type(error).__name__}: {error}',
            build.report.origins.path(tool),
        )
        raise InvalidRequest(text, wire=build.wire.name, path=path, field="parameters") from error


def _schema_and_edits(answer: Any) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    schema, edits = answer
    if not is_object(schema):
        raise TypeError(f"a schema must be an object, not {class_of(schema).__name__}")
    rows = [(path, why) for path, why in edits]
    if not all(isinstance(word, str) for row in rows for word in row):
        raise TypeError("an edit must be two strings: the path in the schema, and the reason")
    return schema, tuple(rows)
