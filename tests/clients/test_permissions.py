"""Functions that require permission: nothing runs them without asking, blocking or not, whole or streamed."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from promptwire import Request, openai_chat, user
from promptwire.errors import ContextError, InvalidRequest
from promptwire.http import AsyncClient, Client
from promptwire.toolkits import Toolkit, tool

QUESTION = Request("m", [user("Tidy up.")])


class Desk:
    """Functions of an application, and which of them ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    @tool("Delete a file for good.", name="remove", permission=True)
    def delete(self, path: str) -> str:
        """Delete."""
        self.ran.append(f"delete {path}")
        return "gone"

    def erase(self, path: str) -> str:
        """Delete, without a mark."""
        self.ran.append(f"delete {path}")
        return "gone"

    def look(self) -> str:
        """Look around."""
        self.ran.append("look")
        return "a.txt, b.txt"


class Api:
    """Calls functions once, and then ends."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self.calls = calls
        self.bodies: list[Any] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(body := json.loads(request.content))
        rows = [
            {
                "index": n,
                "id": f"c{n}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(given)},
            }
            for n, (name, given) in enumerate(self.calls)
        ]
        message = {"tool_calls": rows} if len(self.bodies) == 1 else {"content": "Done."}
        finish = "tool_calls" if len(self.bodies) == 1 else "stop"
        choice = {"index": 0, "finish_reason": finish}
        if not body.get("stream"):
            choice["message"] = {"role": "assistant", **message}
            return httpx.Response(200, json={"choices": [choice]})
        return httpx.Response(
            200, text=f"data: {json.dumps({'choices': [{**choice, 'delta': message}]})}\n\n"
        )

    @property
    def results(self) -> list[str]:
        """What the model is told."""
        return [message["content"] for message in self.bodies[1]["messages"] if message["role"] == "tool"]


Runs = Callable[..., Any]


@pytest.fixture(params=["run", "run_stream", "async run", "async run_stream"])
def runs(request: pytest.FixtureRequest) -> Runs:
    """Run functions with a client."""
    later, _, method = request.param.rpartition(" ")

    def run(api: Api, functions: Any, question: Request = QUESTION, **options: Any) -> Any:
        transport = httpx.MockTransport(api)
        if not later:
            client = Client(openai_chat, api_key="k", http=httpx.Client(transport=transport))
            given: Any = getattr(client, method)(question, functions, **options)
            return given.result() if "stream" in method else given

        async def answer() -> Any:
            client = AsyncClient(openai_chat, api_key="k", http=httpx.AsyncClient(transport=transport))
            given: Any = getattr(client, method)(question, functions, **options)
            return await (given.result() if "stream" in method else given)

        return asyncio.run(answer())

    return run


REMOVE: tuple[str, dict[str, Any]] = ("remove", {"path": "a.txt"})
LOOK: tuple[str, dict[str, Any]] = ("look", {})


def ways(desk: Desk) -> dict[str, Any]:
    """Ways to give a function that requires permission."""

    @functools.wraps(desk.delete)
    def wrapped(path: str) -> str:
        return desk.delete(path)

    def around(path: str) -> str:
        return desk.delete(path)

    part = functools.partial(desk.delete)
    return {
        "a method": [desk.delete],
        "a mapping": {"remove": desk.delete},
        "a partial function": {"remove": part},
        "a marked partial function": {"remove": tool(permission=True)(functools.partial(desk.erase))},
        "a wrapped function": [wrapped],
        "a wrapped partial function": {"remove": functools.update_wrapper(around, part, assigned=())},
        "among others": [desk.look, desk.delete],
    }


@pytest.mark.parametrize("way", ways(Desk()))
def test_without_leave_nothing_is_sent(runs: Runs, way: str) -> None:
    desk, api = Desk(), Api(REMOVE)
    question = QUESTION.replace(tools=[desk.delete])
    with pytest.raises(InvalidRequest, match=r"remove requires permission: pass approve="):
        runs(api, ways(desk)[way], question)
    assert (desk.ran, api.bodies) == ([], [])


@pytest.mark.parametrize("way", ways(Desk()))
def test_leave_is_asked_for_each_call(runs: Runs, way: str) -> None:
    desk, asked = Desk(), list[Any]()

    def approve(call: Any) -> bool | str:
        asked.append((call.name, call.parsed_arguments, [*desk.ran]))
        return call.parsed_arguments["path"] == "a.txt" or "keep it"

    api = Api(REMOVE, ("remove", {"path": "b.txt"}))
    run = runs(api, ways(desk)[way], QUESTION.replace(tools=[desk.delete]), approve=approve)
    assert run.text == "Done."
    # before anything runs
    assert asked == [("remove", {"path": name}, []) for name in ("a.txt", "b.txt")]
    assert desk.ran == ["delete a.txt"]
    assert api.results == ["gone", "remove was not called: permission was refused: keep it"]


def test_an_approval_may_be_asynchronous(runs: Runs) -> None:
    desk, api = Desk(), Api(REMOVE, LOOK)

    async def approve(_: Any) -> bool:
        await asyncio.sleep(0)
        return False

    runs(api, [desk.delete, desk.look], approve=approve)
    assert desk.ran == ["look"]
    assert api.results == ["remove was not called: permission was refused", "a.txt, b.txt"]


def test_only_calls_that_can_run_are_asked_about(runs: Runs) -> None:
    desk, asked = Desk(), list[str]()
    api = Api(("remove", {"file": "a.txt"}), LOOK)

    def approve(call: Any) -> bool:
        asked.append(call.name)
        return True

    runs(api, [desk.delete, desk.look], approve=approve)
    assert (asked, desk.ran) == ([], ["look"])
    assert api.results[0] == 'remove was not called: it has no argument "file"; it takes path'


@pytest.mark.parametrize("odd", [None, 1, "raise"])
def test_an_approval_that_fails_lets_nothing_run(runs: Runs, odd: Any) -> None:
    desk = Desk()

    def approve(_: Any) -> Any:
        if odd == "raise":
            raise LookupError("nobody is there")
        return odd

    with pytest.raises((LookupError, ContextError), match=r"nobody is there|return True, False, or text"):
        runs(Api(REMOVE, LOOK), [desk.delete, desk.look], approve=approve)
    assert desk.ran == []


def test_the_model_sees_the_name_and_the_text_of_the_mark(runs: Runs) -> None:
    api = Api(LOOK)
    runs(api, [Desk().delete, Desk().look], approve=lambda _: True)
    shown = [row["function"] for row in api.bodies[0]["tools"]]
    assert [(row["name"], row["description"]) for row in shown] == [
        ("remove", "Delete a file for good."),
        ("look", "Look around."),
    ]
    # as in a request that declares it
    (declared,) = QUESTION.replace(tools=[Desk().delete]).tools or ()
    assert getattr(declared, "name", None) == "remove"


@pytest.mark.parametrize("way", ["a list", "a mapping"])
def test_a_toolkit_is_no_function(runs: Runs, way: str) -> None:
    kit, api = Toolkit("files", "Files.", [Desk().delete]), Api(REMOVE)
    with pytest.raises(InvalidRequest, match=r"tools are functions, not Toolkit; pass toolkits as toolkits="):
        runs(api, [kit] if way == "a list" else {"files": kit}, approve=lambda _: True)
    assert api.bodies == []


def test_a_wrapper_of_itself_is_not_called(runs: Runs) -> None:
    desk, api = Desk(), Api(LOOK)

    def look() -> str:
        return desk.look()

    vars(look)["__wrapped__"] = look
    runs(api, {"look": look}, QUESTION.replace(tools=[desk.look]))
    assert (desk.ran, api.results) == ([], [f"look was not called: wrapper loop when unwrapping {look!r}"])
