"""The step before a builder: which messages a provider request comes to, and the neutral request for them."""

from __future__ import annotations

from typing import Literal

from ..context import ContextPolicies, context_policies_of, merge_request
from ..errors import InvalidRequest
from ..model.parts import Text, ToolResult
from ..model.request import Message, Request
from ..nodes.light_dataclasses import dataclass
from ..nodes.records import Record, shown
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from .conversion import guideline_block, is_absent
from .messages import ChatMessage, ProviderRequest

Channel = Literal["structured", "transcript"]
Path = Literal["native", "message"]


@dataclass(frozen=True, eq=False, repr=False)
class Delivered(Record):
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
        delivered = Delivered((_question(request),), _left_out(request, "a transcript only names them"))
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
) -> Request:
    """Build the neutral request that every builder takes.

    `defaults` gives the model, options and tools. On the `native` path the system message at the start becomes the
    instructions, which each builder places; on the `message` path it stays a message. The model reads the same.
    """
    messages = deliver(request, policies, channel=channel).messages
    instructions = None
    first_only = [message.role == "system" for message in messages] == [True] + [False] * (len(messages) - 1)
    if path == "native" and messages and first_only:
        instructions, messages = messages[0].content, messages[1:]
    delivered = Request(None, [_neutral(message) for message in messages], instructions=instructions)
    return delivered if defaults is None else merge_request(delivered, defaults)


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
    return (Note("omitted", "", "guidelines", why),) if missing else ()


def _neutral(message: ChatMessage) -> Message:
    if message.role == "tool":
        return Message("tool", (ToolResult(message.tool_call_id, (Text(message.content),)),))
    return Message(message.role, (Text(message.content),))
