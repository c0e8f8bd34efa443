"""Draw docs/comparison.svg from the tables of docs/comparison.md: `python -m tests.comparison_picture`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from tests.checkout import ROOT

PAGE: Final = Path(ROOT, "docs", "comparison.md")
PICTURE: Final = PAGE.with_suffix(".svg")
# column of the table -> class of its bar
OUTCOMES: Final = {
    "whole": "whole",
    "lost, with a note": "told",
    "lost silently": "silent",
    "refused": "refused",
}
LEFT, RIGHT, STEP = 244, 770, 26
STYLE: Final = """\
    .paper { fill: #ffffff } .title { fill: #1a237e } .word { fill: #37474f }
    .whole { fill: #5c6bc0 } .told { fill: #b3bce6 } .silent { fill: #d84315 } .refused { fill: #cfd8dc }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #1b1e29 } .title { fill: #c5cae9 } .word { fill: #cfd8dc }
      .whole { fill: #8c9eff } .told { fill: #4a5590 } .silent { fill: #ff7043 } .refused { fill: #455a64 }
    }
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One converter on one sample: how many requests came out how, and the median time of one."""

    sample: str
    converter: str
    counts: dict[str, int]
    time: str

    @property
    def requests(self) -> int:
        """The number of requests of the sample."""
        return int(self.sample.partition(":")[0].replace(",", ""))


def read_rows(page: str) -> Iterator[Row]:
    """Yield the rows of the table of moved requests; an empty sample is that of the row above."""
    table = re.search(r"^\| sample .*\n\|[-|: ]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    assert table, "the page has no table that begins with a column `sample`"
    sample = ""
    for line in table[1].splitlines():
        own, converter, *counts, time = (cell.strip() for cell in line.strip("|").split("|"))
        sample = own or sample
        numbers = (int(count.replace(",", "")) if count[0].isdecimal() else 0 for count in counts)
        yield Row(sample, converter.replace("`", ""), dict(zip(OUTCOMES, numbers, strict=True)), time)


def read_builds(page: str) -> list[tuple[str, str]]:
    """Return the rows of the table of builds: who builds, and how many times the time of hand-written code."""
    table = re.search(r"^\| building Anthropic bodies .*\n\|[-|: ]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    assert table, "the page has no table that begins with a column `building Anthropic bodies`"
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]
    return [(name, times) for name, times in rows]


def draw(rows: list[Row], builds: list[tuple[str, str]]) -> str:
    """Return the picture: each converter's outcomes and time, and the time of a build as times hand-written code."""
    lines: list[str] = []
    top, sample = 56, ""
    for row in rows:
        if row.sample != sample:
            sample = row.sample
            lines.append(
                f'<text class="title" font-weight="600" x="12" y="{top + 17}">{escape(sample)}</text>'
            )
            top += STEP
        lines.extend(_draw_row(row, top))
        lines.append(_draw_time(row, max(map(_slowest, rows)), top))
        top += STEP
    title = "Building Anthropic bodies: times the time of hand-written code"
    lines.append(f'<text class="title" font-weight="600" x="12" y="{top + 17}">{title}</text>')
    longest = max(float(times) for _, times in builds)
    for name, times in builds:
        top += STEP
        width = float(times) * (RIGHT - LEFT) / longest
        lines += _label(name, times, top)
        lines.append(f'<rect class="whole" x="{LEFT}" y="{top}" width="{width:.1f}" height="19"/>')
    height = top + STEP + 12
    drawn = "".join(f"  {line}\n" for line in [*_draw_legend(), *lines])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" font-family="system-ui, sans-serif"'
        ' font-size="13">\n'
        "  <title>Recorded requests moved to other APIs: whole, lost with a note, lost silently, refused</title>\n"
        f"  <style>\n{STYLE}  </style>\n"
        f'  <rect class="paper" width="860" height="{height}" rx="8"/>\n'
        f"{drawn}</svg>\n"
    )


def _draw_legend() -> Iterator[str]:
    for at, (name, bar) in enumerate(OUTCOMES.items()):
        left = 12 + at * 150
        yield f'<rect class="{bar}" x="{left}" y="14" width="14" height="14" rx="2"/>'
        yield f'<text class="word" x="{left + 20}" y="26">{name}</text>'
    yield '<text class="word" x="848" y="26" text-anchor="end">µs a request</text>'


def _label(name: str, figure: str, top: int) -> list[str]:
    """Return the words at the left and right of a bar."""
    return [
        f'<text class="word" x="{LEFT - 8}" y="{top + 14}" text-anchor="end">{escape(name)}</text>',
        f'<text class="word" x="848" y="{top + 14}" text-anchor="end">{figure}</text>',
    ]


def _slowest(row: Row) -> float:
    return float(re.findall(r"[\d.]+", row.time)[-1])


def _draw_time(row: Row, longest: float, top: int) -> str:
    width = _slowest(row) * 70 / longest
    return f'<rect class="whole" x="{848 - width:.1f}" y="{top + 17}" width="{width:.1f}" height="3"/>'


def _draw_row(row: Row, top: int) -> Iterator[str]:
    yield from _label(row.converter, row.time, top)
    left = float(LEFT)
    for name, bar in OUTCOMES.items():
        width = row.counts[name] * (RIGHT - LEFT) / row.requests
        if width > 0:
            yield f'<rect class="{bar}" x="{left:.1f}" y="{top}" width="{width:.1f}" height="19"/>'
        left += width


if __name__ == "__main__":
    text = PAGE.read_text("utf-8")
    PICTURE.write_text(draw(list(read_rows(text)), read_builds(text)), "utf-8")
