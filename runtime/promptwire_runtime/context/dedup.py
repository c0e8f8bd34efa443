"""Where merged instructions meet system messages: one decision for the whole request, whatever path it takes."""

from __future__ import annotations

from ..model.options import Instruction
from ..model.parts import Text
from ..model.request import Message, Request
from ..model.wire_memory import Provenance
from ..reporting.notes import Note
from .cutting import without_messages
from .layers import Merged
from .sections import holds_only_sections

SYSTEM_ROLES = ("system", "developer")
# marks the system message that a pipeline wrote itself, so that its next turn writes it anew
OWN = Provenance(wire="promptwire.context")


def is_system(message: Message) -> bool:
    """Tell whether a message instructs the model: its role is system or developer."""
    return message.role in SYSTEM_ROLES


def text_of(message: Message) -> str:
    """Give the texts of a message, one a line."""
    return "\n".join([part.text for part in message.parts if isinstance(part, Text)])


def settle(merged: Merged, request: Request) -> tuple[Merged, Request]:
    """Decide by the `dedup` policy which layers are sent beside the system messages of a request.

    The system message that an earlier turn prepended is taken out first: it is written anew.
    Whatever is not sent is noted in `Merged.dropped`; the user's own messages are never changed.
    """
    own = [index for index, message in enumerate(request.messages) if _is_own(message, merged)]
    request = without_messages(request, own)
    if own:
        why = "an earlier turn wrote it: written anew"
        notes = [Note("dropped", f"messages[{index}]", "", why) for index in own]
        merged = merged._replace(dropped=(*merged.dropped, *notes))
    system = [(index, text_of(each)) for index, each in enumerate(request.messages) if is_system(each)]
    gone = _skipped(merged, system) if system and merged.layers else {}
    return merged.without(gone) if gone else merged, request


def _skipped(merged: Merged, system: list[tuple[int, str]]) -> dict[int, str]:
    """Give the layers that are not sent (index -> why)."""
    policy = merged.policies.dedup
    if policy == "skip_if_system_present":
        why = f"messages[{system[0][0]}] is a system message"
        return dict.fromkeys(range(len(merged.layers)), why)
    if policy == "skip_identical":
        same = [index for index, text in system if text == merged.core]
        why = f"messages[{same[0]}] says the same" if same else ""
        return dict.fromkeys(range(len(merged.layers)), why) if same else {}
    if policy == "substring":
        return _contained(merged.layers, system)
    return {}


def _contained(layers: tuple[Instruction, ...], system: list[tuple[int, str]]) -> dict[int, str]:
    found: dict[int, str] = {}
    for place, layer in enumerate(layers):
        holding = [index for index, text in system if layer.text in text]
        if holding:
            found[place] = f"messages[{holding[0]}] contains it"
    return found


def _is_own(message: Message, merged: Merged) -> bool:
    """Tell whether a pipeline wrote a message: by its mark, or by the same text with marked sections after it."""
    if not is_system(message):
        return False
    if message.provenance == OWN:
        return True
    core = merged.core
    text = text_of(message)
    rest = text[len(core) :]
    return bool(core) and bool(rest) and text.startswith(core) and holds_only_sections(rest)
