"""`promptwire run`: every request has one answer or one error, however often the run is killed and repeated."""

from __future__ import annotations

import asyncio
import json
import resource
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from promptwire import anthropic_messages, llamacpp_chat
from promptwire.http import AsyncClient
from tests.internals import commands

Reply = Callable[[str, int], httpx.Response]


def told(status: int, message: str, **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"error": {"message": message, "type": "x"}}, headers=headers)


class Server:
    """An API that answers each question with its words, and may do otherwise at first."""

    def __init__(self, reply: Reply | None = None) -> None:
        self.asked = Counter[str]()
        self.models = set[str]()
        self._reply = reply

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        question = body["messages"][-1]["content"]
        self.asked[question] += 1
        self.models.add(body["model"])
        assert "stream" not in body
        await asyncio.sleep(0)
        if (
            self._reply is not None
            and (reply := self._reply(question, self.asked[question])).status_code != 204
        ):
            return reply
        message = {"role": "assistant", "content": f"re {question}"}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
        return httpx.Response(200, json={"id": "a", "created": 1, "choices": choices, "usage": usage})


USUAL = httpx.Response(204)


def requests(tmp_path: Path, count: int = 12) -> Path:
    """Write requests of Anthropic: one value each that the other API cannot take."""
    path = tmp_path / "in.jsonl"
    rows = [
        {
            "id": f"q{number}",
            "wire": "anthropic_messages",
            "body": {
                "model": "claude-sonnet-4-5",
                "max_tokens": 9,
                "stream": True,
                "service_tier": "auto",
                "messages": [{"role": "user", "content": f"hi {number}"}],
            },
        }
        for number in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def send(path: Path, out: Path, server: Server, **given: Any) -> commands.RunReport:
    async def inside() -> commands.RunReport:
        client = AsyncClient(
            llamacpp_chat,
            settings={"base_url": "http://behind.example/v1"},
            policies="portable",
            retries=0,
            http=httpx.AsyncClient(transport=httpx.MockTransport(server)),
            on_send=lambda outgoing: commands.NOTES.get().extend(outgoing.built.notes),
        )
        lines = commands.source_lines([str(path)], None, {"anthropic_messages": "anthropic_messages"})
        return await commands.send_lines(lines, commands.LiveRun(client=client, **given), out)

    return asyncio.run(inside())


def rows_of(path: Path) -> dict[str, Any]:
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"]: row for row in rows}


def said(row: Any) -> str:
    return str(row["body"]["choices"][0]["message"]["content"])


def test_each_request_has_its_answer(tmp_path: Path) -> None:
    server, out = Server(), tmp_path / "out.jsonl"
    report = send(requests(tmp_path), out, server, model="qwen3")
    assert {name: said(row) for name, row in rows_of(out).items()} == {
        f"q{n}": f"re hi {n}" for n in range(12)
    }
    assert (server.models, set(server.asked.values())) == ({"qwen3"}, {1})
    assert not (tmp_path / "out.errors.jsonl").exists()
    assert list(report.lines()) == [
        "12 answered, 0 failed, 0 refused",
        "36 tokens in, 24 out, 0 sent again",
        "    12  dropped service_tier",
    ]


def test_ids_that_are_equal_get_numbers_that_no_other_id_has(tmp_path: Path) -> None:
    path, out = requests(tmp_path, 4), tmp_path / "out.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    named = [{**row, "id": name} for row, name in zip(rows, ("a", "a", "a#2", "a"), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in named), "utf-8")
    assert (send(path, out, Server()).answered, send(path, out, Server()).skipped) == (4, 4)
    assert {name: said(row) for name, row in rows_of(out).items()} == {
        "a": "re hi 0",
        "a#2": "re hi 1",
        "a#2#2": "re hi 2",
        "a#3": "re hi 3",
    }


def test_answers_are_written_for_another_api(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    send(requests(tmp_path, 1), out, Server(), answers_as=anthropic_messages)
    body = rows_of(out)["q0"]["body"]
    assert (body["type"], body["content"]) == ("message", [{"type": "text", "text": "re hi 0"}])


def test_errors_stand_in_a_file_beside_and_are_sent_again_by_the_next_run(tmp_path: Path) -> None:
    path, out = requests(tmp_path), tmp_path / "out.jsonl"
    with path.open("a") as more:
        more.write(
            'nonsense\n{"id": "q1", "wire": "anthropic_messages", "body": {"model": "m", "messages": 7}}\n'
        )
    server = Server(lambda question, _: told(400, "Bad tool.") if question == "hi 3" else USUAL)
    report = send(path, out, server)
    assert (report.answered, report.failed, report.refused) == (11, 1, 2)
    errors = rows_of(tmp_path / "out.errors.jsonl")
    assert errors["q3"] == {
        "id": "q3",
        "error": {"kind": "invalid_request", "status": 400, "message": "Bad tool."},
        "attempts": 1,
    }
    assert errors.keys() == {"q3", f"{path}:13", "q1#2"}
    assert "messages" in errors["q1#2"]["error"]["message"]
    again = Server()
    report = send(path, out, again)
    assert (again.asked, report.skipped, report.answered) == (Counter({"hi 3": 1}), 11, 1)
    assert rows_of(out).keys() == {f"q{n}" for n in range(12)}
    assert rows_of(tmp_path / "out.errors.jsonl").keys() == {f"{path}:13", "q1#2"}


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_what_may_pass_is_sent_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attempts: int) -> None:
    waits = list[float]()

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("anyio.sleep", sleep)
    out = tmp_path / "out.jsonl"
    busy = told(429, "Slow down.", **{"retry-after": "7"})
    server = Server(lambda question, times: busy if question == "hi 1" and times < 3 else USUAL)
    report = send(requests(tmp_path, 3), out, server, concurrency=1, attempts=attempts)
    assert (report.answered, report.failed, report.retries) == (
        (3, 0, 2) if attempts == 3 else (2, 1, attempts - 1)
    )
    assert server.asked["hi 1"] == attempts
    # the request behind it waits as well
    assert len(waits) == {1: 0, 2: 2, 3: 3}[attempts]
    assert all(6 < seconds <= 8 for seconds in waits)


def test_a_connection_that_breaks_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptwire_cli.views.live_runs._FIRST_WAIT", 0.001)

    def breaks(_: str, times: int) -> httpx.Response:
        if times == 1:
            raise httpx.ConnectError("refused")
        return USUAL

    report = send(requests(tmp_path), tmp_path / "out.jsonl", Server(breaks))
    assert (report.answered, report.retries) == (12, 12)


UNREADABLE = {
    "a page": httpx.Response(200, text="<html>Sign in</html>"),
    "half an answer": httpx.Response(200, text='{"choices": [{"ind'),
    "a list": httpx.Response(200, json=[1]),
    "nothing of an answer": httpx.Response(200, json={"choices": 5}),
}


@pytest.mark.parametrize("reply", UNREADABLE)
def test_an_answer_that_cannot_be_read_fails_alone(tmp_path: Path, reply: str) -> None:
    server = Server(lambda question, _: UNREADABLE[reply] if question == "hi 3" else USUAL)
    report = send(requests(tmp_path), tmp_path / "out.jsonl", server)
    assert (report.answered, report.failed, report.refused, report.retries) == (11, 1, 0, 0)
    errors = rows_of(tmp_path / "out.errors.jsonl")
    assert errors.keys() == {"q3"} and errors["q3"]["error"]["kind"] == "server"


def test_a_run_that_is_killed_anywhere_is_repeated(tmp_path: Path) -> None:
    path, out = requests(tmp_path, 30), tmp_path / "out.jsonl"
    whole = tmp_path / "whole.jsonl"
    send(path, whole, Server())
    raw, random = whole.read_bytes(), Random(1)  # noqa: S311
    for _ in range(20):
        # what a kill leaves: the rows so far, the last of them torn
        out.write_bytes(raw[: random.randrange(len(raw))])
        had = out.read_bytes().count(b"\n")
        server = Server()
        report = send(path, out, server)
        assert (report.skipped, report.answered, sum(server.asked.values())) == (had, 30 - had, 30 - had)
        assert rows_of(out).keys() == {f"q{n}" for n in range(30)}


def test_a_missing_key_ends_the_run_before_anything_is_sent(tmp_path: Path) -> None:
    arguments = ["run", str(requests(tmp_path)), "--to", "openai_chat", "-o", str(tmp_path / "out.jsonl")]
    result = CliRunner().invoke(commands.app, arguments, env={"OPENAI_API_KEY": ""})
    assert result.exit_code == 2
    assert result.stderr.startswith("promptwire: openai_chat: there is no credential")


def test_answers_need_a_file(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        commands.app, ["run", str(requests(tmp_path)), "--to", "llamacpp_chat", "-o", "-"]
    )
    assert (result.exit_code, Path("-").exists()) == (2, False)
    assert "-o needs a file" in result.stderr


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="a device of POSIX")
@contextmanager
def full_disk() -> Generator[None]:
    """Let no file grow beyond ten bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("name", ["out.jsonl", "out.errors.jsonl"])
def test_a_full_disk_is_told_with_the_file(tmp_path: Path, name: str) -> None:
    server = Server((lambda _, __: told(400, "no")) if "errors" in name else None)
    path = requests(tmp_path)
    with pytest.raises(OSError, match="File too large") as found, full_disk():
        send(path, tmp_path / "out.jsonl", server)
    assert found.value.filename == str(tmp_path / name)


def test_a_device_is_no_file_of_answers(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="not a regular file"):
        send(requests(tmp_path), Path("/dev/null"), Server())


@pytest.mark.parametrize("name", ["out.jsonl", "out.errors.jsonl"])
def test_a_file_of_others_is_left_alone(tmp_path: Path, name: str) -> None:
    path = requests(tmp_path)
    (tmp_path / name).write_text('{"id": "mine"}\n', "utf-8")
    with pytest.raises(commands.CommandError, match=f"{name}:1: no row of a run; write to another file"):
        send(path, tmp_path / "out.jsonl", Server())
    assert (tmp_path / name).read_text("utf-8") == '{"id": "mine"}\n'


@pytest.mark.parametrize("name", ["in.jsonl", "in.errors.jsonl"])
def test_an_input_is_no_output(tmp_path: Path, name: str) -> None:
    path = requests(tmp_path).rename(tmp_path / name)
    text = path.read_bytes()
    out = tmp_path / "in.jsonl"
    result = CliRunner().invoke(commands.app, ["run", str(path), "--to", "llamacpp_chat", "-o", str(out)])
    assert (result.exit_code, path.read_bytes()) == (2, text)
    assert f"{name}: it is an input, and would be overwritten" in result.stderr


def test_two_runs_do_not_write_to_one_file(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    out = tmp_path / "out.jsonl"
    with out.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(commands.CommandError, match="another run writes to this file"):
            send(requests(tmp_path), out, Server())
    assert send(requests(tmp_path), out, Server()).answered == 12
