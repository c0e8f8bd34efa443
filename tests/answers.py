"""The answers and streams of every wire as its generated tests hold them, and streams as bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from random import Random
from types import ModuleType
from typing import Any

import promptwire
from promptwire import Answer, Event
from tests.checkout import ROOT
from tests.internals.runtime import FRAMED

Events = list[tuple[str | None, Any]]
"""Events as they stand in a stream: the name beside the data, if any, and the data."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """One stream: `framing` says what cuts its bytes."""

    wire: str
    name: str
    framing: str
    events: Events

    def bytes(self) -> bytes:
        """Write the whole stream."""
        return stream_bytes(self.framing, self.events)

    def __str__(self) -> str:
        """Name wire and example."""
        return f"{self.wire}: {self.name}"


@cache
def module(wire: str) -> ModuleType:
    """Import the module of a wire."""
    return import_module(f"promptwire.{wire}")


def stream_bytes(framing: str, events: Iterable[tuple[str | None, Any]]) -> bytes:
    """Write events as the bytes of a stream."""
    framed = FRAMED[framing]()
    return b"".join([*[framed.frame(name, data) for name, data in events], framed.end()])


def cut(raw: bytes, random: Random) -> Iterator[bytes]:
    """Cut bytes into pieces, most of them short."""
    place = 0
    while place < len(raw):
        step = random.choice((1, 2, 3, 7, 40, 500))
        yield raw[place : place + step]
        place += step


def read_stream(wire: str, chunks: Iterable[bytes], framing: str | None = None) -> tuple[list[Event], Answer]:
    """Read a stream: its events, and its answer."""
    stream = module(wire).stream(framing)
    events = [event for chunk in chunks for event in stream.feed(chunk)]
    return events + stream.rest(), stream.close()


@cache
def answers() -> tuple[tuple[str, str, dict[str, Any]], ...]:
    """Every example of an answer: wire, name, body."""
    return tuple([(wire, row["name"], row["body"]) for wire, cases in _cases() for row in cases["answers"]])


@cache
def streams() -> tuple[Streamed, ...]:
    """Every example of a stream."""
    return tuple(
        [
            Streamed(wire, row["name"], cases["framing"], [(name, data) for name, data in row["events"]])
            for wire, cases in _cases()
            for row in cases["streams"]
        ]
    )


@cache
def _cases() -> tuple[tuple[str, Any], ...]:
    folder = ROOT / "generated" / "tests" / "cases"
    return tuple(
        [(wire, json.loads((folder / f"{wire}.json").read_text("utf-8"))) for wire in promptwire.WIRES]
    )
