"""Media types of data without one: from the name of the file, or from the first bytes."""

from __future__ import annotations

from base64 import b64decode
from urllib.parse import unquote, urlsplit

from ..model.parts import Audio, Document, Image, Video
from ..typed import TYPE_CHECKING
from .changes import EditLog, asked_nodes, identities, with_changed_parts

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Message, Request
    from .edits import Edit, RepairContext

_MEDIA = (Image, Document, Audio, Video)
# beginnings of files; `....` stands for any four bytes
_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"RIFF....WEBP", "image/webp"),
    (b"....ftypavif", "image/avif"),
    (b"....ftypheic", "image/heic"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
    (b"RIFF....WAVE", "audio/wav"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"....ftypM4A", "audio/mp4"),
    (b"....ftypqt", "video/quicktime"),
    (b"....ftyp", "video/mp4"),
    (b"\x1aE\xdf\xa3", "video/webm"),
)
_ENDINGS = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "bmp": "image/bmp", "tif": "image/tiff", "tiff": "image/tiff", "heic": "image/heic", "avif": "image/avif",
    "svg": "image/svg+xml", "pdf": "application/pdf", "txt": "text/plain", "md": "text/markdown", "csv": "text/csv",
    "html": "text/html", "htm": "text/html", "json": "application/json", "xml": "application/xml",
    "doc": "application/msword", "xls": "application/vnd.ms-excel",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "wav": "audio/wav", "mp3": "audio/mpeg", "ogg": "audio/ogg", "flac": "audio/flac", "m4a": "audio/mp4",
    "aac": "audio/aac", "mp4": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "mkv": "video/x-matroska",
}  # fmt: skip
_ANY_BYTE = ord(".")
# what a kind of part may hold
_FAMILIES: dict[type, str] = {Image: "image/", Audio: "audio/", Video: "video/"}
# base64 text of the longest beginning
_LOOKED_AT = 24


def detect_media_types(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with the media types that the API requires, as names and bytes of the files say."""
    log = EditLog(context, "media_types")
    if context.policies.media_types == "error":
        return request, ()
    asked = identities(asked_nodes(request, context))

    def change(part: Part, _message: Message) -> Part:
        if id(part) not in asked or not isinstance(part, _MEDIA) or part.media_type is not None:
            return part
        found = media_type_of(part)
        if found is None:
            return part
        log.add(
            "added",
            part,
            "media_type",
            f"{context.wire.title} requires it; {found}, as its name or bytes say",
        )
        whole: Part = log.changed(part, media_type=found)
        return whole

    return log.result(request, with_changed_parts(request, log, change))


def media_type_of(part: Any) -> str | None:
    """Return the media type of an image, document, sound or video: by its bytes, else by the ending of its name.

    Returns None if neither is known, or if another kind of part holds such files.
    """
    family = _family(part)
    found = (type_of_bytes(part.data) if part.data is not None else None) or next(
        (kind for name in (part.filename, part.url, part.uri) if name and (kind := type_of_name(name))), None
    )
    if found is None and isinstance(part, Document) and (part.text is not None or _is_text(part.data)):
        found = "text/plain"
    return found if found is not None and found.startswith(family) else None


def _family(part: object) -> str:
    return _FAMILIES.get(type(part), "")


def _is_text(data: str | None) -> bool:
    """Return whether base64 text holds text in UTF-8."""
    try:
        return data is not None and "\0" not in b64decode(data).decode("utf-8")
    except ValueError:
        return False


def type_of_bytes(data: str) -> str | None:
    """Return the media type that the first bytes of base64 text show; None if they show none."""
    beginning = data[:_LOOKED_AT]
    try:
        held = b64decode(beginning[: len(beginning) // 4 * 4])
    except ValueError:
        return None
    for mark, kind in _BEGINNINGS:
        if len(held) >= len(mark) and all(b in (a, _ANY_BYTE) for a, b in zip(held, mark, strict=False)):
            return kind
    return None


def type_of_name(name: str) -> str | None:
    """Return the media type that the ending of a file name or URL means; None if unknown."""
    path = unquote(urlsplit(name).path) if "://" in name else name
    return _ENDINGS.get(path.rpartition(".")[2].lower())
