"""Repairs are chosen by the attributes of an error, and never by its text."""

from __future__ import annotations

import pytest

import promptwire
from promptwire import Document, Image, Part, Request, RequestError, ToolCall, ToolResult, assistant, user
from tests.internals.runtime import PORTABLE, candidates, errors_of

PICTURE = Image(data="AAAA", media_type="image/png")


def error_of(wire: str, *parts: Part, by: str) -> RequestError:
    """Return the first error about a message of a request whose last message but one has these parts."""
    message = assistant(*parts) if by == "assistant" else user(*parts)
    request = Request("some-model", [user("Hi"), message, user("Bye")])
    errors = errors_of(promptwire.wire(wire).build, request, None, PORTABLE)
    return next(error for error in errors if error.path.startswith("messages"))


@pytest.mark.parametrize(
    ("wire", "part", "by", "repairs"),
    [
        ("openai_chat", PICTURE, "assistant", ["unpack_data_urls", "place_addresses", "move_answer_media"]),
        (
            "anthropic_messages",
            Document(data="AAAA", media_type="text/odd"),
            "user",
            ["unpack_data_urls", "place_addresses", "detect_media_types", "as_text"],
        ),
    ],
)
def test_the_words_of_an_error_do_not_choose(wire: str, part: Part, by: str, repairs: list[str]) -> None:
    error = error_of(wire, part, by=by)
    assert [*candidates(error, PORTABLE, drops=False)] == repairs
    error.problem.reason, error.args = "worded otherwise", ("worded otherwise",)
    assert [*candidates(error, PORTABLE, drops=False)] == repairs


def test_an_error_that_is_placed_again_keeps_its_ending() -> None:
    request = Request("", [assistant(ToolCall("c1", "f")), user(ToolResult("c2", "x"))])
    with pytest.raises(RequestError) as caught:
        promptwire.openai_chat.build(request)
    lines = str(caught.value).splitlines()
    caught.value.place_at("messages[9]")
    assert str(caught.value).splitlines()[1:] == lines[1:] != []
    assert "messages[9]" in str(caught.value)
