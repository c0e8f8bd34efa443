"""Read and check the tables of what providers run and hold themselves: tools, prompts and cached content."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, RootModel, ValidationError

from ..problems import SpecError
from ..spec.explain import explain
from ..spec.fixes import Fix
from ..spec.nodes import plain
from ..spec.read import read
from .source import FOLDER

TableT = TypeVar("TableT", bound=BaseModel)
_TOOLS, _OWN_CONTENT = "hosted.yaml", "own_content.yaml"


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
    """The whole table of tools: kind -> wire -> words."""


class OwnContentTable(RootModel[dict[str, dict[str, Fix]]]):
    """The whole table of options that stand for content: wire -> option -> its repair on other wires."""


@cache
def hosted_kinds() -> dict[str, dict[str, dict[str, Any]]]:
    """Return kind -> wire -> its words. Raises SpecError with all problems of the file."""
    dumped: dict[str, dict[str, dict[str, Any]]] = _read(_TOOLS, HostedTable).model_dump(exclude_none=True)
    return dumped


@cache
def own_content() -> dict[str, dict[str, Fix]]:
    """Return wire -> its options with content -> their repairs. Raises SpecError with all problems of the file."""
    return _read(_OWN_CONTENT, OwnContentTable).root


def _read(file: str, table: type[TableT]) -> TableT:
    tree = read((FOLDER / file).read_text("utf-8"), f"neutral/{file}")
    try:
        return table.model_validate(plain(tree))
    except ValidationError as error:
        raise SpecError(explain(error, tree, table)) from None
