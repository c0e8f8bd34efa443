"""Shape filters: pairs of functions that convert a value for a wire and back. Readers return None for other values."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_list, is_object, json_kind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .context import BuildContext

# `wire_json.codec`, loaded for the first value
_CODEC: list[Any] = []
# media types whose short name is not the text after the slash
_FORMATS = {
    "audio/mpeg": "mp3", "audio/x-wav": "wav", "audio/wave": "wav", "audio/mp4": "m4a", "audio/x-m4a": "m4a",
    "audio/x-matroska": "mka", "image/jpg": "jpeg",
    "video/x-matroska": "mkv", "video/quicktime": "mov", "video/x-flv": "flv", "video/x-ms-wmv": "wmv",
    "video/3gpp": "three_gp",
    "application/pdf": "pdf", "application/msword": "doc", "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/csv": "csv", "text/html": "html", "text/plain": "txt", "text/markdown": "md",
}  # fmt: skip
# the first media type of each short name; wav and jpeg have a plainer one
_MEDIA_TYPES = {short: long for long, short in reversed(_FORMATS.items()) if short not in ("wav", "jpeg")}

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MOST_DIGESTS = 4096
# an id occurs in a call and its result, and again in every later turn of the conversation
_DIGESTS: dict[tuple[str, int], str] = {}


def _codec() -> list[Any]:
    from ..wire_json import codec

    _CODEC.append(codec)
    return _CODEC


def write_json(value: Any) -> str:
    """Write an object as compact JSON text; text is written unchanged."""
    if type(value) is str:
        return value
    try:
        text: str = (_CODEC or _codec())[0].encode_text(value)
    except (TypeError, ValueError, RecursionError) as error:
        from ..wire_json.places import unwritable

        place, why = unwritable(value) or ("", str(error))
        problem = f"{place}: {why}" if place else why
        raise InvalidRequest(f"the value cannot be written as JSON: {problem}", value=value) from None
    return text


def read_json(value: Any) -> str | None:
    """Read JSON text as text, because parsing and dumping it would change it; None for text that can be mended."""
    if type(value) is not str or ("}{" not in value and value[:1] != '"' and value.isprintable()):
        return value if type(value) is str else None
    return value if (_CODEC or _codec())[0].mended_object(value) is None else None


def read_object_text(value: Any) -> dict[str, Any] | None:
    """Read JSON text that holds an object as that object."""
    try:
        decoded = (_CODEC or _codec())[0].decode_finite(value) if type(value) is str else None
    except (ValueError, RecursionError):
        return None
    return decoded if is_object(decoded) else None


def write_object(value: str) -> dict[str, Any]:
    """Write tool arguments in JSON text as an object. Raises InvalidRequest for repeated keys and for other JSON."""
    try:
        decoded = (_CODEC or _codec())[0].decode_once(value)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"tool arguments are not valid JSON: {error}", value=value) from None
    if not is_object(decoded):
        raise InvalidRequest(
            f"tool arguments are {json_kind(decoded)}; this API accepts an object", value=value
        )
    if "\\u" not in value:
        return decoded
    from ..wire_json.characters import whole_json

    whole: dict[str, Any] = whole_json(decoded)[0]
    return whole


def write_not(value: bool) -> bool:
    """Write the negation."""
    return not value


def read_not(value: Any) -> bool | None:
    """Read the negation."""
    return (not value) if type(value) is bool else None


def write_number_text(value: float) -> str:
    """Write a number as text."""
    return write_json(value)


def read_number_text(value: Any) -> int | float | None:
    """Read the text of a number that would be written the same way."""
    try:
        number = (_CODEC or _codec())[0].decode_finite(value) if type(value) is str else None
    except (ValueError, RecursionError):
        return None
    return number if type(number) in (int, float) and write_json(number) == value else None


def write_one(value: Sequence[Any], node: object, field: str, build: BuildContext) -> Any:
    """Write a list of one as its element. Raises InvalidRequest for a list of any other length."""
    if len(value) != 1:
        why = f"{field} has {len(value)} entries; this API accepts exactly 1"
        raise InvalidRequest(why, wire=build.wire.name, path=build.report.origins.path(node), field=field)
    return value[0]


def read_one(value: Any) -> tuple[str, ...] | None:
    """Read one text as a list of one."""
    return (value,) if type(value) is str else None


def write_join(value: tuple[str, ...]) -> str:
    """Join texts with a blank line."""
    return "\n\n".join(value)


def read_join(value: Any) -> tuple[str, ...] | None:
    """Read joined text as one text, because its boundaries are not known."""
    return (value,) if type(value) is str else None


def write_comma(value: Any) -> str:
    """Write a list as comma-separated text."""
    return value if isinstance(value, str) else ",".join(value)


def read_comma(value: Any) -> tuple[str, ...] | None:
    """Read comma-separated text as a list."""
    return tuple(item.strip() for item in value.split(",")) if type(value) is str else None


def write_prefix(value: str, prefix: str) -> str:
    """Write text without a prefix."""
    return value.removeprefix(prefix)


def read_prefix(value: Any, prefix: str) -> str | None:
    """Read text and add the prefix."""
    return prefix + value if type(value) is str else None


def write_format(value: str, kind: str) -> str:
    """Write a media type as the short format name (`audio/mpeg` as `mp3`)."""
    return _FORMATS.get(value) or value.removeprefix(kind + "/")


def read_format(value: Any, kind: str) -> str | None:
    """Read a short format name as a media type. Documents may have types of any family."""
    if type(value) is not str:
        return None
    media_type = _MEDIA_TYPES.get(value)
    return (
        media_type if media_type and kind in ("document", media_type.partition("/")[0]) else f"{kind}/{value}"
    )


def write_list(value: Any) -> list[Any]:
    """Write one value as a list of one."""
    return [value]


def read_list(value: Any) -> Any:
    """Read a list of one text as that text."""
    return value[0] if is_list(value) and len(value) == 1 and type(value[0]) is str else None


def write_upper(value: Any) -> Any:
    """Write text, or each text of a list, in upper case."""
    return value.upper() if isinstance(value, str) else [text.upper() for text in value]


def read_upper(value: Any) -> Any:
    """Read text, or a list of texts, as lower case; None for text that has no case of its own to write."""
    if is_list(value) or type(value) is tuple:
        texts: list[Any] = [*value]
        words = [read_upper(text) for text in texts]
        return tuple(words) if all(type(text) is str for text in words) else None
    small = value.lower() if type(value) is str else None
    return small if small is not None and small.upper() == value.upper() else None


def write_enum(value: str, prefix: str) -> str:
    """Write a word in upper case after a prefix (`high` as `LEVEL_HIGH`)."""
    return prefix + value.upper()


def read_enum(value: Any, prefix: str) -> str | None:
    """Read an upper-case word after a prefix as the lower-case word."""
    if type(value) is not str or not value.startswith(prefix):
        return None
    small = value[len(prefix) :].lower()
    return small if small and prefix + small.upper() == value else None


def write_word(value: bool, yes: str, no: str) -> str:
    """Write a bool as one of two words."""
    return yes if value else no


def read_word(value: Any, yes: str, no: str) -> bool | None:
    """Read one of two words as a bool."""
    return True if value == yes else False if value == no else None


def read_bytes(value: Any) -> str | None:
    """Read URL-safe base64 as standard base64, with `+`, `/` and padding."""
    if type(value) is not str:
        return None
    if not ("-" in value or "_" in value):
        return value
    return value.replace("-", "+").replace("_", "/") + "=" * (-len(value) % 4)


def write_segment(value: str) -> str:
    """Percent-encode text as one segment of a URL path; `@` is not encoded."""
    return _percent_encode(value, "@")


def read_segment(value: Any) -> str | None:
    """Read percent-encoded text."""
    from urllib.parse import unquote

    try:
        return unquote(value, errors="strict") if type(value) is str else None
    except UnicodeDecodeError:
        return None


def write_path(value: str) -> str:
    """Percent-encode text as several segments of a URL path; slashes are not encoded."""
    return _percent_encode(value, "/@")


def read_path(value: Any) -> str | None:
    """Read percent-encoded text."""
    return read_segment(value)


def _percent_encode(value: str, safe: str) -> str:
    from urllib.parse import quote

    try:
        return quote(value, safe=safe)
    except UnicodeEncodeError as error:
        raise InvalidRequest(f"the text cannot be encoded in a URL: {error}", value=value) from None


def write_alnum(value: str, length: str, node: object, field: str, build: BuildContext) -> str:
    """Write an id of `length` letters and digits unchanged, and any other id, with a note, as a digest of that form.

    The digest depends only on the id, so a call and its result match in every request of a conversation.
    """
    fits = len(value) == int(length) and value.isascii() and value.isalnum()
    if fits or build.report.policies.ids == "keep":
        return value
    why = f"{build.wire.title} accepts ids of {length} letters and digits"
    if build.report.policies.ids == "error":
        build.report.refused(field, value, why, node)
        return value
    digest = _digest(value, int(length))
    build.report.note("replaced", node, field, f"{why}; sent as {digest}")
    return digest


def read_alnum(value: Any, _: str) -> str | None:
    """Read an id unchanged."""
    return value if type(value) is str else None


def _digest(text: str, length: int) -> str:
    known = _DIGESTS.get((text, length))
    if known is None:
        if len(_DIGESTS) >= _MOST_DIGESTS:
            _DIGESTS.clear()
        known = _DIGESTS[text, length] = _new_digest(text, length)
    return known


def _new_digest(text: str, length: int) -> str:
    from hashlib import sha256

    number = int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    letters = ""
    for _ in range(length):
        number, digit = divmod(number, len(_ALPHABET))
        letters += _ALPHABET[digit]
    return letters
