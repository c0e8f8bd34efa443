"""Ids of tool calls for APIs that take only ids of one length: any other id becomes a digest of itself."""

from __future__ import annotations

from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from .context import BuildContext


_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MOST_DIGESTS = 4096
# each id stands in a call and in its result, and again in every later turn of its conversation
_DIGESTS: dict[tuple[str, int], str] = {}


def write_alnum(value: str, length: str, node: object, field: str, build: BuildContext) -> str:
    """Write an id of `length` letters and digits as it is; any other, with a note, as a digest of that form.

    The digest depends on the id alone, so a call and its result still agree, in every request of a conversation.
    """
    fits = len(value) == int(length) and value.isascii() and value.isalnum()
    if fits or build.policies.ids == "keep":
        return value
    digest = _digest(value, int(length))
    why = f"{build.wire.title} takes ids of {length} letters and digits: {digest} stands for it"
    build.note("replaced", node, field, why)
    return digest


def read_alnum(value: Any, _: str) -> str | None:
    """Read an id as it stands."""
    return value if type(value) is str else None


def _digest(text: str, length: int) -> str:
    known = _DIGESTS.get((text, length))
    if known is None:
        if len(_DIGESTS) >= _MOST_DIGESTS:
            _DIGESTS.clear()
        known = _DIGESTS[text, length] = _computed(text, length)
    return known


def _computed(text: str, length: int) -> str:
    from hashlib import sha256

    number = int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    letters = ""
    for _ in range(length):
        number, digit = divmod(number, len(_ALPHABET))
        letters += _ALPHABET[digit]
    return letters
