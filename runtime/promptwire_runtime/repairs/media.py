"""Repairs of pictures, documents, sound and video: media types, `data:` URLs, and the place where an API takes them."""

from __future__ import annotations

from ..model.parts import CALLS, RESULTS, Audio, Document, Image, SearchResult, Text, Video
from ..model.request import Message
from ..nodes.file_kinds import is_text, registered_type, type_of_bytes, type_of_name
from ..nodes.records import replace
from ..reporting.spec_words import kind_of
from ..typed import TYPE_CHECKING
from .changes import EditLog, end_of_turn, first_sent, with_changed_parts
from .registry import repair
from .texts import decoded

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Request

_FILES = (Image, Document, Audio, Video)
# what a kind of part may hold
_WEB = ("http://", "https://")
_FAMILIES: dict[type, str] = {Image: "image/", Audio: "audio/", Video: "video/"}


@repair(
    "media_types",
    refused="*.actual_type *.document.media_type* *.media_type "
    "!tool.image.media_type !tool.audio.media_type !tool.video.media_type",
    missing="*.media_type",
    no_place="*.media_type",
    rank=30,
)
def detect_media_types(request: Request, log: EditLog) -> Request:
    """Return the request with the media types that the API requires, as names and bytes of the files say.

    One that the API rejects is spelled as it is registered, or becomes the one that the bytes show.
    """
    misled = {id(node) for node, error in log.asked if error.field.endswith(".actual_type")}

    def change(part: Part) -> Part:
        if not log.asks_for(part) or not isinstance(part, _FILES):
            return part
        found = media_type_of(part) if part.media_type is None else _registered(part)
        if found is None or found == part.media_type:
            return part
        if part.media_type is None:
            log.add(
                "added", part, "media_type", f"{log.title} requires it; {found}, as its name or bytes say"
            )
        else:
            why = f"{log.title} does not accept {part.media_type}; sent as {found}"
            if id(part) in misled:
                why = f"its bytes are those of {found}, not of {part.media_type}"
            log.add("replaced", part, "media_type", why)
        return log.changed(part, media_type=found)

    return with_changed_parts(request, log, change)


@repair(
    "media_types",
    refused="*.actual_type *.url *.uri !tool.*.url !tool.*.uri",
    missing="*.media_type",
    no_place="image document audio video",
    rank=20,
)
def unpack_data_urls(request: Request, log: EditLog) -> Request:
    """Return the request with media whose URL holds their bytes (`data:image/png;base64,...`) as data.

    Such a URL may stand in place of the data as well.
    """

    def change(part: Part) -> Part:
        if not log.asks_for(part) or not isinstance(part, _FILES):
            return part
        field, url = ("data", part.data) if part.url is None else ("url", part.url)
        if url is None or not _holds_bytes(url):
            return part
        found, data = _unpacked(url)
        if not found.startswith(_family(part)):
            return part
        log.add("replaced", part, field, f"the bytes stand in the URL itself; sent as data, {found}")
        return log.changed(part, url=None, data=data, media_type=part.media_type or found)

    return with_changed_parts(request, log, change)


def _holds_bytes(url: str) -> bool:
    return url[:5].lower() == "data:" and "," in url


def _unpacked(url: str) -> tuple[str, str]:
    """Return media type and base64 of a `data:` URL (RFC 2397)."""
    head, _, data = url[5:].partition(",")
    kind, *parameters = head.split(";")
    if parameters[-1:] != ["base64"]:
        from base64 import b64encode
        from urllib.parse import unquote_to_bytes

        data = b64encode(unquote_to_bytes(data)).decode()
    return kind or "text/plain", data


@repair("media_types", no_place="image document audio video", rank=25)
def place_addresses(request: Request, log: EditLog) -> Request:
    """Return the request with addresses in the field that APIs expect them in, by their scheme.

    An address of the web is a `url`, one of a storage (`gs://`, `s3://`) a `uri`.
    """

    def change(part: Part) -> Part:
        if not log.asks_for(part) or not isinstance(part, _FILES):
            return part
        given, other = ("url", "uri") if part.url is not None else ("uri", "url")
        address = getattr(part, given)
        if address is None or "://" not in address or (given == "uri") != address.startswith(_WEB):
            return part
        log.add("replaced", part, given, f"{log.title} has another field for this address")
        return log.changed(part, **{given: None, other: address})

    return with_changed_parts(request, log, change)


@repair("media_types")
def decode_documents(request: Request, log: EditLog) -> Request:
    """Return the request with documents whose data are text as that text, for APIs that take no other data."""

    def change(part: Part) -> Part:
        text = decoded(part) if log.asks_for(part) and isinstance(part, Document) else None
        if text is None:
            return part
        log.add(
            "replaced", part, "data", f"{log.title} takes no such data here; sent as the text that they are"
        )
        return log.changed(part, data=None, text=text)

    return with_changed_parts(request, log, change)


def media_type_of(part: Any) -> str | None:
    """Return the media type of an image, document, sound or video: by its bytes, else by the ending of its name.

    Returns None if neither is known, or if another kind of part holds such files.
    """
    family = _family(part)
    found = (type_of_bytes(part.data) if part.data is not None else None) or next(
        (kind for name in (part.filename, part.url, part.uri) if name and (kind := type_of_name(name))), None
    )
    if found is None and isinstance(part, Document) and (part.text is not None or is_text(part.data)):
        found = "text/plain"
    return found if found is not None and found.startswith(family) else None


def _registered(part: Any) -> str | None:
    """Return the media type of a part as it is registered, or the one that its bytes show."""
    given: str = part.media_type
    spelled = registered_type(given)
    shown = type_of_bytes(part.data) if spelled == given and part.data is not None else None
    found = shown or spelled
    return found if found.startswith(_family(part)) else None


def _family(part: object) -> str:
    return _FAMILIES.get(type(part), "")


_MOVED = (Image, Document, Audio, Video, SearchResult)
_WORDS = {
    "image": "picture",
    "document": "document",
    "audio": "sound",
    "video": "video",
    "search_result": "source",
}


class MovedMedia:
    """The media that one repair takes out of their places.

    Attributes:
        log: The edits of the repair.
        waiting: The parts for the next message of the user, which is emptied once they are in one.
    """

    def __init__(self, log: EditLog) -> None:
        self.log = log
        self.waiting: list[Part] = []
        self._count = 0

    def takes(self, part: Part, holder: Part | None = None) -> bool:
        """Return whether a part is one of the media to move, itself or with all that its holder has."""
        if not isinstance(part, _MOVED):
            return False
        return self.log.asks_for(part) or (holder is not None and self.log.asks_for(holder))

    def without(
        self, parts: tuple[Part, ...], *, place: str, origin: str, holder: Part | None = None
    ) -> tuple[Part, ...]:
        """Return parts with a text instead of each of the media, which refers to it or says that it was left out.

        `place` is where the API does not accept them ("a tool result"), `origin` where they come from.
        """
        return tuple(
            [self._text(part, place, origin) if self.takes(part, holder) else part for part in parts]
        )

    def _text(self, part: Part, place: str, origin: str) -> Part:
        word = _WORDS[kind_of(part)]
        why = f"{self.log.title} does not accept it in {place}"
        if self.log.choice == "drop":
            self.log.add("dropped", part, kind_of(part), why)
            return self.log.made(part, Text(f"[{word} left out]"))
        self._count += 1
        label = f"{word} {self._count}"
        self.log.add("moved", part, "", f"{why}; sent in the user message that follows")
        self.waiting += [self.log.made(part, Text(f"[{label}, from {origin}]")), part]
        return self.log.made(part, Text(f"[{label}: see the next user message]"))


def after_results(parts: tuple[Part, ...], moved: list[Part]) -> tuple[Part, ...]:
    """Return parts with others inserted after the last result among them, or before all where there is none."""
    last = max([index for index, part in enumerate(parts) if isinstance(part, RESULTS)], default=-1)
    return (*parts[: last + 1], *moved, *parts[last + 1 :])


@repair(
    "tool_media",
    refused="part *.part *.error_part tool.image tool.document tool.audio tool.video "
    "tool.*.media_type* tool.*.url tool.*.uri tool.*.data",
    no_place="tool.image tool.document tool.audio tool.video tool.search_result",
    rank=40,
)
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


@repair(
    "answer_media",
    no_place="assistant.image assistant.document assistant.audio assistant.video assistant.search_result",
    rank=40,
)
def move_answer_media(request: Request, log: EditLog) -> Request:
    """Return the request with rejected media of answers in the next message of the user.

    A text stands where the media stood and refers to it; under `answer_media="drop"`, it says that they were left out.
    """
    media, start = MovedMedia(log), first_sent(request, log.context)
    made = _without_answer_media(request.messages[start:], media)
    return replace(request, messages=(*request.messages[:start], *made))


def _without_answer_media(messages: tuple[Message, ...], media: MovedMedia) -> list[Message]:
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
