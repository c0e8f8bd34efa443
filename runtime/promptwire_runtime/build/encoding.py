"""Encode builds: JSON bytes, curl commands, and the prefixes of prompts that are cached."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidRequest
from ..reporting.redaction import in_shell, show_marks
from ..wire_json.codec import encode, encode_text
from ..wire_json.kinds import is_list, is_object
from ..wire_json.places import path_text, unwritable
from .wire import Sent, Signing


def as_curl(sent: Sent, signing: Signing | None, method: str, body: Any) -> str:
    """Return a request as a curl command. `sent` has markers in place of credentials (see `redaction`)."""
    lines = [f"curl -X {method} {in_shell(sent.url)}"]
    if signing is not None:
        lines.append(f"--aws-sigv4 {shlex.quote(f'aws:amz:{signing.region}:{signing.service}')}")
        lines.append(f'--user "${signing.env}:$AWS_SECRET_ACCESS_KEY"')
    for name, value in sent.headers.items():
        if name in sent.secret or "\0" in value:
            # in double quotes the shell fills in variables
            text = re.sub(r'(["\\`])', r"\\\1", value)
            lines.append(f'-H "{name}: {show_marks(text)}"')
        else:
            lines.append(f"-H {shlex.quote(f'{name}: {value}')}")
    lines.append(f"--data {shlex.quote(dumped(body))}")
    return " \\\n  ".join(lines)


def dumped(body: Any, *, sort_keys: bool = False) -> str:
    """Return a body as compact JSON text."""
    try:
        return encode_text(body, sort_keys=sort_keys)
    except (TypeError, ValueError, RecursionError) as error:
        raise _unwritten(body, error) from None


def encoded(body: Any, *, sort_keys: bool = False) -> bytes:
    """Return a body as compact UTF-8 JSON."""
    try:
        return encode_text(body, sort_keys=True).encode() if sort_keys else encode(body)
    except (TypeError, ValueError, RecursionError) as error:
        raise _unwritten(body, error) from None


def _unwritten(body: Any, error: Exception) -> InvalidRequest:
    """Return the error for a body that is not JSON. Its `field` is the path inside the body."""
    place, why = unwritable(body) or ("", str(error))
    problem = f"{place}: {why}" if place else why
    return InvalidRequest(f"the body cannot be written as JSON: {problem}", field=place)


# the keys of a part that is text and nothing else
_OF_BARE_TEXT = frozenset({"type", "text"})


@dataclass(frozen=True, slots=True)
class CachePrefix:
    """The beginning of a prompt up to one cache mark.

    Attributes:
        path: The place of the mark in the body; empty for a mark on the whole body.
        digest: SHA-256 of the model, and of tools, instructions and messages up to the mark, without any marks.
        bytes: How many bytes the keys and values up to the mark have; a part that is text alone counts as its text.
    """

    path: str
    digest: str
    bytes: int


def cache_prefixes(
    body: Any, model: str | None, places: Sequence[tuple[str, ...]], marks: frozenset[str]
) -> tuple[CachePrefix, ...]:
    """Return the prefixes that the marks of a body end, in the order in which the API reads them.

    Args:
        body: The body.
        model: The model: each has a cache of its own.
        places: The keys of tools, instructions and messages, in the order in which the API reads them.
        marks: The keys of cache marks.
    """
    prefixes: list[CachePrefix] = []
    digest, size = hashlib.sha256(encoded(model)), 0
    for event in _events(body, places, marks):
        if isinstance(event, bytes):
            digest.update(event)
            size += len(event)
        else:
            prefixes.append(CachePrefix(path_text(event), digest.hexdigest(), size))
    return tuple(prefixes)


def _events(
    body: Any, places: Sequence[tuple[str, ...]], marks: frozenset[str]
) -> Iterator[bytes | tuple[str | int, ...]]:
    """Yield the bytes of the prompt, and the place of each mark after the bytes that it ends."""
    for place in places:
        value = body
        for key in place:
            value = value.get(key) if is_object(value) else None
        if value is not None:
            yield encoded(place[-1])
            yield from _find_marks(value, place, marks)
    if marks & body.keys():
        yield ()


def _find_marks(
    value: Any, place: tuple[str | int, ...], marks: frozenset[str]
) -> Iterator[bytes | tuple[str | int, ...]]:
    if is_list(value):
        for index, inner in enumerate(value):
            yield from _find_marks(inner, (*place, index), marks)
    elif is_object(value):
        # marks stand in elements of lists; a schema may have a property of the same name
        in_list = isinstance(place[-1], int)
        found = marks & value.keys() if in_list else frozenset[str]()
        if in_list and type(value.get("text")) is str and value.keys() - found <= _OF_BARE_TEXT:
            # the same to the API as the text alone, which a message is without its mark
            yield encoded(value["text"])
        else:
            for key, inner in value.items():
                if key not in found:
                    yield encoded(key)
                    yield from _find_marks(inner, (*place, key), marks)
        if found:
            yield place
    else:
        yield encoded(value)
