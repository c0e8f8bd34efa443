"""Run the generated tests on every Python of this machine: `python -m tests.every_python` says which it tried.

Each needs only pytest, which is installed into build/pythons. A version without an interpreter here runs in Pyodide, if npm has
put one of that version into build/npm (`.ci/run site` does).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.checkout import ROOT

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
PYTEST = ROOT / "build" / "pythons"
PYODIDE = ROOT / "build" / "npm" / "node_modules" / "pyodide"
# every module is imported with warnings as errors before the tests run
CHECK = """
import os, sys, warnings
sys.dont_write_bytecode = True
sys.path[:0] = [{pytest!r}, {root!r} + "/runtime", {root!r} + "/generated"]
os.chdir({root!r} + "/generated")
with warnings.catch_warnings():
    warnings.simplefilter("error")
    import promptwire
    for name in promptwire.WIRES:
        promptwire.wire(name).WIRE.rules
import pytest
print("Python", sys.version.split()[0])
code = int(pytest.main(["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", ".", "tests"]))
"""
IN_NODE = """
import {{ loadPyodide }} from {module!r};
const python = await loadPyodide();
for (const [at, root] of [["/pytest", {pytest!r}], ["/project", {root!r}]]) {{
  python.FS.mkdirTree(at);
  python.FS.mount(python.FS.filesystems.NODEFS, {{ root }}, at);
}}
python.runPython({code});
process.exit(python.globals.get("code"));
"""


def interpreters(version: str) -> Iterator[Path]:
    """Yield the interpreters of a version: on the path, and those of pyenv."""
    found = shutil.which(f"python{version}")
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from sorted(versions.glob(f"{version}.*/bin/python{version}"))
    if found:
        yield Path(found)


def command(version: str) -> tuple[str, list[str]] | None:
    """Return how to run the tests on a version, and on what; None if this machine has none."""
    code = CHECK.format(pytest=str(PYTEST), root=str(ROOT)) + "sys.exit(code)\n"
    for python in interpreters(version):
        if subprocess.run([python, "-c", "import ssl"], capture_output=True, check=False).returncode == 0:
            return str(python), [str(python), "-I", "-c", code]
    settings = PYODIDE / "pyodide-lock.json"
    node = shutil.which("node")
    if (
        node
        and settings.exists()
        and re.search(rf'"python": ?"{re.escape(version)}\.', settings.read_text("utf-8"))
    ):
        inside = CHECK.format(pytest="/pytest", root="/project")
        script = IN_NODE.format(
            module=(PYODIDE / "pyodide.mjs").as_uri(), pytest=str(PYTEST), root=str(ROOT), code=repr(inside)
        )
        return "Pyodide", [node, "--input-type=module", "-e", script]
    return None


def say(text: str) -> None:
    """Print text at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Run all of them, print one line each, and return 1 if one fails."""
    packages = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--upgrade"]
    subprocess.run([*packages, "--target", str(PYTEST), "pytest"], check=True, stderr=subprocess.DEVNULL)
    failed = False
    tried = []
    for version in VERSIONS:
        how = command(version)
        if how is None:
            say(f"{version}: not on this machine")
            continue
        done = subprocess.run(how[1], capture_output=True, text=True, check=False)
        lines = done.stdout.strip().splitlines() or [done.stderr.strip()]
        full = next((line for line in lines if line.startswith("Python ")), version)
        say(f"{full} ({how[0]}): {'ok' if done.returncode == 0 else 'FAILED'}, {lines[-1]}")
        if done.returncode:
            failed = True
            say(done.stdout + done.stderr)
        else:
            tried.append(version)
    say(f"passed on {', '.join(tried) or 'none'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
