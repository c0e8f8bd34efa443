"""Compact JSON text, as bodies and the arguments of calls are written."""

from __future__ import annotations

from collections.abc import Callable
from json import encoder
from typing import Any

from .kinds import plain_mapping


def compact_writer(*, sort_keys: bool = False) -> Callable[[Any], str]:
    """Return a function that writes a value as compact JSON text.

    The function raises TypeError, ValueError or RecursionError for a value that is not JSON.
    """
    # CPython's own; `JSONEncoder.encode` makes one for each value, which takes longer than a short value itself
    make: Any = getattr(encoder, "c_make_encoder", None)
    if make is None:
        return encoder.JSONEncoder(
            ensure_ascii=False,
            separators=(",", ":"),
            allow_nan=False,
            sort_keys=sort_keys,
            default=plain_mapping,
        ).encode
    escaped = encoder.encode_basestring
    write = make(None, plain_mapping, escaped, None, ":", ",", sort_keys, False, False)

    def written(value: Any) -> str:
        return "".join(write(value, 0))

    return written
