"""Names of an earlier version, which work in this one with a warning."""

from __future__ import annotations

from importlib import import_module
from warnings import warn_explicit

# type checkers treat this name like typing.TYPE_CHECKING
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# modules whose calls are not lines of a user's code
_BETWEEN = frozenset({"copy", "dataclasses", "importlib"})


def warn_deprecated(message: str) -> None:
    """Warn about an earlier name at the user's line: by default, Python shows no warnings of a package's own lines."""
    from inspect import currentframe

    frame: Any = currentframe()
    while frame.f_back is not None and _is_between(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    names = frame.f_globals
    warn_explicit(
        message,
        DeprecationWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        module=names.get("__name__"),
        registry=names.setdefault("__warningregistry__", {}),
    )


def _is_between(module: str) -> bool:
    """Return whether a module of promptwire, or one that it calls through, has this name."""
    package = module.partition(".")[0]
    return package.startswith("promptwire") or package in _BETWEEN


def moved_name(package: str, name: str, moved: Mapping[str, str], replaced: Mapping[str, str]) -> Any:
    """Return what a name meant, with a warning that says what to write now.

    Args:
        package: The package that was asked for it.
        name: The name.
        moved: Old names -> the new ones, with their modules.
        replaced: Names of presets -> what to write instead.
    """
    if name in replaced:
        warn_deprecated(f"{package}.{name} is deprecated: write {replaced[name]}")
        return getattr(import_module("promptwire_runtime.reporting.policies"), name)
    module, _, new = f"{package}.{moved[name]}".rpartition(".")
    warn_deprecated(f"{package}.{name} is {module}.{new} now")
    return getattr(import_module(module), new)
