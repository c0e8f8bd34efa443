"""Compare JSON values: every place where two differ, with both values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from .kinds import is_list, is_object

Path: TypeAlias = tuple[str | int, ...]
_NOTHING = "nothing"
_SHOWN = 60


class DifferingValues(NamedTuple):
    """A place where two JSON values differ, with both as short JSON, or `nothing`."""

    path: Path
    expected: str
    got: str


def differences(expected: Any, got: Any, path: Path = ()) -> Iterator[DifferingValues]:
    """Yield the places where two JSON values differ; types of numbers count, the order of keys does not."""
    if is_object(expected) and is_object(got):
        for key in {**expected, **got}:
            if key not in got:
                yield DifferingValues((*path, key), short(expected[key]), _NOTHING)
            elif key not in expected:
                yield DifferingValues((*path, key), _NOTHING, short(got[key]))
            else:
                yield from differences(expected[key], got[key], (*path, key))
    elif is_list(expected) and is_list(got):
        for index, (wanted, value) in enumerate(zip(expected, got, strict=False)):
            yield from differences(wanted, value, (*path, index))
        if len(expected) != len(got):
            place = (*path, min(len(expected), len(got)))
            yield DifferingValues(place, f"{len(expected)} elements", f"{len(got)}: {short(got)}")
    elif type(expected) is not type(got) or expected != got:
        yield DifferingValues(path, short(expected), short(got))


def short(value: Any) -> str:
    """Return a value as JSON text, cut to 60 characters."""
    text = json.dumps(value, default=repr)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
