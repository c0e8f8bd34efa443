"""The command `promptwire list`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from .exits import FINE
from .options import completed_wire
from .program import answered
from .terminal import show_json

_MEDIA = ("image", "audio", "video", "document")

OneWire = Annotated[
    str | None,
    typer.Argument(metavar="[WIRE]", help="All about this wire.", autocompletion=completed_wire),
]
ForModel = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="NAME", help="What this model takes, on WIRE or on all."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@answered
def list_wires(wire: OneWire = None, model: ForModel = None, as_json: AsJson = False) -> int:
    """List the wires and what each supports.

    With a WIRE, prints everything that it supports. With --model, prints every request field: yes, no or unknown for
    this model, with the reason and its source; without a WIRE, what it accepts on each that has rules about it.
    """
    from .views.generated import wire_module, wire_names

    if model is not None:
        return list_model(wire, model, as_json=as_json)
    names = wire_names() if wire is None else (wire,)
    rows = {name: wire_module(name) for name in names}
    if as_json:
        shown = [
            {"wire": name, "title": row.WIRE.title, **row.WIRE.capabilities} for name, row in rows.items()
        ]
        show_json(shown, default=dict)
    elif wire is None:
        _show_table([_cells(name, row.WIRE.title, row.WIRE.capabilities) for name, row in rows.items()])
    else:
        typer.echo("\n".join([rows[wire].WIRE.title, "", *_lines(rows[wire].WIRE.capabilities)]))
    return FINE


def list_model(wire: str | None, model: str, *, as_json: bool) -> int:
    """Print what one model supports on a wire, according to the generated module."""
    from .terminal import show_support
    from .views.generated import stale_fields, supported

    if wire is None:
        return _list_everywhere(model, as_json=as_json)
    table = supported(wire, model)
    if as_json:
        show_json({field: asdict(support) for field, support in table.items()})
    else:
        show_support(table, stale_fields(table))
    return FINE


def _list_everywhere(model: str, *, as_json: bool) -> int:
    """Print what one model supports on every wire that has rules about it."""
    from .terminal import show_rows
    from .views.generated import CommandError, supported_everywhere

    tables = supported_everywhere(model)
    if not tables:
        raise CommandError(f"no wire has rules about {model}; name a WIRE to see what holds for every model")
    if as_json:
        show_json(
            {name: {field: asdict(row) for field, row in table.items()} for name, table in tables.items()}
        )
        return FINE
    fields = next(iter(tables.values()))
    rows = [(field, *[table[field].accepted for table in tables.values()]) for field in fields]
    shown = [row for row in rows if set(row[1:]) != {"no"}]
    show_rows(("field", *tables), shown, rest=f"promptwire list WIRE --model {model} says why")
    return FINE


def _cells(name: str, title: str, known: Mapping[str, Any]) -> tuple[str, ...]:
    answers: Mapping[str, Any] = known.get("answers") or {}
    tools, parts = known["tools"], known["parts"]
    return (
        name,
        title,
        "yes" if answers.get("stream") else "-",
        ", ".join(tools["kinds"]) or "-",
        ", ".join([kind for kind in _MEDIA if kind in parts]) or "-",
        ", ".join(known["response_formats"]) or "-",
        "yes" if known["reasoning"] else "-",
        known["continuation"]["mode"],
    )


def _show_table(rows: Sequence[tuple[str, ...]]) -> None:
    from .terminal import show_rows

    titles = ("wire", "API", "streams", "tools", "media", "formats", "reasoning", "continues by")
    show_rows(titles, rows, rest="promptwire list WIRE shows them")


def _lines(value: Any, indent: str = "") -> Iterator[str]:
    """Yield nested capabilities, one key a line."""
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            yield f"{indent}{key}:"
            yield from _lines(inner, indent + "  ")
        else:
            texts: list[Any] = [*inner] if isinstance(inner, (list, tuple)) else [inner]
            yield f"{indent}{key}: {', '.join(map(str, texts)) or '-'}"
