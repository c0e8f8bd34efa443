"""The loop of an agent with pipeline, toolkits, permission, filters and limits, in all ways that it can be run."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable
from typing import Any

import httpx
import pytest

from promptwire import (
    Continuation,
    Message,
    Request,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    openai_chat,
    openai_responses,
    user,
)
from promptwire.context import Outcome, Pipeline, PlanMode
from promptwire.errors import ContextError, InvalidRequest
from promptwire.http import ApiStatusError, ApiTimeoutError, Client, RunLimitError, StepLimitError
from promptwire.parts import Opaque
from promptwire.toolkits import CollapsingConfig, InvocationFilter, Toolkit, Toolkits, frontend_tools, tool

from .scripted import WAYS, ScriptedApi, run_with, saying

QUESTION = Request("m", [user("Tidy up.")])


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    """Return a way to run the loop."""
    return str(request.param)


def script(*answers: Any) -> ScriptedApi:
    """Return a server that gives these answers in turn."""
    left = iter(answers)
    return ScriptedApi(lambda _: next(left))


def call(name: str, number: int = 1, **arguments: Any) -> ToolCall:
    return ToolCall(f"c{number}", name, arguments)


def results(messages: Iterable[Message]) -> list[str]:
    """Return the texts of all tool results."""
    return [
        "".join([getattr(text, "text", "") for text in part.parts])
        for message in messages
        for part in message.parts
        if isinstance(part, ToolResult)
    ]


class Disk:
    """A toolkit with a function that requires permission, and what ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    @tool("Look at all files.")
    def look(self) -> str:
        self.ran.append("look")
        return "a.txt"

    @tool("Delete a file.", name="remove", permission=True)
    def delete(self, path: str) -> str:
        self.ran.append(f"remove {path}")
        return "gone"

    def kit(self) -> Toolkit:
        return Toolkit("Disk", "Files", [self.look, self.delete], system_prompt="Never delete twice.")


def shown(request: Request) -> list[str]:
    return [getattr(one, "name", "") or "" for one in request.tools or ()]


def test_toolkits_and_a_pipeline_prepare_each_model_call(way: str) -> None:
    disk, told = Disk(), list[str]()
    api = script(
        saying(call("Disk")), saying(call("look", 2), call("remove", 3, path="a.txt")), saying("Done.")
    )

    class Memory:
        name = "memory"

        def __call__(self, draft: Any) -> str:
            return "Files are old."

        def post_invoke(self, outcome: Outcome) -> None:
            told.extend(
                [part.name for row in outcome.answer for part in row.parts if isinstance(part, ToolCall)]
                or ["text"]
            )

    pipeline = Pipeline(base="You help.", plan=PlanMode(text="Plan first."), filters=[Memory()])
    run = run_with(api, way, QUESTION, pipeline=pipeline, toolkits=[disk.kit()], approve=lambda _: True)
    assert (run.text, sorted(disk.ran)) == ("Done.", ["look", "remove a.txt"])
    assert [shown(one) for one in api.requests] == [["Disk"], ["look", "remove"], ["look", "remove"]]
    systems = [str(one.instructions) for one in api.requests]
    assert all("Plan first." in text and "Files are old." in text for text in systems)
    assert ["Never delete twice." in text for text in systems] == [False, True, True]
    assert told == ["Disk", "look", "remove", "text"]
    # the caller's own: nothing of pipeline or toolkits
    assert (run.request.instructions, run.request.tools) == (None, None)
    roles = [message.role for message in run.request.messages]
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "tool", "assistant"]
    assert run.session.state.expanded == ("Disk",) and run.prepared.session is run.session
    # the next turn
    following = run.request.replace(messages=(*run.request.messages, user("Thanks.")))
    again = script(saying("Bye."))
    run = run_with(
        again,
        way,
        following,
        pipeline=pipeline,
        toolkits=[disk.kit()],
        approve=lambda _: True,
        state=run.session.state,
    )
    assert (run.text, shown(again.requests[0])) == ("Bye.", ["look", "remove"])
    # its text lasted one message turn
    assert "Never delete twice." not in str(again.requests[0].instructions)


def test_without_leave_nothing_is_asked(way: str) -> None:
    api = script()
    with pytest.raises(InvalidRequest, match="remove requires permission: pass approve="):
        run_with(api, way, QUESTION, toolkits=[Disk().kit()])
    with pytest.raises(InvalidRequest, match="remove requires permission: pass approve="):
        run_with(api, way, QUESTION, pipeline=Pipeline(toolkits=[Disk().kit()]))
    assert api.requests == []


def test_a_refusal_is_a_result(way: str) -> None:
    disk = Disk()
    api = script(saying(call("remove", path="a")), saying("Done."))
    kits = Toolkits([Toolkit("Disk", "Files", [disk.look, disk.delete], collapsed=False)])
    run = run_with(api, way, QUESTION, toolkits=kits, approve=lambda _: "it is mine")
    assert disk.ran == []
    assert results(run.request.messages) == ["remove was not called: permission was refused: it is mine"]


def test_filters_run_around_functions_and_a_changed_call_is_asked_about(way: str) -> None:
    disk, asked, log = Disk(), list[Any](), list[str]()

    def rename(given: Any) -> Any:
        return given.replace(arguments={"path": "b.txt"})

    def approve(given: Any) -> bool:
        asked.append(given.parsed_arguments["path"])
        return True

    filters = [
        InvocationFilter(
            name="log",
            before=lambda given: log.append(f"before {given.name}"),
            after=lambda given, _: log.append("after"),
        ),
        InvocationFilter(name="rename", before=rename, functions=["remove"]),
    ]
    api = script(saying(call("remove", path="a.txt"), call("look", 2)), saying("Done."))
    run = run_with(api, way, QUESTION, [disk.delete, disk.look], approve=approve, filters=filters)
    assert (asked, disk.ran) == (["a.txt", "b.txt"], ["remove b.txt", "look"])
    assert results(run.request.messages) == ["gone", "a.txt"]
    assert log == ["before remove", "before look", "after", "after"]


def test_filters_of_toolkits_run_inside(way: str) -> None:
    disk, log = Disk(), list[str]()

    def logged(name: str) -> InvocationFilter:
        return InvocationFilter(
            name=name, before=lambda _: log.append(f"+{name}"), after=lambda *_: log.append(f"-{name}")
        )

    kits = Toolkits(
        [Toolkit("Disk", "Files", [disk.look], collapsed=False)], invocation_filters=[logged("inner")]
    )
    api = script(saying(call("look")), saying("Done."))
    run_with(api, way, QUESTION, toolkits=kits, filters=[logged("outer")])
    assert log == ["+outer", "+inner", "-inner", "-outer"]


def test_a_filter_for_nothing_is_refused(way: str) -> None:
    odd = InvocationFilter(name="odd", functions=["lok"])
    with pytest.raises(InvalidRequest, match='no function is named "lok": did you mean "look"'):
        run_with(script(), way, QUESTION, [Disk().look], filters=[odd])


def test_toolkits_are_given_once(way: str) -> None:
    kit = Toolkit("Disk", "Files", [Disk().look])
    with pytest.raises(InvalidRequest, match="the pipeline has toolkits already"):
        run_with(script(), way, QUESTION, pipeline=Pipeline(toolkits=[kit]), toolkits=[kit])


@pytest.mark.parametrize("finish", ["length", "filtered"])
def test_calls_of_an_answer_that_was_cut_are_not_run(way: str, finish: str) -> None:
    disk = Disk()
    api = script(saying("I look.", call("look"), finish=finish))
    run = run_with(api, way, QUESTION, [disk.look])
    assert (disk.ran, run.answer.finish, run.pending) == ([], finish, ())
    assert results(run.request.messages) == [f"look was not called: the answer ended early ({finish})"]


def test_a_hidden_function_is_not_run(way: str) -> None:
    disk = Disk()
    api = script(saying(call("look")), saying("Done."))
    pipeline = Pipeline(
        scope=lambda request: [one for one in request.tools or () if getattr(one, "name", "") != "look"]
    )
    run = run_with(api, way, QUESTION, [disk.look, disk.delete], pipeline=pipeline, approve=lambda _: True)
    assert (disk.ran, results(run.request.messages)) == (
        [],
        ["there is no tool 'look'; the tools are remove"],
    )


def test_a_call_without_any_tools_has_a_result(way: str) -> None:
    run = run_with(script(saying(call("look")), saying("Done.")), way, QUESTION)
    assert results(run.request.messages) == ["there is no tool 'look'; the request has none"]


@pytest.mark.parametrize("way", [way for way in WAYS if "own" not in way])
def test_a_time_that_is_over_is_never_less_than_nothing(way: str) -> None:
    with pytest.raises(ApiTimeoutError, match="no complete answer within 0 seconds"):
        run_with(script(saying("Done.")), way, QUESTION, max_seconds=0)


def test_calls_of_a_frontend_wait_for_the_caller(way: str) -> None:
    disk = Disk()
    front = frontend_tools([Tool("show", "Show a map.")])
    api = script(saying(call("Disk"), call("show", 2)), saying("Done."))
    kits = Toolkits([disk.kit(), front])
    run = run_with(api, way, QUESTION, toolkits=kits, approve=lambda _: True)
    assert [one.name for one in run.pending] == ["show"] and run.request == QUESTION
    session = run.session.after(run.answer, Message("tool", [ToolResult("c2", ["shown"])]))
    done = run_with(api, way, session.bare, toolkits=kits, approve=lambda _: True, state=session.state)
    assert done.text == "Done." and shown(api.requests[1]) == ["look", "remove", "show"]


def test_a_declared_tool_of_one_api_waits_for_the_caller(way: str) -> None:
    raw = Opaque(
        "openai_chat",
        {"type": "function", "function": {"name": "raw", "parameters": {"type": "object"}}},
        "tools",
    )
    run = run_with(script(saying(call("raw"))), way, QUESTION.replace(tools=[raw]))
    assert [one.name for one in run.pending] == ["raw"] and run.request.messages == QUESTION.messages


def test_a_forced_tool_is_forced_once_with_toolkits_and_a_pipeline(way: str) -> None:
    disk = Disk()
    request = QUESTION.replace(tool_choice=ToolChoice("required"))
    kit = Toolkit("Disk", "Files", [disk.look], collapsed=False)
    for options in (
        {"toolkits": [kit]},
        {"pipeline": Pipeline(toolkits=[kit])},
        {"pipeline": Pipeline(), "tools": [disk.look]},
    ):
        api = script(saying(call("look")), saying("Done."))
        run_with(api, way, request, **options)
        modes = [one.tool_choice and one.tool_choice.mode for one in api.requests]
        assert modes == ["required", "auto"]


def test_the_limit_of_steps_keeps_the_conversation(way: str) -> None:
    disk = Disk()
    kit = Toolkit("Disk", "Files", [disk.look], collapsed=False)
    api = ScriptedApi(lambda request: saying(call("look", len(request.messages))))
    with pytest.raises(StepLimitError, match="after 2 steps; raise max_steps") as stopped:
        run_with(api, way, QUESTION, toolkits=[kit], max_steps=2)
    assert results(stopped.value.request.messages) == ["a.txt", "a.txt"]
    assert stopped.value.request.tools is None and len(stopped.value.run.answers) == 2


def test_the_limit_of_seconds_keeps_the_conversation(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    late = [0.0]
    monkeypatch.setattr(
        "promptwire_runtime.execution.agent_loop.monotonic", lambda: time.monotonic() + late[0]
    )

    def slow() -> str:
        """Take an hour."""
        late[0] += 3600
        return "late"

    api = ScriptedApi(lambda request: saying(call("slow", len(request.messages))))
    with pytest.raises(RunLimitError, match="after 600 seconds; raise max_seconds") as stopped:
        run_with(api, way, QUESTION, [slow], max_seconds=600)
    assert results(stopped.value.request.messages) == ["late"]
    assert not isinstance(stopped.value, StepLimitError)


@pytest.mark.slow
@pytest.mark.parametrize("way", [one for one in WAYS if "async" in one])
def test_functions_that_can_be_cancelled_end_at_the_limit(way: str) -> None:
    ended: list[str] = []

    async def slow() -> str:
        """Take very long."""
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return "never"

    with pytest.raises(RunLimitError) as stopped:
        run_with(script(saying(call("slow"))), way, QUESTION, [slow], max_seconds=1)
    assert ended == ["cancelled"]
    assert results(stopped.value.request.messages) == [
        "slow failed: TimeoutError: the time of the run is over"
    ]


@pytest.mark.parametrize("way", [one for one in WAYS if "async" in one])
@pytest.mark.parametrize(("most", "seen"), [(None, 3), (2, 2), (1, 1)])
def test_functions_of_one_answer_run_at_once_up_to_a_limit(way: str, most: int | None, seen: int) -> None:
    now, highest = [0], [0]

    async def work() -> str:
        """Work."""
        now[0] += 1
        highest[0] = max(highest[0], now[0])
        await asyncio.sleep(0.01)
        now[0] -= 1
        return "done"

    api = script(saying(*[call("work", n) for n in range(3)]), saying("Done."))
    run_with(api, way, QUESTION, [work], max_parallel=most)
    assert highest == [seen]


def test_an_error_of_the_model_call_is_told_to_filters(way: str) -> None:
    told: list[Any] = []

    class Watch:
        name = "watch"

        def __call__(self, draft: Any) -> None: ...

        def post_invoke(self, outcome: Outcome) -> None:
            told.append(type(outcome.error).__name__)

    def respond(_: Request) -> Any:
        if "own" in way:
            raise LookupError("busy")
        return httpx.Response(500, json={"error": {"message": "busy"}})

    with pytest.raises((ApiStatusError, LookupError), match="busy"):
        run_with(ScriptedApi(respond), way, QUESTION, pipeline=Pipeline(filters=[Watch()]))
    assert told == ["LookupError" if "own" in way else "ApiStatusError"]


def test_a_filter_that_fails_is_an_error_that_names_it(way: str) -> None:
    def fail(_: Any) -> Any:
        raise ValueError("no")

    odd = InvocationFilter(name="odd", before=fail)
    with pytest.raises(ContextError, match="filter odd, before look: ValueError: no"):
        run_with(script(saying(call("look"))), way, QUESTION, [Disk().look], filters=[odd])


def test_a_stream_shows_results_and_each_answer() -> None:
    api = script(saying(call("Disk")), saying(call("look", 2)), saying("Done."))
    client = Client(openai_chat, api_key="k", http=httpx.Client(transport=httpx.MockTransport(api)))
    with client.run_stream(QUESTION, toolkits=[Disk().kit()], approve=lambda _: True) as stream:
        seen = [event.kind if event.kind != "part" else results([event.data])[0] for event in stream]
    assert [kind for kind in seen if kind not in ("arguments", "usage", "vendor")] == [
        *("start", "call", "finish", "Disk is expanded. Its functions: look, remove."),
        *("start", "call", "finish", "a.txt", "start", "text", "finish"),
    ]
    assert stream.result().text == "Done."


@pytest.mark.parametrize("way", [way for way in WAYS if "async" in way])
def test_a_function_that_waits_for_a_cancelled_task_failed_alone(way: str) -> None:
    async def broken() -> None:
        """Wait for a task that another one cancels."""
        waited = asyncio.ensure_future(asyncio.sleep(60))
        asyncio.get_running_loop().call_soon(waited.cancel)
        await waited

    async def slow() -> str:
        """Take longer."""
        await asyncio.sleep(0.01)
        return "whole"

    api = script(saying(call("broken"), call("slow", 2)), saying("Done."))
    run = run_with(api, way, QUESTION, [broken, slow])
    assert results(run.request.messages) == ["broken failed: CancelledError", "whole"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("max_steps", 0), ("max_steps", None), ("max_steps", "3"), ("max_seconds", -1)],
        *[("max_seconds", math.nan), ("max_parallel", 0), ("max_parallel", 1.5)],
    ],
)
def test_limits_are_checked(way: str, name: str, value: Any) -> None:
    with pytest.raises(InvalidRequest, match=f"{name} is {value!r}; it must be .*, at least"):
        run_with(script(), way, QUESTION, **{name: value})


def test_an_asynchronous_function_needs_the_asynchronous_loop() -> None:
    async def later() -> str:
        """Be late."""
        return "late"

    with pytest.raises(ContextError, match="tool later: is asynchronous; await run_async"):
        run_with(script(saying(call("later"))), "own", QUESTION, [later])


@pytest.mark.parametrize("way", [one for one in WAYS if "own" not in one])
def test_a_continuation_counts_the_messages_of_the_caller(way: str) -> None:
    """The server holds the first turn; a pipeline adds a message, and containers are called."""
    disk = Disk()
    api = ScriptedApi(lambda _: next(left), openai_responses)
    left = iter([saying(call("Disk")), saying(call("look", 2)), saying("Done.")])
    question = Request("gpt-5.4", [user("Tidy up.")], continuation=Continuation())
    kits = Toolkits([disk.kit()], CollapsingConfig(deferral="containers"))
    pipeline = Pipeline(base="You help.", native=False, toolkits=kits)
    run = run_with(api, way, question, pipeline=pipeline, approve=lambda _: True)
    assert run.text == "Done." and run.request.continuation is not None
    # everything but what comes next is held
    assert run.request.continuation.start == len(run.request.messages)
    assert [len(body["input"]) for body in api.bodies[1:]] == [1, 1]
