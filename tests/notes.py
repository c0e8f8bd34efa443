"""Notes and refusals by kind and place: tests compare these, so that a wording can change without them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from promptwire.errors import RequestError


def changes(notes: Iterable[Any]) -> list[str]:
    """Return action and place of each note, as its text begins: `dropped options.seed`."""
    return [str(note).partition(": ")[0] for note in notes]


@contextmanager
def refused(kind: type[RequestError], place: str) -> Iterator[None]:
    """Check that a block raises this kind of error at this place: the path and the field, `messages[0].role`."""
    with pytest.raises(kind) as raised:
        yield
    assert type(raised.value) is kind
    assert ".".join(filter(None, (raised.value.path, raised.value.field))) == place
