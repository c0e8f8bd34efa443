"""Find plugins: the built-in ones in this order, then the installed ones, sorted by name."""

from __future__ import annotations

from collections.abc import Sequence

from ..emit.artifact import NEUTRAL_MODEL
from ..installed import list_plugin_points
from ..plugin_api import Plugin
from .example_tests import ExampleTests
from .modules import Modules
from .package_files import NeutralReference, PackageFiles, ProviderTable
from .plugin_calls import PluginError

BUILTIN: tuple[type[Plugin], ...] = (
    Modules,
    ExampleTests,
    PackageFiles,
    ProviderTable,
    NeutralReference,
)
# the name that stands for our own files in error messages
OWN = frozenset([NEUTRAL_MODEL, *(plugin.name for plugin in BUILTIN)])

__all__ = ["BUILTIN", "OWN", "PluginError", "check_names", "find_plugins"]


def find_plugins() -> tuple[Plugin, ...]:
    """Make every plugin; an installed one that cannot be loaded is an error and is never skipped."""
    plugins: list[Plugin] = [builtin() for builtin in BUILTIN]
    for point in list_plugin_points():
        try:
            plugin = point.load()()
        except Exception as error:
            raise PluginError(f'plugin "{point.name}" ({point.value}) cannot be loaded: {error}') from error
        if not isinstance(plugin, Plugin):
            raise PluginError(f'plugin "{point.name}" ({point.value}) is no promptwire_gen.plugin_api.Plugin')
        plugins.append(plugin)
    return check_names(plugins)


def check_names(plugins: Sequence[Plugin]) -> tuple[Plugin, ...]:
    """Raise PluginError for a plugin without a name and for two plugins of the same name."""
    seen: dict[str, Plugin] = {}
    for plugin in plugins:
        if not isinstance(plugin.name, str) or not plugin.name:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise PluginError(f"{type(plugin).__qualname__} has no name: set name to a text")
        if plugin.name in seen:
            first, second = type(seen[plugin.name]).__qualname__, type(plugin).__qualname__
            raise PluginError(f'two plugins are named "{plugin.name}": {first} and {second}')
        seen[plugin.name] = plugin
    return tuple(plugins)
