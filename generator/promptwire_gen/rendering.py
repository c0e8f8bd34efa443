"""Artifacts to formatted texts, shared among the cores: a wire's files are made together, by one process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from jinja2 import Environment

from .emit.artifact import Artifact
from .emit.format import format_all, scratch
from .emit.header import MARK
from .forking import spread
from .plugins import PluginError
from .problems import SpecError

# the name of a plugin, and a file of its
Order: TypeAlias = tuple[str, Artifact]
Texts: TypeAlias = dict[str, str]
GivenT = TypeVar("GivenT")


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
        first = owners.setdefault(artifact.path, plugin)
        if first is not plugin:
            raise PluginError(f'"{artifact.path}" is made by two plugins: {first} and {plugin}')


def _text(plugin: str, artifact: Artifact, jinja: Any) -> str:
    text = _asked(plugin, artifact.text) if callable(artifact.text) else artifact.text
    if text is None:
        given = artifact.context
        context = _asked(plugin, given) if callable(given) else given
        text = jinja.get_template(str(artifact.template)).render(**context)
    if MARK not in text[:400]:
        raise PluginError(f'plugin "{plugin}": {artifact.path} lacks the mark {MARK!r} in its first lines')
    return text


def _asked(plugin: str, give: Callable[[], GivenT]) -> GivenT:
    """Ask an artifact for its text or context; whatever it raises is an error that names the plugin."""
    try:
        return give()
    except SpecError:
        raise
    except Exception as error:
        raise PluginError(f'plugin "{plugin}" fails: {type(error).__name__}: {error}') from error


def _alike(orders: Sequence[Order], families: Mapping[str, str]) -> list[list[Order]]:
    """Group the files of the wires of one family, so that one process makes them; the largest group first."""
    groups: dict[str | None, list[Order]] = {}
    for order in orders:
        wire = order[1].wire
        groups.setdefault(families.get(wire, wire) if wire else None, []).append(order)
    return sorted(groups.values(), key=len, reverse=True)
