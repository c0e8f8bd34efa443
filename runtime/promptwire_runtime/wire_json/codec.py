"""Read and write JSON: with msgspec where it is installed, otherwise with the standard library.

Both give the same values, the same bytes and the same errors. msgspec is asked first and only for what it treats as
the standard library does; whatever it refuses, the standard library decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from gc import get_referents
from importlib import import_module
from json import JSONDecoder, JSONEncoder, encoder as json_encoder, loads
from typing import Any

from ..errors import BodyError
from .copies import MOST_LEVELS
from .kinds import SCALARS, class_of, is_object, plain_mapping, same

try:
    _msgspec: Any = import_module("msgspec.json")
except ImportError:
    _msgspec = None

GZIP = b"\x1f\x8b"
"""The first bytes of a body that is compressed with gzip."""
COMPRESSED = (
    "they are compressed with gzip; read them with a client that decompresses, or with gzip.decompress"
)
_BLANK = re.compile(r"[ \t\n\r]*")
# as many are looked through for the end of an object
_MOST_BLANKS = 64
# msgspec writes bytes, sets, dates, enums and records too, and JSON has none of them
_HOLDING: frozenset[type[Any]] = frozenset({dict, list, tuple})
_WRITTEN_ALIKE = SCALARS | _HOLDING
# no level of a body comes near it
_MOST_VALUES = 100_000

_Writer = Callable[[Any], str]


def _std_writer(*, sort_keys: bool) -> _Writer:
    """Return the standard library's writer of compact JSON text."""
    # CPython's own; `JSONEncoder.encode` makes one for each value, which takes longer than a short value itself
    make: Any = getattr(json_encoder, "c_make_encoder", None)
    if make is None:
        return JSONEncoder(
            ensure_ascii=False,
            separators=(",", ":"),
            allow_nan=False,
            sort_keys=sort_keys,
            default=plain_mapping,
        ).encode
    escaped = json_encoder.encode_basestring
    write = make(None, plain_mapping, escaped, None, ":", ",", sort_keys, False, False)

    def written(value: Any) -> str:
        return "".join(write(value, 0))

    return written


def _std_decode(text: str | bytes | bytearray) -> Any:
    """Parse JSON with the standard library."""
    if type(text) is str and text.startswith("{"):
        # `loads` looks for blanks around the value, which takes as long as a short value itself
        value, end = _raw_decode(text)
        if end == len(text):
            return value
    return loads(text)


_raw_decode = JSONDecoder().raw_decode
encode_string: Callable[[str], str] = json_encoder.encode_basestring
"""Write a text as JSON; half a character stays one."""
_write, _write_sorted = _std_writer(sort_keys=False), _std_writer(sort_keys=True)
_fast_decode: Callable[[Any], Any] = _std_decode if _msgspec is None else _msgspec.Decoder().decode
_fast_encode: Callable[[Any], bytes] | None = None if _msgspec is None else _msgspec.Encoder().encode


def decode(text: str | bytes | bytearray) -> Any:
    """Parse JSON as `json.loads` does. Raises ValueError or RecursionError if it is not JSON."""
    try:
        return _fast_decode(text)
    except (ValueError, RecursionError):
        # NaN, infinite numbers, half characters and UTF-16 are left to the standard library, and so are the errors
        return loads(text)


def encode(value: Any) -> bytes:
    """Write a value as compact UTF-8 JSON.

    Raises TypeError, ValueError (UnicodeEncodeError for half a character) or RecursionError if it is not JSON.
    """
    if _fast_encode is not None and _is_written_alike(value):
        try:
            return _fast_encode(value)
        except (TypeError, ValueError, RecursionError):
            pass
    return _write(value).encode()


def encode_text(value: Any, *, sort_keys: bool = False) -> str:
    """Write a value as compact JSON text, which may have half characters.

    Raises TypeError, ValueError or RecursionError if it is not JSON.
    """
    # most are the arguments of a call, and these are so short that the standard library is quicker
    return (_write_sorted if sort_keys else _write)(value)


def _is_written_alike(value: Any) -> bool:
    """Return whether msgspec and the standard library surely write the same for an object, or both refuse it.

    The garbage collector's walk is the quickest: a level of the value at a time. It passes over keys that are text.
    """
    if class_of(value) is not dict:
        return False
    level = get_referents(value)
    for _ in range(MOST_LEVELS):
        kinds = set(map(class_of, level))
        if not kinds <= _WRITTEN_ALIKE or (float in kinds and not all(map(_is_spelled_alike, level))):
            return False
        if kinds.isdisjoint(_HOLDING):
            return True
        level = get_referents(*level)
        if len(level) > _MOST_VALUES:
            return False
    return False


def _is_spelled_alike(value: Any) -> bool:
    """Return whether a float is finite, and Python spells it without an exponent: msgspec writes 1e16 for 1e+16."""
    return class_of(value) is not float or (value - value == 0 and "e" not in repr(value))


def decode_body(body: bytes | bytearray | str, wire: str, what: str) -> Any:
    """Parse the bytes or the text of a body, which is a `what` of a wire.

    Raises BodyError, which shows their beginning, if they are not JSON.
    """
    try:
        return decode(body)
    except (ValueError, RecursionError):
        if not isinstance(body, str) and body.startswith(GZIP):
            raise BodyError(f"{wire}: the bytes are no {what}: {COMPRESSED}") from None
        text = body if isinstance(body, str) else bytes(body[:400]).decode("utf-8", "replace")
        raise BodyError(f"{wire}: the {what} is not an object but {text[:200]!r}") from None


def decode_finite(text: str) -> Any:
    """Parse JSON whose numbers are all finite. Raises ValueError or RecursionError for anything else."""
    if _msgspec is not None:
        try:
            return _fast_decode(text)
        except (ValueError, RecursionError):
            pass
    return _decode_finite(text)


def decode_once(text: str) -> Any:
    """Parse JSON whose numbers are finite and whose objects repeat no key. Raises ValueError or RecursionError."""
    if text.count("{") < 2:
        value = decode_finite(text)
        # as many colons as keys: no key is repeated
        if not is_object(value) or text.count(":") == len(value):
            return value
    return _decode_once(text)


def is_whole_object(text: str | bytes | bytearray) -> bool:
    """Return whether a text, or its bytes, is a whole JSON object, which nothing that follows continues."""
    if text[-_MOST_BLANKS:].rstrip()[-1:] not in ("}", b"}"):
        return False
    try:
        decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def mended_object(text: str) -> dict[str, Any] | None:
    """Return the only object that the text of arguments means, although it is not the JSON of one; otherwise None.

    Anthropic streams strings with raw control characters if it need not wait for a whole value (openclaw/openclaw PR
    141323, 2026-09). Gateways repeat the object (BerriAI/litellm issue 40582, 2026-09), put the empty one that a call
    begins with before it (envoyproxy/ai-gateway issue 1465, 2025-10), or write the text of the object as JSON again.
    """
    values = _decode_each(text, strict=True)
    if len(values) == 1:
        value = _decode_each(values[0], strict=True)[:1] if isinstance(values[0], str) else []
        return value[0] if value and is_object(value[0]) else None
    values = values or _decode_each(text, strict=False)
    filled = [value for value in values if value != {}] or values[:1]
    return (
        filled[0]
        if filled and is_object(filled[0]) and all(same(filled[0], value) for value in filled)
        else None
    )


def _decode_each(text: str, *, strict: bool) -> list[Any]:
    """Parse JSON values that follow one another in a text; return none if the text has anything else."""
    decoder, place = JSONDecoder(strict=strict), _blank_end(text, 0)
    values: list[Any] = []
    try:
        while place < len(text):
            value, place = decoder.raw_decode(text, place)
            values.append(value)
            place = _blank_end(text, place)
    except (ValueError, RecursionError):
        return []
    return values


def _blank_end(text: str, place: int) -> int:
    """Return the place of the next character that is not white space of JSON."""
    blank = _BLANK.match(text, place)
    return place if blank is None else blank.end()


def _finite(text: str) -> float:
    number = float(text)
    if number - number != 0:
        raise ValueError(f"{text} is not a JSON number")
    return number


def _reject_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    item = dict(pairs)
    if len(item) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for index, key in enumerate(keys) if key in keys[:index])
        raise ValueError(f"the key {repeated!r} is repeated, and one value would be lost")
    return item


_decode_finite = JSONDecoder(parse_constant=_finite, parse_float=_finite).decode
_decode_once = JSONDecoder(
    parse_constant=_finite, parse_float=_finite, object_pairs_hook=_reject_repeated
).decode
