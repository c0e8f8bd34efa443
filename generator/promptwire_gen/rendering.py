"""Render artifacts to formatted texts on every core; all files of one wire are made by one process."""

from __future__ import annotations

import ast
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias, cast

from jinja2 import Environment, TemplateError

from .emit.artifact import MARK, Artifact
from .emit.format import FormatError, format_all, scratch
from .plugins import OWN
from .plugins.plugin_calls import PluginError, call_plugin, make_answer_error
from .problems import SpecError
from .workers import map_parallel

# (plugin name, its artifact)
Order: TypeAlias = tuple[str, Artifact]
Texts: TypeAlias = dict[str, str]

# files: the number that one process makes at a time, and the number that are made before formatting
_GROUP, _SHARE = 60, 360
# this process makes that many while others start
_FEW = 30


def make_texts(orders: Sequence[Order], jinja: Environment, families: Mapping[str, str]) -> Texts:
    """Render and format every file; return path -> text. `wire -> family` groups wires whose files are similar.

    Raises PluginError, SpecError, FormatError or jinja's TemplateError.
    """
    _check_paths(orders)

    def make(group: Sequence[Order]) -> Texts:
        return {artifact.path: _make_text(plugin, artifact, jinja) for plugin, artifact in group}

    texts: Texts = {}
    with scratch() as folder:
        for groups in _split_into_shares(_group_by_family(orders, families)):
            # a process ends with its share, which frees its caches
            made = {path: text for rendered in map_parallel(make, groups) for path, text in rendered.items()}
            texts |= _format_files([order for group in groups for order in group], made, folder)
    return texts


def _format_files(orders: Sequence[Order], texts: Texts, folder: Path) -> Texts:
    """Format files. An error names the plugin that made the file."""
    # imports are completed for our own modules only
    foreign = {artifact.path for plugin, artifact in orders if plugin not in OWN}
    try:
        return format_all(texts, foreign, folder)
    except FormatError:
        for plugin, artifact in orders:
            _check_syntax(plugin, artifact, texts[artifact.path])
        raise


def _check_syntax(plugin: str, artifact: Artifact, text: str) -> None:
    """Raise an error that names the plugin if a Python file cannot be parsed."""
    if not artifact.path.endswith(".py"):
        return
    try:
        ast.parse(text)
    except (SyntaxError, ValueError) as error:
        source = f'template "{artifact.template}"' if artifact.template is not None else "its text"
        raise PluginError(
            f'plugin "{plugin}": {source} gives no Python: {_locate_syntax_error(artifact.path, error)}'
        ) from None


def _locate_syntax_error(path: str, error: SyntaxError | ValueError) -> str:
    """Return the place of a syntax error, its message and the line cut short."""
    if not isinstance(error, SyntaxError):
        return f"{path}: {error}"
    line = reprlib.repr((error.text or "").strip())
    return f"{path}:{error.lineno or 1}:{error.offset or 1}: {error.msg}: {line}"


def _check_paths(orders: Sequence[Order]) -> None:
    owners: dict[str, str] = {}
    folders: dict[str, tuple[str, str]] = {}
    for plugin, artifact in orders:
        if artifact.path in owners:
            first = owners[artifact.path]
            whom = f"two plugins: {first} and {plugin}" if first != plugin else f'plugin "{plugin}" twice'
            raise PluginError(f'"{artifact.path}" is made by {whom}')
        owners[artifact.path] = plugin
        for folder in PurePosixPath(artifact.path).parents:
            folders.setdefault(str(folder), (plugin, artifact.path))
    for path in sorted(owners.keys() & folders.keys()):
        plugin, inside = folders[path]
        raise PluginError(
            f'"{path}" is a file of plugin "{owners[path]}", and a folder of "{inside}" of plugin "{plugin}"'
        )


def _make_text(plugin: str, artifact: Artifact, jinja: Environment) -> str:
    noun = f'text of "{artifact.path}"'
    text: object = call_plugin(plugin, noun, artifact.text) if callable(artifact.text) else artifact.text
    if text is None and artifact.template is not None:
        text = _render(plugin, artifact, artifact.template, jinja)
    if not isinstance(text, str):
        raise make_answer_error(plugin, "artifacts", text, "text", noun)
    if not _is_unicode(text):
        raise make_answer_error(plugin, "artifacts", text, "valid Unicode", noun)
    if MARK not in text[:400]:
        raise PluginError(f'plugin "{plugin}": {artifact.path} lacks the mark {MARK!r} in its first lines')
    if plugin not in OWN:
        _check_syntax(plugin, artifact, text)
    return text


def _render(plugin: str, artifact: Artifact, template: str, jinja: Environment) -> str:
    noun, content = f'context of "{artifact.path}"', artifact.context
    context: Any = call_plugin(plugin, noun, content) if callable(content) else content
    if not isinstance(context, Mapping):
        raise make_answer_error(
            plugin, "artifacts", context, "a mapping of names to what the template sees", noun
        )
    try:
        return jinja.get_template(template).render(cast("Mapping[str, Any]", context))
    except (TemplateError, SpecError, PluginError):
        raise
    except Exception as error:
        failure = f"fails with {noun}: {type(error).__name__}: {error}"
        raise PluginError(f'plugin "{plugin}": template "{template}" {failure}') from error


def _is_unicode(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8; an unpaired surrogate cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _group_by_family(orders: Sequence[Order], families: Mapping[str, str]) -> list[list[Order]]:
    """Group the files by family of wires, so that one process makes them; the largest group first."""
    if len(orders) <= _FEW:
        return [list(orders)]
    groups: dict[str | None, list[Order]] = {}
    for order in orders:
        wire = order[1].wire
        groups.setdefault(families.get(wire, wire) if wire else None, []).append(order)
    pieces = [group[at : at + _GROUP] for group in groups.values() for at in range(0, len(group), _GROUP)]
    return sorted(pieces, key=len, reverse=True)


def _split_into_shares(groups: Iterable[list[Order]]) -> Iterator[list[list[Order]]]:
    """Split the groups into shares that fit into memory."""
    share: list[list[Order]] = []
    for group in groups:
        if share and sum(map(len, share)) + len(group) > _SHARE:
            yield share
            share = []
        share.append(group)
    if share:
        yield share
