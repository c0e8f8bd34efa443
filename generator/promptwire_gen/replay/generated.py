"""The door to the generated package: imported by name, when first needed."""

from __future__ import annotations

import sys
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol, cast

from ..layout import FIRST_PAGE, LayoutError, find_layout
from ..problems import did_you_mean

_PACKAGE = "promptwire"


class ReplayError(Exception):
    """An input that cannot be tried: an unknown wire, an unreadable file, a request that a wire refuses."""


class Built(Protocol):
    """What `build` returns.

    local      whether there is a body, and nothing to send
    shown_url  the URL, with `$NAME` for each credential among its parameters; headers have it likewise
    signing    the signature that the caller must add, or None
    """

    body: Any
    wire: Any
    local: bool
    method: str
    url: str
    shown_url: str
    shown_headers: Mapping[str, str]
    signing: Any
    notes: Sequence[Any]

    def curl(self) -> str:
        """Return a shell command with placeholders for secrets."""
        ...


class Reading(Protocol):
    """What `read` returns.

    leaves      the number of JSON leaves of the body
    understood  how many of them landed in neutral fields or known options; `kept` are only remembered
    unknown     the dotted key paths of what is only remembered
    deviations  notes on what was assumed where the body fits no shape exactly
    problems    notes on what no shape takes
    """

    body: Mapping[str, Any]
    wire: Any
    request: Any
    notes: Sequence[Any]
    deviations: Sequence[Any]
    problems: Sequence[Any]
    settings: Mapping[str, Any]
    leaves: int
    understood: int
    kept: int
    unknown: Iterable[str]


class Finding(Protocol):
    """What the linter has found: where in the body, what kind, in words, and who says so."""

    steps: tuple[str | int, ...]
    path: str
    what: str
    message: str
    source: str


class WireFacts(Protocol):
    """What a generated module says about its wire."""

    settings: Mapping[str, Any]
    secrets: Collection[str]


class WireModule(Protocol):
    """A generated module."""

    WIRE: WireFacts

    def build(
        self, request: Any, *, settings: Mapping[str, Any] | None = None, policies: Any = "strict"
    ) -> Built:
        """Build the wire's request."""
        ...

    def read(self, body: Any, url: str | None = None) -> Reading:
        """Read a wire body."""
        ...

    def lint(self, body: Any, url: str | None = None) -> Sequence[Finding]:
        """Tell what is wrong with a wire body."""
        ...


class AnswerModule(Protocol):
    """A generated module of a wire whose answers are known."""

    def read_answer(self, body: Any) -> Any:
        """Read a whole answer."""
        ...

    def write_answer(self, answer: Any, *, policies: Any, notes: list[Any]) -> Any:
        """Write an answer; adds to the notes."""
        ...

    def read_error(self, status: int, body: Any) -> Any:
        """Read an error: it has kind, message, type, code and field."""
        ...

    def stream(self, framing: str | None = None) -> Any:
        """Begin to read a stream: it has feed, close and answer."""
        ...

    def answer_coverage(self, answer: Any) -> Any:
        """Count the leaves of an answer: understood, kept, unknown."""
        ...


def wire_names() -> tuple[str, ...]:
    """Name every generated wire."""
    return tuple(_package().WIRES)


def wire_aliases() -> Mapping[str, str]:
    """Give the names under which recorded requests know a wire: name -> wire."""
    return dict(getattr(_package(), "ALIASES", {}))


def wire_module(name: str) -> WireModule:
    """Import one wire's module. Raises ReplayError for a name that no wire has."""
    names = wire_names()
    if name not in names:
        raise ReplayError(unknown_wire(name, names))
    return cast(WireModule, import_module(f"{_PACKAGE}.{name}"))


def has_answers(name: str) -> bool:
    """Tell whether a wire's module reads answers."""
    return hasattr(wire_module(name), "read_answer")


def answering_module(name: str) -> AnswerModule:
    """Import the module of a wire whose answers are known. Raises ReplayError for any other."""
    if not has_answers(name):
        message = f"{name}: its spec does not say what the API answers: gen list tells which wires do"
        raise ReplayError(message)
    return cast(AnswerModule, wire_module(name))


def supported(name: str, model: str) -> Mapping[str, Any]:
    """Tell for every field of a request whether a model takes it on a wire: field -> answer with reason and source."""
    module = wire_module(name)
    table: Mapping[str, Any] = import_module(f"{_PACKAGE}_runtime.linting.support").table_of(
        module.build, module.WIRE, model
    )
    return table


def meant_rules(wire: Any, message: str) -> Sequence[Any]:
    """Give the rules of a wire that an error message of its API means, likeliest first."""
    rules: Sequence[Any] = import_module(f"{_PACKAGE}_runtime.linting.error_text").meant_rules(wire, message)
    return rules


def unknown_wire(name: str, names: Sequence[str]) -> str:
    """Say that there is no such wire, and which one may be meant, or that its spec is still to be built."""
    if name.isidentifier() and _has_spec(name):
        return f'"{name}" has a spec and is not built yet: run gen build {name}'
    return f'"{name}" is not a wire: {did_you_mean(name, names) or "use one of " + ", ".join(names)}'


def _has_spec(name: str) -> bool:
    try:
        specs = find_layout().specs
        return (specs / f"{name}.yaml").is_file() or (specs / name / FIRST_PAGE).is_file()
    except LayoutError:
        return False


def load_request(path: str) -> Any:
    """Load a neutral request from a YAML or JSON file."""
    with own_errors():
        return _package().load_request(path)


def load_with_toolkits(path: str) -> tuple[Any, Any]:
    """Load a neutral request from a YAML or JSON file, and the toolkits that stand beside it."""
    toolkits = import_module(f"{_PACKAGE}_runtime.toolkits")
    with own_errors():
        loaded: tuple[Any, Any] = toolkits.load_with_toolkits(path)
        return loaded


def with_toolkits(toolkits: Any, request: Any, wire: str) -> tuple[Any, Sequence[Any], str]:
    """Give a request as a wire would get it with toolkits, what is noted of that, and what the tools cost."""
    module, room = wire_module(wire), import_module(f"{_PACKAGE}_runtime.toolkits")
    with own_errors():
        session = room.Session(toolkits, request, wire=module)
        return session.request, session.notes, room.cost_table(room.costs(toolkits, request, wire=module))


def check_json(text: str, name: str, line: int) -> None:
    """Raise ReplayError with the places of what a JSON text may not hold: keys that stand twice, NaN and the like.

    The text begins at a line of the file that it came from.
    """
    loading = f"{_PACKAGE}_runtime.loading"
    problems = import_module(f"{loading}.problems").Problems(name)
    import_module(f"{loading}.json_text").check_json("\n" * (line - 1) + text, problems)
    if problems:
        raise ReplayError(str(problems.error(None)))


def load_case(source: str, *, id: str | None, root: str | None, name: str) -> Any:  # noqa: A002  # the key of the file
    """Load one evaluation case from the path or the text of a YAML or JSON file: it has `request` and `notes`."""
    prompts = import_module(f"{_PACKAGE}_runtime.prompts")
    with own_errors():
        return prompts.load_case(source, id=id, root=root, name=name)


def dump_request(request: Any, *, kept: bool = True) -> Any:
    """Turn a neutral request into plain data; without `kept`, what it remembers of its wire is left out."""
    with own_errors():
        return _package().dump_request(request, kept=kept)


def plain_message(message: Any, *, kept: bool = True) -> Any:
    """Turn one message into plain data, as `dump_request` does."""
    package = _package()
    dumped: Any = dump_request(package.Request(None, (message,)), kept=kept)
    return dumped["messages"][0]


def refusals() -> tuple[type[Exception], type[Exception]]:
    """Give the error of a refused request, and the one among them for a request that makes no sense anywhere."""
    package = _package()
    return package.PromptwireError, package.InvalidRequest


def in_one_line(error: Exception) -> str:
    """Say what a generated module raised in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


@contextmanager
def own_errors() -> Generator[None]:
    """Turn the generated package's errors into ReplayError, with their text."""
    error = cast("type[Exception]", _package().PromptwireError)
    try:
        yield
    except error as raised:
        raise ReplayError(str(raised)) from raised


def _prefer_own() -> None:
    """Put the output of a project of one's own first: the package that is installed does not know its wires."""
    with suppress(LayoutError):
        layout = find_layout()
        place = str(layout.output)
        if layout.shipped is not None and place not in sys.path and (layout.output / _PACKAGE).is_dir():
            sys.path.insert(0, place)


def _package() -> ModuleType:
    _prefer_own()
    try:
        return import_module(_PACKAGE)
    except ModuleNotFoundError as error:
        if error.name != _PACKAGE:
            raise
        raise ReplayError(f'{_PACKAGE} cannot be imported: run "gen build" first') from error
