"""Pictures, documents, sound and video inside tool results, for APIs whose results cannot hold them."""

from __future__ import annotations

from ..model.parts import CALLS, RESULTS
from ..model.request import Message
from ..nodes.records import replace
from ..typed import TYPE_CHECKING
from .changes import EditLog, end_of_turn, first_sent, history_repair
from .moved_media import MovedMedia, after_results

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Request


@history_repair("tool_media")
def move(request: Request, log: EditLog) -> Request:
    """Return the request with rejected media of tool results in the user message that follows the results.

    A text stands where the media stood and refers to it. Under `tool_media="drop"`, the text says that it was left out.
    """
    media = MovedMedia(log)
    start = first_sent(request, log.context)
    made = _without_media(list(request.messages[start:]), media)
    return replace(request, messages=(*request.messages[:start], *made))


def _without_media(messages: list[Message], media: MovedMedia) -> list[Message]:
    names = _names_of_calls(messages)
    made: list[Message] = []
    index = 0
    while index < len(messages):
        end = max(end_of_turn(messages, index, RESULTS), index + 1)
        made += [_changed_message(message, names, media) for message in messages[index:end]]
        index = end
        if not media.waiting:
            continue
        following = messages[index] if index < len(messages) else None
        if made[-1].role == "user":
            made[-1] = media.log.changed(made[-1], parts=after_results(made[-1].parts, media.waiting))
        elif following is not None and following.role == "user":
            made.append(media.log.changed(following, parts=(*media.waiting, *following.parts)))
            index += 1
        else:
            made.append(media.log.made(media.waiting[-1], Message("user", tuple(media.waiting))))
        media.waiting = []
    return made


def _changed_message(message: Message, names: dict[str | None, str], media: MovedMedia) -> Message:
    parts = tuple([_changed_part(part, names, media) for part in message.parts])
    if all(new is old for new, old in zip(parts, message.parts, strict=True)):
        return message
    return media.log.changed(message, parts=parts)


def _changed_part(part: Any, names: dict[str | None, str], media: MovedMedia) -> Part:
    if not isinstance(part, RESULTS) or not any(media.takes(inner, part) for inner in part.parts):
        whole: Part = part
        return whole
    name = part.name or names.get(part.call_id) or "tool"
    place = "a failed tool result" if media.log.asks_for(part) else "a tool result"
    inside = media.without(part.parts, place=place, origin=f"the result of {name}", holder=part)
    return media.log.changed(part, parts=inside)


def _names_of_calls(messages: list[Message]) -> dict[str | None, str]:
    calls = [part for message in messages for part in message.parts if isinstance(part, CALLS)]
    return {call.id: call.name for call in calls if call.id is not None}
