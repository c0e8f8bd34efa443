"""The size of a request's tools: whole, collapsed, deferred."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Request, Tool, openai_chat, openai_responses, user
from promptwire.toolkits import CollapsingConfig, Toolkit, Toolkits, ToolkitState, cost_table, costs
from tests.internals.runtime import Cost

KITS = Toolkits(
    [Toolkit(name, name, [Tool(f"{name}{n}", "x" * 50) for n in range(3)]) for name in ("disk", "git")],
    CollapsingConfig(enabled=False),
)
REQUEST = Request("gpt-4o", user("Hello"), tools=[Tool("clock")])


@pytest.mark.parametrize("wire", [None, openai_chat])
def test_an_api_that_defers_nothing_has_two_ways(wire: Any) -> None:
    rows = costs(KITS, REQUEST, wire=wire, estimate=lambda text: text.count('"name"'))
    assert rows == (Cost("whole", 7, 7, 7), Cost("collapsed", 3, 3, 3))


def test_one_that_defers_shows_groups_and_sends_all() -> None:
    rows = costs(KITS, REQUEST, wire=openai_responses, estimate=lambda text: text.count('"name"'))
    # the clock, the search, two groups
    assert rows[2] == Cost("deferred", 4, 3, 9)


def test_what_is_expanded_counts() -> None:
    rows = costs(KITS, REQUEST, state=ToolkitState(expanded=("git",)))
    assert [row.tools for row in rows] == [7, 5]
    assert rows[0].start > rows[1].start > costs(KITS, REQUEST)[1].start


def test_the_table() -> None:
    assert cost_table([Cost("whole", 7, 1200, 1200), Cost("deferred", 4, 90, 1300)], "tokens") == (
        "tools     shown  tokens at the start  tokens sent\n"
        "whole         7                1,200        1,200\n"
        "deferred      4                   90        1,300"
    )
