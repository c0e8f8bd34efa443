"""Read the table of all policies: their choices, what each does, and the presets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from .nodes import plain
from .read import read

POLICIES_FILE: Final = Path(__file__).with_name("policies.yaml")
_PRESETS, _RENAMED = "presets", "renamed"
_REPAIRS, OFF = "repairs", "off"


def _read() -> tuple[Mapping[str, Mapping[str, Mapping[str, str]]], Mapping[str, Any], Mapping[str, Any]]:
    table: dict[str, Any] = plain(read(POLICIES_FILE.read_text("utf-8"), f"spec/{POLICIES_FILE.name}"))
    presets, renamed = table.pop(_PRESETS), table.pop(_RENAMED)
    for choices in table[_REPAIRS].values():
        choices[OFF] = "no repair: the problem stays"
    renamed["words"][_REPAIRS] = {name: {"error": OFF} for name in table[_REPAIRS]}
    return table, presets, renamed


POLICY_GROUPS, PRESETS, _renamed = _read()
"""Group -> policy -> `about`, and its choices with what each does, the default first; group -> preset -> choices."""

OLD_NAMES: Final[Mapping[str, Mapping[str, str]]] = _renamed["names"]
"""Group -> name of an earlier version -> policy."""
OLD_WORDS: Final[Mapping[str, Mapping[str, Mapping[str, str]]]] = _renamed["words"]
"""Group -> policy -> word of an earlier version -> choice."""


def list_choices(group: str) -> Mapping[str, tuple[str, ...]]:
    """Return policy -> its choices, the default first."""
    return {
        name: tuple([word for word in words if word != "about"])
        for name, words in POLICY_GROUPS[group].items()
    }


POLICIES: Final = {**list_choices("build"), **list_choices(_REPAIRS), _REPAIRS: (OFF,)}
"""Policy of a build, as an example of a spec names it -> its choices."""
