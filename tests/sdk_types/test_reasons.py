"""Which fields the path of a reason is about: itself and all inside, with what brackets say or without it."""

from __future__ import annotations

import pytest

from tests.internals.compiler import covers

FIELD = "messages[user].content[image].source(file).id"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (FIELD, True),
        ("messages", True),
        ("messages[user]", True),
        ("messages[user].content[image].source", True),
        ("messages[user].content[image].source(file)", True),
        ("messages[].content[].source", True),
        ("messages[].content[].source.id", True),
        ("message", False),
        ("messages[us", False),
        ("messages[assistant].content[image].source(file).id", False),
        ("messages[].content[].source(url)", False),
        ("messages[user].content[image].source(file).ids", False),
    ],
)
def test_a_path_is_about_itself_and_all_inside(path: str, expected: bool) -> None:
    assert covers(path, FIELD) is expected
