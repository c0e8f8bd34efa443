"""Law 2, whole requests: a mark planted in every leaf is sent, or a note or the error names the place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import strategies as st

from promptwire import Audio, Request
from tests.laws.fields import HELD_BY_ID
from tests.laws.fitting import fitting
from tests.laws.marks import Marks
from tests.laws.specimens import vendor_names
from tests.laws.strategies import law
from tests.laws.traces import Names, outcome, walk
from tests.searching import TESTED_WIRES
from tests.strategies import requests


def untraced(wire: str, marks: Marks, planted: Request, policies: str) -> dict[str, str]:
    """Build a marked request; give the marks that were neither sent nor named, with their places."""
    found = outcome(wire, planted, policies)
    if found.error is not None:
        return {}
    names = Names(planted, found.named)
    known = set(known_by_id(planted, found.sent))
    return {
        mark: path
        for mark, path in marks.places.items()
        if mark not in found.sent and path not in known and not names.cover(path)
    }


def known_by_id(request: Request, sent: str) -> Iterator[str]:
    """Yield the places of what an API made itself and keeps under an id that is sent."""
    for path, node in walk(request):
        if isinstance(node, Audio) and node.id is not None and node.id in sent:
            yield from [f"{path}.{name}" for cls, name in HELD_BY_ID if cls == "Audio"]


@pytest.mark.parametrize("wire", TESTED_WIRES)
@pytest.mark.parametrize("policies", ["lenient", "portable", "strict"])
@law(25, dialect=14)
def test_every_leaf_leaves_a_trace(wire: str, policies: str, data: st.DataObject) -> None:
    request = data.draw(fitting(wire) if policies == "strict" else requests(), "request")
    if request.options.max_tokens is None:
        request = replace(request, options=replace(request.options, max_tokens=1))
    options = data.draw(
        st.lists(st.sampled_from(vendor_names(wire) or ("none",)), unique=True, max_size=2), "options"
    )
    marks = Marks(wire, () if policies == "strict" else tuple(options))
    assert untraced(wire, marks, marks.plant(request), policies) == {}
