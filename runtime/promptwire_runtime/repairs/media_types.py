"""Data and media types of files: data out of `data:` URLs, types from the name of the file or the first bytes."""

from __future__ import annotations

from ..model.parts import Audio, Document, Image, Video
from ..nodes.file_kinds import is_text, registered_type, type_of_bytes, type_of_name
from ..typed import TYPE_CHECKING
from .changes import EditLog, history_repair, with_changed_parts

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Request

_MEDIA = (Image, Document, Audio, Video)
# what a kind of part may hold
_FAMILIES: dict[type, str] = {Image: "image/", Audio: "audio/", Video: "video/"}


@history_repair("media_types")
def detect_media_types(request: Request, log: EditLog) -> Request:
    """Return the request with the media types that the API requires, as names and bytes of the files say.

    One that the API rejects is spelled as it is registered, or becomes the one that the bytes show.
    """
    misled = {id(node) for node, error in log.asked if error.field.endswith(".actual_type")}

    def change(part: Part) -> Part:
        if not log.asks_for(part) or not isinstance(part, _MEDIA):
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


@history_repair("media_types")
def unpack_data_urls(request: Request, log: EditLog) -> Request:
    """Return the request with media whose URL holds their bytes (`data:image/png;base64,...`) as data.

    Such a URL may stand in place of the data as well.
    """

    def change(part: Part) -> Part:
        if not log.asks_for(part) or not isinstance(part, _MEDIA):
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
