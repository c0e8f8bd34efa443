"""The step before a builder: which messages a provider request comes to, and the neutral request for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ..context import ContextPolicies, context_policies_of, merge_request
from ..errors import InvalidRequest
from ..loading.problems import Problems
from ..model.parts import Text, ToolCall, ToolResult
from ..model.request import Message, Request
from ..nodes.checks import CheckedRecord, as_texts, as_tuple
from ..nodes.record_fields import shown
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..reporting.notes import Note
from ..toolkits.showing import Target
from .drafting import (
    ChatMessage,
    DraftMessage,
    InputMessage,
    ProviderRequest,
    draft_messages,
    flat_question,
    is_single_turn,
    marked,
    transcript,
)
from .files import Files
from .reading import attach, check_patterns, files_of, read_messages

GUIDELINES_HEADING = "[[ ## Guidelines ## ]]"


def guideline_block(guidelines: Sequence[str], policies: ContextPolicies) -> str:
    """Join guidelines under their heading; empty if there are none."""
    texts = [text for text in guidelines if text.strip()]
    return f"{GUIDELINES_HEADING}\n\n{policies.segment_separator.join(texts)}" if texts else ""


def is_absent(text: str | None, policies: ContextPolicies) -> bool:
    """Return whether a text counts as none, by the `blank` policy."""
    return not text or (policies.blank != "keep" and text.isspace())


def chat_prompt(
    drafts: Sequence[DraftMessage],
    system_prompt: str | None,
    guidelines: Sequence[str],
    policies: ContextPolicies,
    notes: list[Note],
) -> tuple[ChatMessage, ...]:
    """Build the messages of a chat prompt; whatever is left out or moved gets a note."""
    rows = _non_empty_messages(drafts, policies, notes)
    turns: list[ChatMessage] = []
    explicit: list[str] = []
    for path, message in rows:
        if message.role != "system":
            turns.append(_turn(path, message, policies, notes))
        elif not turns or policies.late_system == "hoist":
            if turns:
                notes.append(Note("merged", path, "", "a later system message goes to the start"))
            explicit.append(message.content)
            notes += _media_lost(path, message)
        else:
            turns.append(_place_late_system(path, message, policies, notes))
    base = None if is_absent(system_prompt, policies) else system_prompt
    if base is None and policies.guidelines_alone == "default_prompt" and any(map(str.strip, guidelines)):
        base = None if explicit else policies.default_system_prompt
    if base is not None and explicit and policies.system_layout != "base_guidelines_explicit":
        notes.append(Note("dropped", "metadata", "system_prompt", "a system message of the case replaces it"))
    text = _system_text(base, guideline_block(guidelines, policies), explicit, policies)
    return (ChatMessage("system", text), *turns) if text else tuple(turns)


def _system_text(base: str | None, block: str, explicit: list[str], policies: ContextPolicies) -> str:
    """Join the prompt of the metadata, the guidelines, and the system messages of the case, as their layout says."""
    if policies.system_layout == "base_guidelines_explicit":
        pieces = [base, block, *explicit]
    else:
        pieces = [*explicit, block] if explicit else [base, block]
    return policies.segment_separator.join([piece for piece in pieces if piece])


def _non_empty_messages(
    drafts: Sequence[DraftMessage], policies: ContextPolicies, notes: list[Note]
) -> list[tuple[str, ChatMessage]]:
    """Return the messages with their paths; messages without content are dropped with a note."""
    references = policies.guideline_reference == "marker"
    only = policies.guideline_only_messages
    keeps = only == "keep" or (only == "auto" and not any(draft.visible for draft in drafts))
    rows: list[tuple[str, ChatMessage]] = []
    for draft in drafts:
        named = any(piece.reference for piece in draft.pieces)
        content = draft.content(policies.part_separator, references=references)
        if named and not draft.visible and not (keeps and (draft.role != "system" or only == "keep")):
            notes.append(Note("dropped", draft.path, "", "it holds nothing but guidelines"))
        elif is_absent(content, policies):
            notes.append(Note("dropped", draft.path, "", "it says nothing"))
        else:
            parts = draft.parts(policies.part_separator, references=references)
            rows.append((draft.path, ChatMessage(draft.role, content, draft.tool_call_id, parts)))
    return rows


def _turn(path: str, message: ChatMessage, policies: ContextPolicies, notes: list[Note]) -> ChatMessage:
    if message.role != "tool" or policies.tool_role == "keep":
        return message
    notes.append(Note("merged", path, "", "a tool message becomes the assistant's, behind a marker"))
    notes += _media_lost(path, message)
    return ChatMessage("assistant", marked("tool", message.content, policies))


def _place_late_system(
    path: str, message: ChatMessage, policies: ContextPolicies, notes: list[Note]
) -> ChatMessage:
    if policies.late_system == "keep":
        return message
    role = policies.late_system
    notes.append(Note("merged", path, "", f"a later system message becomes the {role}'s, behind a marker"))
    notes += _media_lost(path, message)
    return ChatMessage(role, marked("system", message.content, policies))


def _media_lost(path: str, message: ChatMessage) -> list[Note]:
    return [Note("dropped", path, "", "its media are named only")] if message.parts else []


def convert(
    messages: Iterable[InputMessage | Mapping[str, Any]],
    *,
    files: Files | Mapping[str, str] | None = None,
    guideline_patterns: Sequence[str] = (),
    guidelines: str | Sequence[str] = (),
    system_prompt: str | None = None,
    policies: ContextPolicies | str | Mapping[str, Any] = "standard",
) -> ProviderRequest:
    """Convert messages of a case.

    messages            each `{role, content}`; content is text, or a list of `{type: text | file, value}`
    files               where attached files are read, or their texts (path -> text)
    guideline_patterns  files whose path matches one are guidelines
    guidelines          guidelines that are texts already; they come first
    system_prompt       the prompt of the case's metadata

    Raises:
        LoadError: a message, a part or a file is wrong; all of them, one a line, each with its place.
        PolicyError: the preset does not exist.
    """
    chosen = context_policies_of(policies)
    if system_prompt is not None:
        check_class(system_prompt, str, "system_prompt")
    problems = Problems("")
    patterns = as_tuple(guideline_patterns, "guideline_patterns")
    check_patterns(patterns, ("guideline_patterns",), problems)
    read = read_messages(list(as_tuple(messages, "input_messages")), ("input_messages",), problems)
    if not problems:
        read = attach(read, files_of(files), chosen, ("input_messages",), problems)
    if problems:
        raise problems.error(None)
    return converted(
        read, patterns=patterns, guidelines=guidelines, system_prompt=system_prompt, policies=chosen
    )


def converted(
    messages: Sequence[InputMessage],
    *,
    patterns: Sequence[str],
    guidelines: str | Sequence[str],
    system_prompt: str | None,
    policies: ContextPolicies,
) -> ProviderRequest:
    """Convert messages whose files were read; pure, and the same every time."""
    drafted = draft_messages(messages, patterns, policies)
    notes = list(drafted.notes)
    leading = as_texts(guidelines, "guidelines")
    texts = tuple([text for text in (*leading, *drafted.guidelines) if text.strip()])
    media = any(piece.media for draft in drafted.drafts for piece in draft.pieces)
    single = policies.structured_when == "multi_turn" and is_single_turn(drafted.drafts) and not media
    question = flat_question(drafted.drafts, policies) if single else ""
    if question.strip():  # a turn of nothing but guidelines that are not named asks nothing
        return ProviderRequest(
            question=question,
            guidelines=texts,
            system_prompt=system_prompt,
            notes=tuple(notes),
            guideline_files=drafted.files,
        )
    prompt = chat_prompt(drafted.drafts, system_prompt, texts, policies, notes)
    if all(message.role == "system" for message in prompt):
        notes.append(Note("dropped", "", "input_messages", "none is left that a model could answer"))
    return ProviderRequest(
        question=transcript(drafted.drafts, policies),
        chat_prompt=prompt,
        guidelines=texts,
        system_prompt=system_prompt,
        notes=tuple(notes),
        guideline_files=drafted.files,
    )


Channel: TypeAlias = "Literal['structured', 'transcript'] | Target"
"""How a prompt is sent: as messages, as one text, or as the API says whose package this is."""
Path = Literal["native", "message"]


@dataclass(frozen=True, eq=False, repr=False)
class Delivered(CheckedRecord):
    """The messages that are sent, and notes on additions and omissions."""

    messages: tuple[ChatMessage, ...]
    notes: tuple[Note, ...] = ()


def deliver(
    request: ProviderRequest,
    policies: ContextPolicies | str | Mapping[str, Any] = "standard",
    *,
    channel: Channel = "structured",
    requires_user_message: bool = False,
) -> Delivered:
    """Choose the messages: the chat prompt, else the question; for a `transcript`, always the question.

    A chat prompt with a system message is sent as it is; one without gets the default before it. An API in place of the
    channel says in its capability `delivery` which of the two it takes.

    Raises:
        InvalidRequest: there is neither prompt nor question, or no message of the user where one is required.
        PolicyError: the preset does not exist.
    """
    check_class(request, ProviderRequest, "request")
    chosen = context_policies_of(policies)
    if _channel_of(channel) == "transcript":
        delivered = _transcript(request, chosen)
    elif request.chat_prompt:
        delivered = _prompt(request, request.chat_prompt, chosen)
    else:
        base = _base(request, chosen)
        text = _join_pieces([base, guideline_block(request.guidelines, chosen)], chosen)
        delivered = Delivered((*_system(text), _question(request)))
    if requires_user_message and not any(message.role == "user" for message in delivered.messages):
        raise InvalidRequest("no message is the user's, and this API requires one", path="chat_prompt")
    return delivered


def _channel_of(channel: Channel) -> str:
    if isinstance(channel, str):
        word: str = channel
    else:
        known: Mapping[str, Any] | None = getattr(getattr(channel, "WIRE", None), "capabilities", None)
        word = str(known.get("delivery", "structured")) if isinstance(known, Mapping) else ""
    if word not in ("structured", "transcript"):
        raise InvalidRequest(f"a channel is structured, transcript or an API, not {shown(channel)}")
    return word


def as_request(
    request: ProviderRequest,
    defaults: Request | None = None,
    *,
    policies: ContextPolicies | str | Mapping[str, Any] = "standard",
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
        text = _join_pieces([prompt, guideline_block(request.guidelines, policies)], policies)
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
    system = _system(_join_pieces([_base(request, policies), block], policies))
    notes = [Note("added", "", "instructions", "a chat prompt without system message")] if system else []
    left = () if appended else _left_out(request, "the chat prompt speaks for itself", ignored)
    return Delivered((*system, *prompt), (*notes, *left))


def _base(request: ProviderRequest, policies: ContextPolicies) -> str | None:
    system_prompt = request.system_prompt
    return policies.default_system_prompt if is_absent(system_prompt, policies) else system_prompt


def _join_pieces(pieces: list[str | None], policies: ContextPolicies) -> str:
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
