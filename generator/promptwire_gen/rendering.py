"""Artifacts to formatted texts, shared among the cores: a wire's files are made together, by one process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from jinja2 import Environment

from .emit.artifact import Artifact
from .emit.format import format_all, scratch
from .emit.header import MARK
from .forking import spread
from .plugins import PluginError, asked

# the name of a plugin, and a file of its
Order: TypeAlias = tuple[str, Artifact]
Texts: TypeAlias = dict[str, str]


def make_texts(orders: Sequence[Order], jinja: Environment, families: Mapping[str, str]) -> Texts:
    """Render and format every file; path -> text. Wires of one family (wire -> family) are much alike.

    Raises PluginError, SpecError, FormatError or jinja's TemplateError.
    """
    _check_paths(orders)

    with scratch() as folder:

        def make(groups: Iterable[Sequence[Order]]) -> Texts:
            texts = {order[1].path: _text(*order, jinja) for group in groups for order in group}
            return format_all(texts, Path(folder))

        return {
            path: text for texts in spread(make, _alike(orders, families)) for path, text in texts.items()
        }


def _check_paths(orders: Sequence[Order]) -> None:
    owners: dict[str, str] = {}
    for plugin, artifact in orders:
        if artifact.path in owners:
            first = owners[artifact.path]
            whom = f"two plugins: {first} and {plugin}" if first != plugin else f'plugin "{plugin}" twice'
            raise PluginError(f'"{artifact.path}" is made by {whom}')
        owners[artifact.path] = plugin


def _text(plugin: str, artifact: Artifact, jinja: Any) -> str:
    text = asked(plugin, artifact.text) if callable(artifact.text) else artifact.text
    if text is None:
        given = artifact.context
        context = asked(plugin, given) if callable(given) else given
        text = jinja.get_template(str(artifact.template)).render(**context)
    if MARK not in text[:400]:
        raise PluginError(f'plugin "{plugin}": {artifact.path} lacks the mark {MARK!r} in its first lines')
    return text


def _alike(orders: Sequence[Order], families: Mapping[str, str]) -> list[list[Order]]:
    """Group the files of the wires of one family, so that one process makes them; the largest group first."""
    groups: dict[str | None, list[Order]] = {}
    for order in orders:
        wire = order[1].wire
        groups.setdefault(families.get(wire, wire) if wire else None, []).append(order)
    return sorted(groups.values(), key=len, reverse=True)
