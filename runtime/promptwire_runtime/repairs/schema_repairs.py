"""Repairs of schemas: adapt them to what an API accepts, cut them, or enforce them less."""

from __future__ import annotations

from ..build.adapted_schemas import adapted_request, translated_schema
from ..errors import NoPlace
from ..model.tools import Tool
from ..nodes.records import replace
from ..rules.schemas import facts_of
from ..rules.tool_values import with_grouped
from ..schemas.flat_parameters import flat_parameters
from ..typed import TYPE_CHECKING, Any
from .changes import EditLog

if TYPE_CHECKING:
    from ..model.request import Request
    from .edits import Edit, RepairContext

_POLICY = "schemas"
_IMPLIED = "response_format.strict"


def adapt_schemas(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with schemas that the rules accept, as far as the policy `schemas` allows the loss."""
    if context.policies.schemas == "keep":
        return request, ()
    return _adapted(request, context, "limit" if context.policies.schemas == "adapt" else "none")


def cut_schemas(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with schemas that refer to themselves cut after some levels."""
    if context.policies.schemas != "adapt":
        return request, ()
    return _adapted(request, context, "depth")


def _adapted(request: Request, context: RepairContext, most: str) -> tuple[Request, tuple[Edit, ...]]:
    changed, adapted = adapted_request(request, context.wire, context.settings, most)
    log = EditLog(context, _POLICY)
    for node in adapted:
        log.made(node.original, node.copy)
        for edit in node.edits:
            field = f"{node.field}.{edit.path}" if edit.path else node.field
            log.add("replaced", node.copy, field, edit.why)
    return log.result(request, changed)


def describe_parameters(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with tools of whose parameters only types and descriptions are left."""
    if context.policies.schemas != "adapt":
        return request, ()
    log = EditLog(context, _POLICY)
    asked = {id(node): node for node, _ in context.nodes(request) if isinstance(node, Tool)}
    changed = request
    for tool in asked.values():
        schema, edits = flat_parameters(
            dict(translated_schema(tool, context.wire.name) or tool.parameters or {}),
            f"{context.wire.title} knows only the type and description of a parameter",
        )
        for edit in edits:
            log.add("replaced", tool, f"parameters.{edit.path}", edit.why)
        copy = log.changed(tool, parameters=schema)
        changed = replace(changed, tools=_with_copy(changed.tools or (), tool, copy, log))
    return log.result(request, changed)


def loosen_schemas(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with schemas not strict that the API does not accept as strict ones, alone or together.

    A format that need not be strict is strict on an API that knows no other.
    """
    if context.policies.schemas != "adapt":
        return request, ()
    log = EditLog(context, _POLICY)
    changed = _with_loose_tools(request, context, log)
    form = changed.response_format
    if form is None or form.strict is None:
        return log.result(request, changed)
    has_no_place = any(isinstance(problem, NoPlace) for problem in context.problems)
    if _IMPLIED in context.wire.defaults:
        if form.strict is False and has_no_place:
            log.add("dropped", form, "strict", f"{context.wire.title} knows no schemas but strict ones")
            changed = replace(changed, response_format=log.changed(form, strict=None))
        return log.result(request, changed)
    if form.strict is not True:
        return log.result(request, changed)
    if has_no_place:
        log.add("dropped", form, "strict", _reasons(context))
        changed = replace(changed, response_format=log.changed(form, strict=None))
    elif _refused(changed, context):
        log.add("replaced", form, "strict", _unenforced(context))
        changed = replace(changed, response_format=log.changed(form, strict=False))
    return log.result(request, changed)


def _with_loose_tools(request: Request, context: RepairContext, log: EditLog) -> Request:
    for _ in with_grouped(request.tools or ()):
        tools = with_grouped(request.tools or ())
        strict = [tool for tool in tools if isinstance(tool, Tool) and tool.strict is True]
        if not strict or not _refused(request, context):
            break
        alone = [tool for tool in strict if _refused(_only(request, tool), context)]
        for tool in alone or [max(strict, key=_size)]:
            log.add("replaced", tool, "strict", _unenforced(context))
            copy = log.changed(tool, strict=False)
            request = replace(request, tools=_with_copy(request.tools or (), tool, copy, log))
    return request


def _reasons(context: RepairContext) -> str:
    """Return the reasons of the problems, each once."""
    return "; ".join(dict.fromkeys([problem.reason for problem in context.problems]))


def _unenforced(context: RepairContext) -> str:
    return f"false, so that the schema is not enforced: {_reasons(context)}"


def _only(request: Request, tool: Tool) -> Request:
    return replace(request, tools=(tool,), tool_choice=None, response_format=None)


def _refused(request: Request, context: RepairContext) -> frozenset[str]:
    """Return the words of strict schemas that the rules reject."""
    decision = context.wire.decide(request.model, context.settings)
    return decision.refused_schema_words(
        request, context.wire.name, implied=_IMPLIED in context.wire.defaults
    )


def _size(tool: Tool) -> int:
    facts = facts_of(tool.parameters)
    return facts.words.properties + facts.optional + facts.unions


def _with_copy(tools: tuple[Any, ...], tool: Tool, copy: Tool, log: EditLog) -> tuple[Any, ...]:
    """Return tools with a copy in place of one of them, also inside groups."""
    changed: list[Any] = []
    for member in tools:
        grouped = getattr(member, "tools", None)
        if grouped and any(inner is tool for inner in with_grouped(grouped)):
            changed.append(log.changed(member, tools=_with_copy(grouped, tool, copy, log)))
        else:
            changed.append(copy if member is tool else member)
    return tuple(changed)
