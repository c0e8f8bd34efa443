"""The Python of README and docs as modules, one for each page, for the type checkers.

`python -m tests.typing.documented FOLDER` writes them. Each line has the number that it has in its page, so that an error in
`docs__tools.py:31` is in line 31 of `docs/tools.md`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.checkout import ROOT, SOURCE_ROOTS
from tests.pages import PAGES, blocks_of, read_page


def modules() -> dict[str, str]:
    """Return the code of all pages with Python in them: the name of a file -> its text."""
    pages = {page: documented(page, read_page(page)) for page in PAGES}
    return {
        f"{page.removesuffix('.md').replace('/', '__').replace('-', '_')}.py": code
        for page, code in pages.items()
        if code
    }


def documented(page: str, text: str) -> str:
    """Return the Python of a page in the lines where it stands. Blocks that are files of their own are left out."""
    lines: list[str] = []
    for block in blocks_of(page, text):
        if block.language == "python" and block.file is None:
            lines += [""] * (block.line - 1 - len(lines))
            lines += block.code.splitlines()
    return "".join(f"{line}\n" for line in lines)


def write(folder: Path) -> None:
    """Write the modules and the settings of pyright into a folder, and remove modules of pages that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    written = modules()
    for path in folder.glob("*.py"):
        if path.name not in written:
            path.unlink()
    for name, code in written.items():
        (folder / name).write_text(code, "utf-8")
    settings = {
        "include": ["."],
        "extraPaths": [str(ROOT / name) for name in SOURCE_ROOTS],
        "typeCheckingMode": "strict",
        # vendors' packages without types are no matter of ours
        "reportMissingTypeStubs": False,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
