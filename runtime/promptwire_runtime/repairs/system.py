"""System and developer messages that an API does not take where they stand."""

from __future__ import annotations

from ..model.options import Instruction
from ..model.parts import Text
from ..nodes.records import replace
from ..reporting.node_paths import holds_nodes
from ..typed import TYPE_CHECKING
from .as_text import marked
from .changes import EditLog, asked_nodes, first_sent, identities

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Message, Request
    from .edits import Edit, RepairContext

_ROLES = ("system", "developer")


def developer_as_system(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with rejected developer messages as system messages."""
    log = EditLog(context, "late_system")
    if context.policies.late_system == "error":
        return request, ()
    asked = identities(asked_nodes(request, context))
    messages: list[Message] = []
    for message in request.messages:
        if id(message) in asked and message.role == "developer":
            log.add(
                "replaced",
                message,
                "role",
                f"{context.wire.title} has no developer messages; sent as system message",
            )
            messages.append(log.changed(message, role="system"))
        else:
            messages.append(message)
    layers = request.instructions
    if any(error.field == "instructions.role" for error in context.problems) and holds_nodes(layers):
        why = f"{context.wire.title} has no developer messages; sent as system text"
        log.add("replaced", request, "instructions.role", why)
        layers = tuple(
            [log.changed(each, role="system") if each.role == "developer" else each for each in layers]
        )
    return log.result(request, replace(request, messages=tuple(messages), instructions=layers))


def repair_late_system(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with rejected system messages as marked text of the user, in the same place.

    Under `late_system="hoist"`, the text of such a message becomes an instruction of the request.
    """
    log = EditLog(context, "late_system")
    if context.policies.late_system == "error":
        return request, ()
    asked = identities(asked_nodes(request, context))
    start = first_sent(request, context)
    messages: list[Message] = [*request.messages[:start]]
    layers: list[Instruction] = []
    title = context.wire.title
    for message in request.messages[start:]:
        if id(message) not in asked or message.role not in _ROLES:
            messages.append(message)
        elif context.policies.late_system == "hoist" and all(
            isinstance(part, Text) for part in message.parts
        ):
            log.add(
                "replaced", message, "message", f"{title} does not accept it here; sent with the instructions"
            )
            layers += [log.made(message, Instruction(_text(part))) for part in message.parts]
        else:
            log.add(
                "replaced",
                message,
                "role",
                f"{title} does not accept it here; sent as marked text of the user",
            )
            parts = tuple([_as_block(part, message.role, log) for part in message.parts])
            messages.append(log.changed(message, role="user", parts=parts))
    return log.result(
        request, replace(request, messages=tuple(messages), instructions=_with_layers(request, layers))
    )


# what a layer may have besides its text
_BESIDE_TEXT = ("role", "cache", "vendor", "extra")


def instructions_as_message(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with its instructions before the first message that is sent.

    They become a system message where the API accepts one there, or else marked text of the user.
    """
    log = EditLog(context, "late_system")
    given = request.instructions
    if not given or context.policies.late_system == "error":
        return request, ()
    from ..model.request import Message

    text = given if isinstance(given, str) else "\n\n".join([layer.text for layer in given])
    start = first_sent(request, context)
    before, after = request.messages[:start], request.messages[start:]
    system = log.made(request, Message("system", (Text(text),)))
    changed = replace(request, messages=(*before, system, *after), instructions=None)
    lead = "a system message"
    if not _takes_system(changed, start, context):
        lead = "marked text of the user"
        changed = replace(
            request, messages=(*before, *_after_text(text, after, request, log)), instructions=None
        )
    why = f"{context.wire.title} accepts no instructions in this request; sent as {lead}"
    log.add("moved", request, "instructions", why)
    for layer in () if isinstance(given, str) else given:
        for name in _BESIDE_TEXT:
            if getattr(layer, name) is not None:
                log.add("dropped", layer, name, "the layer is sent as text")
    return log.result(request, changed)


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
    whole: Part = log.changed(part, text=marked(role, part.text))
    return whole


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
