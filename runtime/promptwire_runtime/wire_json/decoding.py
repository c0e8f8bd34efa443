"""JSON as it arrives: bytes or text."""

from __future__ import annotations

from json import loads
from typing import Any

from ..errors import BodyError

GZIP = b"\x1f\x8b"
"""The first bytes of a body that is compressed with gzip."""
COMPRESSED = (
    "they are compressed with gzip; read them with a client that decompresses, or with gzip.decompress"
)


def decoded(body: bytes | bytearray | str, wire: str, what: str) -> Any:
    """Parse the bytes or the text of a body, which is a `what` of a wire.

    Raises BodyError, which shows their beginning, if they are not JSON.
    """
    try:
        return loads(body)
    except (ValueError, RecursionError):
        if not isinstance(body, str) and body.startswith(GZIP):
            raise BodyError(f"{wire}: the bytes are no {what}: {COMPRESSED}") from None
        text = body if isinstance(body, str) else bytes(body[:400]).decode("utf-8", "replace")
        raise BodyError(f"{wire}: the {what} is not an object but {text[:200]!r}") from None
