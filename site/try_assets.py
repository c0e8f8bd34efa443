"""The files of the page to try: the scripts, Pyodide, and the package with examples as one archive."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path

import try_page  # in try/, which hooks.py adds to the path

import promptwire
from promptwire import PromptwireError, load_request

ROOT = Path(__file__).resolve().parents[1]
PYODIDE = ROOT / "build" / "npm" / "node_modules" / "pyodide"
_NEEDED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_PACKAGES = (
    ("generated", "promptwire"),
    ("runtime", "promptwire_runtime"),
    ("runtime", "promptwire_text"),
)
_MOST_BODIES = 8
# archives of one version are the same to the byte
_TIME = (2026, 1, 1, 0, 0, 0)


def write_assets(site: Path) -> None:
    """Copy all files that the page loads into the built site.

    Raises:
        FileNotFoundError: Pyodide is not installed.
    """
    missing = [name for name in _NEEDED if not (PYODIDE / name).is_file()]
    if missing:
        raise FileNotFoundError(f"{PYODIDE} lacks {', '.join(missing)}; `make docs` installs it")
    folder = site / "try"
    (folder / "pyodide").mkdir(parents=True, exist_ok=True)
    for name in _NEEDED:
        shutil.copyfile(PYODIDE / name, folder / "pyodide" / name)
    for name in ("try.js", "try.css", "worker.js"):
        shutil.copyfile(ROOT / "site" / "try" / name, folder / name)
    (folder / "promptwire.zip").write_bytes(_archive())
    (folder / "first.json").write_text(_first_page(), "utf-8")


def _first_page() -> str:
    """Return what the page shows before Python is there."""
    try_page.EXAMPLES = ROOT / "build" / "examples.json"
    try_page.EXAMPLES.write_text(json.dumps(_examples()), "utf-8")
    return try_page.first("openai_chat", "anthropic_messages", "claude-opus-4-8")


def _archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for root, package in _PACKAGES:
            for path in sorted((ROOT / root / package).rglob("*.py")):
                _add(archive, path.relative_to(ROOT / root).as_posix(), path.read_bytes())
        _add(archive, "try_page.py", (ROOT / "site" / "try" / "try_page.py").read_bytes())
        _add(archive, "examples.json", json.dumps(_examples()).encode())
    return buffer.getvalue()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _TIME), content, zipfile.ZIP_DEFLATED)


def _examples() -> dict[str, dict[str, list[tuple[str, object]]]]:
    """Return bodies and answers of each wire, with their names; the longer bodies show more."""
    found: dict[str, dict[str, list[tuple[str, object]]]] = {}
    for name in promptwire.WIRES:
        cases = json.loads((ROOT / "generated" / "tests" / "cases" / f"{name}.json").read_text("utf-8"))
        bodies = sorted(cases["bodies"], key=lambda case: len(json.dumps(case["body"])))[-_MOST_BODIES:]
        found[name] = {
            "bodies": [*_first(name), *((case["name"], case["body"]) for case in bodies)],
            "answers": [(case["name"], case["body"]) for case in cases.get("answers", [])[:3]],
        }
    return found


def _first(name: str) -> list[tuple[str, object]]:
    """Return the conversation that all APIs show first, if this one can have it."""
    conversation = load_request(ROOT / "site" / "try" / "conversation.yaml")
    try:
        body = promptwire.wire(name).build(conversation, policies="lenient").body
    except PromptwireError:
        return []
    return [("a question with a tool", body)]
