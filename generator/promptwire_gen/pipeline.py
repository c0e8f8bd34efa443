"""The compiler on one page: files of specs in, a pure map of generated files out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .compilation import Compilation, check_wires
from .emit.environment import environment
from .layout import Layout
from .lowering import Lowered, lower_all
from .model.filters import BUILTIN, ShapeFilter
from .model.offers import BUILTIN_PASSES, Offers
from .plugin_api import Plugin, Project
from .plugins import asking, check_names, find_plugins
from .plugins.gathering import gathered
from .plugins.provider_table import rows
from .problems import SpecError
from .rendering import make_texts


def compile_project(
    layout: Layout,
    *,
    wires: Sequence[str] | None = None,
    progress: Callable[[str], None] | None = None,
    plugins: Sequence[Plugin] | None = None,
) -> Compilation:
    """Compile every spec of a project; with `wires`, make only the files of those and the shared ones.

    Raises SpecError with all problems of all specs, UnknownWire, or PluginError.
    """
    said: Callable[[str], None] = progress or (lambda _: None)
    used = find_plugins() if plugins is None else check_names(plugins)
    said("reading specs")
    filters = gathered("filter", BUILTIN, used, asking.filters)
    offers = Offers(
        gathered("pass", BUILTIN_PASSES, used, asking.passes), gathered("dialect", {}, used, asking.dialects)
    )
    jinja = environment([layout.templates, *asking.template_folders(used)])
    sources = layout.read_specs(asking.spec_folders(used))
    project = _checked(lower_all(sources, filters, offers), filters, used)
    check_wires(wires or (), [wire.name for wire in project.wires])
    said("making files")
    orders = [
        (plugin.name, artifact)
        for plugin in used
        for artifact in asking.artifacts(plugin, project)
        if wires is None or artifact.wire is None or artifact.wire in wires
    ]
    files = make_texts(orders, jinja, {wire.name: wire.api for wire in project.wires})
    owners = {artifact.path: artifact.wire for _, artifact in orders if artifact.wire is not None}
    return Compilation(dict(sorted(files.items())), sources, rows(project), owners)


def _checked(lowered: Lowered, filters: Mapping[str, ShapeFilter], plugins: Sequence[Plugin]) -> Project:
    problems = list(lowered.problems)
    if not problems:
        project = Project(tuple(lowered.wires), filters)
        problems = [problem for plugin in plugins for problem in asking.problems(plugin, project)]
        if not problems:
            return project
    raise SpecError(problems)
