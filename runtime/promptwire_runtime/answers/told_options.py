"""Telling the known keys of an API's own answers, as they stand in what has grown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..nodes.light_dataclasses import construct
from .events import Event
from .grown import EACH, Slots, settled
from .table import AnswerTable
from .whole_parts import at


class ToldOptions:
    """Known keys of one wire, told as events of the kind `vendor`, and what was told of them."""

    __slots__ = ("_answers", "_body", "_told", "_wire")

    def __init__(self, wire: str, answers: AnswerTable, body: Mapping[str, Any]) -> None:
        """Start with nothing; the body grows."""
        self._wire = wire
        self._answers = answers
        self._body = body
        self._told: dict[tuple[int, ...], dict[str, Any]] = {}

    def fresh(self) -> list[Event]:
        """Give events for the answer and for each candidate of which more is known than was told."""
        events: list[Event] = []
        for place, known in options_in(self._body, self._answers).items():
            if known != self._told.get(place):
                self._told[place] = known
                data, candidate = {self._wire: known}, place[0] if place else 0
                events.append(construct(Event, kind="vendor", data=data, place=place, candidate=candidate))
        return events


def options_in(body: Mapping[str, Any], answers: AnswerTable) -> dict[tuple[int, ...], dict[str, Any]]:
    """Give what a body holds under known keys: `()`, or the number of a candidate -> name -> value."""
    found: dict[tuple[int, ...], dict[str, Any]] = {}
    for path, name in answers.options.items():
        places: list[tuple[int, ...]] = [()]
        if EACH in path:
            elements = at(body, path[: path.index(EACH)], ())
            numbers = (
                [key[0] for key in elements] if isinstance(elements, Slots) else range(len(elements or ()))
            )
            places = [(number,) for number in numbers]
        for place in places:
            value = at(body, path, place)
            if value is not None:
                found.setdefault(place, {})[name] = settled(value, (), frozenset())
    return found
