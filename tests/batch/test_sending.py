"""Batches that are sent and fetched by the vendors' own SDKs, before a server that stands in for all of them."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from promptwire import batch
from tests.internals.commands import app

CHAT = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


class Service(ThreadingHTTPServer):
    """Files and batches of OpenAI, Anthropic, Gemini and Mistral.

    `fail` answers in place of the next creation, and each of `failures` in place of the next question.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.created: list[Any] = []
        self.betas: list[str | None] = []
        self.uploads: list[bytes] = []
        self.fail: Callable[[Handler], None] | None = None
        self.failures: list[int] = []
        self.ended = True
        self.result = b""
        self.wire = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Service  # pyright: ignore[reportIncompatibleVariableOverride]  # made by it

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name there
        pass

    def say(self, body: Any, status: int = 200, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = "application/octet-stream" if data is body else "application/json"
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["content-length"] or 0))
        path, service = urlsplit(self.path).path, self.server
        if path.endswith("/files") and "/upload/" in path:
            self.say({}, x_goog_upload_url=f"{service.url}/bytes", x_goog_upload_status="active")
        elif path == "/bytes":
            service.uploads.append(data)
            self.say({"file": {"name": "files/in", "uri": "u"}}, x_goog_upload_status="final")
        elif path == "/v1/files":
            service.uploads.append(data)
            told = {"id": "file-in", "object": "file", "bytes": len(data), "created_at": 1, "filename": "a"}
            self.say(
                {
                    **told,
                    "purpose": "batch",
                    "status": "processed",
                    "sample_type": "batch_request",
                    "source": "upload",
                }
            )
        else:
            service.created.append(json.loads(data))
            service.betas.append(self.headers["anthropic-beta"])
            fail, service.fail = service.fail, None
            if fail is not None:
                fail(self)
            else:
                self.say(self.told())

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if self.server.failures:
            self.say({"error": {"message": "not now"}}, self.server.failures.pop(0))
        elif path.endswith((":download", "/content", "/results")):
            self.say(self.server.result)
        else:
            self.say(self.told())

    def told(self) -> Any:
        ended = self.server.ended
        if self.server.wire == "gemini_generate":
            state = "BATCH_STATE_SUCCEEDED" if ended else "BATCH_STATE_RUNNING"
            meta: dict[str, Any] = {"state": state, "name": "batches/b1", "model": "models/m"}
            if ended:
                meta["output"] = {"responsesFile": "files/out"}
            return {"name": "batches/b1", "metadata": meta}
        if self.server.wire == "anthropic_messages":
            url = f"{self.server.url}/v1/messages/batches/b1/results" if ended else None
            counts = dict.fromkeys(("canceled", "errored", "expired", "processing", "succeeded"), 0)
            times = {"created_at": "2026-01-01T00:00:00Z", "expires_at": "2026-01-02T00:00:00Z"}
            status = "ended" if ended else "in_progress"
            return {
                "id": "b1", "type": "message_batch", "processing_status": status, "results_url": url,
                "request_counts": counts, **times,
            }  # fmt: skip
        if self.server.wire == "mistral_chat":
            counts = dict.fromkeys(
                ("total_requests", "completed_requests", "succeeded_requests", "failed_requests"), 0
            )
            return {
                "id": "b1", "input_files": ["file-in"], "endpoint": "/v1/chat/completions", "errors": [],
                "status": "SUCCESS" if ended else "RUNNING", "created_at": 1, **counts,
                "output_file": "file-out" if ended else None,
            }  # fmt: skip
        return {
            "id": "b1", "object": "batch", "endpoint": "/v1/chat/completions", "input_file_id": "file-in",
            "completion_window": "24h", "status": "completed" if ended else "in_progress", "created_at": 1,
            "output_file_id": "file-out" if ended else None,
        }  # fmt: skip


# wire -> the path of the base URL, the variable with the key, and what its batch is created from
VENDORS: dict[str, tuple[str, str, Callable[[Any], bool]]] = {
    "openai_chat": (
        "/v1",
        "OPENAI_API_KEY",
        lambda body: (
            body
            == {"input_file_id": "file-in", "endpoint": "/v1/chat/completions", "completion_window": "24h"}
        ),
    ),
    "anthropic_messages": (
        "",
        "ANTHROPIC_API_KEY",
        lambda body: [row["custom_id"] for row in body["requests"]] == ["a"],
    ),
    "gemini_generate": (
        "",
        "GOOGLE_API_KEY",
        lambda body: body["batch"]["inputConfig"] == {"fileName": "files/in"},
    ),
    "mistral_chat": (
        "",
        "MISTRAL_API_KEY",
        lambda body: (
            (body["input_files"], body["model"], body["endpoint"])
            == (["file-in"], "m", "/v1/chat/completions")
        ),
    ),
}


# the id of the batch where it is not b1
NAMES = {"gemini_generate": "batches/b1"}


def send_all(folder: Path, **options: Any) -> list[batch.SentFile]:
    """Send all files of a batch."""
    return [*batch.send(folder, **options)]


def hang_up(handler: Handler) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True


def result_line(wire: str) -> bytes:
    """Return the line of a result file for the request `a`."""
    said = {"role": "assistant", "content": "Oslo"}
    chat = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"} | {
        "choices": [{"index": 0, "message": said, "finish_reason": "stop"}]
    }
    claude = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "Oslo"}], "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    gemini = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Oslo"}]}, "finishReason": "STOP"}]
    }
    rows: dict[str, Any] = {
        "anthropic_messages": {"custom_id": "a", "result": {"type": "succeeded", "message": claude}},
        "gemini_generate": {"key": "a", "response": gemini},
    }
    row = rows.get(wire, {"custom_id": "a", "response": {"status_code": 200, "body": chat}, "error": None})
    return json.dumps(row).encode() + b"\n"


@pytest.fixture
def service() -> Iterator[Service]:
    """A service on the loopback."""
    served = Service()
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield served
    served.shutdown()
    served.server_close()


@pytest.fixture(params=VENDORS)
def written(request: pytest.FixtureRequest, tmp_path: Path, service: Service, monkeypatch: Any) -> Any:
    """A batch of one request that is written for a service."""
    path, variable, check = VENDORS[request.param]
    service.wire = request.param
    monkeypatch.setenv(variable, "k" * 20)
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"id": "a", "wire": "openai_chat", "body": CHAT}) + "\n")
    job = batch.Job(request.param, service="gemini" if request.param == "gemini_generate" else None)
    manifest = batch.write([source], tmp_path / "out", job)
    return SimpleNamespace(
        folder=tmp_path / "out", wire=request.param, url=service.url + path, check=check,
        file=manifest.shards[0].file,
    )  # fmt: skip


def test_a_batch_is_sent_once_and_its_results_are_read(written: Any, service: Service) -> None:
    sent = send_all(written.folder, base_url=written.url)
    assert [(row.file, bool(row.batch)) for row in sent] == [(written.file, True)]
    assert send_all(written.folder, base_url=written.url) == []
    (body,) = service.created
    assert written.check(body), body
    if written.wire != "anthropic_messages":
        assert (written.folder / written.file).read_bytes().strip() in service.uploads[0]

    service.ended = False
    report = batch.fetch(written.folder, base_url=written.url)
    assert report.waits
    assert [line.partition(":")[0] for line in report.lines()] == [written.file]
    assert batch.status(written.folder).counts["pending"] == 1

    service.ended, service.result = True, result_line(written.wire)
    report = batch.fetch(written.folder, base_url=written.url, answers_as="openai_chat")
    assert (report.waits, report.results.succeeded) == (False, 1)
    row = json.loads((written.folder / "results.jsonl").read_text())
    assert (row["name"], row["body"]["choices"][0]["message"]["content"]) == ("a", "Oslo")
    # nothing is left to ask for
    report = batch.fetch(written.folder, base_url="http://127.0.0.1:9")
    assert [*report.lines()] == ["the results of all files that were sent are read"]


@pytest.mark.parametrize(
    ("settings", "edits", "betas"),
    [
        ({}, [], None),
        ({"betas": ["files-api-2025-04-14"]}, [], "files-api-2025-04-14"),
        (
            {"betas": ["files-api-2025-04-14"]},
            [{"type": "clear_tool_uses_20250919"}],
            "files-api-2025-04-14,context-management-2025-06-27",
        ),
    ],
)
def test_a_batch_has_the_betas_of_all_its_requests(
    settings: Any, edits: list[Any], betas: str | None, tmp_path: Path, service: Service, monkeypatch: Any
) -> None:
    service.wire = "anthropic_messages"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k" * 20)
    plain = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
    edited = plain | {"context_management": {"edits": edits}} if edits else plain
    rows = [{"id": str(n), "wire": service.wire, "body": body} for n, body in enumerate((plain, edited))]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    batch.write([tmp_path / "in.jsonl"], tmp_path / "out", batch.Job(service.wire, settings=settings))
    send_all(tmp_path / "out", base_url=service.url)
    assert service.betas == [betas]
    assert len(service.created[0]["requests"]) == len(rows)


def test_a_file_that_was_refused_is_sent_again(written: Any, service: Service) -> None:
    service.fail = lambda handler: handler.say({"error": {"message": "no such model"}}, 400)
    with pytest.raises(batch.BatchError, match="no such model"):
        send_all(written.folder, base_url=written.url)
    assert [row.file for row in batch.send(written.folder, base_url=written.url)] == [written.file]
    assert len(service.created) == 2


def test_a_file_whose_answer_was_lost_is_not_sent_again(written: Any, service: Service) -> None:
    service.fail = hang_up
    with pytest.raises(batch.BatchError):
        send_all(written.folder, base_url=written.url)
    calls: list[Callable[..., Any]] = [send_all, batch.fetch]
    for call in calls:
        with pytest.raises(batch.BatchError, match="may have been sent by a call that was stopped"):
            call(written.folder, base_url=written.url)
    assert len(service.created) == 1
    identity = NAMES.get(written.wire, "b1")
    known = {written.file: identity}
    sent = send_all(written.folder, known=known, base_url=written.url)
    assert [row.batch for row in sent] == [identity]
    assert len(service.created) == 1


def test_a_batch_that_the_service_does_not_have_is_no_batch_of_a_file(written: Any, service: Service) -> None:
    known = {written.file: NAMES.get(written.wire, "b1")}
    service.failures = [404]
    with pytest.raises(batch.BatchError, match="not now"):
        send_all(written.folder, known=known, base_url=written.url)
    with pytest.raises(batch.BatchError, match=r"is named as sent, as .*b1, and to be sent again"):
        send_all(written.folder, known=known, again=[written.file], base_url=written.url)
    assert [row.file for row in send_all(written.folder, base_url=written.url)] == [written.file]


def test_a_service_that_is_not_reached_got_nothing(written: Any, service: Service) -> None:
    with pytest.raises(batch.BatchError):
        send_all(written.folder, base_url="http://127.0.0.1:9")
    assert [row.file for row in send_all(written.folder, base_url=written.url)] == [written.file]


@pytest.mark.parametrize(("failures", "code"), [([], 0), ([503], 0), ([404], 2)])
def test_a_wait_goes_on_after_an_error_that_passes(
    written: Any, service: Service, monkeypatch: pytest.MonkeyPatch, failures: list[int], code: int
) -> None:
    def pass_time(_: float) -> None:
        service.ended, service.failures = True, [code for code in failures if code not in told]
        told.extend(failures)

    told: list[int] = []
    monkeypatch.setattr("time.sleep", pass_time)
    send_all(written.folder, base_url=written.url)
    service.ended, service.result = False, result_line(written.wire)
    command = ["batch", "fetch", str(written.folder), "--wait", "--base-url", written.url]
    done = CliRunner().invoke(app, command)
    assert (done.exit_code, batch.status(written.folder).counts["succeeded"]) == (code, 1 if code == 0 else 0)
    assert ("not now" in done.stderr) == bool(failures)


def test_a_file_that_no_batch_was_created_of_is_sent_where_the_user_says_so(
    written: Any, service: Service
) -> None:
    service.fail = hang_up
    with pytest.raises(batch.BatchError):
        send_all(written.folder, base_url=written.url)
    sent = send_all(written.folder, again=[written.file], base_url=written.url)
    assert [row.file for row in sent] == [written.file]
    assert len(service.created) == 2


def test_a_file_that_is_sent_stays_with_its_batch(written: Any, service: Service) -> None:
    (row,) = send_all(written.folder, base_url=written.url)
    options: list[dict[str, Any]] = [{"again": [written.file]}, {"known": {written.file: "another"}}]
    for given in options:
        with pytest.raises(batch.BatchError, match=f"is sent already, as {row.batch}"):
            send_all(written.folder, base_url=written.url, **given)
    assert len(service.created) == 1


def test_files_that_an_earlier_round_left_are_sent(
    tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.wire = "mistral_chat"
    monkeypatch.setenv("MISTRAL_API_KEY", "k" * 20)
    rows = [
        {"id": str(n), "wire": "openai_chat", "body": CHAT | {"model": model}}
        for n, model in enumerate(("m", "other", "third"))
    ]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder = tmp_path / "out"
    first, second, third = batch.write([tmp_path / "in.jsonl"], folder, batch.Job(service.wire)).shards
    sent = batch.send(folder, base_url=service.url)
    assert next(sent).file == first.file
    service.fail = hang_up
    with pytest.raises(batch.BatchError):
        next(sent)

    service.result = json.dumps({"custom_id": "0", "response": {"status_code": 500, "body": {}}}).encode()
    results = tmp_path / "results.jsonl"
    results.write_bytes(service.result)
    assert batch.read(folder, [results]).failed["retry"] == 1
    (again,) = batch.retry(folder).current()
    left = send_all(folder, known={second.file: "b2"}, base_url=service.url)
    assert [row.file for row in left] == [second.file, third.file, again.file]
    assert send_all(folder, base_url=service.url) == []


def test_a_changed_file_and_a_file_of_another_batch_are_refused(written: Any, service: Service) -> None:
    with pytest.raises(batch.BatchError, match="is no file of this batch"):
        send_all(written.folder, known={"other": "b"}, base_url=written.url)
    (written.folder / written.file).write_bytes(b"{}\n")
    with pytest.raises(batch.BatchError, match="not what was written there"):
        send_all(written.folder, base_url=written.url)
    assert service.created == []


def test_what_promptwire_cannot_send_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"id": "a", "wire": "openai_chat", "body": CHAT}) + "\n")
    batch.write([source], tmp_path / "groq", batch.Job("groq_chat"))
    with pytest.raises(batch.BatchError, match="upload the files to groq yourself"):
        send_all(tmp_path / "groq")
    with pytest.raises(batch.BatchError, match="no file of this batch was sent yet"):
        batch.fetch(tmp_path / "groq")
    batch.write([source], tmp_path / "openai", batch.Job("openai_chat"))
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(batch.BatchError, match="pip install openai"):
        send_all(tmp_path / "openai")
