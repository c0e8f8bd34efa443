"""The two paths of instructions: the field of the request, which each builder places, or a system message."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from ..errors import ContextError
from ..model.options import Instruction
from ..model.parts import Text
from ..model.request import Message, Request
from ..nodes.records import replace, shown
from ..nodes.type_errors import check_class
from .layers import Merged
from .unmerging import Written, mark


def without_messages(request: Request, indices: Collection[int]) -> Request:
    """Return the request without the messages at these indices."""
    if not indices:
        return request
    removed = set(indices)
    messages = tuple([message for index, message in enumerate(request.messages) if index not in removed])
    if request.continuation is None:
        return replace(request, messages=messages)
    start = request.continuation.start
    start -= len([index for index in removed if index < start])
    return replace(request, messages=messages, continuation=replace(request.continuation, start=start))


def first_sent(request: Request) -> int:
    """Return the index of the first message that is sent: what stands before it the server already holds."""
    return request.continuation.start if request.continuation is not None else 0


def with_messages_first(request: Request, messages: tuple[Message, ...]) -> Request:
    """Insert messages before all messages that are sent."""
    start = first_sent(request)
    return replace(request, messages=request.messages[:start] + messages + request.messages[start:])


Path = Literal["native", "message"]
_NATIVE = {True: True, False: False, "true": True, "false": False, "unknown": False}


def instruction_path(native: bool | str) -> Path:
    """Choose the path by what is known of an API (its `CAPABILITIES["instructions"]["native"]`).

    What is unknown takes the path that works everywhere: a message.

    Raises:
        ContextError: `native` is none of true, false, unknown.
    """
    if not isinstance(native, bool | str) or native not in _NATIVE:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ContextError(
            f'native is true, false or "unknown", not {shown(native)}', where="instruction path"
        )
    return "native" if _NATIVE[native] else "message"


def place(
    merged: Merged, request: Request, path: Path = "native", own: tuple[Instruction, ...] = ()
) -> Request:
    """Write merged instructions into a request: its field, or a system message before all messages that are sent.

    The message remembers which layers are the request's `own`.

    The system text is the same on both paths. A request that continues one on the server gets its message
    where the new messages start, so that it is sent.
    """
    check_class(merged, Merged, "merged")
    check_class(request, Request, "request")
    if path == "native":
        return replace(request, instructions=merged.instructions)
    request = replace(request, instructions=None)
    instructions = merged.instructions
    if not instructions:
        return request
    layers = (Instruction(instructions),) if isinstance(instructions, str) else instructions
    written = mark(own)
    return with_messages_first(request, tuple([_message(layer, written) for layer in layers]))


def _message(layer: Instruction, written: Written) -> Message:
    part = Text(layer.text, cache=layer.cache, vendor=layer.vendor, extra=layer.extra)
    return Message(layer.role or "system", (part,), provenance=written)
