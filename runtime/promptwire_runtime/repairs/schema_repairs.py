"""Repairs of schemas: adapt them to what an API accepts, enforce them less, or describe them in the instructions."""

from __future__ import annotations

import json

from ..build.adapted_schemas import adapted_request
from ..model.options import Instruction, ResponseFormat
from ..model.tools import Tool
from ..nodes.records import replace
from ..rules.schemas import facts_of
from ..rules.tool_values import with_grouped
from ..typed import TYPE_CHECKING, Any
from .edits import Edit

if TYPE_CHECKING:
    from ..model.request import Request
    from .edits import RepairContext

_POLICY = "schemas"
_IMPLIED = "response_format.strict"
_JSON = "Answer with one JSON value and with nothing else."
_FOLLOW = "Answer with one JSON value that follows this JSON Schema, and with nothing else:\n"
_CHOOSE = "Answer with one of these words, and with nothing else: "


def adapt_schemas(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Adapt the schemas of tools and of the response format, as far as the policy `schemas` allows."""
    return _adapted(request, context, "limit" if context.policies.schemas == "adapt" else "none")


def cut_schemas(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Cut schemas that refer to themselves after some levels, where the API accepts no recursion."""
    return _adapted(request, context, "depth")


def _adapted(request: Request, context: RepairContext, most: str) -> tuple[Request, tuple[Edit, ...]]:
    changed, adapted = adapted_request(request, context.wire, context.settings, most)
    edits: list[Edit] = []
    for node in adapted:
        context.copied(node.original, node.copy)
        path = context.path(node.original)
        for edit in node.edits:
            field = f"{node.field}.{edit.path}" if edit.path else node.field
            edits.append(Edit("replaced", path, field, edit.why, _POLICY))
    return changed, tuple(edits)


def loosen_schemas(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Ask for schemas less strictly: those that the API does not accept as strict ones, alone or together."""
    edits: list[Edit] = []
    for _ in with_grouped(request.tools or ()):
        strict = _strict_tools(request)
        if not strict or not _refused(request, context):
            break
        alone = [tool for tool in strict if _refused(_only(request, tool), context)]
        for tool in alone or [max(strict, key=_size)]:
            copy = replace(tool, strict=False)
            context.copied(tool, copy)
            edits.append(Edit("replaced", context.path(tool), "strict", _unenforced(context), _POLICY))
            request = replace(request, tools=_with_copy(request.tools or (), tool, copy))
    form = request.response_format
    if (
        form is not None
        and form.strict is True
        and _IMPLIED not in context.wire.defaults
        and _refused(request, context)
    ):
        copied_form = replace(form, strict=False)
        context.copied(form, copied_form)
        edits.append(Edit("replaced", context.path(form), "strict", _unenforced(context), _POLICY))
        request = replace(request, response_format=copied_form)
    return request, tuple(edits)


def describe_format(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Ask for the format of the answer in the instructions, beside JSON mode first, and without it if need be."""
    form = request.response_format
    if form is None or form.kind not in ("json_schema", "json", "enum"):
        return request, ()
    text = _in_words(form)
    # JSON mode answers with an object
    is_object = form.kind == "json_schema" and (form.schema or {}).get("type") == "object"
    changed = ResponseFormat("json") if is_object else None
    if changed is not None:
        context.copied(form, changed)
    path, why = context.path(form), "; ".join(dict.fromkeys([problem.reason for problem in context.problems]))
    field = "schema" if form.schema is not None else "kind"
    edit = Edit("moved", path, field, f"into the instructions, and not enforced: {why}", _POLICY)
    return replace(request, response_format=changed, instructions=_instructed(request, text)), (edit,)


def _in_words(form: ResponseFormat) -> str:
    """Return the instruction that asks for a format."""
    schema = form.schema or {}
    if form.kind == "json_schema":
        return _FOLLOW + json.dumps(schema, ensure_ascii=False)
    return _CHOOSE + ", ".join(map(str, schema.get("enum", ()))) if form.kind == "enum" else _JSON


def _instructed(request: Request, text: str) -> Any:
    """Return the instructions of a request with one more; the same text is said once."""
    known = request.instructions
    if not known:
        return text
    if isinstance(known, str):
        return known if known.endswith(text) else f"{known}\n\n{text}"
    return known if any(layer.text.endswith(text) for layer in known) else (*known, Instruction(text))


def _unenforced(context: RepairContext) -> str:
    reasons = dict.fromkeys([problem.reason for problem in context.problems])
    return f"false, so that the schema is not enforced: {'; '.join(reasons)}"


def _strict_tools(request: Request) -> list[Tool]:
    tools = with_grouped(request.tools or ())
    return [tool for tool in tools if isinstance(tool, Tool) and tool.strict is True]


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


def _with_copy(tools: tuple[Any, ...], tool: Tool, copy: Tool) -> tuple[Any, ...]:
    """Return tools with a copy in place of one of them, also inside groups."""
    changed: list[Any] = []
    for member in tools:
        grouped = getattr(member, "tools", None)
        if grouped and tool in with_grouped(grouped):
            changed.append(replace(member, tools=_with_copy(grouped, tool, copy)))
        else:
            changed.append(copy if member is tool else member)
    return tuple(changed)
