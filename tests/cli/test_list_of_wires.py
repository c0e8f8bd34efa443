"""`promptwire list`: the table fits the terminal and cuts no word; columns that do not fit are named."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from tests.internals.commands import terminal

TITLES = ("wire", "API", "kinds of tools")
ROWS = [("acme_chat", "Acme Completions on Example Cloud", "function, hosted"), ("other_chat", "Other", "-")]


@pytest.mark.parametrize(
    ("width", "shown"), [(20, 1), (30, 2), (34, 3), (40, 3), (60, 3), (80, 3), (120, 3), (200, 3)]
)
def test_no_word_is_cut(width: int, shown: int, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = StringIO()
    monkeypatch.setattr(terminal, "console", lambda: Console(file=stream, width=width))
    terminal.show_rows(TITLES, ROWS, rest="list WIRE shows them")
    text = stream.getvalue()
    table, _, left_out = text.partition("left out: ")
    assert max(map(len, table.splitlines())) <= width
    assert {word for row in ROWS for cell in row[:shown] for word in cell.split()} <= set(table.split())
    assert " ".join(left_out.split()) == (
        f"{', '.join(TITLES[shown:])}; list WIRE shows them" if shown < len(TITLES) else ""
    )
