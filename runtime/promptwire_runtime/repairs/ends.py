"""The first and the last turn of a conversation, turns that an API demands between others, and turns as one text."""

from __future__ import annotations

from ..model.parts import CustomToolResult, Text, ToolCall, ToolResult
from ..model.request import Message
from ..nodes.records import fields, replace
from ..typed import TYPE_CHECKING
from .as_text import with_lead
from .changes import EditLog, asked_nodes, first_sent, identities

if TYPE_CHECKING:
    from ..model.parts import Part
    from ..model.request import Request
    from .edits import Edit, RepairContext

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


def begin_with_user(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with a short message of the user before everything else that is sent.

    Under `first_turn="drop"`, the messages before the first of the user are left out instead.
    """
    log = EditLog(context, "first_turn")
    if context.policies.first_turn == "error":
        return request, ()
    start = first_sent(request, context)
    before, after = request.messages[:start], request.messages[start:]
    if after and all(problem.field == "messages.count" for problem in context.problems):
        # another message does not help where there are too many
        return request, ()
    title = context.wire.title
    count = next((index for index, message in enumerate(after) if message.role == "user"), len(after))
    if context.policies.first_turn == "drop" and 0 < count < len(after):
        for message in after[:count]:
            log.add("dropped", message, "message", f"{title} requires a conversation to begin with the user")
        return log.result(request, replace(request, messages=(*before, *after[count:])))
    if not after:
        why = f'{title} requires a message; the user says "{START}"'
    else:
        why = f'{title} requires a conversation to begin with the user, who says "{START}"'
    lead = next(
        (index for index, message in enumerate(after) if message.role not in ("system", "developer")),
        len(after),
    )
    log.add("added", after[lead] if lead < len(after) else request, "messages", why)
    filler = log.made(request, Message("user", (Text(START),)))
    return log.result(request, replace(request, messages=(*before, *after[:lead], filler, *after[lead:])))


def end_with_user(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with a message of the user after an answer that was begun, asking to continue it.

    Under `begun_answer="drop"`, the begun answer is left out; under `as_user`, the user says its text.
    """
    log = EditLog(context, "begun_answer")
    choice = context.policies.begun_answer
    last = request.messages[-1] if request.messages else None
    if choice == "error" or last is None or last.role != "assistant":
        return request, ()
    title = context.wire.title
    if choice == "drop" and len(request.messages) > 1:
        log.add("dropped", last, "message", f"{title} does not continue an answer that was begun")
        return log.result(request, replace(request, messages=request.messages[:-1]))
    if choice == "as_user" and all(isinstance(part, Text) for part in last.parts):
        log.add(
            "replaced",
            last,
            "role",
            f"{title} does not continue an answer that was begun; sent as the user's",
        )
        changed = log.changed(last, role="user")
        return log.result(request, replace(request, messages=(*request.messages[:-1], changed)))
    log.add(
        "added",
        last,
        "messages",
        f'{title} does not continue an answer that was begun; the user says "{CONTINUE}"',
    )
    filler = log.made(last, Message("user", (Text(CONTINUE),)))
    return log.result(request, replace(request, messages=(*request.messages, filler)))


def trim_end(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request without white space at the end of an answer that was begun."""
    log = EditLog(context, "begun_answer")
    last = request.messages[-1] if request.messages else None
    text = last.parts[-1] if last is not None and last.parts else None
    if last is None or not isinstance(text, Text) or context.policies.begun_answer == "error":
        return request, ()
    trimmed = text.text.rstrip()
    if trimmed == text.text:
        return request, ()
    log.add(
        "replaced", text, "text", f"{context.wire.title} rejects white space at the end of a begun answer"
    )
    parts: tuple[Part, ...] = last.parts[:-1]
    if trimmed:
        parts = (*parts, log.changed(text, text=trimmed))
    ended = (log.changed(last, parts=parts),) if parts else ()
    return log.result(request, replace(request, messages=(*request.messages[:-1], *ended)))


def fill_between(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with a short answer between tool results and a message that may not follow them."""
    log = EditLog(context, "between_turns")
    if context.policies.between_turns == "error":
        return request, ()
    asked = identities(asked_nodes(request, context))
    messages: list[Message] = []
    for message in request.messages:
        before = messages[-1] if messages else None
        results = before is not None and any(
            isinstance(part, (ToolResult, CustomToolResult)) for part in before.parts
        )
        if id(message) in asked and results and message.role == "user":
            log.add(
                "added",
                message,
                "messages",
                f'{context.wire.title} requires an answer after results: "{NOTED}"',
            )
            messages.append(log.made(message, Message("assistant", (Text(NOTED),))))
        messages.append(message)
    return log.result(request, replace(request, messages=tuple(messages)))


def split_answers(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request without text in answers that call tools, for models whose answers hold one or the other.

    The text goes into a message of its own before the calls, with a short turn of the user between them.
    """
    log = EditLog(context, "between_turns")
    if context.policies.between_turns == "error":
        return request, ()
    messages: list[Message] = []
    asked = identities(asked_nodes(request, context))
    for message in request.messages:
        calls = tuple([part for part in message.parts if isinstance(part, ToolCall)])
        others = tuple([part for part in message.parts if not isinstance(part, ToolCall)])
        concerned = id(message) in asked or any(id(part) in asked for part in message.parts)
        if not (concerned and calls and others):
            messages.append(message)
            continue
        log.add(
            "moved", message, "parts", f"{context.wire.title} takes words or calls in an answer of this model"
        )
        messages.append(log.changed(message, parts=others))
        messages.append(log.made(message, Message("user", (Text("Continue."),))))
        messages.append(log.made(message, Message("assistant", calls, provenance=message.provenance)))
    return log.result(request, replace(request, messages=tuple(messages)))


def join_turns(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with the conversation as one message of the user, whose texts begin with their speakers.

    It ends with the words that the model continues as its answer: `User: Hi`, `Assistant: Hello.`, `User: Bye`,
    `Assistant:`.
    """
    log = EditLog(context, "turns")
    start = first_sent(request, context)
    sent = request.messages[start:]
    if context.policies.turns == "error" or not any(message.role != "user" for message in sent):
        return request, ()
    title = context.wire.title
    log.add("merged", request, "messages", f"{title} takes one text here; sent with a word for each speaker")
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
    return log.result(request, replace(request, messages=(*request.messages[:start], joined)))
