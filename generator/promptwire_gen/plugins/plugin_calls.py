"""Call plugins and check what they return: an invalid value is an error that names plugin, method and value."""

from __future__ import annotations

import reprlib
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from ..emit.artifact import name_family_owners
from ..layout import MODEL
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
        raise PluginError(
            f'plugin "{plugin}": {noun} fails at {_place(error)}: {_describe_failure(error)}'
        ) from error


def _place(error: Exception) -> str:
    """Return the file and line of the plugin that failed, or that made an object of invalid values."""
    frames = traceback.extract_tb(error.__traceback__)
    frame = [each for each in frames if "pydantic" not in Path(each.filename).parts][-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"


def _describe_failure(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return f"{type(error).__name__}: {error}"
    first = error.errors()[0]
    message = first["msg"].removeprefix("Value error, ")
    if not first["loc"]:
        return f"{error.title}: {message}"
    field = first["loc"][0]
    if isinstance(field, int):
        # an argument by its position
        field = [*_CHECKED[error.title]][field]
    return f"{error.title}.{field} is {_SHORT.repr(first['input'])}: {message}"


def make_answer_error(plugin: str, method: str, value: object, expected: str, role: str = "") -> PluginError:
    """Return the error for an invalid value of a plugin: the value, shortened, and what is expected.

    `role` says where the value belongs: `path of "x.txt"`.
    """
    answer = "None" if value is None else f"{_SHORT.repr(value)} ({type(value).__name__})"
    of = f" as {role}" if role else ""
    return PluginError(f'plugin "{plugin}": {method}() gave {answer}{of}; expected {expected}')


def list_spec_folders(plugins: Iterable[Plugin]) -> list[Path]:
    """Return the spec folders of plugins."""
    return [folder for plugin in plugins for folder in _call_for_folders(plugin, plugin.spec_folders)]


def list_template_folders(plugins: Iterable[Plugin]) -> list[Path]:
    """Return the template folders of plugins."""
    return [folder for plugin in plugins for folder in _call_for_folders(plugin, plugin.template_folders)]


def list_filters(plugin: Plugin) -> list[ShapeFilter]:
    """Return the shape filters of a plugin."""
    return _call_for_all(plugin, "filters", plugin.filters, ShapeFilter)


def list_passes(plugin: Plugin) -> list[Pass]:
    """Return the passes of a plugin; only built-in ones have no function."""
    passes = _call_for_all(plugin, "passes", plugin.passes, Pass)
    for pass_ in passes:
        if pass_.function is None:
            raise make_answer_error(
                plugin.name, "passes", None, "package.module:function", f"function of {pass_.name}"
            )
    return passes


def list_dialects(plugin: Plugin) -> list[SchemaDialect]:
    """Return the JSON Schema dialects of a plugin."""
    return _call_for_all(plugin, "dialects", plugin.dialects, SchemaDialect)


def list_problems(plugin: Plugin, project: Project) -> list[SpecProblem]:
    """Return the problems that a plugin reports."""
    problems = _call_for_all(plugin, "check", lambda: plugin.check(project), SpecProblem)
    for problem in problems:
        _check(plugin, "check", problem.span, _SPAN, "span of a problem")
        _check(plugin, "check", problem.rule, _TEXT, "rule of a problem")
        _check(plugin, "check", problem.message, _TEXT, "message of a problem")
        _check(plugin, "check", problem.hint, _allow_none(_TEXT), "hint of a problem")
    return problems


def list_artifacts(plugin: Plugin, project: Project) -> list[Artifact]:
    """Return the files of a plugin; clashing paths are checked once all are known."""
    artifacts = _call_for_all(plugin, "artifacts", lambda: plugin.artifacts(project), Artifact)
    wires = {owner for wire in project.wires for owner in (wire.name, *name_family_owners(wire))}
    for artifact in artifacts:
        if artifact.path.startswith(MODEL):
            raise make_answer_error(
                plugin.name, "artifacts", artifact.path, "a path below the output folder", "path"
            )
        if artifact.wire is not None and artifact.wire not in wires:
            expected, role = "a wire that there is, or None", f'wire of "{artifact.path}"'
            raise make_answer_error(plugin.name, "artifacts", artifact.wire, expected, role)
    return artifacts


def _call_for_folders(plugin: Plugin, method: Callable[[], Iterable[Path]]) -> list[Path]:
    folders = _call_for_all(plugin, method.__name__, method, Path)
    for folder in folders:
        _check(plugin, method.__name__, folder, _ABSOLUTE)
        _check(plugin, method.__name__, folder, _FOLDER)
    return folders


def _call_for_all(
    plugin: Plugin, method: str, give: Callable[[], Iterable[GivenT]], kind: type[GivenT]
) -> list[GivenT]:
    answer: Any = call_plugin(plugin.name, f"{method}()", give)
    if isinstance(answer, str) or not isinstance(answer, Iterable):
        raise make_answer_error(plugin.name, method, answer, f"an iterable of {kind.__name__}")
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
        raise make_answer_error(plugin.name, method, value, wanted.words, role)


def _allow_none(wanted: _Wanted) -> _Wanted:
    return _Wanted(lambda value: value is None or wanted.fits(value), f"{wanted.words}, or None")


def _is_span(value: object) -> bool:
    if not isinstance(value, Span) or not _TEXT.fits(value.file):
        return False
    return all(_COUNT.fits(count) and count >= 1 for count in value[1:])


# fields of what plugins make, in order
_CHECKED = {kind.__name__: kind.__dataclass_fields__ for kind in (Artifact, Pass, SchemaDialect, ShapeFilter)}
_TEXT = _Wanted(lambda value: isinstance(value, str), "text")
_COUNT = _Wanted(lambda value: isinstance(value, int) and value >= 0, "how many there are")
_SPAN = _Wanted(_is_span, "Span(file, line, column, length), counted from 1")
_ABSOLUTE = _Wanted(
    lambda value: isinstance(value, Path) and value.is_absolute(),
    'an absolute folder, as Path(__file__).resolve().parent / "specs"',
)
_FOLDER = _Wanted(lambda value: isinstance(value, Path) and value.is_dir(), "a folder that is there")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 100


class NamedEntry(Protocol):
    """An entry of such a table."""

    @property
    def name(self) -> str:
        """The name that specs use."""
        ...


RowT = TypeVar("RowT", bound=NamedEntry)


def extend_table(
    noun: str,
    builtin: Mapping[str, RowT],
    plugins: Iterable[Plugin],
    give: Callable[[Plugin], Sequence[RowT]],
) -> dict[str, RowT]:
    """Add every plugin's entries to the built-in ones. Raises PluginError for a duplicate name."""
    table = dict(builtin)
    for plugin in plugins:
        for row in give(plugin):
            if row.name in table:
                raise PluginError(f'plugin "{plugin.name}" redefines the {noun} "{row.name}"')
            table[row.name] = row
    return table
