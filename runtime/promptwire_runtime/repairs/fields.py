"""Repairs of single fields: drop a field or node, set a value, take the nearest value that a rule accepts."""

from __future__ import annotations

import json

from ..model.options import Options, ReasoningOptions
from ..model.parts import Text
from ..nodes.records import replace
from ..rules.paths import TEXT_PATHS
from ..rules.rule import highest_accepted
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_mapping
from .changes import Changes, because
from .nearest import LEFT_OUT, nearest_value
from .registry import repair

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..errors import RequestError
    from ..model.request import Message, Request
    from .changes import EditLog
    from .edits import RepairContext

    # a node, a field of it, its problem -> the new value, or None where there is none
    _Value = Callable[[Any, str, RequestError], Any]

# settings of which a fix may set fields, whatever its rule rejects
_SETTINGS: dict[str, Callable[..., Any]] = {"reasoning": ReasoningOptions}
# longest text that a note shows
_LONGEST_SHOWN = 64
# what almost every model can write
_MAX_TOKENS = 4096


# how the model decides, and what only concerns cost, speed and storage
@repair(
    refused="temperature top_p top_k frequency_penalty presence_penalty logit_bias* logprobs top_logprobs seed n stop* "
    "verbosity service_tier store stream_usage user_id metadata* include cache* *.cache reasoning* "
    "tool_choice.parallel tools.strict response_format.strict *.item_id *.detail !*.vendor.* !vendor*"
)
@repair(refused="vendor.prompt_cache_* vendor.include_obfuscation vendor.continuous_usage_stats vendor.debug")
def drop(_request: Request, log: EditLog) -> Request:
    """Drop the fields that the problems are about; a field that its node requires goes with the whole node."""
    changes = Changes(log)
    for node, error in log.asked:
        other = error.problem.fix.removeprefix("drop: ") if error.problem.fix.startswith("drop: ") else ""
        if other:
            changes.drop_field(other, because(error))
        else:
            changes.drop(node, error)
    return changes.applied()


# an empty message says nothing
@repair(refused="*.empty assistant.count user.count tool.count text parts")
def omit(request: Request, log: EditLog) -> Request:
    """Leave out the parts, tools, layers or messages that the problems are about."""
    changes = Changes(log)
    for node, error in log.asked:
        if node is not request and not isinstance(node, Options):
            changes.omit(node, because(error))
    return changes.applied()


@repair(
    refused="temperature top_p top_k frequency_penalty presence_penalty logit_bias* logprobs top_logprobs seed n stop* "
    "verbosity service_tier store stream_usage user_id metadata* include cache* *.cache reasoning* tool_choice* "
    "max_tokens modalities tools.name tool.name custom_tool.name tool_group.name hosted_tool.name tools.description "
    "!*.vendor.* !vendor*",
    rank=30,
)
def nearest(request: Request, log: EditLog) -> Request:
    """Replace values by the nearest ones that the rules accept: a limit, the next level of effort, a mode.

    A negative limit of tokens is left out.
    """
    return _with_values(log, lambda node, name, error: nearest_value(request, node, name, error, log.context))


@repair()
def merge(request: Request, log: EditLog) -> Request:
    """Join each message that a problem is about with the message of its role before it."""
    why = {id(node): because(error) for node, error in log.asked}
    messages: list[Message] = []
    for message in request.messages:
        before = messages[-1] if messages else None
        if before is None or id(message) not in why or before.role != message.role:
            messages.append(message)
            continue
        messages[-1] = log.changed(before, parts=(*before.parts, *message.parts))
        log.add("merged", message, "message", why[id(message)])
    return replace(request, messages=tuple(messages))


@repair(name="set")
def set_value(request: Request, log: EditLog) -> Request:
    """Set the fields that the problems are about to the documented value that their rule names.

    An object names other settings of the request, each with the fields to set, or has options of the API for the
    message or the call that a problem is about, where `$value` stands for the rejected value; under `request`, they are
    for the request. The value of a rule about the text of the conversation is a sentence for the end of the last
    message of the user.
    """
    changes = Changes(log)
    for node, error in log.asked:
        value = _argument(error)
        if is_mapping(value) and "request" in value:
            changes.set_options(request, value["request"]["vendor"], because(error))
        elif is_mapping(value) and "vendor" in value:
            own = {
                name: error.value if given == "$value" else given for name, given in value["vendor"].items()
            }
            changes.set_options(node, own, because(error))
        elif is_mapping(value):
            _set_fields(changes, value, because(error))
        elif error.field in TEXT_PATHS:
            _add_sentence(changes, str(value), because(error))
        else:
            _set_value(changes, node, error, lambda _node, _name, error: _argument(error))
            continue
        if node is request:
            break
    return changes.applied()


def _set_fields(changes: Changes, values: Mapping[str, Any], why: str) -> None:
    """Set fields of the request's settings: `{"reasoning": {"mode": "disabled", "effort": null}}`; null drops one."""
    for head, given in values.items():
        node = getattr(changes.request, head)
        if node is None:
            changes.set(changes.request, head, _SETTINGS[head](**given), why)
            continue
        for name, value in given.items():
            if getattr(node, name) != value:
                changes.set(node, name, value, why)


def _add_sentence(changes: Changes, sentence: str, why: str) -> None:
    """Add a sentence to the last message of the user."""
    last = next((each for each in reversed(changes.request.messages) if each.role == "user"), None)
    if last is not None:
        changes.set(last, "parts", (*last.parts, Text(sentence)), why, "text", "added")


@repair(name="rename")
def rename_value(_request: Request, log: EditLog) -> Request:
    """Replace words by the spelling that the rule names."""
    return _with_values(log, lambda node, name, error: _argument(error).get(getattr(node, name)))


def _with_values(log: EditLog, value: _Value) -> Request:
    """Return the request with another value in each field that a problem is about."""
    changes = Changes(log)
    for node, error in log.asked:
        _set_value(changes, node, error, value)
    return changes.applied()


def _set_value(changes: Changes, node: Any, error: RequestError, value: _Value) -> None:
    owner, name = changes.field_of(node, error)
    if owner is None:
        return
    found = value(owner, name, error)
    if found is LEFT_OUT:
        changes.set(owner, name, None, f"{getattr(owner, name)} means no limit: {because(error)}")
    elif found is not None and found != getattr(owner, name):
        changes.set(owner, name, found, f"{because(error)}{_sent_as(found)}")


def _sent_as(value: Any) -> str:
    """Return the words of a note for the value that is sent; nothing for a long one."""
    is_short = isinstance(value, (int, float)) or (isinstance(value, str) and len(value) <= _LONGEST_SHOWN)
    return f"; sent as {value}" if is_short else ""


def _argument(error: RequestError) -> Any:
    """Return the argument of a fix: `1` of `set: 1`."""
    _, _, text = error.problem.fix.partition(": ")
    return json.loads(text) if text else None


@repair(missing="max_tokens")
def fill(request: Request, log: EditLog) -> Request:
    """Set a limit for the answer where the API requires one: the model's own, or else what almost every model has."""
    changes = Changes(log)
    for _, error in log.asked:
        if error.field == "max_tokens":
            limit, whose = _limit_of(request, log.context)
            why = f"{log.title} requires it; {limit} tokens are {whose}"
            changes.set(request.options, "max_tokens", limit, why)
    return changes.applied()


def _limit_of(request: Request, context: RepairContext) -> tuple[int, str]:
    """Return how many tokens an answer may have, and where that number is from."""
    decision = context.wire.decide(request.model, context.settings)
    if "max_tokens" not in decision.limits:
        decision.limits["max_tokens"] = highest_accepted(decision.rules, "max_tokens")
    found = decision.limits["max_tokens"]
    if found is None:
        return _MAX_TOKENS, "assumed"
    limit, rule = found
    return int(limit), "the limit of this model" + (f" ({rule.source})" if rule.source else "")
