"""The two paths of instructions: the field of the request, which each builder places, or a system message."""

from __future__ import annotations

from typing import Literal

from ..errors import ContextError
from ..model.options import Instruction
from ..model.parts import Text
from ..model.request import Message, Request
from ..nodes.record_fields import shown
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..toolkits.message_edits import with_messages_first
from ..toolkits.prepared_instructions import with_memory
from .layers import Merged
from .unmerging import Written, mark

Path = Literal["native", "message"]
_NATIVE = {True: True, False: False, "true": True, "false": False, "unknown": False}


def instruction_path(native: bool | str) -> Path:
    """Choose the path by what is known of an API (its `WIRE.capabilities["instructions"]["native"]`).

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

    The system text is the same on both paths. The result remembers the layers of the request alone (`own`), so that the
    next turn writes it anew. A request that continues one on the server gets its message where the new messages
    start, so that it is sent.
    """
    check_class(merged, Merged, "merged")
    check_class(request, Request, "request")
    instructions = merged.instructions
    if path == "native" or not instructions:
        return replace(request, instructions=with_memory(instructions, own))
    request = replace(request, instructions=None)
    layers = (Instruction(instructions),) if isinstance(instructions, str) else instructions
    written = mark(own)
    return with_messages_first(request, tuple([_message(layer, written) for layer in layers]))


def _message(layer: Instruction, written: Written) -> Message:
    part = Text(layer.text, cache=layer.cache, vendor=layer.vendor, extra=layer.extra)
    return Message(layer.role or "system", (part,), provenance=written)
