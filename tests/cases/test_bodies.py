"""Errors of bodies that cannot be read: the exact text for each case folder.

`UPDATE_GOLDEN=1` writes the `error.txt` of every case anew.
"""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from promptwire import BodyError

CASES = Path(__file__).parent / "bodies"


def said_of(case: Path) -> str:
    """Read the body of a case and give the text of the error."""
    wire = (case / "wire.txt").read_text(encoding="utf-8").strip()
    body: Any = json.loads((case / "body.json").read_text(encoding="utf-8"))
    with pytest.raises(BodyError) as caught:
        import_module(f"promptwire.{wire}").read(body)
    return f"{caught.value}\n"


@pytest.mark.parametrize("case", sorted(each.name for each in CASES.iterdir()))
def test_broken_bodies(case: str) -> None:
    found = said_of(CASES / case)
    golden = CASES / case / "error.txt"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")
