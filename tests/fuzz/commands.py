"""The command line: odd arguments over odd files, in this process and in a folder of its own."""

from __future__ import annotations

import json
import shutil
from contextlib import chdir
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from typer.testing import CliRunner

import promptwire
from tests.checkout import ROOT
from tests.compiler.small_spec import WHOLE
from tests.examples import examples
from tests.internals.compiler import app

from .json_damage import damaged
from .target import Target, Turn, WrongOutcome
from .text_damage import PIECES, damaged_text

_HOMES: list[TemporaryDirectory[str]] = []
_OPTIONS: dict[str, tuple[str, ...]] = {
    "preview": ("--curl", "--notes", "--json", "--setting", "--policies", "--case", "--root"),
    "read": ("--to", "--model", "--max-tokens", "--policies", "--json"),
    "roundtrip": ("--api", "--as", "--to", "--worst", "--json"),
    "list": ("--json",),
    "schema": ("--help",),
    "check": ("--json", "--format", "github"),
    "diff": ("--json", "--format", "text"),
    "build": ("--json", "--format", "json"),
    "new": ("--like",),
}
_WORDS = (
    "", "-", "--", "-h", "--version", "nothing.json", "folder", "empty.json", "bytes.json", "loop.json", "/dev/null",
    "small_chat", "no_such", "lenient", "orphans=keep", "x=y", "api_key=k", "base_url=::", "-1", "0", "1e99", "9" * 50, "*", "a=b=c",
    "../up", "/", ".", "openai_chat=anthropic_messages", "A" * 300,
)  # fmt: skip
_ROOM = ("body.json", "request.yaml", "rows.jsonl")
_COMPILING = ("check", "diff", "build", "new", "list")


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of `gen`, its standard input, and the files that stand in its folder."""

    arguments: tuple[str, ...]
    stdin: str
    files: tuple[tuple[str, str], ...]


@cache
def _bodies() -> tuple[tuple[str, str], ...]:
    return tuple([(each.wire, json.dumps(each.body)) for each in examples()])


@cache
def _requests() -> tuple[str, ...]:
    return tuple([json.dumps(each.request, indent=1) for each in examples()])


def _damaged(random: Random, body: str) -> str:
    try:
        return json.dumps(damaged(random, json.loads(body)), default=repr)
    except (ValueError, RecursionError):
        # no file holds what has no end, or has too many digits
        return damaged_text(random, body)


def _draw(turn: Turn, random: Random) -> Call:
    command = random.choice(list(_OPTIONS))
    wire, body = random.choice(_bodies())
    if random.random() < 0.6:
        body = _damaged(random, body) if random.random() < 0.5 else damaged_text(random, body)
    request = random.choice(_requests())
    request = damaged_text(random, request) if random.random() < 0.7 else request
    row = json.dumps({"wire": wire, "body": 0}).replace(": 0}", f": {body}}}")
    files = [
        ("body.json", body),
        ("request.yaml", request),
        ("rows.jsonl", "\n".join([row, damaged_text(random, row)])),
    ]
    if command in _COMPILING and random.random() < 0.7:
        files.append((f"project/{random.choice(_spoilt())}", damaged_text(random, WHOLE)))
    return Call(_arguments(random, command, wire), request, tuple(files))


@cache
def _spoilt() -> tuple[str, ...]:
    """Name what somebody may have changed in a project: its spec, most of all."""
    generated = ("__init__.py", "wire.py", "types.py")
    return ("provider_specs/small_chat.yaml",) * 6 + tuple(
        [f"generated/promptwire/small_chat/{name}" for name in generated]
    )


def _arguments(random: Random, command: str, wire: str) -> tuple[str, ...]:
    """Return a call that may well succeed, and change it in a place or two."""
    usual = {
        "preview": [random.choice((wire, *promptwire.WIRES)), "request.yaml"],
        "read": [wire, "body.json"],
        "roundtrip": ["rows.jsonl"],
        "list": [],
        "new": ["acme_chat"],
    }
    arguments = usual.get(command, [])
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        pool = random.choice(
            (
                _OPTIONS[command],
                _WORDS,
                _ROOM,
                promptwire.WIRES,
                [piece for piece in PIECES if "\x00" not in piece],
            )
        )
        arguments.insert(random.randint(0, len(arguments)), random.choice(pool))
    if arguments and random.random() < 0.1:
        arguments.pop(random.randrange(len(arguments)))
    return (command, *arguments)


def _folder() -> Path:
    """Make the folder that all calls share: a small project, and files that are none."""
    if _HOMES:
        return Path(_HOMES[0].name)
    _HOMES.append(TemporaryDirectory(prefix="promptwire-fuzz-"))
    home = Path(_HOMES[0].name)
    (home / "folder").mkdir()
    (home / "empty.json").touch()
    (home / "bytes.json").write_bytes(bytes(range(256)))
    (home / "loop.json").symlink_to("loop.json")
    (home / "project/provider_specs").mkdir(parents=True)
    (home / "project/templates").symlink_to(ROOT / "templates")
    return home


def _check(call: Call) -> bool:
    home = _folder()
    compiling = call.arguments[0] in _COMPILING
    spec = home / "project/provider_specs/small_chat.yaml"
    shutil.rmtree(spec.parent)
    spec.parent.mkdir()
    spec.write_text(WHOLE, "utf-8")
    for name, text in call.files:
        path = home / name
        if path.parent.is_dir():
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with chdir(home / "project" if compiling else home):
        result = CliRunner().invoke(
            app, list(call.arguments), input=call.stdin.encode("utf-8", "surrogatepass"), prog_name="gen"
        )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if result.exit_code not in (0, 1, 2):
        raise WrongOutcome("an exit code that the help does not know", f"{result.exit_code}: {result.output}")
    if result.exit_code == 2 and not result.output.strip():
        raise WrongOutcome("exit code 2 without a word")
    if "Traceback" in result.output:
        raise WrongOutcome("a traceback", result.output)
    return bool(result.exit_code != 2)


TARGET = Target("commands", _draw, _check)
