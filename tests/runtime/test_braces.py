"""When a JSON object that comes in pieces is whole: exactly where decoding all that came says so."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import example, given, strategies as st

from tests.internals.runtime import Braces, json_object
from tests.strategies import json_objects

LETTERS = st.text(st.sampled_from('{}[]"\\ a:,1\n\u00a0'), max_size=12)
OBJECTS = json_objects().map(json.dumps) | st.sampled_from(
    ('{"a": "}"}', '{"a": "\\""}', '{"\\\\": {}}', "{}", "{} ")
)


@given(LETTERS | OBJECTS | st.tuples(OBJECTS, LETTERS).map("".join), st.lists(st.integers(0, 30), max_size=6))
@example('{"a": "\\"}"}', [8])
@example("{}\u00a0", [2])
@example("{}{}", [2])
def test_pieces_are_closed_where_all_that_came_is_an_object(text: str, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(text)]
    parts = [text[start:stop] for start, stop in pairwise(places)]
    braces = Braces()
    for count in range(1, len(parts) + 1):
        expected = json_object("".join(parts[:count])) is not None
        assert braces.are_closed(parts[:count]) is expected
