"""The section `sdks`: the SDK types that describe the body of a wire."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from .fields import Line, Many, OneOrMany, Prose, checked_text
from .sections import Strict, listed, maybe, named

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_NAMES = rf"{_NAME}(?:\.{_NAME})*"

TypeName: TypeAlias = Annotated[
    str, *checked_text(f"{_NAMES}:{_NAMES}", "module:Class, or module:Class.method for its parameters")
]
Operation: TypeAlias = Annotated[
    str, *checked_text(rf"[a-z][a-z0-9-]*:{_NAME}", "service:Operation of AWS: bedrock-runtime:Converse")
]


class Sdk(Strict):
    """The types of one SDK, which `gen verify` compares with the shapes."""

    version: Line | None = maybe("The package and version that was last read; that of clients by default.")
    types: Annotated[tuple[TypeName, ...], Many, OneOrMany] = listed(
        "The type of the body, module:Class, or several; module:Class.method where parameters are its keys."
    )
    operations: Annotated[tuple[Operation, ...], Many, OneOrMany] = listed(
        "Operations of AWS whose input is the body: bedrock-runtime:Converse."
    )
    excluded: dict[Line, Prose] = named(
        "Fields of the types that no body has, headers for one: the path that gen verify prints to the reason."
    )
    omitted: dict[Line, Prose] = named(
        "Fields of the API that the shapes leave out: the path that gen verify prints to the reason."
    )
