"""Installed packages: plugins, and the versions that the output may depend on."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version

GROUP = "promptwire.plugins"
_LIBRARIES = ("jinja2", "libcst", "pydantic", "pydantic-core", "pyyaml", "ruff")


@cache
def list_plugin_points() -> tuple[EntryPoint, ...]:
    """Return the entry points of installed plugins, sorted by name and cached."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)))


@cache
def read_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that format generated code."""
    return {"python": sys.version, **{name: _read_version(name) for name in _LIBRARIES}}


def read_own_version() -> str:
    """Return the version of promptwire, or a remark for a checkout that is only on the path."""
    try:
        return version("promptwire")
    except PackageNotFoundError:
        return "(a checkout that is not installed)"


def _read_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
