"""The compiler on one page: spec files in, a mapping of path to generated text out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial

from .compilation import Compilation, check_wires, with_extended
from .emit.artifact import NEUTRAL_MODEL
from .emit.environment import compile_templates, compiled_templates, environment
from .emit.neutral.artifacts import model_artifacts
from .layout import Layout
from .lowering import lower_all
from .model.filters import BUILTIN
from .model.offers import BUILTIN_PASSES, Offers
from .plugin_api import Plugin, Project, WireModel
from .plugins import check_names, find_plugins, plugin_calls
from .plugins.plugin_tables import extended_table
from .plugins.provider_table import rows
from .problems import SpecError
from .rendering import make_texts
from .workers import run_in_background


def compile_project(
    layout: Layout,
    *,
    wires: Sequence[str] | None = None,
    progress: Callable[[str], None] | None = None,
    plugins: Sequence[Plugin] | None = None,
) -> Compilation:
    """Compile every spec of a project; with `wires`, make only their files and the shared ones.

    The files of wires that these extend are made as well, because a dialect's modules import them.
    Raises SpecError with all problems of all specs, UnknownWire, or PluginError.
    """
    say: Callable[[str], None] = progress or (lambda _: None)
    installed = find_plugins() if plugins is None else check_names(plugins)
    say("reading specs")
    folders = [layout.templates, *plugin_calls.template_folders(installed)]
    sources = layout.read_specs(plugin_calls.spec_folders(installed))
    compiled = compiled_templates(tuple(folders))
    # cached texts need not be made in another process
    compiling = (
        nullcontext(dict) if compiled.codes else run_in_background(partial(compile_templates, compiled))
    )
    with compiling as codes:
        project = _project(sources, installed)
        compiled.codes.update(codes() or {})
    jinja = environment(folders, compiled)
    check_wires(wires or (), [wire.name for wire in project.wires])
    extended = {wire.name: _extended(wire) for wire in project.wires}
    needed = None if wires is None else with_extended(wires, extended)
    say("making files")
    orders = [
        (plugin.name, artifact)
        for plugin in installed
        for artifact in plugin_calls.artifacts(plugin, project)
        if needed is None or artifact.wire is None or artifact.wire in needed
    ]
    if layout.model is not None:
        orders += [(NEUTRAL_MODEL, artifact) for artifact in model_artifacts()]
    files = make_texts(orders, jinja, {wire.name: wire.api for wire in project.wires})
    owners = {artifact.path: artifact.wire for _, artifact in orders if artifact.wire is not None}
    return Compilation(dict(sorted(files.items())), sources, rows(project), owners, extended)


def read_project(layout: Layout, wires: Sequence[str] = ()) -> Project:
    """Read every spec of a project and of its plugins. Raises UnknownWire if a name in `wires` has no spec.

    Raises SpecError with all problems of all specs, or PluginError.
    """
    installed = find_plugins()
    project = _project(layout.read_specs(plugin_calls.spec_folders(installed)), installed)
    check_wires(wires, [wire.name for wire in project.wires])
    return project


def _extended(wire: WireModel) -> tuple[str, ...]:
    """Return the wires that a wire extends, the nearest first."""
    return () if wire.parent is None else (wire.parent.name, *_extended(wire.parent))


def _project(sources: Mapping[str, str], plugins: Sequence[Plugin]) -> Project:
    """Lower all specs with the extensions of the plugins. Raises SpecError with all problems."""
    filters = extended_table("filter", BUILTIN, plugins, plugin_calls.filters)
    passes = extended_table("pass", BUILTIN_PASSES, plugins, plugin_calls.passes)
    dialects = extended_table("dialect", {}, plugins, plugin_calls.dialects)
    lowered = lower_all(sources, filters, Offers(passes, dialects))
    project = Project(tuple(lowered.wires), filters)
    problems = lowered.problems or [
        problem for plugin in plugins for problem in plugin_calls.problems(plugin, project)
    ]
    if problems:
        raise SpecError(problems)
    return project
