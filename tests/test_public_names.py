"""Every public name stands in an example that the tests run, and the page of names says where."""

from __future__ import annotations

import os

import pytest

from tests.checkout import ROOT
from tests.pages import PAGES, read_page
from tests.public_names import GUIDES, Name, pages_with, public_names

# all pages are run, to see what they use
pytestmark = pytest.mark.slow
PAGE = "docs/names.md"
HEAD = """\
# Every public name, and where it is used

Names that a page of the cookbook or a guide uses in an example; tests run the examples, and fail for a name without one.
Classes and fields of a request stand in [the reference of the neutral model](../generated/REFERENCE.md).
"""


def table_of_names() -> str:
    """Write the page."""
    tables = [
        f"\n## {owner}\n\n| name | examples |\n|---|---|\n{_rows(names)}"
        for owner, names in public_names().items()
    ]
    return "".join([HEAD, *tables])


def _rows(names: list[Name]) -> str:
    return "".join(f"| `{name.shown}` | {', '.join(map(_link, pages_with(name)))} |\n" for name in names)


def _link(page: str) -> str:
    title = read_page(page).partition("\n")[0].removeprefix("# ").replace("`", "")
    return f"[{title}]({os.path.relpath(page, 'docs')})"


@pytest.mark.parametrize("owner", public_names())
def test_every_public_name_stands_in_an_example(owner: str) -> None:
    assert [name.shown for name in public_names()[owner] if not pages_with(name)] == []


def test_the_page_of_names_is_current() -> None:
    if os.environ.get("UPDATE_GOLDEN") == "1":
        (ROOT / PAGE).write_text(table_of_names(), "utf-8")
    assert read_page(PAGE) == table_of_names()


def test_a_name_that_no_page_uses_has_no_pages() -> None:
    assert pages_with(Name("nothing", ("promptwire.nothing",))) == []
    assert {page for page in (*PAGES, *GUIDES) if page in pages_with(Name("user", ("promptwire.user",)))} > {
        "README.md"
    }
