"""Calls of toolkit functions: approval, filters before and after, and filters of a pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from promptwire import Answer, Message, Request, Tool, ToolCall, ToolResult, assistant, tool_result, user
from promptwire.context import Filter, Outcome, Pipeline
from promptwire.errors import AnswerError, ContextError, InvalidRequest
from promptwire.results import Candidate
from promptwire.toolkits import InvocationFilter, Member, Session, Toolkit, Toolkits, tool

RAN: list[str] = []


@tool(permission=True)
def delete(table: str) -> str:
    """Delete a table."""
    RAN.append(table)
    return f"deleted {table}"


@tool
def look(table: str = "t") -> str:
    """Look at a table."""
    return f"looked at {table}"


def session(*filters: InvocationFilter) -> Session:
    RAN.clear()
    kits = [Toolkit("Data", "data", [delete, Toolkit("Inner", "inside", [look])])]
    return Session(Toolkits(kits, invocation_filters=filters), Request("m", user("Hello")))


def said(message: Message) -> str:
    (part,) = message.parts
    assert isinstance(part, ToolResult)
    return "".join([getattr(piece, "text", "") for piece in part.parts])


def call(name: str = "delete", **arguments: Any) -> ToolCall:
    return ToolCall("c1", name, arguments)


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (True, "deleted users"),
        (False, "delete was not called: permission was refused"),
        ("not at night", "delete was not called: permission was refused: not at night"),
        ("", "delete was not called: permission was refused"),
    ],
)
def test_a_function_that_requires_permission_is_approved_first(answer: Any, result: str) -> None:
    asked: list[ToolCall] = []

    def approve(asking: ToolCall) -> Any:
        assert RAN == []
        asked.append(asking)
        return answer

    async def later(asking: ToolCall) -> Any:
        await asyncio.sleep(0)
        return approve(asking)

    one = call(table="users")
    assert said(session().run(one, approve=approve)) == result
    assert (["users"] if answer is True else []) == RAN
    assert asked == [one]
    assert said(asyncio.run(session().run_async(one, approve=later))) == result


def test_nobody_is_asked_for_other_functions_and_nothing_runs_without_a_hook() -> None:
    def approve(_: ToolCall) -> bool:
        raise AssertionError

    assert said(session().run(call("look"), approve=approve)) == "looked at t"
    with pytest.raises(InvalidRequest, match="delete requires permission: pass approve="):
        session().run(call(table="users"))
    assert RAN == []


@pytest.mark.parametrize("answer", [None, 1, 0, ["yes"]])
def test_an_approval_is_true_false_or_a_reason(answer: Any) -> None:
    with pytest.raises(ContextError, match="return True, False, or text"):
        session().run(call(table="users"), approve=lambda _: answer)
    assert RAN == []


def test_filters_run_around_the_function_in_order_and_back() -> None:
    log: list[str] = []

    def logging(name: str, **scoped: Any) -> InvocationFilter:
        return InvocationFilter(
            name=name,
            before=lambda one: log.append(f"{name} before {one.name}"),
            after=lambda one, result: log.append(f"{name} after {one.name}: {said(result)}"),
            **scoped,
        )

    running = session(
        logging("all"),
        logging("deleting", functions=["delete"]),
        logging("inner", toolkits=["Inner"]),
        logging("outer", toolkits=["Data"]),
        logging("either", functions=["delete"], toolkits=["Inner"]),
    )
    running.run(call("look"))
    around = ["all", "inner", "outer", "either"]
    assert log == [
        *[f"{name} before look" for name in around],
        *[f"{name} after look: looked at t" for name in reversed(around)],
    ]
    log.clear()
    running.run(call(table="x"), approve=lambda _: True)
    assert [row.split()[0] for row in log] == [
        "all",
        "deleting",
        "outer",
        "either",
        "either",
        "outer",
        "deleting",
        "all",
    ]


def test_a_filter_changes_call_and_result() -> None:
    changing = InvocationFilter(
        name="changing",
        before=lambda one: ToolCall(one.id, one.name, {"table": "other"}),
        after=lambda _, result: said(result).upper(),
    )
    asked: list[Any] = []

    def approve(one: ToolCall) -> bool:
        asked.append(one.parsed_arguments)
        return True

    assert said(session(changing).run(call(table="users"), approve=approve)) == "DELETED OTHER"
    assert asked == [{"table": "users"}, {"table": "other"}]
    refused = session(changing).run(
        call(table="users"), approve=lambda one: one.parsed_arguments == {"table": "users"}
    )
    assert said(refused) == "DELETE WAS NOT CALLED: PERMISSION WAS REFUSED"
    assert RAN == []


def test_arguments_that_a_filter_changes_in_place_are_approved_again() -> None:
    asked: list[Any] = []

    def approve(asking: ToolCall) -> bool:
        asked.append(dict(asking.parsed_arguments))
        return len(asked) == 1

    def change(asking: ToolCall) -> None:
        asking.parsed_arguments["table"] = "users"

    running = session(InvocationFilter(name="change", before=change))
    assert "permission was refused" in said(running.run(call(table="logs"), approve=approve))
    assert asked == [{"table": "logs"}, {"table": "users"}]
    assert RAN == []


def test_a_filter_answers_in_place_of_the_function() -> None:
    log: list[str] = []
    cached = InvocationFilter(name="cached", before=lambda _: "from the cache")
    audit = InvocationFilter(name="audit", after=lambda _, result: log.append(said(result)))
    never = InvocationFilter(name="never", before=lambda _: pytest.fail("a later filter runs"))
    assert (
        said(session(audit, cached, never).run(call(table="users"), approve=lambda _: True))
        == "from the cache"
    )
    assert RAN == []
    assert log == ["from the cache"]
    whole = InvocationFilter(name="whole", before=lambda one: tool_result(one, "as a message"))
    assert said(session(whole).run(call(table="users"), approve=lambda _: True)) == "as a message"


def test_filters_may_be_awaited() -> None:
    async def before(_: ToolCall) -> None:
        await asyncio.sleep(0)

    async def after(_: ToolCall, result: Message) -> str:
        await asyncio.sleep(0)
        return said(result) + "!"

    running = session(InvocationFilter(name="slow", before=before, after=after))
    assert said(asyncio.run(running.run_async(call("look")))) == "looked at t!"
    with pytest.raises(ContextError, match="await run_async"):
        running.run(call("look"))


@pytest.mark.parametrize(
    ("filter_", "message"),
    [
        (InvocationFilter(name="odd", before=lambda _: 5), "filter odd, before look: returned int"),
        (InvocationFilter(name="odd", after=lambda *_: 5), "filter odd, after look: returned int"),
        (
            InvocationFilter(name="odd", before=lambda one: ToolCall("other", one.name, {})),
            "changed the name or the id",
        ),
        (
            InvocationFilter(name="odd", before=lambda one: ToolCall(one.id, "other", {})),
            "changed the name or the id",
        ),
    ],
)
def test_a_filter_that_returns_anything_else_is_an_error(filter_: InvocationFilter, message: str) -> None:
    with pytest.raises(ContextError, match=message):
        session(filter_).run(call("look"))


def test_a_filter_for_a_name_that_nobody_has_is_an_error() -> None:
    with pytest.raises(InvalidRequest, match='no function is named "delte": did you mean "delete"'):
        session(InvocationFilter(name="f", functions=["delte"]))
    with pytest.raises(InvalidRequest, match='no toolkit is named "other": known are Data, Inner'):
        session(InvocationFilter(name="f", toolkits=["other"]))
    filters: Any = [5]
    with pytest.raises(InvalidRequest, match="an invocation filter"):
        session(*filters)


def test_a_function_without_code_is_the_callers() -> None:
    kits = Toolkits([Toolkit("A", "a", [Member(Tool("shown"))])])
    with pytest.raises(InvalidRequest, match="shown is yours to run"):
        Session(kits, Request("m", user("Hi"))).run(call("shown"))


# ---- filters of a pipeline


def test_after_runs_the_filters_of_the_pipeline_with_messages() -> None:
    outcomes: list[Outcome] = []

    def learn(outcome: Outcome) -> Awaitable[None] | None:
        outcomes.append(outcome)
        return None

    agent = Pipeline(base="B", filters=[Filter("learning", lambda _: None, learn)])
    prepared = agent.prepare(Request("m", user("Hi")), properties={"user": "Ada"})
    message = assistant("Hello.")
    answer = Answer(candidates=(Candidate(message=message),))
    following = agent.after(prepared, answer, user("Go on"))
    (outcome,) = outcomes
    assert (outcome.request, outcome.answer, outcome.error) == (prepared.request, (message,), None)
    assert outcome.properties == {"user": "Ada"}
    assert following.request.messages[-1] == user("Go on")
    agent.post_invoke(prepared, answer)
    assert outcomes[1] == outcome
    wrong: Any = "Hello."
    with pytest.raises(AnswerError, match="messages or an answer, not str"):
        agent.post_invoke(prepared, wrong)
