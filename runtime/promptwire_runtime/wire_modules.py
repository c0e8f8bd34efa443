"""The modules of wires: what each of them offers, and how a wire is found by its name.

A package of wires of its own announces each wire as an entry point of the group `promptwire.wires`, whose name is the
name of the wire and whose value is its module: `alpha_chat = "acme_llm.alpha_chat"`.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, cast

from promptwire_text.near_words import names_meant

from .errors import PromptwireError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .answers.answer import Answer
    from .answers.api_error import ApiError
    from .answers.batch_results import BatchResult
    from .answers.coverage import Coverage
    from .answers.stream import Stream
    from .answers.stream_writer import StreamWriter
    from .build.result import Built
    from .build.wire import Wire
    from .linting.findings import Finding
    from .linting.request_problems import Problem
    from .linting.support import Support
    from .model.request import Request
    from .read.result import Reading
    from .reporting.notes import Note
    from .reporting.policies import Policies

GROUP = "promptwire.wires"


class WireModule(Protocol):
    """The functions that the module of every wire has, such as `promptwire.openai_chat`.

    Annotate with it what may be any wire: `wires: dict[str, WireModule]`. Wires of local runtimes, whose answers are no
    JSON, lack the functions about answers.
    """

    @property
    def WIRE(self) -> Wire:  # noqa: N802  # the name of a constant in a module
        """The facts of the wire."""
        ...

    @property
    def CAPABILITIES(self) -> Mapping[str, Any]:  # noqa: N802
        """The capabilities of the wire, as `gen list` shows them."""
        ...

    def build(
        self, request: Request, *, settings: Mapping[str, Any] | None = None, policies: Policies | str = ...
    ) -> Built[Any]:
        """Build the exact request."""
        ...

    def check(self, request: Request, *, settings: Mapping[str, Any] | None = None) -> tuple[Problem, ...]:
        """Return all problems that a strict build meets."""
        ...

    def supports(self, model: str, field: str, *, settings: Mapping[str, Any] | None = None) -> Support:
        """Return whether a model supports a field."""
        ...

    def read(self, body: Any, url: str | None = None) -> Reading:
        """Read a request body."""
        ...

    def lint(self, body: Any, url: str | None = None) -> tuple[Finding, ...]:
        """Return the problems of a request body."""
        ...

    def read_answer(self, body: Any) -> Answer:
        """Read an answer."""
        ...

    def write_answer(
        self, answer: Answer, *, policies: Policies | str = ..., notes: list[Note] | None = None
    ) -> Any:
        """Write an answer."""
        ...

    def read_error(self, status: int | None, body: Any, headers: Mapping[str, str] | None = None) -> ApiError:
        """Read an error response."""
        ...

    def write_error(self, error: ApiError) -> dict[str, Any]:
        """Write an error as a response body."""
        ...

    def read_batch_result(self, line: Any) -> BatchResult:
        """Read a line of a batch result file."""
        ...

    def stream(self, framing: str | None = None) -> Stream:
        """Return a reader of a streamed answer."""
        ...

    def write_stream(  # noqa: PLR0913  # each a word of the API's events
        self,
        *,
        id: str = "",  # noqa: A002  # the API's own word
        model: str = "",
        created: int = 0,
        framing: str | None = None,
        usage: bool = False,
        policies: Policies | str = ...,
        notes: list[Note] | None = None,
    ) -> StreamWriter:
        """Return a writer of a streamed answer."""
        ...

    def answer_coverage(self, answer: Answer) -> Coverage:
        """Return how much of an answer is in its fields."""
        ...


def announced() -> dict[str, str]:
    """Return the wires that installed packages announce: name -> module."""
    return {point.name: point.value for point in sorted(entry_points(group=GROUP))}


def wires_beside(shipped: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the shipped wires and of those that installed packages announce, sorted."""
    return tuple(sorted({*shipped, *announced()}))


def find_wire(name: str, package: str, shipped: Iterable[str], aliases: Mapping[str, str]) -> WireModule:
    """Return the module of a wire: one of `package`, by name or alias, or one that an installed package announces.

    Raises:
        PromptwireError: no wire has this name, or its module cannot be imported.
    """
    if not isinstance(name, str):
        raise PromptwireError(
            f'the name of a wire is a text such as "openai_chat", not {type(name).__name__}'
        )
    own = tuple(shipped)
    if name in own or aliases.get(name) in own:
        return cast("WireModule", import_module(f"{package}.{name if name in own else aliases[name]}"))
    found = announced()
    if name not in found:
        wires = sorted((*own, *found))
        hint = names_meant(name, wires, aliases) or f"use {', '.join(wires)}"
        raise PromptwireError(f'no wire is called "{name}"; {hint}')
    try:
        return cast("WireModule", import_module(found[name]))
    except ImportError as error:
        text = f'the module "{found[name]}" of the wire "{name}" cannot be imported: {error}'
        raise PromptwireError(text) from error


def no_attribute(package: str, name: str, wires: Iterable[str], aliases: Mapping[str, str]) -> AttributeError:
    """Return the error for a name that the package of the wires lacks."""
    hint = names_meant(name, wires, aliases)
    told = f"module {package!r} has no attribute {name!r}"
    return AttributeError(f"{told}; {hint}" if hint else told, name=name)
