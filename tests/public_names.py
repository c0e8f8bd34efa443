"""Every public name: what packages export, the functions of a wire, the members of what users are given, and commands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from typer import Typer
from typer.main import get_command

import promptwire
from promptwire import (
    Answer,
    Built,
    Event,
    Note,
    Reading,
    Request,
    ToolCall,
    batch,
    context,
    data,
    errors,
    execution,
    parts,
    plugins,
    prompts,
    results,
    toolkits,
)
from promptwire.results import Candidate, Usage
from tests.internals.commands import app as promptwire_app
from tests.internals.compiler import app, plugin_api
from tests.internals.runtime import ApiError, Coverage, Stream, StreamWriter
from tests.pages import PAGES, blocks_of, read_page
from tests.running_pages import run_page

# what `build`, `read` and `stream` give; of the model's classes, only what is no field: its reference has the fields
GIVEN: tuple[type, ...] = (
    Built,
    Reading,
    Note,
    Answer,
    Candidate,
    Usage,
    Stream,
    Event,
    StreamWriter,
    ApiError,
    Coverage,
)
METHODS = ((Request, ("after",)), (ToolCall, ("parsed_arguments",)))
GUIDES = ("provider_specs/README.md", "templates/README.md")


@dataclass(frozen=True, slots=True)
class Name:
    """One public name.

    shown   as the table has it
    marks   how an example that uses it says so: as `tests/page_names.py` notes names
    """

    shown: str
    marks: tuple[str, ...]


def class_named(name: str) -> Any:
    """Return a class of requests from the module that has its name."""
    return getattr(parts if name in parts.__all__ else promptwire, name)


def public_names() -> dict[str, list[Name]]:
    """Return all of them, by what has them."""
    tables = {
        "`promptwire`": [_exported(promptwire, name) for name in sorted(promptwire.__all__, key=str.lower)],
        "A wire's module": [_of_wire(name) for name in promptwire.openai_chat.__all__],
    }
    for kind in GIVEN:
        tables[f"`{kind.__name__}`"] = [_member(kind, name) for name in _members(kind)]
    for kind, names in METHODS:
        tables[f"`{kind.__name__}`"] = [_member(kind, name) for name in names]
    for room in (parts, errors, plugins, results, context, prompts, execution, toolkits, batch, data):
        own = set(room.__all__) - set(promptwire.__all__)
        tables[f"`{room.__name__}`"] = [_exported(room, name) for name in sorted(sorted(own), key=str.lower)]
    tables["`promptwire_gen.plugin_api`"] = [_exported(plugin_api, name) for name in plugin_api.__all__]
    tables["The command line"] = [*_visible("promptwire", promptwire_app), *_visible("gen", app)]
    return tables


def _visible(program: str, app: Typer) -> list[Name]:
    """Return the commands that the help of a program lists."""
    group: Any = get_command(app)
    names = [f"{program} {name}" for name, command in group.commands.items() if not command.hidden]
    return [Name(name, (name,)) for name in names]


def _exported(package: ModuleType, name: str) -> Name:
    owners = {package.__name__, package.__name__.replace("promptwire.", "promptwire_runtime.")}
    owners |= {"promptwire_runtime"} if package is promptwire else set()
    return Name(name, tuple(f"{owner}.{name}" for owner in sorted(owners)))


def _of_wire(name: str) -> Name:
    return Name(name, tuple(f"promptwire.{wire}.{name}" for wire in promptwire.WIRES))


def _member(kind: type, name: str) -> Name:
    return Name(name, (f"{kind.__module__}.{kind.__qualname__}.{name}",))


def _members(kind: type) -> list[str]:
    """Name what users read or call: fields, properties, methods, and what else the docstring tells of an object."""
    owners = [base for base in kind.__mro__ if base.__module__.startswith("promptwire_runtime")]
    fields = {name for base in owners for name in inspect.get_annotations(base)}
    told = set(re.findall(r"^(\w+) +\w", inspect.cleandoc(kind.__doc__ or ""), re.MULTILINE))
    kept = told & set(re.findall(r"self\.(\w+) =", inspect.getsource(kind)))
    earlier = {
        name for name, each in vars(kind).items() if (each.__doc__ or "").startswith("The earlier name")
    }
    return sorted(name for name in (fields | {*vars(kind)} | kept) - earlier if not name.startswith("_"))


@cache
def uses() -> dict[str, list[str]]:
    """Return what the examples of pages use: mark -> the pages that do, in order."""
    found: dict[str, list[str]] = {}
    for page in PAGES:
        for mark in run_page(page).names.used | _commands(page):
            found.setdefault(mark, []).append(page)
    for page in GUIDES:
        for mark in _commands(page):
            found.setdefault(mark, []).append(page)
    return found


def _commands(page: str) -> set[str]:
    shells = [block.code for block in blocks_of(page, read_page(page)) if block.language in ("sh", "console")]
    return set(re.findall(r"(?<![\w/])(?:gen|promptwire) [a-z-]+", "\n".join(shells)))


def pages_with(name: Name) -> Sequence[str]:
    """Return the pages that use a name."""
    return sorted({page for mark in name.marks for page in uses().get(mark, [])}, key=(*PAGES, *GUIDES).index)
