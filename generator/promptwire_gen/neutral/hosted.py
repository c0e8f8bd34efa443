"""Read and check the table of tools that several providers run themselves."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, RootModel, ValidationError

from ..problems import SpecError
from ..spec.explain import explain
from ..spec.nodes import plain
from ..spec.read import read
from .source import FOLDER

_FILE = "hosted.yaml"


class HostedWords(BaseModel):
    """The words of one wire for a kind of tool; without `type`, the kind is read but not sent.

    `option` is the option of a request that an API has instead of a tool. `settings` maps settings of another
    provider's tool to those of the option, or of the tool that is sent instead.
    `omit`, under the wire `*`, is the reason why a tool may be left out where a wire has none of its kind.
    """

    model_config = ConfigDict(extra="forbid")

    types: list[str]
    type: str | None = None
    name: str | None = None
    config: dict[str, Any] | None = None
    option: str | None = None
    settings: dict[str, str] | None = None
    omit: str | None = None


class HostedTable(RootModel[dict[str, dict[str, HostedWords]]]):
    """The whole table: kind -> wire -> words."""


@cache
def hosted_kinds() -> dict[str, dict[str, dict[str, Any]]]:
    """Return kind -> wire -> its words. Raises SpecError with all problems of the file."""
    tree = read((FOLDER / _FILE).read_text("utf-8"), f"neutral/{_FILE}")
    try:
        table = HostedTable.model_validate(plain(tree))
    except ValidationError as error:
        raise SpecError(explain(error, tree, HostedTable)) from None
    dumped: dict[str, dict[str, dict[str, Any]]] = table.model_dump(exclude_none=True)
    return dumped
