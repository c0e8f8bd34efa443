"""Pages of Markdown as what they hold: blocks of code, each with its line and what it prints."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tests.checkout import ROOT

PAGES = tuple(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", ROOT / "runtime" / "README.md", *sorted((ROOT / "docs").glob("*.md")))
)
OUTPUTS = ("text", "json")
WIDTH = 110

_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)\n(?P<code>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE
)
_QUOTE = re.compile(r'^```\w+ title="(?P<file>[^"]+)"\n(?P<code>.*?)^```$', re.DOTALL | re.MULTILINE)
# the first line of a block that is a file
_NAMED = re.compile(r"# (?P<name>[\w./-]+\.\w+)\n")


@dataclass(frozen=True, kw_only=True)
class Block:
    """One fenced block.

    line    of its first line of code
    code    without the indent of the list that it stands in
    start   where the code begins in the page, and `end` where it ends
    """

    page: str
    line: int
    language: str
    code: str
    indent: str
    start: int
    end: int

    @property
    def place(self) -> str:
        """Page and line, as an editor opens it."""
        return f"{self.page}:{self.line}"

    @property
    def file(self) -> str | None:
        """The name of the file that the block is, by its first line; None where it is none."""
        named = _NAMED.match(self.code)
        return named["name"] if named else None


@dataclass(frozen=True)
class Example:
    """A block that is run, or is a file, and the block with its output."""

    block: Block
    output: Block | None


def blocks_of(page: str, text: str) -> list[Block]:
    """Return the blocks of a page that name their language, in order."""
    return [
        Block(
            page=page,
            line=text.count("\n", 0, fence.start("code")) + 1,
            language=fence["language"],
            code=textwrap.dedent(fence["code"]) if fence["indent"] else fence["code"],
            indent=fence["indent"],
            start=fence.start("code"),
            end=fence.end("code"),
        )
        for fence in _BLOCK.finditer(text)
    ]


def find_misquotes(page: str, text: str) -> list[str]:
    """Return a problem for each block with a `title` whose lines are not in the file of that name.

    A line of three dots stands for lines of the file that are left out.
    """
    problems: list[str] = []
    for quote in _QUOTE.finditer(text):
        lines = (ROOT / quote["file"]).read_text("utf-8").splitlines()
        first = text.count("\n", 0, quote.start("code")) + 1
        for missing in _missing_runs(quote["code"].splitlines(), lines):
            place = f"{page}:{first + missing}"
            problems.append(
                f"{place}: {quote['file']} no longer has the lines from "
                f"{quote['code'].splitlines()[missing].strip()!r}; quote it as it is now, or something else"
            )
    return problems


def _missing_runs(quoted: Sequence[str], lines: Sequence[str]) -> Iterator[int]:
    """Yield the index of the first run of quoted lines that the file lacks behind the run before it."""
    runs: list[tuple[int, list[str]]] = [(0, [])]
    for index, line in enumerate(quoted):
        if line.strip() == "...":
            runs.append((index + 1, []))
        else:
            runs[-1][1].append(line)
    start = 0
    for index, run in runs:
        found = next((at for at in range(start, len(lines)) if lines[at : at + len(run)] == run), None)
        if found is None:
            yield index
            return
        start = found + len(run)


def examples_of(page: str, text: str) -> list[Example]:
    """Put blocks and their outputs together. Raises ValueError for an output that stands behind no code."""
    examples: list[Example] = []
    for block in blocks_of(page, text):
        if block.language not in OUTPUTS:
            examples.append(Example(block, None))
            continue
        before = examples[-1] if examples else None
        # a fence and a blank line, nothing else
        if before is None or before.output or len(text[before.block.end : block.start].split()) != 2:
            raise ValueError(f"{block.place}: this output stands behind no code")
        examples[-1] = Example(before.block, block)
    return examples


def is_same(output: Block, printed: str, *, elided: bool = False) -> bool:
    """Return whether a page shows what is printed: text to the letter, JSON whatever its layout.

    Args:
        output: the block of the page.
        printed: the text.
        elided: whether three dots in the page stand for anything.
    """
    if output.language == "json":
        try:
            return _values(output.code) == _values(printed)
        except ValueError:
            return False
    if not elided or "..." not in output.code:
        return output.code == printed
    pattern = ".*".join(re.escape(piece) for piece in output.code.split("..."))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def as_shown(output: Block, printed: str) -> str:
    """Lay out what is printed as the page shows it."""
    if output.language == "text":
        return textwrap.indent(printed, output.indent)
    return textwrap.indent("".join(f"{laid_out(value)}\n" for value in _documents(printed)), output.indent)


def laid_out(value: Any, indent: str = "", width: int = WIDTH) -> str:
    """Write JSON for reading: whatever fits stands in one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= width or not isinstance(value, (dict, list)) or not value:
        return line
    deeper = f"{indent}  "
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value).items()
        rows = [f"{json.dumps(key)}: {laid_out(field, deeper, width)}" for key, field in fields]
    else:
        rows = [laid_out(element, deeper, width) for element in cast("Sequence[Any]", value)]
    opening, closing = ("{", "}") if isinstance(value, Mapping) else ("[", "]")
    return f"{opening}\n{deeper}" + f",\n{deeper}".join(rows) + f"\n{indent}{closing}"


def _values(text: str) -> list[Any]:
    """Read JSON values that stand one behind the other; the order of keys counts."""
    return _documents(text, object_pairs_hook=tuple)


def _documents(text: str, **options: Any) -> list[Any]:
    decoder, values, place = json.JSONDecoder(**options), list[Any](), 0
    text = text.strip()
    while place < len(text):
        value, place = decoder.raw_decode(text, place)
        values.append(value)
        place += len(text[place:]) - len(text[place:].lstrip())
    return values


def read_page(page: str) -> str:
    """Read a page, by its path in the project."""
    return Path(ROOT, page).read_text("utf-8")
