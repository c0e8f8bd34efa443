"""Never executed: the loop with tools, and what type checkers must see of it and of its calls."""

from __future__ import annotations

from typing import Any, assert_type

from promptwire import Answer, Request, ToolCall
from promptwire.context import Pipeline
from promptwire.execution import run, run_async
from promptwire.http import AsyncClient, Client, Run
from promptwire.parts import CustomToolCall
from promptwire.toolkits import InvocationFilter, Toolkit


def ask(request: Request) -> Answer:
    """Ask a model."""
    raise NotImplementedError(request)


async def ask_later(request: Request) -> Answer:
    """Ask a model, asynchronously."""
    raise NotImplementedError(request)


def function(city: str) -> str:
    """Do something."""
    return city


async def see_runs(request: Request, client: Client, later: AsyncClient, kit: Toolkit) -> None:
    """See the runs of all ways, with all options."""
    audit = InvocationFilter(name="audit")
    assert_type(run(ask, request, [function], toolkits=[kit], max_steps=3), Run)
    assert_type(await run_async(ask_later, request, {"f": function}), Run)
    assert_type(client.run(request, [function], pipeline=Pipeline(), filters=[audit]), Run)
    assert_type(client.run_stream(request, approve=lambda call: "no", max_seconds=9.5).result(), Run)
    assert_type(await later.run(request, tools=[function], tool_errors="raise", max_parallel=2), Run)
    assert_type(await later.run_stream(request, [function], plan_phase="left").result(), Run)


def see_calls(answer: Answer) -> None:
    """See both kinds of calls, and that both have arguments."""
    assert_type(answer.calls, tuple[ToolCall | CustomToolCall, ...])
    for call in answer.calls:
        assert_type(call.name, str)
        assert_type(call.parsed_arguments, dict[str, Any])
