"""Access to the generated package, which is imported by name when first needed."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, date, datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from promptwire_text.words import names_meant

if TYPE_CHECKING:
    from promptwire_runtime import Api
    from promptwire_text.nodes import Node

_PACKAGE, _SPECS = "promptwire", "provider_specs"


class CommandError(Exception):
    """Raised for an input that cannot be used: an unknown wire, an unreadable file, a request that a wire rejects."""


def runtime_module(name: str) -> Any:
    """Import a module of the runtime: a compiler without a runtime has these commands too."""
    return import_module(f"{_PACKAGE}_runtime.{name}")


def wire_names() -> tuple[str, ...]:
    """Return the names of all generated wires."""
    return tuple(_package().WIRES)


def wire_aliases() -> Mapping[str, str]:
    """Return the names of wires in recorded requests: recorded name -> wire."""
    return dict(getattr(_package(), "ALIASES", {}))


def wire_module(name: str) -> Api:
    """Import the module of one wire. Raises CommandError for an unknown name."""
    names = wire_names()
    if name not in names:
        raise CommandError(unknown_wire(name, names))
    # finds those of other packages too
    return cast("Api", _package().wire(name))


def has_answers(name: str) -> bool:
    """Return whether a wire's module reads answers."""
    return hasattr(wire_module(name), "read_answer")


def answering_module(name: str) -> Api:
    """Import the module of a wire that reads answers. Raises CommandError for any other."""
    if not has_answers(name):
        message = f"{name}: its spec does not say what the API answers: promptwire list tells which wires do"
        raise CommandError(message)
    return wire_module(name)


def supported(name: str, model: str) -> Mapping[str, Any]:
    """Return whether a model supports each request field on a wire: field -> answer with reason and source."""
    module = wire_module(name)
    table: Mapping[str, Any] = runtime_module("linting.support").table_of(module.WIRE, model)
    return table


def supported_everywhere(model: str) -> Mapping[str, Mapping[str, Any]]:
    """Return what a model supports on each wire that has rules about it, or about the family that it is new in."""
    wires = {name: wire_module(name).WIRE for name in wire_names()}
    profiles = {name: wire.profile(model) for name, wire in wires.items()}
    return {
        name: supported(name, model)
        for name, profile in profiles.items()
        if profile.is_named or profile.nearest_model
    }


def stale_fields(table: Mapping[str, Any]) -> frozenset[str]:
    """Return the fields of a table of support whose newest source is older than a year."""
    dates = runtime_module("linting.dates")
    return frozenset(
        [field for field, row in table.items() if row.date and dates.is_stale(row.date, _today())]
    )


def dated_facts(names: Iterable[str], days: int, *, coming: bool) -> Sequence[Any]:
    """Return the facts of some wires that begin or end within so many days, or whose source is older than that."""
    dates = runtime_module("linting.dates")
    wires = [wire_module(name).WIRE for name in names]
    facts: Sequence[Any] = (dates.coming_facts if coming else dates.stale_facts)(wires, _today(), days)
    return facts


def on_day(day: str | None) -> AbstractContextManager[None]:
    """Decide rules inside a `with` block as they hold on a day; None for today."""
    chosen: AbstractContextManager[None] = runtime_module("reporting.day").on_day(day)
    return chosen


def _today() -> date:
    return datetime.now(UTC).date()


def matching_rules(wire: Any, message: str) -> Sequence[Any]:
    """Return the rules of a wire that an API's error message refers to, likeliest first."""
    rules: Sequence[Any] = runtime_module("linting.error_text").matching_rules(wire, message)
    return rules


def unknown_wire(name: str, names: Sequence[str]) -> str:
    """Return a message that there is no such wire, with the nearest name, or that its spec must still be built."""
    if name.isidentifier() and _has_spec(name):
        return f'"{name}" has a spec and is not built yet: run gen build {name}'
    return f'"{name}" is not a wire: {names_meant(name, names) or "use one of " + ", ".join(names)}'


def _has_spec(name: str) -> bool:
    root = _project()
    specs = None if root is None else root / _SPECS
    return specs is not None and (
        (specs / f"{name}.yaml").is_file() or (specs / name / "wire.yaml").is_file()
    )


def load_request(path: str) -> Any:
    """Load a neutral request from a YAML or JSON file."""
    with own_errors():
        return _package().load_request(path)


def load_with_toolkits(path: str) -> tuple[Any, Any]:
    """Load a neutral request and its toolkits from a YAML or JSON file."""
    toolkits = runtime_module("toolkits")
    with own_errors():
        loaded: tuple[Any, Any] = toolkits.load_with_toolkits(path)
        return loaded


def with_toolkits(toolkits: Any, request: Any, wire: str) -> tuple[Any, Sequence[Any], str]:
    """Return a request with its toolkits applied for a wire, the notes, and the token costs of the tools."""
    module, room = wire_module(wire), runtime_module("toolkits")
    with own_errors():
        session = room.Session(toolkits, request, wire=module)
        return session.request, session.notes, room.cost_table(room.costs(toolkits, request, wire=module))


def check_json(text: str, name: str, line: int) -> None:
    """Raise CommandError with the places of duplicate keys, NaN and the like, which JSON text must not contain.

    The text begins at line `line` of its file.
    """
    problems = runtime_module("loading.problems").Problems(name)
    runtime_module("loading.json_text").check_json("\n" * (line - 1) + text, problems)
    if problems:
        raise CommandError(str(problems.error(None)))


def tree_of(text: str) -> Node | None:
    """Parse a text of JSON or YAML into nodes with positions; None if it cannot be parsed."""
    loading, json_text = runtime_module("loading.problems"), runtime_module("loading.json_text")
    is_json = json_text.is_json_text(text)
    parse = json_text.json_tree if is_json else runtime_module("loading.yaml_text").read_yaml
    try:
        return cast("Node | None", parse(text, loading.Problems("")))
    except loading.StoppedError:
        return None


def delivery_of(names: Sequence[str]) -> str:
    """Return how the APIs take an evaluation case: structured, or as a transcript.

    Raises CommandError if some take it one way, and some the other.
    """
    found = {name: wire_module(name).WIRE.capabilities.get("delivery", "structured") for name in names}
    words = sorted(set(found.values()))
    if len(words) > 1:
        first, second = [next(name for name in names if found[name] == word) for word in words]
        raise CommandError(
            f"{first} takes the messages of a case, and {second} a transcript: show them one by one, or give --channel"
        )
    return words[0] if words else "structured"


def load_case(source: str, *, id: str | None, root: str | None, channel: str, name: str) -> Any:  # noqa: A002  # the key of the file
    """Load one evaluation case from the path or the text of a YAML or JSON file: it has `request` and `notes`."""
    prompts = runtime_module("prompts")
    with own_errors():
        return prompts.load_case(source, id=id, root=root, channel=channel, name=name)


def compose_call(source: str, *, name: str) -> Any:
    """Compose the call of an agent from the path or the text of a YAML or JSON file: it has `request` and `notes`."""
    execution = runtime_module("execution")
    with own_errors():
        return execution.load_call(source, name=name).compose()


def dump_request(request: Any, *, kept: bool = True) -> Any:
    """Convert a neutral request to plain data; without `kept`, its form memory is left out."""
    with own_errors():
        return _package().dump_request(request, kept=kept)


def answer_coverage(api: Api, answer: Any) -> Any:
    """Return how much of an answer is in its fields, and which keys are only kept."""
    return runtime_module("results").answer_coverage(api, answer)


def plain_message(message: Any, *, kept: bool = True) -> Any:
    """Convert one message to plain data, as `dump_request` does."""
    package = _package()
    dumped: Any = dump_request(package.Request(None, (message,)), kept=kept)
    return dumped["messages"][0]


def refusals() -> tuple[type[Exception], type[Exception]]:
    """Return the error class for refused requests, and its subclass for requests that are invalid on every wire."""
    errors = import_module(f"{_PACKAGE}.errors")
    return errors.PromptwireError, errors.InvalidRequest


def in_one_line(error: Exception) -> str:
    """Return an exception of a generated module as one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


@contextmanager
def own_errors() -> Generator[None]:
    """Convert the generated package's errors to CommandError, with their text."""
    error = cast("type[Exception]", _package().PromptwireError)
    try:
        yield
    except error as raised:
        raise CommandError(str(raised)) from raised


def _project() -> Path | None:
    """Return the project around the current folder: the nearest folder upward that holds specs."""
    here = Path.cwd()
    return next((root for root in (here, *here.parents) if (root / _SPECS).is_dir()), None)


def _prefer_own() -> None:
    """Put the output of the user's project first on the path: an installed package lacks its wires."""
    root = _project()
    if root is None or (root / "templates").is_dir():
        return
    output = root / "generated"
    if str(output) not in sys.path and (output / _PACKAGE).is_dir():
        sys.path.insert(0, str(output))


def _package() -> ModuleType:
    _prefer_own()
    try:
        return import_module(_PACKAGE)
    except ModuleNotFoundError as error:
        if error.name != _PACKAGE:
            raise
        raise CommandError(f'{_PACKAGE} cannot be imported: run "gen build" first') from error
