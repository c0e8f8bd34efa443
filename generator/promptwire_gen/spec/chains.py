"""Find the files of a spec: its own pages, and those of the specs that it extends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .nodes import Scalar
from .pages import is_shared
from .read import read


def chain_of(wire: str, sources: Mapping[str, str], names: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return a spec and the specs that it extends, the nearest first. Raises SpecError for an unreadable page."""
    chain: list[str] = []
    above: object = wire
    while isinstance(above, str) and above in names and above not in chain:
        chain.append(above)
        first = names[above][0]
        extended = read(sources[first], first).get("extends")
        above = extended.value if isinstance(extended, Scalar) else None
    return tuple(chain)


def files_of_chains(
    wires: Iterable[str], sources: Mapping[str, str], names: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Return the files of some specs and of all specs that they extend, and the shared files."""
    files = {file: text for file, text in sources.items() if is_shared(file)}
    for member in dict.fromkeys(name for wire in wires for name in chain_of(wire, sources, names)):
        files |= {file: sources[file] for file in names[member]}
    return files
