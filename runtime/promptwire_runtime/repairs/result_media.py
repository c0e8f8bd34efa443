"""Pictures, documents, sound and video inside tool results, for APIs whose results cannot hold them."""

from __future__ import annotations

from ..model.parts import (
    Audio,
    CustomToolCall,
    CustomToolResult,
    Document,
    Image,
    SearchResult,
    Text,
    ToolCall,
    ToolResult,
    Video,
)
from ..model.request import Message
from ..nodes.records import replace
from ..reporting.spec_words import kind_of
from ..typed import TYPE_CHECKING
from .changes import EditLog, asked_nodes, end_of_turn, first_sent, identities

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Request
    from .edits import Edit, RepairContext

RESULTS = (ToolResult, CustomToolResult)
MEDIA = (Image, Document, Audio, Video, SearchResult)
MEDIA_WORDS = {
    "image": "picture",
    "document": "document",
    "audio": "sound",
    "video": "video",
    "search_result": "source",
}


def move_media(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with rejected media of tool results in the user message that follows the results.

    A text stands where the media stood and refers to it. Under `tool_media="drop"`, the text says that it was left out.
    """
    log = EditLog(context, "tool_media")
    if context.policies.tool_media == "error":
        return request, ()
    asked = identities(asked_nodes(request, context))
    mover = _Mover(log, asked, drops=context.policies.tool_media == "drop")
    start = first_sent(request, context)
    changed = mover.messages(list(request.messages[start:]))
    return log.result(request, replace(request, messages=(*request.messages[:start], *changed)))


class _Mover:
    """The messages of one conversation while media moves out of results."""

    def __init__(self, log: EditLog, asked: frozenset[int], *, drops: bool) -> None:
        self._log = log
        self._asked = asked
        self._drops = drops
        self._count = 0
        # what moves into the next user message
        self._moved: list[Part] = []

    def messages(self, messages: list[Message]) -> list[Message]:
        """Return the messages with the media moved."""
        names = _names_of_calls(messages)
        made: list[Message] = []
        index = 0
        while index < len(messages):
            end = end_of_turn(messages, index, RESULTS)
            turn = messages[index : max(end, index + 1)]
            made += [self._without_media(message, names) for message in turn]
            index = max(end, index + 1)
            if not self._moved:
                continue
            following = messages[index] if index < len(messages) else None
            if made[-1].role == "user":
                made[-1] = self._log.changed(made[-1], parts=after_results(made[-1].parts, self._moved))
            elif following is not None and following.role == "user":
                made.append(self._log.changed(following, parts=(*self._moved, *following.parts)))
                index += 1
            else:
                made.append(self._log.made(self._moved[-1], Message("user", tuple(self._moved))))
            self._moved = []
        return made

    def _without_media(self, message: Message, names: dict[str | None, str]) -> Message:
        parts = tuple([self._changed(part, names) for part in message.parts])
        if all(new is old for new, old in zip(parts, message.parts, strict=True)):
            return message
        whole: Message = self._log.changed(message, parts=parts)
        return whole

    def _changed(self, part: Any, names: dict[str | None, str]) -> Part:
        if not isinstance(part, RESULTS) or not any(id(inner) in self._asked for inner in part.parts):
            whole: Part = part
            return whole
        name = part.name or names.get(part.call_id) or "tool"
        inside = tuple([self._replaced(inner, name) for inner in part.parts])
        changed: Part = self._log.changed(part, parts=inside)
        return changed

    def _replaced(self, part: Any, name: str) -> Part:
        """Return what stands in a result instead of media."""
        if id(part) not in self._asked or not isinstance(part, MEDIA):
            whole: Part = part
            return whole
        word = MEDIA_WORDS[kind_of(part)]
        title = self._log.context.wire.title
        if self._drops:
            self._log.add("dropped", part, kind_of(part), f"{title} does not accept it in a tool result")
            return self._log.made(part, Text(f"[{word} left out]"))
        self._count += 1
        label = f"{word} {self._count}"
        why = f"{title} does not accept it in a tool result; sent in the user message that follows"
        self._log.add("moved", part, "", why)
        head = self._log.made(part, Text(f"[{label}, from the result of {name}]"))
        self._moved += [head, part]
        return self._log.made(part, Text(f"[{label}: see the next user message]"))


def after_results(parts: tuple[Part, ...], moved: list[Part]) -> tuple[Part, ...]:
    """Return parts with others inserted after the last result among them, or before all where there is none."""
    last = max([index for index, part in enumerate(parts) if isinstance(part, RESULTS)], default=-1)
    return (*parts[: last + 1], *moved, *parts[last + 1 :])


def _names_of_calls(messages: list[Message]) -> dict[str | None, str]:
    calls = [
        part for message in messages for part in message.parts if isinstance(part, (ToolCall, CustomToolCall))
    ]
    return {call.id: call.name for call in calls if call.id is not None}
