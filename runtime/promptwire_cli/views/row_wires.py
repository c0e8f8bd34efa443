"""The wires of recorded requests, by the names under which they were recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .generated import CommandError, unknown_wire


@dataclass(frozen=True, slots=True)
class Wires:
    """Maps rows to wires.

    Attributes:
        names: The existing wires.
        aliases: Recorded name -> wire.
        forced: The mapping that the caller asked for, which takes precedence; the key `*` matches every row.
    """

    names: Sequence[str]
    aliases: Mapping[str, str]
    forced: Mapping[str, str]

    def of(self, api: str | None, wire: str | None) -> str | None:
        """Return the wire of a row: the first known one of its `api/wire`, its `api` and its `wire`.

        A prefix of the API's name that ends with a colon (`other:vllm`) is optional.
        """
        wires = {name: name for name in self.names} | dict(self.aliases)
        apis = [api, api.rpartition(":")[2]] if api else []
        recorded = [*(f"{name}/{wire}" for name in apis if wire), *apis, *([wire] if wire else [])]
        for table in (self.forced, wires):
            for name in recorded:
                if name in table:
                    return table[name]
            if "*" in table:
                return table["*"]
        return wire


def choose_wires(names: Sequence[str], forced: Sequence[str], aliases: Mapping[str, str]) -> Wires:
    """Combine known aliases with the given ones: `WIRE` for every row, `RECORDED=WIRE` for some.

    Raises CommandError for an unknown wire.
    """
    asked: dict[str, str] = {}
    for text in forced:
        recorded, _, wire = text.rpartition("=")
        if wire not in names:
            raise CommandError(unknown_wire(wire, names))
        asked[recorded or "*"] = wire
    return Wires(names, aliases, asked)
