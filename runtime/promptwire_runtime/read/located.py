"""Places of a body that were not read as a spec describes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..reporting.notes import Note
from ..wire_json.places import path_text, places_of_elements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..wire_json.places import Steps


LACKING: Any = object()
"""Stands in a problem for content that an API always sends, where it is absent or null."""


@dataclass(frozen=True, slots=True)
class Located:
    """An assumption of a reading, or content that it did not understand, at one place of a body.

    steps   the keys and indexes that lead there
    action  as in a `Note`: `added` or `replaced` for an assumption, `kept` for a problem
    why     what was assumed, or why it is a problem
    """

    steps: Steps
    action: str
    why: str

    @property
    def note(self) -> Note:
        """The same as a note, whose path leads into the body."""
        *above, last = self.steps or ("",)
        if isinstance(last, str):
            return Note(self.action, path_text(above), last, self.why)
        return Note(self.action, path_text(self.steps), "", self.why)


def located(
    body: Any,
    deviations_found: Sequence[tuple[Any, tuple[str, ...], str, str]],
    unread_found: Sequence[tuple[Any, str]],
    title: str,
) -> tuple[tuple[Located, ...], tuple[Located, ...]]:
    """Return the deviations and the unread content of a body, each with its place."""
    if not deviations_found and not unread_found:
        return (), ()
    elements = [row[0] for row in (*deviations_found, *unread_found)]
    places = places_of_elements(body, elements)
    deviations = [
        Located((*places.get(id(element), ()), *keys), action, why)
        for element, keys, action, why in deviations_found
    ]
    kept = f"no shape of {title} takes this: it is kept as it came"
    lacking = f"{title} always has this, and here it is absent, null or empty"
    unread = [
        Located((place,), "kept", lacking)
        if element is LACKING
        else Located(places.get(id(element)) or (place,), "kept", kept)
        for element, place in unread_found
    ]
    return tuple(deviations), tuple(unread)
