"""Repairs of tool calls and results: their ids, arguments, errors, JSON content and place."""

from __future__ import annotations

import re
from hashlib import sha256

from ..build.shape_filters import write_json
from ..model.parts import (
    CALLS,
    RESULTS,
    HostedCall,
    HostedResult,
    Json,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)
from ..model.request import Message
from ..nodes.records import replace
from ..reporting.spec_words import kind_of
from ..rules.held_parts import repeated_items
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_empty, is_object
from .changes import EditLog, with_changed_messages, with_changed_parts
from .registry import repair

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Request

_CALLS = (*CALLS, HostedCall)
_RESULTS = (*RESULTS, HostedResult)
# letters that all APIs accept in an id, and the shortest limit of those that have one
_OTHER_LETTERS = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 40
_DIGEST = 6


@repair(
    "ids",
    off="keep error",
    missing="tool_call.id custom_tool_call.id tool_result.call_id custom_tool_result.call_id tool_result.name",
    rank=10,
)
def add_ids(request: Request, log: EditLog) -> Request:
    """Return the request with an id for each call and result that lacks one."""
    return _with_ids(request, log)


@repair(
    "ids",
    off="keep error",
    refused="*.id *.call_id !tool_call.id !custom_tool_call.id !tool_result.call_id !custom_tool_result.call_id "
    "!hosted_call.id !hosted_result.call_id !*.vendor.* !continuation.id",
)
def reshape_ids(request: Request, log: EditLog) -> Request:
    """Return the request with ids that the API accepts."""
    return _with_ids(request, log)


def _with_ids(request: Request, log: EditLog) -> Request:
    """Return the request with an id for each call and result that lacks one, and with rejected ids reshaped.

    A made id is the position of the call among all calls, so that the beginning of a conversation keeps its ids when
    the conversation goes on. A result without an id answers the first open call of its name, or else the first open
    call. A reshaped id depends on the rejected id only; both are in the edits.
    """
    made = _made_ids(request) if any(error.value is None for error in log.context.problems) else {}
    refused = dict.fromkeys(error.value for error in log.context.problems if isinstance(error.value, str))
    shaped = {value: _reshaped(value) for value in refused}

    def change(part: Part) -> Part:
        field = "id" if isinstance(part, _CALLS) else "call_id" if isinstance(part, _RESULTS) else ""
        if not field:
            return part
        value = getattr(part, field)
        if value is None:
            new = made.get(id(part))
            if new is None:
                return part
            log.add("added", part, field, f"{log.title} requires it; sent as {new}")
            # the shape that it was read from may have no id
            kept = None if part.kept is None else part.kept.replace(shape=None)
        else:
            new = shaped.get(value)
            if new is None or new == value:
                return part
            why = f"{log.title} does not accept this id; sent as {new}"
            log.add("replaced", part, field, why, given=value, sent=new)
            kept = part.kept
        return log.changed(part, kept=kept, **{field: new})

    changed = with_changed_parts(request, log, change)
    return _with_unanswered(changed, shaped)


@repair("ids", off="keep error", refused="calls.repeated")
def unique_ids(request: Request, log: EditLog) -> Request:
    """Return the request with a new id for each call that has the id of an earlier one, and for its result.

    The first call keeps its id, so that the beginning of a conversation stays as it is. A result belongs to the first
    call of its id that has none yet.
    """
    parts = [part for message in request.messages for part in message.parts]
    taken = {getattr(part, "id", None) for part in parts} | {getattr(part, "call_id", None) for part in parts}
    known: set[str] = set()
    # id -> the new ids of its calls without a result so far; None for the call that keeps it
    waiting: dict[str, list[str | None]] = {}

    def change(part: Part) -> Part:
        if isinstance(part, _CALLS) and part.id is not None:
            new = _free(f"{part.id}_2", taken) if part.id in known else None
            known.add(part.id)
            waiting.setdefault(part.id, []).append(new)
            field = "id"
        elif isinstance(part, _RESULTS) and waiting.get(part.call_id or ""):
            new, field = waiting[part.call_id or ""].pop(0), "call_id"
        else:
            return part
        if new is None:
            return part
        value = getattr(part, field)
        log.add("replaced", part, field, f"another call has this id; sent as {new}", given=value, sent=new)
        return log.changed(part, **{field: new})

    return with_changed_parts(request, log, change)


@repair("ids", off="keep error", refused="items.repeated")
def unique_items(request: Request, log: EditLog) -> Request:
    """Return the request without ids that an earlier item has, and without parts that are nothing but such an item."""
    repeated = {id(node): item for node, item in repeated_items(request)}
    why = "an item before it has this id"

    def change(part: Part) -> Part | tuple[()]:
        if id(part) not in repeated:
            return part
        if not hasattr(part, "item_id"):
            log.add("dropped", part, kind_of(part), why)
            return ()
        log.add("dropped", part, "item_id", why)
        return log.changed(part, item_id=None)

    messages = list(request.messages)
    for place, message in enumerate(messages):
        if id(message) in repeated:
            log.add("dropped", message, "id", why)
            messages[place] = log.changed(message, id=None)
    return with_changed_parts(replace(request, messages=tuple(messages)), log, change)


@repair("ids", off="keep error")
def unname_reasoning(request: Request, log: EditLog) -> Request:
    """Return the request without the ids of reasoning in the messages that the problems are about.

    Reasoning that is not encrypted is left out: without its id, nothing tells what it is.
    """

    def change(message: Message) -> Iterable[Message]:
        if not log.asks_for(message):
            return (message,)
        parts: list[Part] = []
        for part in message.parts:
            if not isinstance(part, Reasoning) or part.id is None:
                parts.append(part)
                continue
            field = "reasoning" if part.encrypted is None else "id"
            log.add("dropped", part, field, "the message behind it has no id")
            if part.encrypted is not None:
                parts.append(log.changed(part, id=None))
        return (log.changed(message, parts=tuple(parts)),)

    return with_changed_messages(request, change)


def _with_unanswered(request: Request, shaped: dict[str, str]) -> Request:
    """Return the request with the ids in its continuation reshaped as well."""
    known = request.continuation
    if known is None or not any(value in shaped for value in known.unanswered):
        return request
    unanswered = tuple([shaped.get(value, value) for value in known.unanswered])
    return replace(request, continuation=replace(known, unanswered=unanswered))


def _made_ids(request: Request) -> dict[int, str]:
    """Return identity of each call and result without an id -> the id that it gets."""
    parts = [part for message in request.messages for part in message.parts]
    taken = {getattr(part, "id", None) for part in parts} | {getattr(part, "call_id", None) for part in parts}
    made: dict[int, str] = {}
    unanswered: list[tuple[Any, str]] = []
    number = 0
    for part in parts:
        if isinstance(part, _CALLS):
            number += 1
            if part.id is None:
                made[id(part)] = _free(f"call_{number}", taken)
            unanswered.append((part, part.id or made[id(part)]))
        elif isinstance(part, _RESULTS):
            if part.call_id is None:
                made[id(part)] = _answered(part, unanswered) or _free(f"call_{number}_result", taken)
            else:
                unanswered = [row for row in unanswered if row[1] != part.call_id]
    return made


def _answered(result: Any, unanswered: list[tuple[Any, str]]) -> str | None:
    """Return the id of the first open call of a result's name, or else of the first open call; it is open no more."""
    name = getattr(result, "name", None)
    named = [row for row in unanswered if name is None or row[0].name == name]
    row = next(iter(named or unanswered), None)
    if row is None:
        return None
    unanswered.remove(row)
    return row[1]


def _free(text: str, taken: set[Any]) -> str:
    while text in taken:
        text += "_"
    taken.add(text)
    return text


def _reshaped(value: str) -> str:
    """Return an id of letters, digits, `_` and `-` for any id; different ids get different ones."""
    clean = _OTHER_LETTERS.sub("_", value)
    if clean == value and 0 < len(value) <= _LONGEST:
        return value
    digest = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{clean[: _LONGEST - _DIGEST - 1]}_{digest}"


# how the content of a result begins that has no mark of an error
ERROR = "Error: "
# what a failed result says that says nothing
FAILED = "Error."


@repair("json_results", refused="*part.json *.json", no_place="json", invalid="json.*")
def json_as_text(request: Request, log: EditLog) -> Request:
    """Return the request with rejected JSON values as text. A value that is text becomes that text."""

    def change(part: Part) -> Part:
        if not log.asks_for(part) or not isinstance(part, Json):
            return part
        log.add("replaced", part, "json", f"{log.title} accepts text here; sent as JSON text")
        return log.made(part, Text(write_json(part.value), cache=part.cache, provenance=part.provenance))

    return with_changed_parts(request, log, change)


@repair("tool_errors", refused="*.is_error *.error", no_place="*.is_error")
def errors_as_words(request: Request, log: EditLog) -> Request:
    """Return the request with failed tool results that say so in their text, where the API has no mark for it.

    Under `tool_errors="drop"`, only the mark is dropped. Where an API has the mark and requires a text beside it, a
    result that says nothing gets one.
    """
    silent = {id(node) for node, error in log.asked if error.field.endswith(".error")}

    def change(part: Part) -> Part:
        if not log.asks_for(part) or not isinstance(part, ToolResult) or part.is_error is None:
            return part
        if id(part) in silent:
            log.add(
                "added", part, "content", f'{log.title} requires a failed result to say something: "{FAILED}"'
            )
            return log.changed(part, parts=(Text(FAILED),))
        words = part.is_error and log.choice == "words" and not _says_error(part.parts)
        why = f"{log.title} has no mark of an error" + ("; said in the text" if words else "")
        log.add("replaced" if words else "dropped", part, "is_error", why)
        parts = _with_error(part.parts, log) if words else part.parts
        return log.changed(part, parts=parts, is_error=None)

    return with_changed_parts(request, log, change)


@repair(
    "between_turns",
    refused="user.tool_result.after user.tool_result.before *part.tool_result *part.custom_tool_result",
    no_place="tool_result custom_tool_result",
    rank=60,
)
def split_results(request: Request, log: EditLog) -> Request:
    """Return the request with results in a message of their own, for APIs that take none among the user's words."""

    def change(message: Message) -> Iterable[Message]:
        results = tuple([part for part in message.parts if isinstance(part, RESULTS)])
        if message.role == "tool" or not any(map(log.asks_for, results)):
            return (message,)
        log.add("moved", message, "parts", f"{log.title} takes results in a message of their own")
        others = tuple([part for part in message.parts if not isinstance(part, RESULTS)])
        if not others:
            return (log.changed(message, role="tool"),)
        apart = log.made(message, Message("tool", results, provenance=message.provenance))
        return (apart, log.changed(message, parts=others))

    return with_changed_messages(request, change)


def _says_error(parts: tuple[Part, ...]) -> bool:
    first = parts[0] if parts else None
    return isinstance(first, Text) and first.text.lower().startswith("error")


def _with_error(parts: tuple[Part, ...], log: EditLog) -> tuple[Part, ...]:
    """Return parts that begin with the word for an error."""
    first = parts[0] if parts else None
    if isinstance(first, Text):
        text: Part = log.changed(first, text=ERROR + first.text)
        return (text, *parts[1:])
    return (Text(FAILED), *parts)


# the key of arguments that are kept as text
TEXT_KEY = "arguments"


@repair("arguments", invalid="*.arguments", refused="*.arguments_type")
def wrap_arguments(request: Request, log: EditLog) -> Request:
    """Return the request with a JSON object as the arguments of each call.

    Empty and null arguments become `{}`. Anything else is kept as text or JSON under the key `arguments`, or, under
    `arguments="empty"`, left out. The result of the call stays as it is, so that the model sees what went wrong.
    """

    def change(part: Part) -> Part:
        if not isinstance(part, ToolCall) or is_object(part.arguments) or not log.asks_for(part):
            return part
        parsed, fault = _parse_arguments(part.arguments)
        if is_object(parsed) and not fault:
            return part
        nothing = is_empty(parsed) and not fault
        if log.choice == "empty" or nothing:
            fixed: dict[str, Any] = {}
            why = f"they are {'empty' if nothing else 'no JSON object'}; sent as {{}}"
        else:
            fixed = {TEXT_KEY: parsed}
            why = f'{fault or "they are no JSON object"}; sent under the key "{TEXT_KEY}"'
        log.add("replaced", part, "arguments", why)
        return log.changed(part, arguments=fixed)

    return with_changed_parts(request, log, change)


def _parse_arguments(arguments: Any) -> tuple[Any, str]:
    """Return the JSON value of arguments, or their text and why it is not read. Empty text counts as null."""
    if not isinstance(arguments, str):
        return arguments, ""
    if not arguments.strip():
        return None, ""
    from json import JSONDecodeError

    from ..wire_json.codec import decode_once

    try:
        return decode_once(arguments), ""
    except (JSONDecodeError, RecursionError):
        return arguments, "they are no JSON, perhaps cut off"
    except ValueError as error:
        return arguments, str(error)
