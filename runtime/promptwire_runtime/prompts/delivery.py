"""The step before a builder: which messages a provider request comes to, and the neutral request for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..context import ContextPolicies, context_policies_of, merge_request
from ..errors import InvalidRequest
from ..model.parts import Text, ToolCall, ToolResult
from ..model.request import Message, Request
from ..nodes.checks import CheckedRecord
from ..nodes.record_fields import shown
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from .conversion import guideline_block, is_absent
from .messages import ChatMessage, ProviderRequest

Channel = Literal["structured", "transcript"]
Path = Literal["native", "message"]


@dataclass(frozen=True, eq=False, repr=False)
class Delivered(CheckedRecord):
    """The messages that are sent, and what was added or left out on the way."""

    messages: tuple[ChatMessage, ...]
    notes: tuple[Note, ...] = ()


def deliver(
    request: ProviderRequest,
    policies: ContextPolicies | str = "standard",
    *,
    channel: Channel = "structured",
    requires_user_message: bool = False,
) -> Delivered:
    """Choose the messages: the chat prompt, else the question; for a `transcript`, always the question.

    A chat prompt with a system message is sent as it is; one without gets the default before it.

    Raises:
        InvalidRequest: there is neither prompt nor question, or no message of the user where one is required.
        PolicyError: the preset does not exist.
    """
    check_class(request, ProviderRequest, "request")
    chosen = context_policies_of(policies)
    if channel not in ("structured", "transcript"):
        raise InvalidRequest(f"a channel is structured or transcript, not {shown(channel)}")
    if channel == "transcript":
        delivered = _transcript(request, chosen)
    elif request.chat_prompt:
        delivered = _prompt(request, request.chat_prompt, chosen)
    else:
        base = _base(request, chosen)
        text = _joined([base, guideline_block(request.guidelines, chosen)], chosen)
        delivered = Delivered((*_system(text), _question(request)))
    if requires_user_message and not any(message.role == "user" for message in delivered.messages):
        raise InvalidRequest("no message is the user's, and this API requires one", path="chat_prompt")
    return delivered


def as_request(
    request: ProviderRequest,
    defaults: Request | None = None,
    *,
    policies: ContextPolicies | str = "standard",
    channel: Channel = "structured",
    path: Path = "native",
    notes: list[Note] | None = None,
) -> Request:
    """Build the neutral request that every builder takes.

    `defaults` gives the model, options and tools. On the `native` path the system message at the start becomes the
    instructions, which each builder places; on the `message` path it stays a message. The model reads the same.
    What is added or left out on the way is appended to `notes`.

    Raises:
        InvalidRequest: there is neither prompt nor question, or a tool message answers no call, under
            `orphans="error"`.
        PolicyError: the preset does not exist.
    """
    chosen = context_policies_of(policies)
    delivered = deliver(request, chosen, channel=channel)
    messages, found = delivered.messages, list(delivered.notes)
    instructions = None
    first_only = [message.role == "system" for message in messages] == [True] + [False] * (len(messages) - 1)
    if path == "native" and first_only and not messages[0].parts:
        instructions, messages = messages[0].content, messages[1:]
    neutral = _answering([_neutral(message) for message in messages], chosen, found)
    if notes is not None:
        notes += found
    built = Request(None, neutral, instructions=instructions)
    return built if defaults is None else merge_request(built, defaults)


def _answering(messages: list[Message], policies: ContextPolicies, notes: list[Note]) -> list[Message]:
    """Add the calls that tool messages answer, where the case has only the results."""
    answered: list[Message] = []
    for message in messages:
        (result,) = message.parts if message.role == "tool" else (None,)
        if not isinstance(result, ToolResult):
            answered.append(message)
            continue
        index = len([other for other in answered if other.role == "tool"])
        if policies.orphans == "error":
            raise InvalidRequest(
                "a tool message answers a call, and no message of the case has one: use "
                'orphans="answer" or tool_role="assistant"',
                path=f"chat_prompt, tool message {index}",
            )
        name = result.call_id or f"call_{index + 1}"
        _add_call(answered, ToolCall(name, "tool", {}))
        why = "a call for the tool message, which answers none: its name and arguments are made up"
        notes.append(Note("added", f"messages[{len(answered)}]", "", why))
        answered.append(Message("tool", (replace(result, call_id=name),)))
    return answered


def _add_call(messages: list[Message], call: ToolCall) -> None:
    """Add a call to the assistant's last message, before results that follow it; to a new one where there is none."""
    place = len(messages)
    while place and messages[place - 1].role == "tool":
        place -= 1
    if place and messages[place - 1].role == "assistant":
        asking = messages[place - 1]
        messages[place - 1] = replace(asking, parts=(*asking.parts, call))
    else:
        messages.insert(place, Message("assistant", (call,)))


def _transcript(request: ProviderRequest, policies: ContextPolicies) -> Delivered:
    """Return the question; system prompt and guidelines go before it, or are noted, by policy."""
    question = _question(request)
    prompt = None if is_absent(request.system_prompt, policies) else request.system_prompt
    if policies.transcript_context == "instructions":
        text = _joined([prompt, guideline_block(request.guidelines, policies)], policies)
        return Delivered((*_system(text), question), _media_notes(request))
    notes = [Note("dropped", "", "system_prompt", "a transcript has no place for it")] if prompt else []
    if policies.transcript_context == "files" and request.guideline_files:
        rows = [f"* [{path}]({address})" for path, address in request.guideline_files.items()]
        listed = "\n".join(["Read all guideline files:", *rows])
        question = replace(question, content=f"{listed}\n\n{question.content}")
    else:
        notes += _left_out(request, "a transcript only names them")
    return Delivered((question,), (*notes, *_media_notes(request)))


def _media_notes(request: ProviderRequest) -> tuple[Note, ...]:
    named = any(message.parts for message in request.chat_prompt or ())
    return (Note("dropped", "", "media", "a transcript only names them"),) if named else ()


def _prompt(
    request: ProviderRequest, prompt: tuple[ChatMessage, ...], policies: ContextPolicies
) -> Delivered:
    system_text = "\n".join([message.content for message in prompt if message.role == "system"])
    ignored = tuple([text for text in request.guidelines if text not in system_text])
    if system_text or any(message.role == "system" for message in prompt):
        return Delivered(prompt, _left_out(request, "the chat prompt speaks for itself", ignored))
    appended = policies.guidelines_with_prompt == "append_when_no_system"
    block = guideline_block(request.guidelines, policies) if appended else ""
    system = _system(_joined([_base(request, policies), block], policies))
    notes = [Note("added", "", "instructions", "a chat prompt without system message")] if system else []
    left = () if appended else _left_out(request, "the chat prompt speaks for itself", ignored)
    return Delivered((*system, *prompt), (*notes, *left))


def _base(request: ProviderRequest, policies: ContextPolicies) -> str | None:
    system_prompt = request.system_prompt
    return policies.default_system_prompt if is_absent(system_prompt, policies) else system_prompt


def _joined(pieces: list[str | None], policies: ContextPolicies) -> str:
    return policies.segment_separator.join([piece for piece in pieces if piece])


def _system(text: str) -> tuple[ChatMessage, ...]:
    return (ChatMessage("system", text),) if text else ()


def _question(request: ProviderRequest) -> ChatMessage:
    if not request.question.strip():
        raise InvalidRequest("there is no message and no question to send", path="question")
    return ChatMessage("user", request.question)


def _left_out(request: ProviderRequest, why: str, texts: tuple[str, ...] | None = None) -> tuple[Note, ...]:
    missing = request.guidelines if texts is None else texts
    return (Note("dropped", "", "guidelines", why),) if missing else ()


def _neutral(message: ChatMessage) -> Message:
    if message.parts and message.role != "tool":
        return Message(message.role, message.parts)
    if message.role == "tool":
        return Message("tool", (ToolResult(message.tool_call_id, message.parts or (Text(message.content),)),))
    return Message(message.role, (Text(message.content),))
