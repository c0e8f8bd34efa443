"""The compiler on one page: spec files in, a mapping of path to generated text out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from jinja2 import Environment

from .compilation import Compilation, check_wires
from .emit.artifact import NEUTRAL_MODEL, Artifact, name_family_owners
from .emit.environment import compile_templates, environment, get_compiled_templates
from .emit.neutral.artifacts import make_model_artifacts
from .emit.neutral.reference import list_carried_by_class
from .emit.wire.wire_module import describe_capabilities, list_token_counts
from .known import Known, select_wanted
from .layout import Layout
from .lowering import lower_all
from .model.likeness import behaves_alike
from .model.offers import BUILTIN_FILTERS, BUILTIN_PASSES, Offers
from .neutral.source import read_neutral_model
from .plugin_api import Plugin, Project, WireModel
from .plugins import check_names, find_plugins, plugin_calls
from .plugins.plugin_calls import extend_table
from .problems import SpecError
from .rendering import Order, make_texts
from .spec.load import find_files_of_chains
from .wire_summary import WireSummary
from .workers import run_in_background, without_collection


@without_collection()
def compile_project(
    layout: Layout,
    *,
    wires: Sequence[str] | None = None,
    progress: Callable[[str], None] | None = None,
    plugins: Sequence[Plugin] | None = None,
    known: Known | None = None,
) -> Compilation:
    """Compile every spec of a project; with `wires`, make only their files and the shared ones.

    The files of wires that these extend are made as well, because a dialect's modules import them. Problems of other
    specs are then ignored, and the shared files are about these wires and those in the output folder. `known` holds
    files that this compiler made before without installed plugins, and the texts of all specs.
    Raises SpecError with all problems of all specs, UnknownWire, or PluginError.
    """
    say: Callable[[str], None] = progress or (lambda _: None)
    installed = find_plugins() if plugins is None else check_names(plugins)
    say("reading specs")
    folders = layout.list_template_folders(plugin_calls.list_template_folders(installed))
    known = known or Known(layout.read_specs(plugin_calls.list_spec_folders(installed)))
    compiled = get_compiled_templates(tuple(folders))
    jinja = environment(folders, compiled)
    # where most texts are known, few templates are needed
    compiling = (
        nullcontext(dict)
        if compiled.codes or known.specs
        else run_in_background(partial(compile_templates, compiled))
    )
    with compiling as codes:
        project = _lower_project(installed, wires, known, jinja)
        compiled.codes.update(codes() or {})
    if _has_name_clash(project, known):
        return compile_project(layout, wires=wires, progress=progress, plugins=installed)
    imported = known.imported | {wire.name: _find_owners_of_imports(wire) for wire in project.wires}
    want = select_wanted(wires, project.summaries, imported, layout.find_built_wires())
    shown = replace(project, summaries=tuple(want.summaries), kept=tuple(want.kept))
    old = known.find_files(want)
    say("making files")
    orders = [
        order for order in _list_orders(layout, installed, shown) if _is_due(order[1], old, want.owners)
    ]
    families = {wire.name: wire.api for wire in project.wires}
    files = make_texts(orders, jinja, families) | old
    owners = {path: owner for path, owner in known.owners.items() if path in old}
    owners |= {artifact.path: artifact.wire for _, artifact in orders if artifact.wire is not None}
    return Compilation(dict(sorted(files.items())), known.sources, project.summaries, owners, imported)


@without_collection()
def read_project(layout: Layout, wires: Sequence[str] = ()) -> Project:
    """Read every spec of a project and of its plugins. Raises UnknownWire if a name in `wires` has no spec.

    Raises SpecError with all problems of all specs, or PluginError.
    """
    installed = find_plugins()
    known = Known(layout.read_specs(plugin_calls.list_spec_folders(installed)))
    jinja = environment(layout.list_template_folders(plugin_calls.list_template_folders(installed)))
    project = _lower_project(installed, None, known, jinja)
    check_wires(wires, [wire.name for wire in project.wires])
    return project


def summarize_wire(wire: WireModel) -> WireSummary:
    """Return the facts about one wire that files about all wires contain."""
    return WireSummary(
        row={
            "wire": wire.name,
            "title": wire.title,
            **describe_capabilities(wire),
            "tokens": list_token_counts(wire),
        },
        recorded=list(wire.recorded),
        carried=list_carried_by_class(read_neutral_model(), wire),
        chain=list(wire.chain),
        placed=[*wire.placed_facts.items()],
        alike=wire.extends if wire.parent is not None and behaves_alike(wire, wire.parent) else None,
    )


def _find_owners_of_imports(wire: WireModel) -> tuple[str, ...]:
    """Return the owners of the modules that those of a wire import: families, and the wires that it extends."""
    parents = () if wire.parent is None else (wire.parent.name, *_find_owners_of_imports(wire.parent))
    return tuple(dict.fromkeys([*name_family_owners(wire), *parents]))


def _list_orders(layout: Layout, plugins: Sequence[Plugin], project: Project) -> Iterator[Order]:
    """Yield all files of a project that could be made, each with the plugin that makes it."""
    for plugin in plugins:
        for artifact in plugin_calls.list_artifacts(plugin, project):
            yield plugin.name, artifact
    if layout.model is not None:
        for artifact in make_model_artifacts():
            yield NEUTRAL_MODEL, artifact


def _is_due(artifact: Artifact, old: Collection[str], owners: Collection[str]) -> bool:
    """Return whether a file is needed and has not been made before."""
    return artifact.path not in old and (artifact.wire is None or artifact.wire in owners)


def _lower_project(
    plugins: Sequence[Plugin], named: Sequence[str] | None, known: Known, jinja: Environment
) -> Project:
    """Lower all specs with the extensions of the plugins; specs that are known are lowered only if others extend them.

    Raises SpecError with all problems: if wires are `named`, those of their specs.
    """
    filters = extend_table("filter", BUILTIN_FILTERS, plugins, plugin_calls.list_filters)
    passes = extend_table("pass", BUILTIN_PASSES, plugins, plugin_calls.list_passes)
    dialects = extend_table("dialect", {}, plugins, plugin_calls.list_dialects)
    sources, names = known.sources, known.names
    texts = sources
    if known.specs:
        texts = find_files_of_chains([name for name in names if name not in known.specs], sources, names)
    placed = None if named else [dict(wire.placed) for wire in known.summaries.values()]
    lowered = lower_all(texts, filters, Offers(passes, dialects), placed, known.specs)
    summaries = {**{wire.name: summarize_wire(wire) for wire in lowered.wires}, **known.summaries}
    project = Project(
        tuple(lowered.wires), filters, jinja, tuple([summaries[name] for name in sorted(summaries)])
    )
    problems = [*lowered.problems]
    # a name that only the text of a spec says is no file's, and that is the problem
    if named and all(name in names or name not in summaries for name in named):
        own = find_files_of_chains([name for name in named if name in names], sources, names)
        problems = [problem for problem in problems if problem.span.file in own]
    if not problems:
        problems += [problem for plugin in plugins for problem in plugin_calls.list_problems(plugin, project)]
    if problems:
        raise SpecError(problems)
    return project


def _has_name_clash(project: Project, known: Known) -> bool:
    """Return whether a new spec uses a name of an unchanged one; the problem is found with all specs together."""
    taken = {name for wire in known.summaries.values() for name in (wire.name, *wire.recorded)}
    new = [wire for wire in project.summaries if wire.name not in known.summaries]
    return any(name in taken for wire in new for name in (wire.name, *wire.recorded))
