"""Call plugins and check what they return: an invalid value is an error that names plugin, method and value."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from ..emit.artifact import family_owners
from ..layout import is_plain
from ..plugin_api import Artifact, Pass, Plugin, Project, SchemaDialect, ShapeFilter, Span, SpecProblem
from ..problems import SpecError

GivenT = TypeVar("GivenT")


class PluginError(Exception):
    """Raised for a plugin that cannot be used; the message names it."""


def call_plugin(plugin: str, noun: str, give: Callable[[], GivenT]) -> GivenT:
    """Call a plugin's method; any exception except SpecError becomes a PluginError that names the plugin."""
    try:
        return give()
    except SpecError:
        raise
    except Exception as error:
        raise PluginError(f'plugin "{plugin}": {noun} fails: {type(error).__name__}: {error}') from error


def wrong_answer(plugin: str, method: str, value: object, expected: str, role: str = "") -> PluginError:
    """Return the error for an invalid value of a plugin: the value, shortened, and what is expected.

    `role` says where the value belongs: `path of "x.txt"`.
    """
    answer = "None" if value is None else f"{_SHORT.repr(value)} ({type(value).__name__})"
    of = f" as {role}" if role else ""
    return PluginError(f'plugin "{plugin}": {method}() gave {answer}{of}; expected {expected}')


def spec_folders(plugins: Iterable[Plugin]) -> list[Path]:
    """Return the spec folders of plugins."""
    return [folder for plugin in plugins for folder in _folders(plugin, plugin.spec_folders)]


def template_folders(plugins: Iterable[Plugin]) -> list[Path]:
    """Return the template folders of plugins."""
    return [folder for plugin in plugins for folder in _folders(plugin, plugin.template_folders)]


def filters(plugin: Plugin) -> list[ShapeFilter]:
    """Return the shape filters of a plugin."""
    filters = _all(plugin, "filters", plugin.filters, ShapeFilter)
    for shape_filter in filters:
        _check(plugin, "filters", shape_filter.name, _WORD, "name")
        _check(plugin, "filters", shape_filter.writes, _or_none(_FUNCTION), f"writes of {shape_filter.name}")
        _check(plugin, "filters", shape_filter.reads, _or_none(_FUNCTION), f"reads of {shape_filter.name}")
        _check(plugin, "filters", shape_filter.arguments, _COUNT, f"arguments of {shape_filter.name}")
        _check(plugin, "filters", shape_filter.takes, _TYPES, f"takes of {shape_filter.name}")
    return filters


def passes(plugin: Plugin) -> list[Pass]:
    """Return the passes of a plugin."""
    passes = _all(plugin, "passes", plugin.passes, Pass)
    for pass_ in passes:
        _check_offer(plugin, "passes", pass_)
    return passes


def dialects(plugin: Plugin) -> list[SchemaDialect]:
    """Return the JSON Schema dialects of a plugin."""
    dialects = _all(plugin, "dialects", plugin.dialects, SchemaDialect)
    for dialect in dialects:
        _check_offer(plugin, "dialects", dialect)
    return dialects


def problems(plugin: Plugin, project: Project) -> list[SpecProblem]:
    """Return the problems that a plugin reports."""
    problems = _all(plugin, "check", lambda: plugin.check(project), SpecProblem)
    for problem in problems:
        _check(plugin, "check", problem.span, _SPAN, "span of a problem")
        _check(plugin, "check", problem.rule, _TEXT, "rule of a problem")
        _check(plugin, "check", problem.message, _TEXT, "message of a problem")
        _check(plugin, "check", problem.hint, _or_none(_TEXT), "hint of a problem")
    return problems


def artifacts(plugin: Plugin, project: Project) -> list[Artifact]:
    """Return the files of a plugin; clashing paths are checked once all are known."""
    artifacts = _all(plugin, "artifacts", lambda: plugin.artifacts(project), Artifact)
    wires = {owner for wire in project.wires for owner in (wire.name, *family_owners(wire))}
    wire_name = _Wanted(lambda value: isinstance(value, str) and value in wires, "a wire that there is")
    for artifact in artifacts:
        _check(plugin, "artifacts", artifact.path, _PATH, "path")
        _check(plugin, "artifacts", artifact.wire, _or_none(wire_name), f'wire of "{artifact.path}"')
        _check(plugin, "artifacts", artifact.template, _or_none(_TEMPLATE), f'template of "{artifact.path}"')
        if (artifact.template is None) is (artifact.text is None):
            content = "neither template nor text" if artifact.text is None else "both template and text"
            answer = f'artifacts() gave {content} for "{artifact.path}"; expected one of them'
            raise PluginError(f'plugin "{plugin.name}": {answer}')
    return artifacts


def _folders(plugin: Plugin, method: Callable[[], Iterable[Path]]) -> list[Path]:
    folders = _all(plugin, method.__name__, method, Path)
    for folder in folders:
        _check(plugin, method.__name__, folder, _ABSOLUTE)
        _check(plugin, method.__name__, folder, _FOLDER)
    return folders


def _check_offer(plugin: Plugin, method: str, offer: Pass | SchemaDialect) -> None:
    _check(plugin, method, offer.name, _NAME, "name")
    _check(plugin, method, offer.function, _FUNCTION, f"function of {offer.name}")
    _check(plugin, method, offer.title, _LINE, f"title of {offer.name}")


def _all(
    plugin: Plugin, method: str, give: Callable[[], Iterable[GivenT]], kind: type[GivenT]
) -> list[GivenT]:
    answer: Any = call_plugin(plugin.name, f"{method}()", give)
    if isinstance(answer, str) or not isinstance(answer, Iterable):
        raise wrong_answer(plugin.name, method, answer, f"an iterable of {kind.__name__}")
    members: list[Any] = call_plugin(plugin.name, f"{method}()", lambda: list(answer))  # pyright: ignore[reportUnknownArgumentType]
    wanted = _Wanted(lambda value: isinstance(value, kind), kind.__name__)
    for member in members:
        _check(plugin, method, member, wanted, "one of them")
    return members


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A test for a value, and the words that describe an accepted value."""

    fits: Callable[[object], bool]
    words: str


def _check(plugin: Plugin, method: str, value: object, wanted: _Wanted, role: str = "") -> None:
    if not wanted.fits(value):
        raise wrong_answer(plugin.name, method, value, wanted.words, role)


def _or_none(wanted: _Wanted) -> _Wanted:
    return _Wanted(lambda value: value is None or wanted.fits(value), f"{wanted.words}, or None")


def _matching(pattern: str) -> Callable[[object], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def _is_span(value: object) -> bool:
    if not isinstance(value, Span) or not _TEXT.fits(value.file):
        return False
    return all(_COUNT.fits(count) and count >= 1 for count in value[1:])


def _is_types(value: object) -> bool:
    return isinstance(value, frozenset) and all(map(_TEXT.fits, cast("frozenset[object]", value)))


_TEXT = _Wanted(lambda value: isinstance(value, str), "text")
_LINE = _Wanted(
    lambda value: isinstance(value, str) and value.isprintable() and bool(value), "one line of text"
)
_NAME = _Wanted(_matching("[a-z][a-z0-9_]*"), "one lower-case word")
_TEMPLATE = _Wanted(_TEXT.fits, "the name of a template")
_WORD = _Wanted(_matching("[a-z_]+"), "a word of a to z and _")
_FUNCTION = _Wanted(_matching(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*"), "package.module:function")
_COUNT = _Wanted(lambda value: isinstance(value, int) and value >= 0, "how many there are")
_TYPES = _Wanted(_is_types, "a frozenset of types of fields")
_SPAN = _Wanted(_is_span, "Span(file, line, column, length), counted from 1")
_PATH = _Wanted(
    lambda value: isinstance(value, str) and is_plain(value),
    "a path below the output folder with forward slashes, as words/all.txt",
)
_ABSOLUTE = _Wanted(
    lambda value: isinstance(value, Path) and value.is_absolute(),
    'an absolute folder, as Path(__file__).resolve().parent / "specs"',
)
_FOLDER = _Wanted(lambda value: isinstance(value, Path) and value.is_dir(), "a folder that is there")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 100
