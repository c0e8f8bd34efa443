"""Repairs of turns: the first, the last and missing ones, system messages, and a conversation as one text."""

from __future__ import annotations

from itertools import takewhile

from ..model.options import Instruction
from ..model.parts import RESULTS, Reasoning, Text, ToolCall
from ..model.request import Message
from ..nodes.records import fields, replace
from ..reporting.node_paths import holds_nodes
from ..typed import TYPE_CHECKING
from .changes import EditLog, first_sent, with_changed_messages
from .registry import repair
from .texts import marked, with_lead

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Message, Request
    from .edits import RepairContext

# what filler turns say
START = "(The conversation begins.)"
CONTINUE = "Continue exactly where your last message ends."
NOTED = "(Results received.)"
# who says a text of a joined conversation
_SPEAKERS = {
    "system": "System",
    "developer": "System",
    "user": "User",
    "assistant": "Assistant",
    "tool": "User",
}
# fields of a message that a joined conversation says, or that are not sent
_SAID = ("role", "parts", "provenance", "kept")


@repair("first_turn", refused="first_message.role messages.count assistant.after")
def begin_with_user(request: Request, log: EditLog) -> Request:
    """Return the request with a short message of the user before everything else that is sent.

    Under `first_turn="drop"`, the messages before the first of the user are left out instead.
    """
    start = first_sent(request, log.context)
    before, after = request.messages[:start], request.messages[start:]
    if after and all(problem.field == "messages.count" for problem in log.context.problems):
        # another message does not help where there are too many
        return request
    count = next((index for index, message in enumerate(after) if message.role == "user"), len(after))
    why = f"{log.title} requires a conversation to begin with the user"
    if log.choice == "drop" and 0 < count < len(after):
        for message in after[:count]:
            log.add("dropped", message, "message", why)
        return replace(request, messages=(*before, *after[count:]))
    why = (
        f'{why}, who says "{START}"' if after else f'{log.title} requires a message; the user says "{START}"'
    )
    lead = len(list(takewhile(lambda message: message.role in ("system", "developer"), after)))
    log.add("added", after[lead] if lead < len(after) else request, "messages", why)
    filler = log.made(request, Message("user", (Text(START),)))
    return replace(request, messages=(*before, *after[:lead], filler, *after[lead:]))


@repair("begun_answer", refused="last_message.role")
def end_with_user(request: Request, log: EditLog) -> Request:
    """Return the request with a message of the user after an answer that was begun, asking to continue it.

    Under `begun_answer="drop"`, the begun answer is left out; under `as_user`, the user says its text.
    """
    last = request.messages[-1] if request.messages else None
    if last is None or last.role != "assistant":
        return request
    why = f"{log.title} does not continue an answer that was begun"
    if log.choice == "drop" and len(request.messages) > 1:
        log.add("dropped", last, "message", why)
        return replace(request, messages=request.messages[:-1])
    if log.choice == "as_user" and all(isinstance(part, Text) for part in last.parts):
        log.add("replaced", last, "role", f"{why}; sent as the user's")
        return replace(request, messages=(*request.messages[:-1], log.changed(last, role="user")))
    log.add("added", last, "messages", f'{why}; the user says "{CONTINUE}"')
    filler = log.made(last, Message("user", (Text(CONTINUE),)))
    return replace(request, messages=(*request.messages, filler))


@repair("begun_answer", refused="last_message.text")
def trim_end(request: Request, log: EditLog) -> Request:
    """Return the request without white space, and without thinking, at the end of an answer that was begun."""
    last = request.messages[-1] if request.messages else None
    end = last.parts[-1] if last is not None and last.parts else None
    if last is None or not isinstance(end, (Text, Reasoning)):
        return request
    parts = list(last.parts)
    while parts and isinstance(parts[-1], Reasoning):
        log.add("dropped", parts.pop(), "reasoning", f"{log.title} rejects thinking at the end of an answer")
    text = parts[-1] if parts else None
    if isinstance(text, Text) and (trimmed := text.text.rstrip()) != text.text:
        log.add("replaced", text, "text", f"{log.title} rejects white space at the end of a begun answer")
        parts[-1:] = [log.changed(text, text=trimmed)] if trimmed else []
    if len(parts) == len(last.parts) and parts[-1] is end:
        return request
    ended = (log.changed(last, parts=tuple(parts)),) if parts else ()
    return replace(request, messages=(*request.messages[:-1], *ended))


@repair("between_turns", refused="user.after")
def fill_between(request: Request, log: EditLog) -> Request:
    """Return the request with a short answer between tool results and a message that may not follow them."""
    messages: list[Message] = []
    for message in request.messages:
        before = messages[-1] if messages else None
        results = before is not None and any(isinstance(part, RESULTS) for part in before.parts)
        if log.asks_for(message) and results and message.role == "user":
            log.add("added", message, "messages", f'{log.title} requires an answer after results: "{NOTED}"')
            messages.append(log.made(message, Message("assistant", (Text(NOTED),))))
        messages.append(message)
    return replace(request, messages=tuple(messages))


@repair("between_turns", refused="assistant.tool_call.before assistant.text.before")
def split_answers(request: Request, log: EditLog) -> Request:
    """Return the request without text in answers that call tools, for models whose answers hold one or the other.

    The text goes into a message of its own before the calls, with a short turn of the user between them.
    """

    def change(message: Message) -> Iterable[Message]:
        calls = tuple([part for part in message.parts if isinstance(part, ToolCall)])
        others = tuple([part for part in message.parts if not isinstance(part, ToolCall)])
        if not (calls and others and any(map(log.asks_for, (message, *message.parts)))):
            return (message,)
        log.add("moved", message, "parts", f"{log.title} takes words or calls in an answer of this model")
        return (
            log.changed(message, parts=others),
            log.made(message, Message("user", (Text("Continue."),))),
            log.made(message, Message("assistant", calls, provenance=message.provenance)),
        )

    return with_changed_messages(request, change)


@repair("turns")
def join_turns(request: Request, log: EditLog) -> Request:
    """Return the request with the conversation as one message of the user, whose texts begin with their speakers.

    It ends with the words that the model continues as its answer: `User: Hi`, `Assistant: Hello.`, `User: Bye`,
    `Assistant:`.
    """
    start = first_sent(request, log.context)
    sent = request.messages[start:]
    if all(message.role == "user" for message in sent):
        return request
    log.add(
        "merged", request, "messages", f"{log.title} takes one text here; sent with a word for each speaker"
    )
    parts: list[Part] = []
    for message in sent:
        for name in [field.name for field in fields(message) if field.init and field.name not in _SAID]:
            if getattr(message, name) is not None:
                log.add("dropped", message, name, "the conversation is sent as one text")
        parts += with_lead(message, f"{_SPEAKERS[message.role]}: ", log)
    # an answer that was begun goes on
    if sent[-1].role != "assistant":
        parts.append(Text(f"{_SPEAKERS['assistant']}:"))
    joined = log.made(sent[0], Message("user", tuple(parts)))
    return replace(request, messages=(*request.messages[:start], joined))


_ROLES = ("system", "developer")


@repair(
    "late_system",
    refused="message.role instructions.role system* developer* !*.vendor.* !*.cache !*.id !*.item_id",
    no_place="*.role !tool.role",
)
def developer_as_system(request: Request, log: EditLog) -> Request:
    """Return the request with rejected developer messages as system messages, where the API accepts those.

    At the start of a conversation, each joins the system message beside it: layers of instructions are one message.
    """
    start = first_sent(request, log.context)
    head = len(list(takewhile(lambda message: message.role in _ROLES, request.messages[start:])))
    leading = {id(message) for message in request.messages[start : start + head]}
    takes_system = _takes_system(request, log.context)
    begins_with_system = _begins_with_system(request, log.context)

    def change(message: Message) -> Iterable[Message]:
        fits = takes_system or (begins_with_system and id(message) in leading)
        if not (fits and log.asks_for(message) and message.role == "developer"):
            return (message,)
        log.add("replaced", message, "role", f"{log.title} has no developer messages; sent as system message")
        return (log.changed(message, role="system"),)

    changed = with_changed_messages(request, change)
    if changed is not request:
        end = start + head
        joined = _join_leading(request.messages[start:end], changed.messages[start:end], log)
        changed = replace(changed, messages=(*changed.messages[:start], *joined, *changed.messages[end:]))
    layers = request.instructions
    if any(error.field == "instructions.role" for error in log.context.problems) and holds_nodes(layers):
        why = f"{log.title} has no developer messages; sent as system text"
        log.add("replaced", request, "instructions.role", why)
        layers = tuple(
            [log.changed(each, role="system") if each.role == "developer" else each for each in layers]
        )
    return changed if layers is changed.instructions else replace(changed, instructions=layers)


def _join_leading(
    given: tuple[Message, ...], messages: tuple[Message, ...], log: EditLog
) -> tuple[Message, ...]:
    """Join what was a developer's message with the system message beside it, where both have nothing but texts."""
    joined: list[Message] = []
    last: Message | None = None
    for own, message in zip(given, messages, strict=True):
        before = joined[-1] if joined else None
        was_developer = "developer" in (own.role, getattr(last, "role", None))
        last = own
        if before is not None and was_developer and _has_texts_alone(before) and _has_texts_alone(message):
            joined[-1] = log.changed(before, parts=(*before.parts, *message.parts))
            log.add(
                "merged", own, "message", "sent with the system message before it, as layers of one prompt"
            )
        else:
            joined.append(message)
    if log.context.wire.capabilities["instructions"]["several"] != "join":
        return tuple(joined)
    return tuple([_with_one_text(message, log) for message in joined])


def _with_one_text(message: Message, log: EditLog) -> Message:
    texts = [part.text for part in message.parts if isinstance(part, Text) and part == Text(part.text)]
    if len(texts) < max(len(message.parts), 2):
        return message
    return log.changed(message, parts=(Text("\n\n".join(texts)),))


def _has_texts_alone(message: Message) -> bool:
    plain = Message("system", message.parts)
    return replace(message, provenance=None, kept=None) == plain and all(
        isinstance(part, Text) for part in message.parts
    )


@repair(
    "late_system",
    refused="last_message.role message.role instructions.role system* developer* !*.vendor.* !*.cache !*.id !*.item_id",
    no_place="*.role !tool.role",
    rank=60,
)
def system_as_user(request: Request, log: EditLog) -> Request:
    """Return the request with rejected system messages as marked text of the user, in the same place.

    Under `late_system="hoist"`, the text of such a message becomes an instruction of the request.
    """
    start = first_sent(request, log.context)
    messages: list[Message] = [*request.messages[:start]]
    layers: list[Instruction] = []
    for message in request.messages[start:]:
        if not log.asks_for(message) or message.role not in _ROLES:
            messages.append(message)
        elif log.choice == "hoist" and all(isinstance(part, Text) for part in message.parts):
            log.add(
                "replaced",
                message,
                "message",
                f"{log.title} does not accept it here; sent with the instructions",
            )
            layers += [log.made(message, Instruction(_text(part))) for part in message.parts]
        else:
            log.add(
                "replaced",
                message,
                "role",
                f"{log.title} does not accept it here; sent as marked text of the user",
            )
            parts = tuple([_as_block(part, log) for part in message.parts])
            messages.append(log.changed(message, role="user", parts=parts))
    return replace(request, messages=tuple(messages), instructions=_with_layers(request, layers))


# what a layer may have besides its text
_BESIDE_TEXT = ("role", "cache", "vendor", "extra")


@repair("late_system", refused="instructions")
def instructions_as_message(request: Request, log: EditLog) -> Request:
    """Return the request with its instructions before the first message that is sent.

    They become a system message where the API accepts one there, or else marked text of the user.
    """
    given = request.instructions
    if not given:
        return request
    from ..model.request import Message

    text = given if isinstance(given, str) else "\n\n".join([layer.text for layer in given])
    start = first_sent(request, log.context)
    before, after = request.messages[:start], request.messages[start:]
    system = log.made(request, Message("system", (Text(text),)))
    changed = replace(request, messages=(*before, system, *after), instructions=None)
    lead = "a system message"
    if not _takes_system(changed, log.context):
        lead = "marked text of the user"
        changed = replace(
            request, messages=(*before, *_after_text(text, after, request, log)), instructions=None
        )
    why = f"{log.title} accepts no instructions in this request; sent as {lead}"
    log.add("moved", request, "instructions", why)
    for layer in () if isinstance(given, str) else given:
        for name in _BESIDE_TEXT:
            if getattr(layer, name) is not None:
                log.add("dropped", layer, name, "the layer is sent as text")
    return changed


def _takes_system(request: Request, context: RepairContext) -> bool:
    """Return whether an API has messages of the system, which are no instructions again, and the model accepts them."""
    has_own = context.wire.capabilities["instructions"]["mid_conversation"] != "none"
    return has_own and context.profile.refusal("message.role", "system", request) is None


def _begins_with_system(request: Request, context: RepairContext) -> bool:
    """Return whether an API has instructions as its first message, which the model accepts."""
    if context.wire.capabilities["instructions"]["placement"] != "first_message":
        return False
    rejected = (
        context.profile.refusal("message.role", "system", request),
        context.profile.refusal("instructions", "", request),
    )
    return rejected == (None, None)


def _after_text(
    text: str, messages: tuple[Message, ...], request: Request, log: EditLog
) -> tuple[Message, ...]:
    """Return messages whose first words of the user are these instructions."""
    from ..model.request import Message

    lead = Text(marked("system", text))
    if messages and messages[0].role == "user":
        return (log.changed(messages[0], parts=(lead, *messages[0].parts)), *messages[1:])
    return (log.made(request, Message("user", (lead,))), *messages)


def _text(part: Part) -> str:
    return part.text if isinstance(part, Text) else ""


def _as_block(part: Part, log: EditLog) -> Part:
    """Return a text of a system message as marked text."""
    if not isinstance(part, Text):
        return part
    return log.changed(part, text=marked("system", part.text))


def with_layer(request: Request, text: str) -> Any:
    """Return the instructions of a request with another layer behind them."""
    return _with_layers(request, [Instruction(text)])


def _with_layers(request: Request, layers: list[Instruction]) -> Any:
    given = request.instructions
    if not layers:
        return given
    if not given:
        return tuple(layers)
    return ((Instruction(given),) if isinstance(given, str) else given) + tuple(layers)
