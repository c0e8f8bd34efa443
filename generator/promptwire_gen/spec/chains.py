"""Which files a spec is made of: its own pages, and those of the specs that it extends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from .nodes import Scalar
from .pages import pages
from .read import read
from .shared_pages import is_shared


def files_of_wires(sources: Mapping[str, str]) -> dict[str, Sequence[str]]:
    """Give the files that each spec is made of, the first page first: wire -> files."""
    return {
        PurePosixPath(key).name.removesuffix(".yaml"): files
        for key, files in pages(sources).items()
        if not is_shared(key)
    }


def chain_of(wire: str, sources: Mapping[str, str], names: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Name a spec and those that it extends, the nearest first. Raises SpecError for a page that cannot be read."""
    chain: list[str] = []
    above: object = wire
    while isinstance(above, str) and above in names and above not in chain:
        chain.append(above)
        first = names[above][0]
        extended = read(sources[first], first).get("extends")
        above = extended.value if isinstance(extended, Scalar) else None
    return tuple(chain)


def files_of_chain(
    wire: str, sources: Mapping[str, str], names: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Give the files that a spec is made of and what all specs share; others may be broken."""
    own = {file for files in names.values() for file in files}
    files = {file: text for file, text in sources.items() if file not in own}
    for member in chain_of(wire, sources, names):
        files |= {file: sources[file] for file in names[member]}
    return files
