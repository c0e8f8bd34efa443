"""What toolkits add to the instructions of a request, plain or under a banner."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from ..constructors import system
from ..model.options import Instruction
from ..model.request import Message, Request
from ..nodes.records import replace
from .catalogue import Toolkits
from .state import ToolkitState

_RULE = "═" * 97
_TITLE = "🔧 ACTIVE CONTAINER PROTOCOLS (Execute ALL steps completely)"
_BREAK = "\n\n"
SOURCE = "toolkits"


def injected_text(catalogue: Toolkits, state: ToolkitState) -> str:
    """Give the system prompts that are active, in the order in which they came; under a banner by their names.

    Empty where nobody has anything to say.
    """
    texts = {
        name: text for name in state.active if (text := state.prompts.get(name)) and name in catalogue.kits
    }
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
    """Put a text behind the instructions of a request, a blank line between.

    Instructions in layers get one more; where messages of the system begin the conversation, one more stands there.
    """
    instructions = request.instructions
    if isinstance(instructions, str):
        return replace(request, instructions=f"{instructions}{_BREAK}{text}" if instructions else text)
    if instructions:
        return replace(request, instructions=(*instructions, Instruction(text, source=SOURCE)))
    start = request.continuation.start if request.continuation is not None else 0
    leading = len(list(takewhile(_instructs, request.messages[start:])))
    if not leading:
        return replace(request, instructions=text)
    place = start + leading
    return replace(request, messages=(*request.messages[:place], system(text), *request.messages[place:]))


def without_text(request: Request, text: str) -> Request:
    """Take a text away where `with_text` put it; a request that does not have it stays as it is."""
    instructions = request.instructions
    if isinstance(instructions, str):
        left = "" if instructions == text else instructions.removesuffix(f"{_BREAK}{text}")
        return replace(request, instructions=left or None) if left != instructions else request
    if instructions:
        last = instructions[-1]
        added = last.source == SOURCE and last.text == text
        return replace(request, instructions=instructions[:-1]) if added else request
    kept = tuple([message for message in request.messages if message != system(text)])
    return replace(request, messages=kept) if len(kept) < len(request.messages) else request


def _instructs(message: Message) -> bool:
    return message.role in ("system", "developer")
