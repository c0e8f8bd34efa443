"""Places of a body that were not read as a spec describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..reporting.notes import Note
from ..wire_json.places import path_text, places_of_elements

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from ..wire_json.places import Steps

    PlacedNote: TypeAlias = tuple[Steps, Note]


LACKING: Any = object()
"""Stands for content that an API always sends, where it is absent or null."""


def _note_at(steps: Steps, action: str, why: str) -> tuple[Steps, Note]:
    """Return the steps to a place of a body with a note, whose path leads into the body."""
    *above, last = steps or ("",)
    if isinstance(last, str):
        return steps, Note(action, path_text(above), last, why)
    return steps, Note(action, path_text(steps), "", why)


def located(
    body: Any,
    deviations_found: Sequence[tuple[Any, tuple[str, ...], str, str]],
    unread_found: Sequence[tuple[Any, str]],
    title: str,
) -> tuple[tuple[PlacedNote, ...], tuple[PlacedNote, ...]]:
    """Return notes on the deviations and on the unread content of a body, each with the steps to its place."""
    if not deviations_found and not unread_found:
        return (), ()
    elements = [row[0] for row in (*deviations_found, *unread_found)]
    places = places_of_elements(body, elements)
    deviations = [
        _note_at((*places.get(id(element), ()), *keys), action, why)
        for element, keys, action, why in deviations_found
    ]
    kept = f"no shape of {title} takes this: it is kept as it came"
    lacking = f"{title} always has this, and here it is absent, null or empty"
    unread = [
        _note_at((place,), "passed through", lacking)
        if element is LACKING
        else _note_at(places.get(id(element)) or (place,), "passed through", kept)
        for element, place in unread_found
    ]
    return tuple(deviations), tuple(unread)
