"""Results of a plugin: a file to be rendered from a template and its context, or finished text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Self

from pydantic import model_validator
from pydantic.dataclasses import dataclass

from ..model.offers import CONFIG, FilePath
from ..model.wire import WireModel

# the source that the headers of those files name
NEUTRAL_MODEL = "neutral model"
# the package of the modules of families of models; no wire has such a name
FAMILY_MODULES = "_families"


def family_owner(name: str) -> str:
    """Return the owner of the module of a family."""
    return f"{FAMILY_MODULES}/{name}"


def family_owners(wire: WireModel) -> tuple[str, ...]:
    """Return the owners of the modules of the families that a wire serves, and of their package."""
    served = [family_owner(family.name) for family in wire.families]
    return (FAMILY_MODULES, *served) if served else ()


@dataclass(frozen=True, slots=True, kw_only=True, config=CONFIG)
class Artifact:
    """One generated file. Functions that return its context or text are called late, maybe in another process.

    path      relative to the output folder, with forward slashes
    template  a template's name, or None when `text` is the whole content
    context   the context of the template, or a function that returns it
    text      the whole content, or a function that returns it
    wire      the wire it belongs to, or one of its `family_owners`; None for files about all wires
    """

    path: FilePath
    template: str | None = None
    context: Mapping[str, Any] | Callable[[], Mapping[str, Any]] = field(default_factory=dict[str, Any])
    text: str | Callable[[], str] | None = None
    wire: str | None = None

    @model_validator(mode="after")
    def _has_one_content(self) -> Self:
        if (self.template is None) is (self.text is None):
            given = "neither template nor text is" if self.text is None else "both template and text are"
            raise ValueError(f"{given} given for {self.path!r}; expected one of them")
        return self
