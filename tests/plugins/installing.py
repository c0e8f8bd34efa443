"""Plugins as their users install them: packages in a folder beside the compiler, and `gen` run with it."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

from tests.checkout import ROOT, run_python

WORDCOUNT = Path(__file__).parent / "wordcount_plugin"
CHECKOUT = tuple(ROOT / name for name in ("generator", "runtime"))
HEAD = "from pathlib import Path\nfrom promptwire_gen.emit.header import MARK\nfrom promptwire_gen.plugin_api import *\n\n"


def gen(project: Path, site: Path, *arguments: str) -> CompletedProcess[str]:
    """Run `gen` in a project with one more folder of installed packages."""
    return run_python("-m", "promptwire_gen", *arguments, folder=project, path=(*CHECKOUT, site))


def install(site: Path, modules: dict[str, str]) -> None:
    """Install modules as one package each would, with an entry point of the module's name."""
    for name, text in modules.items():
        information = site / f"{name}-1.0.dist-info"
        information.mkdir(parents=True)
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text(f"[promptwire.plugins]\n{name} = {name}:Made\n")
        (site / f"{name}.py").write_text(HEAD + text)
