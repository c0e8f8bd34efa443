"""Recorded requests: JSON lines with `wire`, `body`, and if known `api`, `url`, `id` and `shape`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptwire_cli.views.generated import CommandError
from promptwire_cli.views.inputs import STDIN, Wires, lines_from, parse_json
from promptwire_cli.views.json_values import is_object
from promptwire_text.words import did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRow:
    """One recorded request.

    Attributes:
        wire: The wire that reads it; rows of an unknown wire are skipped.
        name: Its `id`, or file:line.
        place: file:line.
        shape: Rows of the same shape are alike; without one, a row is its own shape.
        line: The JSON text, from which `body` can be parsed again.
    """

    name: str
    place: str
    api: str
    wire: str
    shape: str
    url: str | None
    line: bytes
    body: dict[str, Any]


def read_rows(
    files: Sequence[str],
    wires: Wires,
    apis: Collection[str] = (),
    advance: Callable[[int], None] | None = None,
    broken: list[str] | None = None,
) -> Iterator[RecordedRow]:
    """Yield the rows of all files, in order; with `apis`, only theirs. `advance` receives the number of bytes read.

    A line that is not a recorded request is reported to `broken`, by file and line. Without such a list it raises
    CommandError, and so does an API without rows.
    """
    seen: set[str] = set()
    for file in files:
        name = "standard input" if file == STDIN else file
        for number, line in lines_from(file):
            if advance:
                advance(len(line))
            if line.isspace():
                continue
            try:
                row = _row(line, name, number, wires)
            except CommandError as error:
                if broken is None:
                    raise
                broken.append(str(error))
                continue
            seen.add(row.api)
            if not apis or row.api in apis:
                yield row
    for api in apis:
        if api not in seen:
            raise CommandError(_without_rows(api, seen))


def _without_rows(api: str, apis: Collection[str]) -> str:
    hint = did_you_mean(api, apis) or f"use one of {', '.join(sorted(apis))}"
    return f'no row is of the API "{api}": {hint if apis else "no rows at all"}'


def _row(line: bytes, file: str, number: int, wires: Wires) -> RecordedRow:
    value = parse_json(line.rstrip(b"\n"), file, number)
    where = f"{file}:{number}"
    if not is_object(value) or not is_object(body := value.get("body")):
        raise CommandError(f'{where}: not a recorded request: an object whose "body" is an object')
    texts = {key: _optional_text(value, key, where) for key in ("wire", "api", "url", "id", "shape")}
    wire = wires.find_wire(texts["api"], texts["wire"])
    if wire is None:
        raise CommandError(f'{where}: the row has no "wire": say which with --as WIRE')
    return RecordedRow(
        name=texts["id"] or where,
        place=where,
        api=texts["api"] or wire,
        wire=wire,
        shape=texts["shape"] or where,
        url=texts["url"],
        line=line,
        body=body,
    )


def _optional_text(row: Mapping[str, Any], key: str, where: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise CommandError(f'{where}: "{key}" is not text')
    return value
