"""The request of one model call: the conversation with its visible tools and active instructions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import takewhile
from operator import is_
from typing import Any, NamedTuple, Self, TypeAlias

from ..errors import InvalidRequest
from ..model.options import Instruction, ToolChoice
from ..model.parts import Part, Reasoning, Text, ToolCall, ToolResult
from ..model.request import Message, Request
from ..model.wire_memory import Provenance
from ..nodes.records import replace, set_fields
from ..reporting.notes import Note
from .catalogue import Toolkits
from .config import INSTRUCTIONS, NATIVE
from .kits import ToolkitState
from .showing import DeferralMode, block_of, names_of


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
    """Return the index of the first message that is sent; the server holds those before it."""
    return request.continuation.start if request.continuation is not None else 0


def with_messages_first(request: Request, messages: tuple[Message, ...]) -> Request:
    """Insert messages before all messages that are sent."""
    start = first_sent(request)
    return replace(request, messages=request.messages[:start] + messages + request.messages[start:])


Instructions: TypeAlias = "str | tuple[Instruction, ...] | None"


class PreparedText(str):
    """A system text that was written for a request.

    own   the layers of the request alone; None where no pipeline wrote the text
    bare  the instructions before toolkits added theirs, empty if there were none; None where toolkits added nothing
    """

    __slots__ = ("bare", "own")

    own: tuple[Instruction, ...] | None
    bare: Instructions

    def __new__(
        cls, text: str, own: tuple[Instruction, ...] | None = None, bare: Instructions = None
    ) -> Self:
        """Build the text with its memory."""
        prepared = super().__new__(cls, text)
        prepared.own, prepared.bare = own, bare
        return prepared

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle with the memory."""
        return type(self), (str(self), self.own, self.bare)


class PreparedLayers(tuple[Instruction, ...]):  # noqa: SLOT001  # a tuple has no slots for its memory
    """Layers of instructions that were written for a request: `own` and `bare` as in `PreparedText`."""

    own: tuple[Instruction, ...] | None
    bare: Instructions

    def __new__(
        cls,
        layers: Iterable[Instruction],
        own: tuple[Instruction, ...] | None = None,
        bare: Instructions = None,
    ) -> Self:
        """Build the layers with their memory."""
        prepared = super().__new__(cls, layers)
        prepared.own, prepared.bare = own, bare
        return prepared

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle with the memory."""
        return type(self), (tuple(self), self.own, self.bare)


def with_memory(
    instructions: Instructions, own: tuple[Instruction, ...] | None, bare: Instructions = None
) -> Instructions:
    """Return instructions that remember the request's own layers and their state before toolkits added theirs."""
    if isinstance(instructions, tuple):
        return PreparedLayers(instructions, own, bare)
    if instructions or any(layer.text.strip() for layer in own or ()):
        # without any words, an empty text keeps the memory; no API is sent one
        return PreparedText(instructions or "", own, bare)
    return None


def own_of(instructions: Instructions) -> tuple[Instruction, ...] | None:
    """Return the request's own layers as prepared instructions remember them; None where they remember none."""
    return instructions.own if isinstance(instructions, PreparedText | PreparedLayers) else None


def bare_of(instructions: Instructions) -> Instructions:
    """Return instructions without what toolkits added."""
    if isinstance(instructions, PreparedText | PreparedLayers) and instructions.bare is not None:
        bare = instructions.bare
        return bare if bare or own_of(bare) else None
    return instructions


_RULE = "═" * 97
_TITLE = "🔧 ACTIVE CONTAINER PROTOCOLS (Execute ALL steps completely)"
_BREAK = "\n\n"
SOURCE = "toolkits"
# the mark of a system message that a pipeline wrote
WRITER = "promptwire.context"
_TOOLKITS = "promptwire.toolkits"
_WRITTEN = Provenance(wire=_TOOLKITS)


class Extended(Provenance):
    """The mark of a pipeline's system message to which toolkits have added a text; `bare` is the message before."""

    __slots__ = ("bare",)

    bare: Message | None

    def __init__(self, wire: str | None = None, model: str | None = None, api: str | None = None) -> None:
        set_fields(self, wire=wire, model=model, api=api, bare=None)


def _extended(message: Message, text: str) -> Message:
    """Return a system message of one text with another text behind it."""
    mark = Extended(wire=WRITER)
    set_fields(mark, bare=message)
    (part,) = message.parts
    whole = f"{getattr(part, 'text', '')}{_BREAK}{text}"
    return replace(message, parts=(Text(whole),), provenance=mark)


def injected_text(catalogue: Toolkits, state: ToolkitState, mode: DeferralMode) -> str:
    """Return the system prompts that are active, in the order in which they came; under a banner by their names.

    Empty where nobody has anything to say.
    """
    texts: dict[str, str] = {}
    rules: Mapping[str, str] = state.rules if mode.word == NATIVE else {}
    if catalogue.config.native_instructions == INSTRUCTIONS:
        texts.update({name: text for name, text in rules.items() if text and name in catalogue.kits})
    for name in state.active:
        text = state.prompts.get(name)
        # texts in descriptions are not repeated
        if text and name in catalogue.kits and text != rules.get(name):
            texts[name] = _BREAK.join([texts[name], text]) if name in texts else text
    if catalogue.config.injection_style == "banner":
        return _banner(catalogue, texts)
    return _BREAK.join(texts.values())


def _banner(catalogue: Toolkits, texts: Mapping[str, str]) -> str:
    if not texts:
        return ""
    pieces = [f"{_RULE}\n{_TITLE}\n{_RULE}"]
    for name in sorted(texts):
        functions = ", ".join(catalogue.kits[name].names)
        listed = f"**Available functions:** {functions}\n\n" if functions else ""
        pieces.append(f"## {name}:\n{listed}{texts[name]}")
    return _BREAK.join(pieces)


def with_text(request: Request, text: str) -> Request:
    """Append a text to the instructions of a request, after a blank line.

    Instructions in layers get one more layer. Where system messages begin the conversation and there are no
    instructions, the text is one more system message, or stands behind the text of a pipeline's message. `without_text`
    finds all of these again.
    """
    instructions = request.instructions
    own = own_of(instructions)
    bare = instructions if instructions is not None else ""
    if isinstance(instructions, tuple) and instructions:
        layers = (*instructions, Instruction(text, source=SOURCE))
        return replace(request, instructions=with_memory(layers, own, bare))
    if instructions:
        return replace(request, instructions=with_memory(f"{instructions}{_BREAK}{text}", own, bare))
    start = request.continuation.start if request.continuation is not None else 0
    leading = len(list(takewhile(_instructs, request.messages[start:])))
    if not leading:
        return replace(request, instructions=with_memory(text, own, bare))
    place = start + leading
    last = request.messages[place - 1]
    if last.provenance is not None and last.provenance.wire == WRITER and _is_text(last):
        # as it would be in a field for instructions
        messages = (*request.messages[: place - 1], _extended(last, text), *request.messages[place:])
        return replace(request, messages=messages)
    message = Message("system", (Text(text),), provenance=_WRITTEN)
    return replace(request, messages=(*request.messages[:place], message, *request.messages[place:]))


def without_text(request: Request, text: str) -> Request:
    """Remove any text that `with_text` appended; a request without one is returned unchanged.

    A request that was stored in between has lost the memory of its instructions: there, `text` is looked for.
    """
    instructions = request.instructions
    bare = bare_of(instructions)
    if bare is instructions and text and isinstance(instructions, str):
        bare = "" if instructions == text else instructions.removesuffix(f"{_BREAK}{text}")
        bare = (bare or None) if bare != instructions else instructions
    elif bare is instructions and isinstance(instructions, tuple):
        layers = tuple([layer for layer in instructions if layer.source != SOURCE])
        bare = (layers or None) if len(layers) < len(instructions) else instructions
    if bare is not instructions:
        request = replace(request, instructions=bare)
    messages = tuple([_without_extension(message) for message in request.messages])
    if not all(map(is_, messages, request.messages)):
        request = replace(request, messages=messages)
    written = [index for index, message in enumerate(request.messages) if message.provenance == _WRITTEN]
    return without_messages(request, written)


def _is_text(message: Message) -> bool:
    return len(message.parts) == 1 and isinstance(message.parts[0], Text)


def _without_extension(message: Message) -> Message:
    mark = message.provenance
    return mark.bare if isinstance(mark, Extended) and mark.bare is not None else message


def _instructs(message: Message) -> bool:
    return message.role in ("system", "developer")


def without_expansions(request: Request, names: Collection[str], ids: Collection[str]) -> Request:
    """Remove every call of a container (by name) and every call with one of these ids, with their results.

    A message that had nothing else, but for what the model thought before it called, goes as a whole; a call without
    an id is found by its name, and its result by the name that it holds. What the server holds already is counted anew.
    """
    gone = {
        part.id
        for message in request.messages
        for part in message.parts
        if isinstance(part, ToolCall) and part.id is not None and (part.name in names or part.id in ids)
    }
    kept = [_kept(message, names, gone) for message in request.messages]
    if all(map(is_, kept, request.messages)):
        return request
    messages = tuple([message for message in kept if message is not None])
    if request.continuation is None:
        return replace(request, messages=messages)
    start = len([message for message in kept[: request.continuation.start] if message is not None])
    return replace(request, messages=messages, continuation=replace(request.continuation, start=start))


def _kept(message: Message, names: Collection[str], gone: Collection[str]) -> Message | None:
    """Return what remains of a message: the message itself if nothing is removed, None if nothing remains."""
    parts = tuple([part for part in message.parts if not _is_removed(part, names, gone)])
    if len(parts) == len(message.parts):
        return message
    return None if all(isinstance(part, Reasoning) for part in parts) else replace(message, parts=parts)


def _is_removed(part: Part, names: Collection[str], gone: Collection[str]) -> bool:
    if isinstance(part, ToolCall):
        return part.id in gone if part.id is not None else part.name in names
    if isinstance(part, ToolResult):
        return part.call_id in gone if part.call_id is not None else part.name in names
    return False


class View(NamedTuple):
    """A request that is ready to be built, the names of its tools, and notes."""

    request: Request
    shown: frozenset[str]
    notes: tuple[Note, ...]


def view_of(catalogue: Toolkits, state: ToolkitState, mode: DeferralMode, bare: Request) -> View:
    """Add the tools and the instructions of toolkits to a conversation.

    Raises InvalidRequest for a tool whose name a toolkit has, and for the choice of a function that does not show.
    """
    catalogue.check_names(bare)
    block = block_of(catalogue, state, mode)
    tools = (*bare.tools, *block.tools) if bare.tools else block.tools
    shown = block.names.union(names_of(bare.tools)) if bare.tools else block.names
    notes = [mode.note(catalogue), *catalogue.notes]
    if mode.word == NATIVE:
        notes += [
            _cache_note(name) for name, row in catalogue.members.items() if row.member.tool.cache is not None
        ]
    request = replace(bare, tools=tools or None)
    if bare.tool_choice is not None:
        choice = _choice(catalogue, bare.tool_choice, shown, notes)
        request = replace(request, tool_choice=choice)
    text = injected_text(catalogue, state, mode)
    return View(with_text(request, text) if text else request, shown, tuple(notes))


def _choice(
    catalogue: Toolkits, choice: ToolChoice, shown: frozenset[str], notes: list[Note]
) -> ToolChoice | None:
    """Check a tool choice; the choice of a container that is expanded is dropped with a note."""
    names = [choice.name] if choice.name is not None else list(choice.names or ())
    hidden = [name for name in names if name in catalogue.members and name not in shown]
    if hidden:
        where = catalogue.members[hidden[0]].path[-1]
        trouble = f'tool_choice names "{hidden[0]}", which does not show: expand {where} first'
        raise InvalidRequest(trouble, field="tool_choice")
    done = [name for name in names if name in catalogue.kits and name not in shown]
    if not done:
        return choice
    notes.append(
        Note("dropped", "tool_choice", done[0], "the toolkit is expanded: nothing is left to choose")
    )
    left = tuple([name for name in names if name not in done])
    return replace(choice, names=left) if left else None


def _cache_note(name: str) -> Note:
    why = "what is deferred is not in the prefix that a cache mark keeps"
    return Note("dropped", f"tools.{name}", "cache", why)


def without_view(catalogue: Toolkits, state: ToolkitState, mode: DeferralMode, request: Request) -> Request:
    """Remove what an earlier view added to a request: the tools of toolkits and their instructions."""
    own = {*catalogue.kits, *catalogue.members}
    kept = [tool for tool in request.tools or () if tool != mode.search and own.isdisjoint(names_of((tool,)))]
    request = replace(request, tools=tuple(kept) or None) if len(kept) < len(request.tools or ()) else request
    return without_text(request, injected_text(catalogue, state, mode))
