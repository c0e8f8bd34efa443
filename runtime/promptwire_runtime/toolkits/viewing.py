"""The request of one model call: the conversation with its visible tools and active instructions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import takewhile
from operator import is_
from typing import NamedTuple

from ..errors import InvalidRequest
from ..model.options import Instruction, ToolChoice
from ..model.parts import Part, Reasoning, Text, ToolCall, ToolResult
from ..model.request import Message, Request
from ..model.wire_memory import Provenance
from ..nodes.records import replace
from ..prepared import Written, bare_of, is_written, own_of, own_of_message, with_memory
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


_RULE = "═" * 97
_TITLE = "🔧 ACTIVE CONTAINER PROTOCOLS (Execute ALL steps completely)"
_BREAK = "\n\n"
SOURCE = "toolkits"
_TOOLKITS = "promptwire.toolkits"
_WRITTEN = Provenance(wire=_TOOLKITS)


def _extended(message: Message, text: str, *, joins: bool) -> Message:
    """Return a pipeline's system message with another text, joined with its own or as another part."""
    mark = Written(own_of_message(message), message)
    part = message.parts[-1]
    if joins and isinstance(part, Text) and part == Text(part.text):
        whole = Text(f"{part.text}{_BREAK}{text}")
        return replace(message, parts=(*message.parts[:-1], whole), provenance=mark)
    return replace(message, parts=(*message.parts, Text(text)), provenance=mark)


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
    if last.role == "system" and is_written(last):
        # as it would be in a field for instructions
        alone = not any(map(is_written, request.messages[start : place - 1]))
        extended = _extended(last, text, joins=alone)
        return replace(
            request, messages=(*request.messages[: place - 1], extended, *request.messages[place:])
        )
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


def _without_extension(message: Message) -> Message:
    mark = message.provenance
    return mark.bare if isinstance(mark, Written) and mark.bare is not None else message


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
