"""Pictures of the pages can be read in light and dark, and the picture of a crossing shows the one that README runs."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.checkout import ROOT
from tests.comparison_picture import PAGE, PICTURE, draw, read_builds, read_rows
from tests.pages import blocks_of, read_page

PICTURES = sorted(Path(ROOT, "docs").glob("*.svg"))
# the grounds that words may stand on
GROUNDS = ("paper", "box", "warm")
# WCAG 2.2, level AA, for text of usual size
LEAST_CONTRAST = 4.5
_RULE = re.compile(r"\.(\w+) \{ ([^{}]+) \}")


def fills(style: str) -> dict[str, str]:
    """Return the fill of each class that has one."""
    found = {name: re.search(r"fill: (#\w{6})", rule) for name, rule in _RULE.findall(style)}
    return {name: fill[1] for name, fill in found.items() if fill}


def schemes(picture: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return the fills of a picture in light and in dark."""
    style = re.findall(r"<style>(.*?)</style>", picture.read_text("utf-8"), re.DOTALL)
    light, _, dark = "".join(style).partition("@media (prefers-color-scheme: dark)")
    return fills(light), fills(light) | fills(dark)


def luminance(color: str) -> float:
    """Return the relative luminance of a colour such as #1a237e."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def classes_of_words(element: ET.Element, inherited: str = "") -> set[str]:
    """Return the classes that colour the words of a picture; an empty one stands for words without a class."""
    own = element.get("class", inherited)
    found = {own} if element.tag.endswith("}text") else set[str]()
    return found.union(*(classes_of_words(child, own) for child in element))


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.stem)
def test_words_can_be_read_in_both_schemes(picture: Path) -> None:
    words = classes_of_words(ET.parse(picture).getroot())  # noqa: S314  # our own file
    light, dark = schemes(picture)
    assert light["paper"] != dark["paper"]
    for colors, word, ground in product((light, dark), sorted(words), GROUNDS):
        if ground in colors:
            assert contrast(colors[word], colors[ground]) >= LEAST_CONTRAST, (word, ground)


def test_the_picture_of_a_crossing_shows_what_readme_prints() -> None:
    picture = Path(ROOT, "docs", "crossing.svg").read_text("utf-8")
    code = re.findall(r'<text class="code" x="(\d+)"[^>]*>([^<]+)<', picture)
    blocks = blocks_of("README.md", read_page("README.md"))
    made = next(at for at, block in enumerate(blocks) if "build(request, policies=" in block.code)
    before = next(block.code for block in blocks if "body = {" in block.code)
    left = {text for x, text in code if int(x) < 100}
    right = {text for x, text in code if int(x) > 100}
    assert {text for text in left if text not in before} == set()
    assert {text for text in right if text not in blocks[made + 1].code} == set()
    # what stands alone on the left has a note
    assert (
        len(left) - len(right)
        == blocks[made + 1].code.count("\ndropped ")
        == picture.count("left out, a note")
    )


def test_the_picture_of_the_comparison_shows_its_table() -> None:
    page = PAGE.read_text("utf-8")
    rows = list(read_rows(page))
    assert [row.converter for row in rows if sum(row.counts.values()) != row.requests] == []
    assert PICTURE.read_text("utf-8") == draw(rows, read_builds(page))
