"""Configuration files of the gateway: what they serve, and the place of each mistake in one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.internals import commands

DIGEST = "a" * 64
WHOLE = f"""\
upstreams:
  cloud: {{api: openai_chat, base_url: "https://cloud.example/v1", key_env: CLOUD_KEY, retries: 2}}
  local: {{api: llamacpp_chat, base_url: "http://127.0.0.1:8080/v1", timeout_seconds: 30, policies: lenient}}
models:
  smart: {{upstream: cloud, model: gpt-5.2, fallbacks: [small]}}
  small: {{upstream: local, model: qwen3}}
  "*": {{upstream: local}}
callers:
  team-a: {{sha256: {DIGEST}, models: [small], requests_per_minute: 60}}
listen: {{host: 0.0.0.0, port: 9000, names: [Gateway.example]}}
limits: {{body_megabytes: 4, body_seconds: 5, connections: 200}}
log: json
metrics: true
"""

Write = Callable[[str], Path]


@pytest.fixture(name="write")
def _write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.setenv("CLOUD_KEY", "sk-of-the-operator")
    monkeypatch.chdir(tmp_path)

    def write(text: str) -> Path:
        path = Path("gateway.yaml")
        path.write_text(text, "utf-8")
        return path

    return write


def test_a_whole_file_is_a_gateway(write: Write) -> None:
    gateway = commands.load_gateway(write(WHOLE)).gateway
    (smart, small), (other,) = gateway.targets("smart"), gateway.targets("anything")
    assert [(one.upstream.title, one.model) for one in (smart, small, other)] == [
        ("cloud", "gpt-5.2"),
        ("local", "qwen3"),
        ("local", "anything"),
    ]
    cloud, local = smart.upstream, small.upstream
    assert (cloud.key, cloud.retries, cloud.settings) == (
        "sk-of-the-operator",
        2,
        {"base_url": "https://cloud.example/v1"},
    )
    assert (local.key, local.timeout, local.policies) == (None, 30, "lenient")
    (caller,) = gateway.callers
    assert (caller.name, caller.models, caller.requests_per_minute) == ("team-a", frozenset({"small"}), 60)
    assert (gateway.max_body, gateway.body_seconds, gateway.metrics) == (4 * 1024 * 1024, 5, True)
    assert "gateway.example" in gateway.hosts and "localhost" in gateway.hosts
    assert "sk-of-the-operator" not in repr(gateway) and DIGEST not in repr(gateway)


def test_the_command_shows_where_names_lead(write: Write) -> None:
    result = CliRunner().invoke(commands.app, ["serve", "--config", str(write(WHOLE)), "--check"])
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "name   upstream  API            model            fallbacks",
        "smart  cloud     openai_chat    gpt-5.2          small",
        "small  local     llamacpp_chat  qwen3",
        "*      local     llamacpp_chat  the name itself",
    ]


MISTAKES: dict[str, tuple[str, str, str]] = {
    "a key": (
        "retries: 2",
        "retrys: 2",
        '2:87: upstreams.cloud: unknown key "retrys"; did you mean "retries"?',
    ),
    "an API": (
        "api: openai_chat",
        "api: openai_chatt",
        '2:16: upstreams.cloud.api: "openai_chatt" is not a wire',
    ),
    "an API without answers": (
        "api: llamacpp_chat",
        "api: onnx_genai",
        "3:16: upstreams.local.api: onnx_genai: ",
    ),
    "a number": ("retries: 2", "retries: -1", "2:96: upstreams.cloud.retries: retries must be 0 or more"),
    "a wait": (
        "timeout_seconds: 30",
        "timeout_seconds: 0",
        "upstreams.local.timeout_seconds: timeout_seconds must",
    ),
    "a type": ("port: 9000", "port: many", '10:31: listen.port: expected a whole number, found text "many"'),
    "a port": ("port: 9000", "port: 90000", "10:31: listen.port: port must be from 0 to 65535"),
    "a key that is not set": ("CLOUD_KEY", "NO_KEY", "the environment variable NO_KEY is not set"),
    "an address": (
        'api: llamacpp_chat, base_url: "http://127.0.0.1:8080/v1"',
        "api: compatible_chat",
        "3:10: upstreams.local: compatible_chat: the setting base_url is required; add it here or to its settings",
    ),
    "two addresses": (
        "policies: lenient",
        "settings: {base_url: x}",
        "base_url is given here and among the settings; give one",
    ),
    "policies": (
        "policies: lenient",
        "policies: lenien",
        'upstreams.local.policies: "lenien" is not a preset',
    ),
    "an upstream": ("upstream: cloud", "upstream: clod", 'unknown upstream "clod"; did you mean "cloud"?'),
    "a fallback": (
        "[small]}\n  small",
        "[smal]}\n  small",
        '5:56: models.smart.fallbacks[0]: unknown model "smal"',
    ),
    "a fallback to itself": (
        "[small]}\n  small",
        "[smart]}\n  small",
        '5:56: models.smart.fallbacks[0]: "smart" is the model itself; name another model',
    ),
    "a fallback to all others": (
        "[small]}\n  small",
        "[small, '*']}\n  '*': {upstream: cloud}\n  small",
        '5:63: models.smart.fallbacks[1]: "*" is no name of a model; name another model',
    ),
    "a digest": (DIGEST, "secret", "9:20: callers.team-a.sha256: sha256 must be 64 digits"),
    "a key of two callers": (
        "listen:",
        f"  team-b: {{sha256: {DIGEST}}}\nlisten:",
        "10:20: callers.team-b.sha256: team-a has the same key; give each caller its own",
    ),
    "a rate": (
        "requests_per_minute: 60",
        "requests_per_minute: 0",
        "requests_per_minute must be more than 0",
    ),
    "a log": ("log: json", "log: jsonl", '12:6: log: unknown form of the log "jsonl"'),
    "no model": (
        WHOLE[WHOLE.index("models:") : WHOLE.index("callers:")],
        "models: {}\n",
        "4:9: models: must have",
    ),
    "a front": ("log: json", "fronts: [openai]", '12:10: fronts[0]: "openai" is not a wire'),
    "a network without callers": (
        WHOLE[WHOLE.index("callers:") : WHOLE.index("listen:")],
        "",
        "2:10: upstreams.cloud: listen.host 0.0.0.0 lets other machines call",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_has_its_place(write: Write, mistake: str) -> None:
    good, bad, message = MISTAKES[mistake]
    assert WHOLE.count(good) == 1
    result = CliRunner().invoke(
        commands.app, ["serve", "--config", str(write(WHOLE.replace(good, bad))), "--check"]
    )
    assert result.exit_code == 2
    lines = [line for line in result.stderr.splitlines() if message in line]
    assert lines and all(
        line.startswith("promptwire: gateway.yaml:") for line in result.stderr.splitlines()[:1]
    )
    assert "sk-of-the-operator" not in result.stderr


def test_models_of_callers_are_listed(write: Write) -> None:
    text = WHOLE.replace('  "*": {upstream: local}\n', "").replace("models: [small]", "models: [tiny]")
    result = CliRunner().invoke(commands.app, ["serve", "--config", str(write(text)), "--check"])
    assert (
        "gateway.yaml:8:" in result.stderr
        and 'callers.team-a.models[0]: unknown model "tiny"' in result.stderr
    )


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            ("--config", "gateway.yaml", "--to", "openai_chat"),
            "--to is part of --config FILE; write it there",
        ),
        (("--config", "gateway.yaml", "--port", "1"), "--port is part of --config FILE; write it there"),
        (("--config", "none.yaml"), "none.yaml: cannot be read: No such file or directory"),
        ((), "give the API of the server behind as --to WIRE, or a file as --config FILE"),
    ],
)
def test_one_server_or_a_file(write: Write, given: Any, told: str) -> None:
    write(WHOLE)
    result = CliRunner().invoke(commands.app, ["serve", *given])
    assert (result.exit_code, told in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("good", "other", "told"),
    [
        ("model: qwen3", "model: qwen4", None),
        ("model: qwen3", "modle: qwen3", "unknown key"),
        # callers are checked for the host of the file, and the gateway listens on another one
        ("host: 0.0.0.0", "host: localhost", "listen.host: a change needs a new start"),
        ("connections: 200", "connections: 20", "limits.connections: a change needs a new start"),
        ("log: json\nmetrics: true", "log: text", "log, metrics: a change needs a new start"),
    ],
)
def test_a_file_that_is_read_again_is_served_or_logged(
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    good: str,
    other: str,
    told: str | None,
) -> None:
    served: list[Any] = []

    def run(server: Any, *, quiet: bool) -> int:
        assert not quiet
        server.read_again(SimpleNamespace(serve=served.append), write(WHOLE.replace(good, other)))
        return 0

    monkeypatch.setattr("promptwire_cli.serving._Served.run", run)
    result = CliRunner().invoke(commands.app, ["serve", "--config", str(write(WHOLE))])
    assert result.exit_code == 0, result.output
    assert [gateway.target("small").model for gateway in served] == ([] if told else ["qwen4"])
    assert told is None or told in caplog.text
