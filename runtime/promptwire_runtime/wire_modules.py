"""The modules of wires, found by their names.

A package of wires of its own announces each wire as an entry point of the group `promptwire.wires`, whose name is the
name of the wire and whose value is its module: `alpha_chat = "acme_llm.alpha_chat"`.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, cast

from promptwire_text.words import names_meant

from .errors import PromptwireError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .api import Api

GROUP = "promptwire.wires"


def announced() -> dict[str, str]:
    """Return the wires that installed packages announce: name -> module."""
    return {point.name: point.value for point in sorted(entry_points(group=GROUP))}


def wires_beside(shipped: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the shipped wires and of those that installed packages announce, sorted."""
    return tuple(sorted({*shipped, *announced()}))


def find_wire(name: str, package: str, shipped: Iterable[str], aliases: Mapping[str, str]) -> Api:
    """Return the module of a wire: one of `package`, by name or alias, or one that an installed package announces.

    Raises:
        PromptwireError: no wire has this name, or its module cannot be imported.
    """
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped callers
        raise PromptwireError(
            f'the name of a wire is a text such as "openai_chat", not {type(name).__name__}'
        )
    own = tuple(shipped)
    if name in own or aliases.get(name) in own:
        return cast("Api", import_module(f"{package}.{name if name in own else aliases[name]}"))
    found = announced()
    if name not in found:
        wires = sorted((*own, *found))
        hint = names_meant(name, wires, aliases) or f"use {', '.join(wires)}"
        raise PromptwireError(f'no wire is called "{name}"; {hint}')
    try:
        return cast("Api", import_module(found[name]))
    except ImportError as error:
        text = f'the module "{found[name]}" of the wire "{name}" cannot be imported: {error}'
        raise PromptwireError(text) from error


def no_attribute(package: str, name: str, wires: Iterable[str], aliases: Mapping[str, str]) -> AttributeError:
    """Return the error for a name that the package of the wires lacks."""
    hint = f"the wire is named {aliases[name]}" if name in aliases else names_meant(name, wires, aliases)
    told = f"module {package!r} has no attribute {name!r}"
    return AttributeError(f"{told}; {hint}" if hint else told, name=name)
