"""Every error of every package can be copied and pickled, as process pools do with what a worker raises."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from promptwire import Answer, Request, user
from tests.internals.runtime import ApiError

PACKAGES = (
    "promptwire_runtime",
    "promptwire_http",
    "promptwire_batch",
    "promptwire_data",
    "promptwire_cli",
    "promptwire_gen",
)
# by the name of a parameter: a value for it
VALUES: dict[str, Any] = {
    "attempts": 2,
    "answer": Answer(),
    "error": ApiError(kind="rate_limit", message="Too many.", status=429, wait=1.5),
    "errors": [],
    "final": True,
    "headers": {"retry-after": "1"},
    "hint": "a hint",
    "paths": ("a", "b"),
    "problems": (),
    "request": Request("m", [user("hi")]),
    "status": 400,
    "steps": 3,
    "timed_out": True,
    "value": 7,
    "wait": 1.5,
}


def classes() -> Iterator[type[Exception]]:
    """Every error class that a package defines."""
    for name in PACKAGES:
        for found in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
            if found.name.endswith(".__main__"):
                continue
            module = importlib.import_module(found.name)
            for value in vars(module).values():
                if (
                    isinstance(value, type)
                    and issubclass(value, Exception)
                    and value.__module__ == found.name
                ):
                    yield value


def made(kind: type[Exception]) -> Exception:
    """Make an error with a value for each parameter of its class."""
    if not any("__init__" in vars(base) for base in kind.__mro__ if base.__module__.startswith("promptwire")):
        return kind("what happened")
    given: dict[str, Any] = {}
    places: list[Any] = []
    for row in [*inspect.signature(kind).parameters.values()]:
        value = VALUES.get(row.name, f"some {row.name}")
        if row.kind is row.KEYWORD_ONLY:
            given[row.name] = value
        else:
            places.append(value)
    return kind(*places, **given)


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301  # of our own


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled], ids=["copy", "deepcopy", "pickle"])
def test_an_error_is_the_same_after_a_copy(copied: Callable[[Any], Any]) -> None:
    for kind in dict.fromkeys(classes()):
        error = made(kind)
        error.add_note("seen by a test")
        again = copied(error)
        assert type(again) is kind
        assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))
