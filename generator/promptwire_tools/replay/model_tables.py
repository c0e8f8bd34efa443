"""Compare what wires say of models with a table that somebody else ships: LiteLLM's price file, or that of models.dev.

A page in YAML says which vendor of the table is which wire, and which differences are settled, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic import BaseModel, ConfigDict, ValidationError
from yaml import YAMLError, safe_load

_FILE = "model_prices_and_context_window_backup.json"
# key of the table -> field of a request
_FIELDS = {
    "supports_vision": "image",
}
_FUNCTION: Mapping[str, Any] = {
    "name": "now",
    "description": "The time.",
    "parameters": {"type": "object", "properties": {}},
}
# key of the table -> field whose limit it states
_TOKENS = {"max_input_tokens": "input_tokens", "max_output_tokens": "max_tokens"}
_SCHEMA_OF_TEXT = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
_FORMAT = {"schema": _SCHEMA_OF_TEXT, "name": "a"}
# key of the table -> field, and what a request says of it
_REQUESTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "supports_function_calling": ("tools", {"tools": [_FUNCTION]}),
    "supports_response_schema": ("response_format", {"response_format": _FORMAT}),
    "supports_sampling_params": ("temperature", {"options": {"max_tokens": 300, "temperature": 0.5}}),
    "supports_forced_tool_use": ("tool_choice", {"tools": [_FUNCTION], "tool_choice": {"mode": "required"}}),
    **{
        f"supports_{effort}_reasoning_effort": (
            f"reasoning.effort {effort}",
            {"reasoning": {"effort": effort}},
        )
        for effort in ("none", "minimal", "xhigh", "max")
    },
}


class TableError(Exception):
    """A table of models, or the page about it, cannot be read."""


class TableVendor(BaseModel):
    """The wire of a vendor's models, and the prefix that the table puts before their names."""

    model_config = ConfigDict(extra="forbid")

    wire: str
    prefix: str = ""


class SettledDifference(BaseModel):
    """Differences that were looked into: models by globs, the field, and why our answer stands."""

    model_config = ConfigDict(extra="forbid")

    vendor: str
    models: list[str]
    field: str
    why: str


class TablePage(BaseModel):
    """The page about a table: its vendors, models that it leaves out, and settled differences."""

    model_config = ConfigDict(extra="forbid")

    vendors: dict[str, TableVendor]
    excluded: dict[str, str] = {}
    settled: list[SettledDifference] = []


class TableStatement(NamedTuple):
    """One statement of the table beside ours; `ours` is None where no fact says anything."""

    vendor: str
    model: str
    field: str
    theirs: str
    ours: str | None
    why: str = ""

    @property
    def outcome(self) -> str:
        """Return `agrees`, `unknown`, `settled` or `differs`."""
        if self.ours is None:
            return "unknown"
        if self.ours == self.theirs:
            return "agrees"
        return "settled" if self.why else "differs"


@dataclass(frozen=True, slots=True)
class ComparedTable:
    """All comparisons, and the settled differences that no longer exist."""

    rows: tuple[TableStatement, ...]
    stale: tuple[SettledDifference, ...]


def installed_table() -> Path | None:
    """Return the price file of the installed litellm, which is not imported."""
    found = find_spec("litellm")
    if found is None or not found.submodule_search_locations:
        return None
    path = Path(found.submodule_search_locations[0]) / _FILE
    return path if path.is_file() else None


def read_table(path: Path) -> dict[str, dict[str, Any]]:
    """Return the models of a table. Raises TableError."""
    try:
        table: Any = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise TableError(f"{path}: {error}") from None
    if not isinstance(table, dict):
        raise TableError(f"{path}: must be an object of models, not {type(table).__name__}")
    named = cast("dict[str, dict[str, Any]]", table)
    rows = {name: facts for name, facts in named.items() if _is_object(facts)}
    if not rows or not all(isinstance(facts.get("models"), dict) for facts in rows.values()):
        return rows
    catalogs = {vendor: cast("dict[str, dict[str, Any]]", facts["models"]) for vendor, facts in rows.items()}
    return {
        f"{vendor}/{name}": _as_row(vendor, model)
        for vendor, models in catalogs.items()
        for name, model in models.items()
    }


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _as_row(vendor: str, model: Mapping[str, Any]) -> dict[str, Any]:
    """Return a model of models.dev in the words of LiteLLM's table; its window is no limit of the input."""
    media = model.get("modalities", {})
    is_chat = media.get("output") == ["text"]
    said = {
        "max_output_tokens": model.get("limit", {}).get("output"),
        "supports_vision": "image" in media.get("input", ()),
        "supports_function_calling": model.get("tool_call"),
        "supports_sampling_params": model.get("temperature"),
    }
    return {"litellm_provider": vendor, "mode": "chat" if is_chat else "other", **said}


def read_page(path: Path) -> TablePage:
    """Return the page about a table. Raises TableError."""
    try:
        return TablePage.model_validate(safe_load(path.read_text("utf-8")))
    except (OSError, YAMLError) as error:
        raise TableError(f"{path}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise TableError(f"{path}: {where}: {first['msg']}") from None


def compare(table: Mapping[str, Mapping[str, Any]], page: TablePage) -> ComparedTable:
    """Compare every statement of a table about the models of the vendors that the page names."""
    met: set[int] = set()
    rows: list[TableStatement] = []
    for name, facts in table.items():
        vendor = str(facts.get("litellm_provider"))
        place = page.vendors.get(vendor)
        if (
            place is None
            or facts.get("mode") not in {"chat", "responses"}
            or not name.startswith(place.prefix)
        ):
            continue
        model = name.removeprefix(place.prefix)
        if any(fnmatchcase(name, glob) for glob in page.excluded):
            continue
        wire = import_module(f"promptwire.{place.wire}")
        for field, theirs, ours in _statements(wire, model, facts):
            row = TableStatement(vendor, model, field, theirs, ours)
            for index, settled in enumerate(page.settled) if row.outcome == "differs" else ():
                if _is_about(settled, row):
                    met.add(index)
                    row = row._replace(why=settled.why)
            rows.append(row)
    stale = tuple(settled for index, settled in enumerate(page.settled) if index not in met)
    return ComparedTable(tuple(rows), stale)


def _is_about(settled: SettledDifference, row: TableStatement) -> bool:
    same = settled.vendor == row.vendor and settled.field == row.field
    return same and any(fnmatchcase(row.model, glob) for glob in settled.models)


def _statements(wire: Any, model: str, facts: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """Yield each field that the table says something about, with its word and ours."""
    for key, field in _TOKENS.items():
        if type(facts.get(key)) is int:
            limit = wire.supports(model, field).limit
            yield field, str(facts[key]), None if limit is None else str(int(limit))
    for key, field in _FIELDS.items():
        if type(facts.get(key)) is bool:
            answer = wire.supports(model, field).answer
            yield field, _word(facts[key]), None if answer == "unknown" else answer
    for key, (field, stated) in _REQUESTS.items():
        if type(facts.get(key)) is bool:
            yield field, _word(facts[key]), _word(_builds(wire, _request(model, **stated)))


def _builds(wire: Any, request: Any) -> bool:
    """Return whether a request has no problem; a doubt about an unknown model is none."""
    return all(problem.what == "doubt" for problem in wire.check(request))


def _request(model: str, **fields: Any) -> Any:
    """Return a short request. 300 tokens are within every limit."""
    message = {"user": "hi"}
    stated = {"model": model, "messages": [message], "options": {"max_tokens": 300}, **fields}
    return import_module("promptwire").load_request(stated)


def _word(value: bool) -> str:
    return "yes" if value else "no"
