"""Read the table of the policies of a build, which specs name in examples and the runtime takes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from .nodes import plain
from .read import read

POLICIES_FILE: Final = Path(__file__).with_name("policies.yaml")


def _read() -> Mapping[str, tuple[str, ...]]:
    table: Mapping[str, Any] = plain(read(POLICIES_FILE.read_text("utf-8"), f"spec/{POLICIES_FILE.name}"))
    return {name: tuple(map(str, choices)) for name, choices in table.items()}


POLICIES: Final = _read()
"""Policy -> its choices, the default first."""
