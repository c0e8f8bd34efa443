"""Whose call it is, what a banner lists, and what a next request continues."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Answer, Continuation, Options, Request, Tool, ToolCall, assistant, tool_result, user
from promptwire.parts import Opaque
from promptwire.results import Candidate
from promptwire.toolkits import CollapsingConfig, Session, Toolkit, Toolkits, skill

KITS = (
    Toolkit("Files", "files", [Tool("read")], system_prompt="FILE RULES"),
    skill("Care", "care", "Look first."),
)


def session(*tools: Any, **config: Any) -> Session:
    return Session(Toolkits(KITS, CollapsingConfig(**config)), Request("m", user("Hi"), tools=tools or None))


def answer(*names: str) -> Answer:
    calls = [ToolCall(f"c{number}", name) for number, name in enumerate(names)]
    return Answer(candidates=(Candidate(message=assistant(*calls)),))


@pytest.mark.parametrize(
    ("tools", "expanded", "open_names"),
    [
        ((), (), []),
        ((), ("Files",), ["read"]),
        ((Tool("clock"),), (), ["clock"]),
        # what a raw tool of the API is called, nobody knows
        ((Opaque("openai_chat", {"type": "x"}, "tools"),), (), ["clock", "nobody"]),
        ((Opaque("openai_chat", {"type": "x"}, "tools"),), ("Files",), ["read", "clock", "nobody"]),
    ],
)
def test_calls_are_the_callers_or_the_sessions(
    tools: Any, expanded: tuple[str, ...], open_names: list[str]
) -> None:
    opened = session(*tools).expand(*expanded)
    asked = answer("Files", "Care", "read", "clock", "nobody")
    calls = opened.calls(asked)
    assert [call.name for call in calls] == open_names
    following = opened.after(asked, *[tool_result(call, "mine") for call in calls])
    results: list[Any] = [part for message in following.bare.messages[2:] for part in message.parts]
    assert [part.call_id for part in results] == [f"c{number}" for number in range(5)]
    texts = [part.parts[0].text for part in results]
    assert [text == "mine" for text in texts] == [
        name in open_names for name in ("Files", "Care", "read", "clock", "nobody")
    ]


def test_a_banner_lists_functions_where_there_are_any() -> None:
    shown = session(injection_style="banner").expand("Files", "Care").request.instructions
    assert isinstance(shown, str)
    head, care, files = shown.split("\n\n## ")
    assert head.count("═" * 97) == 2
    assert care == "Care:\n[Skill: Care] Look first."
    assert files == "Files:\n**Available functions:** read\n\nFILE RULES"
    assert session(injection_style="banner").request.instructions is None


@pytest.mark.parametrize(("store", "continued"), [(None, True), (True, True), (False, False)])
def test_what_is_not_stored_is_not_continued(store: bool | None, continued: bool) -> None:
    request = Request("m", user("Hi"), options=Options(store=store), continuation=Continuation())
    said = Answer(
        candidates=(Candidate(message=assistant("Hello.")),),
        continuation=Continuation(id="resp_1", wire="openai_responses"),
    )
    following = request.after(said, user("Go on")).continuation
    assert following is not None
    assert following.id == ("resp_1" if continued else None)
    assert following.start == (2 if continued else 0)
