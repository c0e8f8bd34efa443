"""Pictures and other media in answers of an assistant, for APIs whose assistant messages cannot hold them."""

from __future__ import annotations

from ..model.request import Message
from ..nodes.records import replace
from ..typed import TYPE_CHECKING
from .changes import EditLog, first_sent, history_repair
from .moved_media import MovedMedia, after_results

if TYPE_CHECKING:
    from ..model.request import Request


@history_repair("answer_media")
def move_answer_media(request: Request, log: EditLog) -> Request:
    """Return the request with rejected media of answers in the next message of the user.

    A text stands where the media stood and refers to it; under `answer_media="drop"`, it says that they were left out.
    """
    media, start = MovedMedia(log), first_sent(request, log.context)
    made = _without_media(request.messages[start:], media)
    return replace(request, messages=(*request.messages[:start], *made))


def _without_media(messages: tuple[Message, ...], media: MovedMedia) -> list[Message]:
    made: list[Message] = []
    for message in messages:
        if message.role == "user" and media.waiting:
            made.append(media.log.changed(message, parts=after_results(message.parts, media.waiting)))
            media.waiting = []
        elif message.role == "assistant" and any(media.takes(part) for part in message.parts):
            parts = media.without(message.parts, place="an answer", origin="the assistant's answer")
            made.append(media.log.changed(message, parts=parts))
        else:
            made.append(message)
    if media.waiting:
        made.append(media.log.made(media.waiting[-1], Message("user", tuple(media.waiting))))
    return made
