"""Objects that are called as functions, and partial functions, as tools of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from promptwire import Answer, Request, Text, ToolCall, ToolResult, assistant, user
from promptwire.errors import ContextError, InvalidRequest
from promptwire.execution import Run, run, run_async
from promptwire.results import Candidate
from promptwire.toolkits import tool


class Adder:
    """Add one."""

    def __call__(self, number: int, unit: str = "C") -> str:
        """Add one to a number."""
        return f"{number + 1} {unit}"


class LaterAdder(Adder):
    """Add one, later."""

    async def __call__(self, number: int, unit: str = "C") -> str:  # type: ignore[override]
        """Add one to a number, later."""
        await asyncio.sleep(0)
        return f"{number + 1} {unit}"


def answers(number: Any) -> Iterator[Answer]:
    call = ToolCall("c1", "add", {"number": number})
    return iter([Answer(candidates=(Candidate(message=assistant(part)),)) for part in (call, Text("Done."))])


def result_of(done: Run) -> str:
    parts = [part for message in done.request.messages for part in message.parts]
    (result,) = [part for part in parts if isinstance(part, ToolResult)]
    return "".join([part.text for part in result.parts if isinstance(part, Text)])


NAMED = tool("Add.", name="add")
TOOLS: dict[str, Any] = {
    "object": {"add": Adder()},
    "partial of an object": {"add": partial(Adder(), unit="F")},
    "object under @tool": [NAMED(Adder())],
    "asynchronous object": {"add": LaterAdder()},
    "partial of a partial": {"add": partial(partial(LaterAdder(), unit="F"))},
}


@pytest.mark.parametrize("name", TOOLS)
def test_an_object_is_a_tool(name: str) -> None:
    script = answers(2)
    asked: list[Request] = []

    async def ask(request: Request) -> Answer:
        asked.append(request)
        return next(script)

    done = asyncio.run(run_async(ask, Request("m", user("Q")), TOOLS[name]))
    assert result_of(done) == ("3 F" if "partial" in name else "3 C")
    declared = next(iter(asked[0].tools or ()))
    schema: Any = getattr(declared, "parameters", None)
    assert schema["properties"]["number"]["type"] == "integer"
    described = str(getattr(declared, "description", None))
    assert described.startswith("Add") and "partial(" not in described


def test_arguments_of_objects_have_the_types_of_their_call() -> None:
    for number, expected in ((2, "3 C"), ("two", "add was not called: number: the JSON is text, not int")):
        script = answers(number)
        assert result_of(run(lambda _: next(script), Request("m", user("Q")), {"add": Adder()})) == expected  # noqa: B023


def test_an_asynchronous_object_needs_a_run_that_awaits() -> None:
    script = answers(2)
    with pytest.raises(ContextError, match="tool add: is asynchronous; await run_async"):
        run(lambda _: next(script), Request("m", user("Q")), {"add": LaterAdder()})


@pytest.mark.parametrize("is_awaited", [True, False])
def test_a_function_that_reads_beyond_the_end_fails_as_any_other(is_awaited: bool) -> None:
    def take(number: int) -> str:
        """Take one."""
        return str(next(iter(range(number))))

    async def ask(_: Request) -> Answer:
        return next(script)

    script, request, tools = answers(0), Request("m", user("Q")), {"add": take}
    if is_awaited:
        done = asyncio.run(asyncio.wait_for(run_async(ask, request, tools), 20))
    else:
        done = run(lambda _: next(script), request, tools)
    assert result_of(done) == "add failed: StopIteration"


class Speechless(Exception):
    """An error whose text cannot be made."""

    def __str__(self) -> str:
        raise ValueError


def test_an_error_without_a_text_is_told_by_its_class() -> None:
    def fail(number: int) -> str:
        """Fail."""
        raise Speechless

    script = answers(0)
    done = run(lambda _: next(script), Request("m", user("Q")), {"add": fail})
    assert result_of(done) == "add failed: Speechless"


def test_an_object_without_a_name_is_told() -> None:
    with pytest.raises(InvalidRequest, match="a tool needs a name, but a Adder has none"):
        run(lambda _: next(answers(2)), Request("m", user("Q")), [Adder()])
