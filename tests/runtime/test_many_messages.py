"""A limit on the number of messages that no example of a spec could show."""

from __future__ import annotations

import pytest

from promptwire import Options, Request, anthropic_messages, assistant, user
from promptwire.errors import Refused


def conversation(turns: int) -> Request:
    """A conversation of so many messages, all of them the same two."""
    pair = [user("hi"), assistant("well")]
    return Request("claude-sonnet-4-5", (pair * turns)[:turns], options=Options(max_tokens=8))


def test_as_many_messages_as_the_api_takes_are_built() -> None:
    pair = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "well"}]
    assert anthropic_messages.build(conversation(99_999)).body["messages"] == (pair * 50_000)[:99_999]


def test_one_more_than_the_api_takes_is_refused() -> None:
    with pytest.raises(Refused) as caught:
        anthropic_messages.build(conversation(100_001))
    assert (caught.value.field, caught.value.path) == ("messages.count", "")
    # the text of the error would try every preset on this conversation
    assert caught.value.reason.startswith("messages with 100001 entries is refused")
