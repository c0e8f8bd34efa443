"""The repairs of a history for problems whose rule names none: by class, field and node."""

from __future__ import annotations

import re

from ..build.adapted_schemas import is_about_schemas
from ..errors import InvalidRequest, MissingField, NoPlace, Refused
from ..model.field_fixes import field_fixes
from ..model.parts import (
    CALLS,
    RESULTS,
    Audio,
    Compaction,
    CustomTool,
    CustomToolCall,
    CustomToolResult,
    Document,
    HostedCall,
    HostedResult,
    HostedTool,
    Image,
    Json,
    Opaque,
    Reasoning,
    Refusal,
    SearchResult,
    Tool,
    ToolAddition,
    ToolCall,
    ToolGroup,
    ToolReference,
    ToolResult,
    Video,
)
from ..model.request import Message
from ..predicates.conditions import Compared, LengthCompared, OneOf
from ..reporting.spec_words import kind_of, spec_word
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..errors import RequestError
    from ..predicates.conditions import FieldCondition
    from ..rules.rule import Rule

# module -> the repairs in it, whose functions have their names
_IN_MODULES = {
    "added_tools": "early_tools split_additions",
    "answer_media": "move_answer_media",
    "as_text": "as_text documents_as_text drop_citations",
    "call_arguments": "wrap_arguments",
    "ends": "begin_with_user end_with_user fill_between join_turns split_answers trim_end",
    "ids": "unique_ids unique_items",
    "media_types": "detect_media_types unpack_data_urls",
    "names": "add_names name_documents name_format rename_speakers rename_tools say_titles",
    "pairs": "pair",
    "reasoning_options": "nearest_reasoning",
    "result_media": "move",
    "results": "errors_as_words json_as_text split_results",
    "schema_repairs": "adapt_schemas cut_schemas describe_parameters loosen_schemas",
    "system": "developer_as_system instructions_as_message system_as_user",
    "thinking": "unthink",
    "tool_choices": "tool_choice",
    "tool_kinds": "calls_as_text custom_as_functions fill_parameters flatten_groups map_hosted_tools "
    "reshape_grammars stub_tools",
}
# name of a repair -> module and function, imported when it is first needed
HISTORY_REPAIRS = {
    name: f".{module}:{name}" for module, names in _IN_MODULES.items() for name in names.split()
} | dict.fromkeys(("add_ids", "reshape_ids"), ".ids:repair_ids")
_CALLS = (*CALLS, HostedCall)
_RESULTS = (*RESULTS, HostedResult)
_MEDIA = (Image, Document, Audio, Video, SearchResult)
_INSIDE = re.compile(r"messages\[\d+\]\.parts\[\d+\]\.parts\[")
_PAYLOADS = ("signature", "encrypted", "redacted")
# field without a place -> repair
_BY_LOST_FIELD = {
    **dict.fromkeys(_PAYLOADS, "unthink"),
    "is_error": "errors_as_words",
    "citations": "drop_citations",
}
# role of messages that the API does not have -> repairs
_BY_ROLE = {"tool": ("calls_as_text",)}
_OTHER_ROLES = ("developer_as_system", "system_as_user")
# kind of node -> its fields without which it means something else
_WHOLE: dict[type, tuple[str, ...]] = {
    Opaque: ("value",),
    Reasoning: ("summary", "texts"),
    **dict.fromkeys(
        (HostedCall, HostedResult),
        ("payload", "name", "id", "call_id", "arguments", "result", "server", "status"),
    ),
}
# kind of node without a place -> repairs, the first that changes it
_BY_KIND: dict[type, tuple[str, ...]] = {
    Reasoning: ("unthink",),
    Compaction: ("unthink",),
    CustomTool: ("custom_as_functions",),
    CustomToolCall: ("custom_as_functions", "calls_as_text"),
    CustomToolResult: ("custom_as_functions", "split_results", "calls_as_text"),
    ToolGroup: ("flatten_groups",),
    HostedTool: ("map_hosted_tools",),
    ToolAddition: ("early_tools",),
    Json: ("json_as_text",),
    ToolCall: ("calls_as_text",),
    ToolResult: ("split_results", "calls_as_text"),
    **dict.fromkeys(
        (Audio, Document, HostedCall, HostedResult, Opaque, Refusal, SearchResult, ToolReference),
        ("as_text",),
    ),
}


def history_repairs(error: RequestError, node: object) -> Iterator[str]:
    """Yield the names of the repairs that may solve a problem, the best first."""
    if is_about_schemas(error.field):
        yield from ("adapt_schemas", "loosen_schemas", "cut_schemas")
        if not error.field.startswith("tools"):
            yield "format_as_words"
    elif isinstance(error, NoPlace) and error.field.startswith(("vendor.", "extra.")):
        # only the caller knows what an option of one API stands for
        return
    elif (error.path or error.field).partition(".")[0] == "response_format":
        yield from _for_format(error)
    elif isinstance(node, Tool) and error.field.startswith("parameters."):
        yield "describe_parameters"
    elif isinstance(error, MissingField):
        yield from _for_missing(error, node)
    elif isinstance(error, NoPlace):
        yield from _for_no_place(error, node)
    elif isinstance(error, Refused):
        yield from _for_refused(error, node)
    elif isinstance(error, InvalidRequest):
        yield from _for_invalid(error, node)


def _for_invalid(error: RequestError, node: object) -> Iterator[str]:
    if error.field == "arguments" or isinstance(node, Json):
        yield "wrap_arguments" if error.field == "arguments" else "json_as_text"
    elif isinstance(node, ToolAddition) and node.tools:
        yield "split_additions"


def _for_format(error: RequestError) -> Iterator[str]:
    """Yield the repairs of a response format that the API has no words for."""
    last = error.field.rpartition(".")[2]
    if last == "name":
        yield "name_format"
    elif last == "strict":
        yield "loosen_schemas"


def _usual(node: object) -> tuple[str, ...]:
    return _BY_KIND.get(type(node), ())


def _whole_fields(node: object) -> tuple[str, ...]:
    return _WHOLE.get(type(node), ())


def _for_missing(error: RequestError, node: object) -> Iterator[str]:
    field = error.field
    if isinstance(node, (HostedCall, HostedResult)):
        yield "as_text"
    elif field in ("id", "call_id") and isinstance(node, (*_CALLS, *_RESULTS)):
        yield "add_ids"
    elif field == "media_type":
        yield from ("unpack_data_urls", "detect_media_types")
    elif field in ("filename", "title") and isinstance(node, Document):
        yield "add_names"
    elif field == "name" and isinstance(node, ToolResult):
        yield from ("add_ids", "pair")
    elif field.endswith("name") and not isinstance(node, (Tool, Message)):
        yield "name_format"
    elif field == "parameters" or (field == "description" and isinstance(node, (Tool, ToolGroup))):
        yield "fill_parameters"


def _for_no_place(error: RequestError, node: Any) -> Iterator[str]:
    field = error.field
    if field in _BY_LOST_FIELD:
        yield _BY_LOST_FIELD[field]
    elif isinstance(node, Message):
        yield from _of_message(node, field)
    elif error.path == "tool_choice" or field.startswith("tool_choice."):
        if not field.endswith("parallel"):
            yield "tool_choice"
    elif isinstance(node, HostedTool):
        yield "map_hosted_tools"
    elif isinstance(node, Tool) and field == "returns":
        yield "fill_parameters"
    elif isinstance(node, Document) and field in ("title", "context"):
        yield "say_titles"
    elif field in (spec_word(node), kind_of(node), *_whole_fields(node)):
        if isinstance(node, _MEDIA):
            yield from _of_media(error, node)
        yield from _usual(node)


def _of_message(message: Message, field: str) -> tuple[str, ...]:
    if field == "role":
        return _BY_ROLE.get(message.role, _OTHER_ROLES)
    return ("rename_speakers",) if field == "name" else ()


def _of_media(error: RequestError, node: Any) -> Iterator[str]:
    """Yield the repairs of media: another spelling, or another message in which the API takes it."""
    yield "unpack_data_urls"
    if error.guard == "media_type":
        yield "detect_media_types"
    inside = _INSIDE.match(error.path) is not None
    if inside or error.role == "assistant":
        if _is_text(node):
            yield "as_text"
        yield "move" if inside else "move_answer_media"


def _is_text(node: Any) -> bool:
    if isinstance(node, Audio):
        return node.transcript is not None
    return isinstance(node, Document) and node.text is not None


def _for_refused(error: RequestError, node: Any) -> Iterator[str]:
    """Yield the repairs that the table has for the field of a rule, then those of the kind of a part."""
    for fix in fixes_of(error, error.condition, error.field):
        if fix != "drop":
            yield fix
    if error.field.rpartition(".")[2] in ("part", kind_of(node), spec_word(node)):
        yield from _usual(node)


def fixes_of(rule: Rule | RequestError, condition: FieldCondition | None, field: str = "") -> tuple[str, ...]:
    """Return the repairs of a rejected value: the one of the rule, else those of the field."""
    if rule.fix or rule.no_repair:
        return (rule.fix,) if rule.fix else ()
    has_accepted_value = isinstance(condition, (Compared, LengthCompared, OneOf))
    fixes, _ = field_fixes(field or _path_of(condition))
    return tuple([each for each in fixes if each != "nearest" or has_accepted_value])


def why_not(error: RequestError) -> str:
    """Return why no repair keeps the meaning of the value of an error; empty where a repair is known."""
    return no_repair_of(error, error.condition, error.field) if isinstance(error, Refused) else ""


def no_repair_of(rule: Rule | RequestError, condition: FieldCondition | None, field: str = "") -> str:
    """Return why no repair keeps the meaning of a rejected value: what the rule says, else the row of the field."""
    return rule.no_repair or ("" if rule.fix else field_fixes(field or _path_of(condition))[1])


def _path_of(condition: FieldCondition | None) -> str:
    return condition.path.text if condition is not None else ""
