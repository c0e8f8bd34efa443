"""A small project and a small generated package for the command line to work on."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner, Result

from promptwire_gen.plugin_api import Span, SpecProblem
from tests.internals.compiler import (
    MARK,
    Compilation,
    Known,
    Layout,
    SpecError,
    UnknownWire,
    WireSummary,
    app,
)

HERE = Path(__file__).parent
HEAD = f"# {MARK}.\n"

Gen = Callable[..., Result]


def compile_small(
    layout: Layout,
    *,
    wires: Sequence[str] | None = None,
    progress: Callable[[str], None] | None = None,
    known: Known | None = None,
) -> Compilation:
    """Copy each spec's text into a module; a spec that says `bad` has a problem, `odd` a remark."""
    del known
    specs = layout.read_specs()
    names = {path: Path(path).stem for path in specs}
    for wire in wires or ():
        if wire not in names.values():
            raise UnknownWire(f'"{wire}" is not a wire')
    found: dict[str, list[SpecProblem]] = {"bad": [], "odd": []}
    for word, problems in found.items():
        saying = [path for path, text in specs.items() if f"\n{word}\n" in text]
        about = f'"{word}" is no word'
        problems += [SpecProblem(Span(path, 2, 1, 3), f"{word}-word", about, "remove it") for path in saying]
    if found["bad"]:
        raise SpecError(found["bad"])
    files = {"README.md": f"<!-- {MARK} -->\n", "provider_spec.schema.json": '{"title": "spec"}\n'}
    for path, name in names.items():
        if wires is None or name in wires:
            files[f"promptwire/{name}.py"] = HEAD + specs[path]
    summaries = [WireSummary(table_row(wire), [], {}, [wire]) for wire in names.values()]
    owners = {f"promptwire/{name}.py": name for name in names.values()}
    return Compilation(files, specs, summaries, owners, problems=found["odd"])


def table_row(wire: str) -> dict[str, Any]:
    """Return the capabilities of a wire: many of them, or next to none, and those unknown."""
    much = wire.startswith("north")
    return {
        "wire": wire,
        "title": wire.replace("_", " ").title(),
        "instructions": {
            "native": "true" if much else "unknown",
            "placement": "top_level" if much else "none",
            "several": "blocks" if much else "join",
            "mid_conversation": "by_rule" if much else "unknown",
        },
        "continuation": {
            "mode": "server",
            "fields": ["thread"],
            "keeps": ["items"],
            "sent": {"items": "omit", "tools": "resend"},
        }
        if much
        else {"mode": "resend", "fields": []},
        "tools": {
            "format": "north" if much else None,
            "kinds": ["function", "hosted"] if much else [],
            "choice": ["auto", "named"] if much else [],
            "parallel": much,
        },
        "parts": {"text": [], "image": ["data", "url"], "tool_call": []} if much else {"text": []},
        "options": ["max_tokens", "store"] if much else [],
        "request": ["messages", "metadata", "model", "stream"] if much else ["messages"],
        "response_formats": ["json", "json_schema"] if much else [],
        "reasoning": ["budget", "effort"] if much else [],
        **({"answers": {"stream": "sse", "counts": ["input", "output"], "finish": ["stop"]}} if much else {}),
        "vendor": [f"option_{number}" for number in range(12)] if much else [],
    }


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with two specs, which is the current folder."""
    root = tmp_path / "checkout"
    (root / "provider_specs").mkdir(parents=True)
    (root / "templates").mkdir()
    for name in ("north_chat", "south_chat"):
        (root / "provider_specs" / f"{name}.yaml").write_text(f"wire: {name}\n")
    monkeypatch.chdir(root)
    # all of its specs are its own
    monkeypatch.setattr("promptwire_gen.layout._find_shipped", lambda: None)
    monkeypatch.setattr("promptwire_gen.pipeline.compile_project", compile_small)
    return root


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The small generated package in place of the real one; yields a folder for input files."""

    def ours() -> list[str]:
        return [name for name in sys.modules if name.partition(".")[0] == "promptwire"]

    before = {name: sys.modules.pop(name) for name in ours()}
    monkeypatch.syspath_prepend(HERE / "small_package")
    importlib.invalidate_caches()
    yield tmp_path
    for name in ours():
        del sys.modules[name]
    sys.modules.update(before)


@pytest.fixture
def gen() -> Gen:
    """Run `gen` with arguments and standard input."""
    return _runner(app, "gen")


@pytest.fixture
def cli() -> Gen:
    """Run `promptwire` with arguments and standard input."""
    from tests.internals.commands import app as users

    return _runner(users, "promptwire")


def _runner(commands: Typer, name: str) -> Gen:
    runner = CliRunner()

    def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
        result = runner.invoke(commands, list(arguments), input=stdin, prog_name=name)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def write_rows(path: Path, *rows: Mapping[str, Any]) -> str:
    """Write JSON lines; return the path as text."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def spoil(project: Path, word: str = "bad") -> None:
    """Write a word that has a problem into a spec."""
    (project / "provider_specs" / "north_chat.yaml").write_text(f"wire: north_chat\n{word}\n")
