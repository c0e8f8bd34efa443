"""The media type of a file, by its first bytes or by the ending of its name."""

from __future__ import annotations

import re
from base64 import b64decode
from urllib.parse import unquote, urlsplit

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
# words for a type that few APIs accept -> its registered one
_SPELLINGS = {
    "image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png",
    "application/x-pdf": "application/pdf",
}  # fmt: skip
# addresses of a site that has files of one kind alone
_SITES = (
    ("https://www.youtube.com/", "video/mp4"),
    ("https://youtube.com/", "video/mp4"),
    ("https://youtu.be/", "video/mp4"),
)
_ANY_BYTE = ord(".")
# base64 text of the longest beginning
_LOOKED_AT = 24
# bytes of text in ASCII
_LETTERS = frozenset({*range(0x20, 0x7F), *b"\t\r\n"})
_FEWEST_LETTERS = 8
_BASE64 = re.compile("[A-Za-z0-9+/_-]*={0,2}")


def is_text(data: str | None) -> bool:
    """Return whether base64 text holds text in UTF-8."""
    try:
        return data is not None and "\0" not in b64decode(data).decode("utf-8")
    except ValueError:
        return False


def is_base64(data: str) -> bool:
    """Return whether text begins as base64 does, in either alphabet and in lines of any length."""
    beginning = "".join(data[: 2 * _LOOKED_AT].split())[:_LOOKED_AT]
    return bool(beginning) and _BASE64.fullmatch(beginning) is not None


def registered_type(given: str) -> str:
    """Return a media type as it is registered: in small letters, without parameters."""
    plain = given.partition(";")[0].strip().lower()
    return _SPELLINGS.get(plain, plain)


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


def begins_as_text(data: str) -> bool:
    """Return whether the first bytes of base64 text are letters of ASCII; fewer than eight show nothing."""
    beginning = data[:_LOOKED_AT]
    try:
        held = b64decode(beginning[: len(beginning) // 4 * 4])
    except ValueError:
        return False
    return len(held) >= _FEWEST_LETTERS and all(byte in _LETTERS for byte in held)


def type_of_name(name: str) -> str | None:
    """Return the media type that the ending of a file name or URL means, or its site; None if unknown."""
    for site, kind in _SITES:
        if name.startswith(site):
            return kind
    path = unquote(urlsplit(name).path) if "://" in name else name
    return _ENDINGS.get(path.rpartition(".")[2].lower())
