"""Plugins as their users install them: packages in a folder beside the compiler, and `gen` run with it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, CompletedProcess, Popen
from tempfile import TemporaryDirectory

from tests.checkout import ROOT, python_environment, run_python

WORDCOUNT = Path(__file__).parent / "wordcount_plugin"
CHECKOUT = tuple(ROOT / name for name in ("generator", "runtime"))
HEAD = "from pathlib import Path\nfrom promptwire_gen.emit.artifact import MARK\nfrom promptwire_gen.plugin_api import *\n\n"


def gen(project: Path, site: Path, *arguments: str) -> CompletedProcess[str]:
    """Run `gen` in a project with one more folder of installed packages."""
    return run_python("-m", "promptwire_gen", *arguments, folder=project, path=(*CHECKOUT, site))


# a line names a folder of installed packages, where output and errors go, and what follows `gen`
_FORKING = """
import json, os, sys
from promptwire_gen import cli, sink
from promptwire_gen.cli import app
from promptwire_gen.layout import find_layout
from promptwire_gen.pipeline import compile_project
from promptwire_gen.plugins import BUILTIN

compile_project(find_layout(), plugins=[plugin() for plugin in BUILTIN])
for line in sys.stdin:
    site, *streams, arguments = json.loads(line)
    child = os.fork()
    if not child:
        for stream, path in enumerate(streams, 1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        sys.path.insert(0, site)
        sys.argv[1:] = arguments
        sys.exit(cli.main())
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@contextmanager
def forked(project: Path) -> Generator[Callable[..., CompletedProcess[str]]]:
    """Yield what runs `gen` in a project: each time in a new process, forked from one that has compiled it before."""
    command = [sys.executable, "-c", _FORKING]
    environment = python_environment(CHECKOUT)
    with (
        TemporaryDirectory() as folder,
        Popen(command, cwd=project, env=environment, stdin=PIPE, stdout=PIPE, text=True) as process,
    ):
        lines, codes = process.stdin, process.stdout
        assert lines is not None and codes is not None
        out, err = (Path(folder, name) for name in ("out", "err"))

        def run(site: Path, *arguments: str) -> CompletedProcess[str]:
            print(json.dumps([str(site), str(out), str(err), arguments]), file=lines, flush=True)
            return CompletedProcess(
                arguments, int(codes.readline()), out.read_text("utf-8"), err.read_text("utf-8")
            )

        yield run
        lines.close()


def install(site: Path, modules: dict[str, str]) -> None:
    """Install modules as one package each would, with an entry point of the module's name."""
    for name, text in modules.items():
        information = site / f"{name}-1.0.dist-info"
        information.mkdir(parents=True)
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text(f"[promptwire.plugins]\n{name} = {name}:Made\n")
        (site / f"{name}.py").write_text(HEAD + text)
