"""An estimate of the tokens of a request, for clients that ask before they send."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from promptwire_runtime import Request

from ..exchange import Terms
from .configuration import Upstream

_LETTERS_A_TOKEN = 4
# what a picture costs on most APIs, about
_PICTURE = 1500
_LONGEST_WORD = 1024


def estimated_tokens(upstream: Upstream, request: Request) -> int:
    """Return about how many tokens a request has: a token for four letters, and a fixed number for media."""
    terms = Terms(
        upstream.back,
        upstream.settings,
        upstream.policies,
        timeout=upstream.timeout,
        connect_timeout=0,
        limit=None,
        retries=0,
        longest_wait=0,
        on_send=None,
    )
    letters = tokens = 0
    for text in _texts(terms.build(request).body):
        if len(text) > _LONGEST_WORD and " " not in text:
            tokens += _PICTURE
        else:
            letters += len(text)
    return tokens + max(1, letters // _LETTERS_A_TOKEN)


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts and keys of JSON, which is at most two hundred levels deep after a build."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in cast("list[Any]", value):
            yield from _texts(inner)
