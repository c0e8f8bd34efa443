"""The cases of one folder, its requirements, and README.md there: which case shows which requirement."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class CaseFolder:
    """A folder of cases: one file of YAML for each of `files`, and requirements.yaml.

    Attributes:
        title: The heading of README.md.
        elsewhere: A requirement -> the tests that show it without a case.

    A requirement is a text, or an object that `says` what it is and why no case shows it: `because`.
    """

    name: str
    files: tuple[str, ...]
    title: str
    elsewhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(__file__).parent / self.name

    def _read(self, name: str) -> Any:
        return yaml.safe_load((self.path / f"{name}.yaml").read_text(encoding="utf-8"))

    @cached_property
    def cases(self) -> dict[str, dict[str, Any]]:
        """All cases by name: `layers: one layer`."""
        return {f"{name}: {case['case']}": case for name in self.files for case in self._read(name)}

    @cached_property
    def requirements(self) -> dict[str, Any]:
        """Number of a requirement -> what it says."""
        requirements: dict[str, Any] = self._read("requirements")
        return requirements

    def check(self) -> None:
        """Check that every file is listed, every requirement shown, every case shows one, and README.md is current."""
        assert sorted(path.stem for path in self.path.glob("*.yaml")) == sorted((*self.files, "requirements"))
        shown = {number for case in self.cases.values() for number in case["shows"]}
        reasons = {
            number for number, says in self.requirements.items() if isinstance(says, dict) and says["because"]
        }
        assert shown.isdisjoint(reasons)
        assert shown | reasons | self.elsewhere.keys() == set(self.requirements)
        assert [name for name, case in self.cases.items() if not case["shows"]] == []
        page = self.path / "README.md"
        if os.environ.get("UPDATE_GOLDEN") == "1":
            page.write_text(self._table(), encoding="utf-8")
        assert page.read_text(encoding="utf-8") == self._table()

    def _table(self) -> str:
        command = f"UPDATE_GOLDEN=1 pytest tests/cases/test_{self.name}.py"
        lines = [
            f"# {self.title}: what is required, and which case shows it",
            "",
            f"Made by `{command}` from `requirements.yaml` and the cases.",
            "",
            "| requirement | says | cases |",
            "|---|---|---|",
        ]
        for number, says in self.requirements.items():
            shown = [name for name, case in self.cases.items() if number in case["shows"]]
            shown += self.elsewhere.get(number, ())
            if isinstance(says, dict):
                says, shown = says["says"], [f"no case: {says['because']}"]  # noqa: PLW2901  # its words
            lines.append(f"| {number} | {says} | {'<br>'.join(shown)} |")
        return "\n".join(lines) + "\n"
