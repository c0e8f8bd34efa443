"""Options that are given twice: of those with one value, none wins silently, in any command of both programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from tests.internals import commands, compiler

promptwire = commands.app
PROGRAMS: dict[str, Any] = {"promptwire": promptwire, "gen": compiler.app}


def options() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield each option that takes one value: its program, its command and its name."""
    for program, app in PROGRAMS.items():
        groups: list[tuple[tuple[str, ...], Any]] = [((), get_command(app))]
        while groups:
            path, command = groups.pop()
            groups += [((*path, name), inner) for name, inner in getattr(command, "commands", {}).items()]
            for option in command.params if not hasattr(command, "commands") else ():
                is_option = option.param_type_name == "option"
                if is_option and not option.multiple and not option.is_flag:
                    yield program, path, max(option.opts, key=len)


@pytest.mark.parametrize(("program", "path", "option"), [*options()])
def test_an_option_with_one_value_is_given_once(program: str, path: tuple[str, ...], option: str) -> None:
    result = CliRunner().invoke(PROGRAMS[program], [*path, option, "1", f"{option}=2"])
    assert result.exit_code == 2
    assert f"{option} is given 2 times and takes one value; give it once." in result.stderr


def failed(*arguments: str) -> str:
    result = CliRunner().invoke(promptwire, [*arguments])
    assert result.exit_code == 2
    return result.stderr


def test_flags_and_options_with_several_values_may_be_repeated() -> None:
    result = CliRunner().invoke(promptwire, ["list", "--json", "--json"])
    assert (result.exit_code, result.stdout[:1]) == (0, "[")


@pytest.mark.parametrize(
    ("models", "named"), [(("a", "b"), "all other names"), (("x=a", "y=c", "x=b"), "the name x")]
)
def test_two_models_behind_one_name_are_refused(models: tuple[str, ...], named: str) -> None:
    given = [word for model in models for word in ("--model", model)]
    text = failed("serve", "--to", "llamacpp_chat", "--base-url", "http://a", *given)
    assert text == f"promptwire: --model gives two models for {named}: a and b; give one\n"


@pytest.mark.parametrize(
    "command", [("ask", "llamacpp_chat", "Hi", "-m", "m"), ("serve", "--to", "llamacpp_chat")]
)
def test_two_addresses_are_refused(command: tuple[str, ...]) -> None:
    text = failed(*command, "--base-url", "http://a", "--setting", "base_url=http://b")
    assert text == "promptwire: --base-url and --setting base_url= both give the address; give one of them\n"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com"])  # noqa: S104  # it is refused
def test_a_key_is_not_lent_to_a_network(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPERATOR", "sk-secret")
    for lent in (
        ("--key-env", "OPERATOR"),
        ("--setting", "api_key=sk-secret"),
        ("--base-url", "http://me:sk-secret@behind.example/v1"),
        ("--setting", "query=key=sk-secret"),
    ):
        text = failed("serve", "--to", "openai_chat", "--host", host, *lent)
        assert f"--host {host} lets other machines call the gateway" in text
        assert "Give --caller-key-env" in text and "leave out --key-env" in text
        assert "sk-secret" not in text


def test_a_key_serves_a_network_whose_callers_have_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPERATOR", "sk-secret")
    served: list[Any] = []

    def run(server: Any, **_: Any) -> int:
        served.append(server.gateway)
        return 0

    monkeypatch.setattr("promptwire_cli.serving._Served.run", run)
    given = ("serve", "--to", "openai_chat", "--host", "0.0.0.0", "--key-env", "OPERATOR")  # noqa: S104  # on purpose
    monkeypatch.setenv("CALLERS", "a-key-of-someone-1, a-key-of-someone-2")
    assert CliRunner().invoke(commands.app, [*given, "--caller-key-env", "CALLERS"]).exit_code == 0
    for key, name in (("a-key-of-someone-1", "key 1"), ("a-key-of-someone-2", "key 2")):
        assert served[0].caller_of(key).name == name
    assert served[0].caller_of("sk-secret") is None
    assert "someone" not in repr(served[0])
    for short in ("short", " , ", "a-key-of-someone-1,short"):
        monkeypatch.setenv("CALLERS", short)
        assert "must have at least 16 characters" in failed(*given, "--caller-key-env", "CALLERS")
    assert len(served) == 1
