"""The files of an earlier compilation that are still current, spec by spec."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import TypeAdapter

from .compilation import Compilation, check_wires, with_imported
from .layout import MODEL
from .spec.pages import find_files_of_wires, group_pages, is_shared
from .wire_summary import WireSummary

# the owner of files about all wires
ABOUT_ALL = ""
_SUMMARIES = TypeAdapter(Sequence[WireSummary])


@dataclass(frozen=True, slots=True)
class OwnerFiles:
    """The files of one owner: a spec, a family of models, the runtime's model package, or `ABOUT_ALL`.

    Attributes:
        key: A digest of everything that the files depend on.
        files: Path -> text; an abstract spec has none.
        chain: The spec and all specs that it extends; empty for other owners.
        summary: The summary of a wire.
        imported: The owners whose modules those of a wire import.
    """

    key: str
    files: Mapping[str, str]
    chain: Sequence[str] = ()
    summary: WireSummary | None = None
    imported: Sequence[str] = ()


class Wanted(NamedTuple):
    """The owners whose files are wanted, and the wires that files about all wires show."""

    owners: Collection[str]
    summaries: Sequence[WireSummary]
    # wires in the output folder without a sound spec
    kept: Sequence[str] = ()


def select_wanted(
    wires: Sequence[str] | None,
    summaries: Sequence[WireSummary],
    imported: Mapping[str, Sequence[str]],
    built: Collection[str],
) -> Wanted:
    """Return the result of compiling some wires, or all for None; `built` are the wires in the output folder.

    Files about all wires show those that are made or built if there are any names in `wires`. Raises UnknownWire.
    """
    names = [summary.name for summary in summaries]
    check_wires(wires or (), names)
    owners = with_imported(names if wires is None else wires, imported)
    if not wires:
        return Wanted(owners, summaries)
    shown = [summary for summary in summaries if summary.name in owners or summary.name in built]
    return Wanted(owners, shown, sorted(set(built).difference(names)))


class Known:
    """The entries that still hold for one compiler and one set of specs."""

    def __init__(
        self, sources: Mapping[str, str], compiler: str = "", entries: Mapping[str, OwnerFiles] | None = None
    ) -> None:
        """Keep the entries whose keys are current. `compiler` is a digest of the compiler and its libraries."""
        self.sources = sources
        self.names = find_files_of_wires(sources)
        self._texts = {file: _compute_digest([file, text]) for file, text in sources.items()}
        # two specs of one name are a problem: no entry is made beside it, and none holds
        count = sum(not is_shared(group) for group in group_pages(sources))
        shared = [self._texts[file] for file in sources if is_shared(file)]
        self._shared = _compute_digest([compiler, str(count - len(self.names)), *shared])
        entries = entries or {}
        self._about_all = entries.get(ABOUT_ALL)
        self.entries = {
            owner: entry for owner, entry in entries.items() if entry.key == self._make_key(entry.chain)
        }
        self.specs = frozenset([name for name, entry in self.entries.items() if entry.chain])
        self.summaries = {name: entry.summary for name, entry in self.entries.items() if entry.summary}
        self.imported = {name: self.entries[name].imported for name in self.summaries}
        self.owners = {
            path: owner for owner, entry in self.entries.items() if owner != MODEL for path in entry.files
        }

    def find_files(self, want: Wanted) -> dict[str, str]:
        """Return the wanted files that hold; those about all wires hold for the same summaries."""
        found = [entry for owner, entry in self.entries.items() if owner == MODEL or owner in want.owners]
        if self._about_all is not None and self._about_all.key == self._make_key_about_all(want):
            found.append(self._about_all)
        return {path: text for entry in found for path, text in entry.files.items()}

    def find_compilation(self, wires: Sequence[str] | None, built: Collection[str]) -> Compilation | None:
        """Return the compilation of some wires, or of all for None, if all its files hold. Raises UnknownWire."""
        if self.specs != self.names.keys():
            return None
        summaries = [self.summaries[name] for name in sorted(self.summaries)]
        want = select_wanted(wires, summaries, self.imported, built)
        if self._about_all is None or self._about_all.key != self._make_key_about_all(want):
            return None
        files = dict(sorted(self.find_files(want).items()))
        owners = {path: owner for path, owner in self.owners.items() if path in files}
        return Compilation(files, self.sources, summaries, owners, self.imported)

    def make_entries(self, made: Compilation) -> dict[str, OwnerFiles]:
        """Return the entries of a complete compilation of these specs."""
        from .spec.load import find_chain  # noqa: PLC0415  # the parser of YAML is loaded already where one was made

        files: dict[str, dict[str, str]] = {name: {} for name in self.names}
        for path, text in made.files.items():
            owner = made.owners.get(path, MODEL if path.startswith(MODEL) else ABOUT_ALL)
            files.setdefault(owner, {})[path] = text
        summaries = {summary.name: summary for summary in made.summaries}
        chains = {name: find_chain(name, self.sources, self.names) for name in self.names}
        found = {
            owner: OwnerFiles(
                self._make_key(chains.get(owner, ())),
                own,
                chains.get(owner, ()),
                summaries.get(owner),
                made.imported.get(owner, ()),
            )
            for owner, own in files.items()
        }
        about_all = OwnerFiles(self._make_key_about_all(Wanted((), made.summaries)), files[ABOUT_ALL])
        return found | {ABOUT_ALL: about_all}

    def _make_key(self, chain: Sequence[str]) -> str:
        """Return the key of a spec with all that it extends, or of files that depend on shared pages alone."""
        pages_of = [self._texts[file] for name in chain for file in self.names.get(name, ())]
        return _compute_digest([self._shared, *chain, *pages_of])

    def _make_key_about_all(self, want: Wanted) -> str:
        """Return the key of the files about all wires."""
        shown = _SUMMARIES.dump_json(want.summaries).decode()
        return _compute_digest([self._shared, ABOUT_ALL, *want.kept, shown])


def _compute_digest(texts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        content = text.encode(errors="surrogateescape")
        digest.update(b"%d\0%b" % (len(content), content))
    return digest.hexdigest()
