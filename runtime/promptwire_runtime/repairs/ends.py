"""The first and the last turn of a conversation, turns that an API demands between others, and turns as one text."""

from __future__ import annotations

from itertools import takewhile

from ..model.parts import RESULTS, Reasoning, Text, ToolCall
from ..model.request import Message
from ..nodes.records import fields, replace
from ..typed import TYPE_CHECKING
from .as_text import with_lead
from .changes import EditLog, first_sent, history_repair, with_changed_messages

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..model.parts import Part
    from ..model.request import Request

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


@history_repair("first_turn")
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


@history_repair("begun_answer")
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


@history_repair("begun_answer")
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


@history_repair("between_turns")
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


@history_repair("between_turns")
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


@history_repair("turns")
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
