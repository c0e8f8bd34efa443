"""The compiler on one page: spec files in, a mapping of path to generated text out."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from jinja2 import Environment

from .compilation import Compilation, check_wires, with_imported
from .emit.artifact import MODEL, NEUTRAL_MODEL, Artifact, family_owners
from .emit.environment import compile_templates, compiled_templates, environment
from .emit.neutral.artifacts import model_artifacts
from .emit.neutral.reference import carried_fields
from .emit.wire.capabilities import capabilities, token_counts
from .layout import Layout
from .lowering import lower_all
from .model.filters import BUILTIN
from .model.likeness import behaves_alike
from .model.offers import BUILTIN_PASSES, Offers
from .neutral.source import neutral_model
from .plugin_api import Plugin, Project, WireModel
from .plugins import check_names, find_plugins, plugin_calls
from .plugins.plugin_tables import extended_table
from .problems import SpecError
from .rendering import Order, make_texts
from .spec.chains import files_of_chains, files_of_wires
from .spec.pages import pages
from .spec.shared_pages import is_shared
from .wire_summary import WireSummary
from .workers import run_in_background, without_collection


@dataclass(frozen=True, slots=True)
class _Known:
    """The part of an earlier compilation that is reused: unchanged specs, abstract ones too, and their wires."""

    specs: frozenset[str] = frozenset()
    wires: Mapping[str, WireSummary] = field(default_factory=dict[str, WireSummary])


@without_collection()
def compile_project(
    layout: Layout,
    *,
    wires: Sequence[str] | None = None,
    progress: Callable[[str], None] | None = None,
    plugins: Sequence[Plugin] | None = None,
    previous: Compilation | None = None,
) -> Compilation:
    """Compile every spec of a project; with `wires`, make only their files and the shared ones.

    The files of wires that these extend are made as well, because a dialect's modules import them. Problems of other
    specs are then ignored, and the shared files are about these wires and those in the output folder. `previous` is a
    complete compilation by this compiler without installed plugins: the files of unchanged specs are taken from it.
    Raises SpecError with all problems of all specs, UnknownWire, or PluginError.
    """
    say: Callable[[str], None] = progress or (lambda _: None)
    installed = find_plugins() if plugins is None else check_names(plugins)
    say("reading specs")
    folders = layout.template_folders(plugin_calls.template_folders(installed))
    sources = layout.read_specs(plugin_calls.spec_folders(installed))
    compiled = compiled_templates(tuple(folders))
    jinja = environment(folders, compiled)
    # where most texts are known, few templates are needed
    compiling = (
        nullcontext(dict)
        if compiled.codes or previous is not None
        else run_in_background(partial(compile_templates, compiled))
    )
    known = _Known() if previous is None else _unchanged(previous, sources)
    with compiling as codes:
        project = _project(sources, installed, wires, known, jinja)
        compiled.codes.update(codes() or {})
    if previous is not None and _clash(project, known):
        return compile_project(layout, wires=wires, progress=progress, plugins=installed)
    check_wires(wires or (), [wire.name for wire in project.summaries])
    imported = _all_imported(project, previous, known)
    needed = None if wires is None else with_imported(wires, imported)
    shared = _shared_about(project, needed, layout) if wires else project
    old = _old_files(previous, known, shared, needed)
    say("making files")
    orders = [order for order in _orders(layout, installed, shared) if _is_due(order[1], old, needed)]
    families = {wire.name: wire.api for wire in project.wires}
    files = make_texts(orders, jinja, families) | old
    owners = _owners(orders, old, previous)
    return Compilation(dict(sorted(files.items())), sources, project.summaries, owners, imported)


@without_collection()
def read_project(layout: Layout, wires: Sequence[str] = ()) -> Project:
    """Read every spec of a project and of its plugins. Raises UnknownWire if a name in `wires` has no spec.

    Raises SpecError with all problems of all specs, or PluginError.
    """
    installed = find_plugins()
    sources = layout.read_specs(plugin_calls.spec_folders(installed))
    jinja = environment(layout.template_folders(plugin_calls.template_folders(installed)))
    project = _project(sources, installed, None, _Known(), jinja)
    check_wires(wires, [wire.name for wire in project.wires])
    return project


def summary(wire: WireModel) -> WireSummary:
    """Return what files about all wires contain of one."""
    return WireSummary(
        row={"wire": wire.name, "title": wire.title, **capabilities(wire), "tokens": token_counts(wire)},
        recorded=list(wire.recorded),
        carried=carried_fields(neutral_model(), wire),
        chain=list(wire.chain),
        placed=[[*span, fits] for span, fits in wire.placed_facts.items()],
        alike=wire.extends if wire.parent is not None and behaves_alike(wire, wire.parent) else None,
    )


def _imported(wire: WireModel) -> tuple[str, ...]:
    """Return the owners of the modules that those of a wire import: families, and the wires that it extends."""
    parents = () if wire.parent is None else (wire.parent.name, *_imported(wire.parent))
    return tuple(dict.fromkeys([*family_owners(wire), *parents]))


def _orders(layout: Layout, plugins: Sequence[Plugin], project: Project) -> Iterator[Order]:
    """Yield all files of a project that could be made, each with the plugin that makes it."""
    for plugin in plugins:
        for artifact in plugin_calls.artifacts(plugin, project):
            yield plugin.name, artifact
    if layout.model is not None:
        for artifact in model_artifacts():
            yield NEUTRAL_MODEL, artifact


def _is_due(artifact: Artifact, old: Collection[str], needed: Collection[str] | None) -> bool:
    """Return whether a file is needed and has not been made before."""
    return artifact.path not in old and (needed is None or artifact.wire is None or artifact.wire in needed)


def _owners(orders: Sequence[Order], old: Collection[str], previous: Compilation | None) -> dict[str, str]:
    """Return the wire of each file that belongs to one."""
    owners = (
        {} if previous is None else {path: previous.owners[path] for path in previous.owners if path in old}
    )
    return owners | {artifact.path: artifact.wire for _, artifact in orders if artifact.wire is not None}


def _all_imported(project: Project, previous: Compilation | None, known: _Known) -> dict[str, Sequence[str]]:
    """Return the owners of the modules that those of each wire import."""
    old = {} if previous is None else {name: previous.imported[name] for name in known.wires}
    return {**old, **{wire.name: _imported(wire) for wire in project.wires}}


def _project(
    sources: Mapping[str, str],
    plugins: Sequence[Plugin],
    named: Sequence[str] | None,
    known: _Known,
    jinja: Environment,
) -> Project:
    """Lower all specs with the extensions of the plugins; specs that are known are lowered only if others extend them.

    Raises SpecError with all problems: if wires are `named`, those of their specs.
    """
    filters = extended_table("filter", BUILTIN, plugins, plugin_calls.filters)
    passes = extended_table("pass", BUILTIN_PASSES, plugins, plugin_calls.passes)
    dialects = extended_table("dialect", {}, plugins, plugin_calls.dialects)
    names = files_of_wires(sources)
    texts = sources
    if known.specs:
        texts = files_of_chains([name for name in names if name not in known.specs], sources, names)
    placed = None if named else [wire.placed_facts for wire in known.wires.values()]
    lowered = lower_all(texts, filters, Offers(passes, dialects), placed, known.specs)
    summaries = {**{wire.name: summary(wire) for wire in lowered.wires}, **known.wires}
    project = Project(
        tuple(lowered.wires), filters, jinja, tuple([summaries[name] for name in sorted(summaries)])
    )
    problems = [*lowered.problems]
    if named:
        own = files_of_chains([name for name in named if name in names], sources, names)
        problems = [problem for problem in problems if problem.span.file in own]
    if not problems:
        problems += [problem for plugin in plugins for problem in plugin_calls.problems(plugin, project)]
    if problems:
        raise SpecError(problems)
    return project


def _unchanged(previous: Compilation, sources: Mapping[str, str]) -> _Known:
    """Return the specs whose files, and those of all that they extend, are the same as before."""
    before, after = (
        {file: text for file, text in texts.items() if is_shared(file)}
        for texts in (previous.sources, sources)
    )
    groups, names, old_names = pages(sources), files_of_wires(sources), files_of_wires(previous.sources)
    two_of_one_name = len([key for key in groups if not is_shared(key)]) > len(names)
    if before != after or two_of_one_name:
        return _Known()
    same = frozenset(
        name
        for name, files in names.items()
        if list(old_names.get(name, ())) == list(files)
        and all(previous.sources[file] == sources[file] for file in files)
    )
    wires = {wire.name: wire for wire in previous.summaries if same.issuperset(wire.chain)}
    abstract = same - {wire.name for wire in previous.summaries}
    return _Known(abstract.union(wires), wires)


def _clash(project: Project, known: _Known) -> bool:
    """Return whether a new spec uses a name that stands for an unchanged one; only all together show the problem."""
    taken = {name for wire in known.wires.values() for name in (wire.name, *wire.recorded)}
    new = [wire for wire in project.summaries if wire.name not in known.wires]
    return any(name in taken for wire in new for name in (wire.name, *wire.recorded))


def _shared_about(project: Project, needed: Collection[str] | None, layout: Layout) -> Project:
    """Return the project without the summaries of wires that are not made and are not in the output folder."""
    shown = {*(needed or ()), *layout.built_wires()}
    kept = sorted(layout.built_wires().difference(wire.name for wire in project.summaries))
    summaries = tuple([wire for wire in project.summaries if wire.name in shown])
    return replace(project, summaries=summaries, kept=tuple(kept))


def _say_the_same(before: Sequence[WireSummary], after: Sequence[WireSummary]) -> bool:
    """Return whether two lists of summaries are the same as JSON; those of unchanged wires are the same objects."""
    return len(before) == len(after) and all(
        old is new or json.dumps(old.plain) == json.dumps(new.plain)
        for old, new in zip(before, after, strict=True)
    )


def _old_files(
    previous: Compilation | None, known: _Known, project: Project, needed: Collection[str] | None
) -> dict[str, str]:
    """Return the files that the previous compilation made and that are the same now."""
    if previous is None:
        return {}
    is_same = _say_the_same(previous.summaries, project.summaries) and not project.kept
    unchanged = with_imported(known.wires, previous.imported)

    def is_old(path: str) -> bool:
        owner = previous.owners.get(path)
        if owner is None:
            return is_same or path.startswith(MODEL)
        return owner in unchanged and (needed is None or owner in needed)

    return {path: text for path, text in previous.files.items() if is_old(path)}
