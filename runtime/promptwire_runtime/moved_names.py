"""Names that a package had in an earlier version."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

if TYPE_CHECKING:
    from collections.abc import Mapping


def moved_name(package: str, name: str, moved: Mapping[str, str], replaced: Mapping[str, str]) -> Any:
    """Return what a name meant, with a warning that says what to write now.

    Args:
        package: The package that was asked for it.
        name: The name.
        moved: Old names -> the new ones, with their modules.
        replaced: Names of presets -> what to write instead.
    """
    if name in replaced:
        from .reporting import policies

        warn(f"{package}.{name} is deprecated: write {replaced[name]}", DeprecationWarning, stacklevel=3)
        return getattr(policies, name)
    module, _, new = f"{package}.{moved[name]}".rpartition(".")
    warn(f"{package}.{name} is {module}.{new} now", DeprecationWarning, stacklevel=3)
    return getattr(import_module(module), new)
