"""Separation of a request's own instructions from the agent's layers that an earlier turn merged into them.

A prepared request may be prepared again. Its text already contains the agent's layers, which must not be repeated.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import count

from ..model.options import Instruction
from ..model.parts import Text
from ..model.request import Message
from ..model.wire_memory import Provenance
from ..nodes.records import replace, set_fields
from ..toolkits.viewing import WRITER
from .layers import Merged, blocks_of, merge, separators_of
from .policies import REQUEST
from .sections import trailing_sections, without_sections

_FIRST_PRIVATE = 0xE000  # of Unicode's characters without a meaning


class Written(Provenance):
    """The mark of a system message that a pipeline wrote, so that its next turn writes it anew.

    `own` are the layers of the request alone: they are kept beside the text, and never compared or dumped.
    """

    __slots__ = ("own",)

    own: tuple[Instruction, ...] | None

    def __init__(self, wire: str | None = None, model: str | None = None, api: str | None = None) -> None:
        set_fields(self, wire=wire, model=model, api=api, own=None)


def mark(own: tuple[Instruction, ...]) -> Written:
    """Build the mark of a message that contains layers of a request, among others."""
    written = Written(wire=WRITER)
    set_fields(written, own=own)
    return written


def is_marked(message: Message) -> bool:
    """Return whether a pipeline wrote a message."""
    return message.provenance is not None and message.provenance.wire == WRITER


def remembered(messages: Sequence[Message]) -> tuple[Instruction, ...] | None:
    """Return the layers of a request that marks remember; None where they remember none, as after a dump."""
    marks = [message.provenance for message in messages if isinstance(message.provenance, Written)]
    return marks[0].own if marks else None


def layer_of(message: Message) -> Instruction:
    """Return a system message that a pipeline wrote as the layer that it was made of."""
    part = message.parts[0]
    role = None if message.role == "system" else message.role
    text = part.text if isinstance(part, Text) else ""
    return Instruction(text, role, cache=part.cache, vendor=part.vendor, extra=part.extra)


def with_unknown(agent: Merged) -> tuple[Merged, int]:
    """Merge a placeholder for the layers of a request, a character that the agent's text lacks, and its index."""
    text = next(chr(code) for code in count(_FIRST_PRIVATE) if chr(code) not in agent.core)
    around = merge((*agent.layers, Instruction(text, source=REQUEST)), agent.policies)
    return around, [layer.text for layer in around.layers].index(text)


def own_layers(
    sent: tuple[Instruction, ...], agents: Sequence[Merged], names: Collection[str]
) -> tuple[Instruction, ...] | None:
    """Return the request's own layers: without the agent's text and without the sections of these names.

    `agents` are the layers that an earlier turn may have written; None when it wrote none of them.
    """
    if not sent:
        return ()
    separator = agents[0].policies.section_separator
    *first, last = sent
    stripped = without_sections(last.text, names, separator)
    layers = [*first, replace(last, text=stripped)] if stripped else first
    if not layers:
        return ()
    for agent in agents:
        own = _between(layers, agent)
        if own is not None:
            return own
    # sections that nobody names here may follow the agent's last words
    for section in reversed(trailing_sections(stripped)):
        head = replace(last, text=stripped[: section.start].removesuffix(separator))
        tail = Instruction(stripped[section.start :], source=REQUEST)
        for agent in agents:
            own = _between((*first, head), agent)
            if own is not None:
                return (*own, tail)
    return None


def _between(layers: Sequence[Instruction], agent: Merged) -> tuple[Instruction, ...] | None:
    """Return the layers at the place that the agent leaves for the layers of a request."""
    policies = agent.policies
    if _same(layers, blocks_of(agent.layers, policies)):
        return ()
    around, at = with_unknown(agent)
    before, after = around.layers[:at], around.layers[at + 1 :]
    rest = list(layers)
    if before:
        separator = separators_of((before[-1].source, REQUEST), policies)[0]
        rest = _after(rest, blocks_of(before, policies), separator)
    if after and rest:
        separator = separators_of((REQUEST, after[0].source), policies)[0]
        rest = _before(rest, blocks_of(after, policies), separator)
    return tuple(rest) or None


def _after(layers: list[Instruction], blocks: list[Instruction], separator: str) -> list[Instruction]:
    """Return what follows the agent's first blocks, of which the last may have grown; nothing if they are not there."""
    *complete, last = blocks
    end = len(complete)
    if not _same(layers[:end], complete) or len(layers) == end:
        return []
    grown, rest = layers[end], layers[end + 1 :]
    if _role_and_text(grown) == _role_and_text(last):
        return rest
    begin = last.text + separator
    if _role(grown) != _role(last) or not grown.text.startswith(begin):
        return []
    return [replace(grown, text=grown.text[len(begin) :]), *rest]


def _before(layers: list[Instruction], blocks: list[Instruction], separator: str) -> list[Instruction]:
    """Return the layers before the agent's last blocks, of which the first may have grown."""
    first, *complete = blocks
    start = len(layers) - len(complete)
    if start < 1 or not _same(layers[start:], complete):
        return []
    *rest, grown = layers[:start]
    if _role_and_text(grown) == _role_and_text(first):
        return rest
    end = separator + first.text
    if _role(grown) != _role(first) or not grown.text.endswith(end):
        return []
    # a mark at the end of the block is the agent's
    return [*rest, Instruction(grown.text[: -len(end)], grown.role, REQUEST)]


def _same(layers: Sequence[Instruction], others: Sequence[Instruction]) -> bool:
    """Return whether blocks say the same in the same roles."""
    return [_role_and_text(layer) for layer in layers] == [_role_and_text(layer) for layer in others]


def _role_and_text(layer: Instruction) -> tuple[str, str]:
    return _role(layer), layer.text


def _role(layer: Instruction) -> str:
    return layer.role or "system"
