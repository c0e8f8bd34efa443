"""The `batches` of the transport section: what each service that runs this API in batches takes as a file."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from .citing import Cited
from .fields import Line, Many, Name, Pattern, Word
from .sections import Strict, listed, maybe, named

LinePiece: TypeAlias = Literal["$id", "$method", "$path", "$body"]
Positive: TypeAlias = Annotated[int, Field(strict=True, gt=0)]


class BatchSpec(Strict):
    """One service that runs requests of this API in batches: its line, its file and its limits."""

    line: dict[Name, LinePiece] = Field(
        description="One request of a batch: keys to $id, $method, $path, $body."
    )
    when: dict[Word, Line] = named("The settings with which this service is meant; without any it always is.")
    path: Line | None = maybe("For $path: the path that every line states, if it is not that of the URL.")
    wraps: Name | None = maybe(
        "A file is one JSON object with the list of requests under this key, not JSON lines."
    )
    omits: Annotated[tuple[Name, ...], Many] = listed("The keys of the body that a line leaves out.")
    id_in: Line | None = maybe(
        "Where the id stands inside the body, if a line has no key for it: labels.my_id."
    )
    ids: Pattern | None = maybe("What an id must match.")
    id_length: Positive | None = maybe("How long an id may be.")
    model: Literal["line", "file"] = Field(
        default="line",
        description="line: each line has a model of its own; file: all lines of a file have one.",
    )
    min_requests: Positive | None = maybe("How many requests a file must have at least.")
    max_requests: Positive | None = maybe("How many requests a file may have.")
    max_bytes: Positive | None = maybe("How large a file may be, in bytes.")
    source: Cited = Field(description="Who states this.")

    def facts(self) -> dict[str, Any]:
        """Return what is stated, in the order of the fields, without what is left out."""
        stated = self.model_dump(exclude_defaults=True)
        words = {key: word.removeprefix("$") for key, word in self.line.items()}
        return {**stated, "line": words}
