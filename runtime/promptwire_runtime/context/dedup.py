"""Deduplication of merged instructions and system messages: one decision for the whole request."""

from __future__ import annotations

from bisect import bisect
from itertools import count

from ..model.options import Instruction
from ..model.parts import Text
from ..model.request import Message, Request
from ..nodes.type_errors import check_class
from ..prepared import is_written
from ..reporting.notes import Note
from ..toolkits.viewing import without_messages
from .layers import Merged, join_apart, merge, runs_of
from .policies import REQUEST
from .sections import holds_only_sections

_FIRST_PRIVATE = 0xE000  # of Unicode's characters without a meaning
SYSTEM_ROLES = ("system", "developer")


def is_system(message: Message) -> bool:
    """Return whether a message instructs the model: its role is system or developer."""
    return message.role in SYSTEM_ROLES


def text_of(message: Message) -> str:
    """Return the texts of a message, one a line."""
    return "\n".join([part.text for part in message.parts if isinstance(part, Text)])


def without_written(request: Request) -> tuple[Request, tuple[Message, ...], list[Note]]:
    """Remove the messages that an earlier turn wrote; return the request, the messages, and a note for each."""
    written = {index: message for index, message in enumerate(request.messages) if is_written(message)}
    return (
        without_messages(request, written),
        tuple(written.values()),
        [_rewritten_note(index) for index in written],
    )


def settle(merged: Merged, request: Request, *, alone: bool = False) -> tuple[Merged, Request]:
    """Decide by the `dedup` policy which layers are sent together with the system messages of a request.

    The system message that an earlier turn prepended is taken out first: it is written anew.
    Whatever is not sent is noted in `Merged.dropped`; the user's own messages are never changed.
    `alone` says that the request adds no layer of its own: a system message may hold it, among the agent's.
    """
    check_class(merged, Merged, "merged")
    check_class(request, Request, "request")
    indices = [index for index, message in enumerate(request.messages) if _is_own(message, merged)]
    request = without_messages(request, indices)
    if indices:
        merged = merged._replace(dropped=(*merged.dropped, *map(_rewritten_note, indices)))
    reasons = _find_skipped(merged, request.messages, alone=alone)
    return merged.without(reasons) if reasons else merged, request


def _rewritten_note(index: int) -> Note:
    return Note("dropped", f"messages[{index}]", "", "an earlier turn wrote it: written anew")


def _find_skipped(merged: Merged, messages: tuple[Message, ...], *, alone: bool) -> dict[int, str]:
    """Return the layers that are not sent (index -> reason)."""
    system = [(index, text_of(message)) for index, message in enumerate(messages) if is_system(message)]
    policy = merged.policies.dedup
    if not system:
        return {}
    if policy == "skip_if_system_present":
        why = f"messages[{system[0][0]}] is a system message"
        return dict.fromkeys(range(len(merged.layers)), why)
    if policy == "skip_identical":
        parts = [
            (index, part.text)
            for index, _ in system
            for part in messages[index].parts
            if isinstance(part, Text)
        ]
        said = {text: index for index, text in reversed((*system, *parts))}
        return {**(_find_surrounding(merged, said) if alone else {}), **_find_repeated(merged, said)}
    if policy == "substring":
        return _find_contained(merged.layers, system)
    return {}


def _find_repeated(merged: Merged, said: dict[str, int]) -> dict[int, str]:
    """Return the layers whose text equals a system message: one by one, joined as a block, or all joined."""
    reasons: dict[int, str] = {}
    single = [(layer.text, range(index, index + 1)) for index, layer in enumerate(merged.layers)]
    for text, indices in (_whole_text(merged), *runs_of(merged.layers, merged.policies), *single):
        if text in said:
            for index in indices:
                reasons.setdefault(index, f"messages[{said[text]}] says the same")
    return reasons


def _find_surrounding(merged: Merged, said: dict[str, int]) -> dict[int, str]:
    """Return the layers that a system message repeats around the request's own text."""
    around, place = _merge_placeholder(merged)
    reasons: dict[int, str] = {}
    for text, indices in (_whole_text(around), *runs_of(around.layers, merged.policies)):
        prefix, unknown, suffix = text.partition(around.layers[place].text)
        room = len(prefix) + len(suffix)
        holding = [
            index
            for said_text, index in said.items()
            if len(said_text) > room and said_text.startswith(prefix) and said_text.endswith(suffix)
        ]
        if unknown and holding:
            for index in indices:
                if index != place:
                    reasons.setdefault(
                        index - (index > place), f"messages[{min(holding)}] says the same, and more"
                    )
    return reasons


def _merge_placeholder(agent: Merged) -> tuple[Merged, int]:
    """Merge a layer of the request, a character that the agent's text lacks, and return its index."""
    text = next(chr(code) for code in count(_FIRST_PRIVATE) if chr(code) not in agent.core)
    around = merge((*agent.layers, Instruction(text, source=REQUEST)), agent.policies)
    return around, [layer.text for layer in around.layers].index(text)


def _whole_text(merged: Merged) -> tuple[str, range]:
    return merged.core, range(len(merged.layers))


def _find_contained(layers: tuple[Instruction, ...], system: list[tuple[int, str]]) -> dict[int, str]:
    whole, starts = join_apart([text for _, text in system], [layer.text for layer in layers])
    reasons: dict[int, str] = {}
    for place, layer in enumerate(layers):
        at = whole.find(layer.text)
        if at >= 0:
            reasons[place] = f"messages[{system[bisect(starts, at) - 1][0]}] contains it"
    return reasons


def _is_own(message: Message, merged: Merged) -> bool:
    """Return whether a pipeline wrote a message: it has a mark, or the same text followed by marked sections."""
    if not is_system(message):
        return False
    if is_written(message):
        return True
    core = merged.core
    text = text_of(message)
    rest = text[len(core) :]
    return bool(core) and text.startswith(core) and holds_only_sections(rest)


def settle_own(merged: Merged, own: tuple[Instruction, ...], request: Request) -> tuple[Merged, Request]:
    """Add the layers of the request, and decide which layers are sent together with its system messages."""
    if own and not all(holds_only_sections(layer.text) for layer in own):
        return settle(merged.merge(*own), request)
    # sections that a filter wrote are not the request's own text
    merged, request = settle(merged, request, alone=True)
    return settle(merged.merge(*own), request) if own else (merged, request)
