"""Print one request body as a neutral request, and convert it to another wire."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .generated import dump_request, own_errors, wire_module
from .lookalikes import looks_like
from .preview import note_rows, notes_below, oddities, pretty, public_settings

if TYPE_CHECKING:
    from promptwire_runtime import Built, Reading

# what the other wire cannot carry is dropped with a note
CROSSING = "lenient"
_NUMBER = re.compile(r"([-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?|0o[0-7]+|0x[0-9a-fA-F]+)\Z", re.ASCII)


class CrossingOptions(NamedTuple):
    """The options of `promptwire read --to`; `to` is None without it, and settings are `name=value` texts."""

    to: str | None
    model: str | None
    max_tokens: int | None
    settings: Sequence[str]
    policies: str


def build_on(wire: str, reading: Reading, options: CrossingOptions) -> Built[Any]:
    """Build a request that was read on another wire, with another model and maximum if given; losses become notes.

    Raises CommandError if that is impossible.
    """
    module = wire_module(wire)
    request = reading.request
    if options.model is not None:
        request = replace(request, model=options.model)
    if options.max_tokens is not None:
        request = replace(request, options=replace(request.options, max_tokens=options.max_tokens))
    settings = public_settings(module, options.settings)
    with own_errors():
        return module.build(request, settings=settings, policies=options.policies)


def as_yaml(reading: Reading) -> str:
    """Return the request as YAML that can be loaded again, with counts and notes as comments below.

    Form memory is counted and left out; `as_object` has it.
    """
    counts = (
        f"a request: understood {reading.understood} of {reading.leaves} leaves, {reading.kept} only kept"
    )
    kept = [
        f"  kept {path}" + (f" ({count} times)" if count > 1 else "") for path, count in _unknown(reading)
    ]
    settings = [f"--setting {name}={value}" for name, value in reading.settings.items()]
    # a body without any required key may belong to any other wire
    other = looks_like(reading.body, reading.wire.name) if 2 * reading.understood < reading.leaves else ""
    lines = "\n".join(
        [
            counts,
            *([other] if other else []),
            *kept,
            *oddities(reading),
            *settings,
            *notes_below(reading.notes)[1:],
        ]
    ).splitlines()
    return as_document(dump_request(reading.request, kept=False)) + "\n".join(f"# {line}" for line in lines)


def as_object(reading: Reading) -> dict[str, Any]:
    """Return request, notes and counts as plain JSON, and the settings found in the URL."""
    return {
        "read_as": "request",
        "request": dump_request(reading.request),
        **({"settings": reading.settings} if reading.settings else {}),
        "notes": note_rows(reading.notes),
        "deviations": note_rows(reading.deviations),
        "unread": note_rows(reading.unread),
        "leaves": reading.leaves,
        "understood": reading.understood,
        "kept": reading.kept,
        "unknown": dict(_unknown(reading)),
    }


def built_as_text(reading: Reading, built: Built[Any]) -> str:
    """Return the body for the other wire and the notes of both steps as text."""
    return "\n".join([pretty(built.body), *notes_below([*reading.notes, *built.notes])])


def built_as_object(reading: Reading, built: Built[Any]) -> dict[str, Any]:
    """Return the body for the other wire and the notes of both steps as plain JSON."""
    return {"body": built.body, "notes": note_rows([*reading.notes, *built.notes])}


def _unknown(reading: Reading) -> list[tuple[str, int]]:
    return Counter(reading.unknown).most_common()


def as_document(value: Any) -> str:
    """Return plain data as a YAML document that parses to the same data."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            """Return True, so that shared values are written out."""
            del data
            return True

    # requests are loaded as YAML 1.2, in which these texts are numbers and need quotes
    cast("Any", Dumper).add_implicit_resolver("tag:yaml.org,2002:float", _NUMBER, list("-+.0123456789"))
    return yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)
