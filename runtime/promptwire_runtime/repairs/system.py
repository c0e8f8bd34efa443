"""System and developer messages that an API does not take where they stand."""

from __future__ import annotations

from ..model.options import Instruction
from ..model.parts import Text
from ..nodes.records import replace
from ..reporting.node_paths import holds_nodes
from ..typed import TYPE_CHECKING
from .as_text import marked
from .changes import EditLog, first_sent, history_repair, with_changed_messages

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Message, Request
    from .edits import RepairContext

_ROLES = ("system", "developer")


@history_repair("late_system")
def developer_as_system(request: Request, log: EditLog) -> Request:
    """Return the request with rejected developer messages as system messages."""

    def change(message: Message) -> Iterable[Message]:
        if not log.asks_for(message) or message.role != "developer":
            return (message,)
        log.add("replaced", message, "role", f"{log.title} has no developer messages; sent as system message")
        return (log.changed(message, role="system"),)

    changed = with_changed_messages(request, change)
    layers = request.instructions
    if any(error.field == "instructions.role" for error in log.context.problems) and holds_nodes(layers):
        why = f"{log.title} has no developer messages; sent as system text"
        log.add("replaced", request, "instructions.role", why)
        layers = tuple(
            [log.changed(each, role="system") if each.role == "developer" else each for each in layers]
        )
    return replace(changed, instructions=layers)


@history_repair("late_system")
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
            parts = tuple([_as_block(part, message.role, log) for part in message.parts])
            messages.append(log.changed(message, role="user", parts=parts))
    return replace(request, messages=tuple(messages), instructions=_with_layers(request, layers))


# what a layer may have besides its text
_BESIDE_TEXT = ("role", "cache", "vendor", "extra")


@history_repair("late_system")
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
    if not _takes_system(changed, start, log.context):
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


def _takes_system(request: Request, index: int, context: RepairContext) -> bool:
    """Return whether an API accepts a request with this system message, and not as instructions again."""
    path = f"messages[{index}]"
    problems = [] if context.trial is None else context.trial(request)
    about = [
        error for error in problems if error.path.startswith(path) or error.field.startswith("instructions")
    ]
    return context.trial is not None and not about


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


def _as_block(part: Part, role: str, log: EditLog) -> Part:
    """Return a text of a system message as marked text."""
    if not isinstance(part, Text):
        return part
    return log.changed(part, text=marked(role, part.text))


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
