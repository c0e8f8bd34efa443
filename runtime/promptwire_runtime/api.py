"""The operations of an API, which the package of every API offers as functions."""

from __future__ import annotations

from sys import modules

from .errors import BodyError, Problem
from .reporting.policies import PORTABLE, STRICT
from .typed import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from .answers.answer import Answer
    from .answers.api_error import ApiError
    from .answers.batch_results import BatchResult
    from .answers.coverage import Coverage
    from .answers.stream import Stream
    from .answers.stream_writer import StreamWriter
    from .build.result import Built
    from .build.wire import Wire
    from .linting.explaining import Explanation
    from .linting.support import Support
    from .model.request import Request
    from .read.result import Reading
    from .reporting.notes import Note
    from .reporting.policies import Policies
else:
    Protocol = object


class Api(Protocol):
    """The operations of one API, such as `promptwire.openai_chat`, whose functions these are.

    Annotate with it what may be any API: `apis: dict[str, Api]`. APIs of local runtimes, whose answers are not JSON,
    lack the functions about answers.
    """

    __slots__ = ()

    @property
    def WIRE(self) -> Wire:  # noqa: N802  # the name of a constant in a module
        """The facts of the API."""
        raise NotImplementedError

    def build(
        self,
        request: Request,
        *,
        settings: Mapping[str, Any] | None = None,
        policies: Policies | str | Mapping[str, Any] = STRICT,
    ) -> Built[Any]:
        """Build the exact request.

        Raises:
            RequestError: the API does not accept the request, and the policies do not allow to change it.
            SettingError: for settings that this API does not have.
            PolicyError: for policies that do not exist.
        """
        raise NotImplementedError

    def check(
        self, request: Request | Any, url: str | None = None, *, settings: Mapping[str, Any] | None = None
    ) -> tuple[Problem, ...]:
        """Return the problems of a request, or of a request body of this API.

        A request has the problems that a strict build meets, in order; the `outcomes` of each say what every preset
        does about it. A body has, before these, its unknown keys, wrong types and missing keys; `path` and `steps` of
        each lead into the body.

        Args:
            request: a Request, or the JSON of a body, decoded or not.
            url: the URL that a body was sent to, where the API has the model or other values in it.
            settings: the settings of a build.

        Raises:
            SettingError: for settings that this API does not have.
        """
        from .model.request import Request

        if isinstance(request, Request):
            from .linting.checking import check

            return check(self.build, request, self.WIRE, settings)
        from .linting.lint import check_body

        readers, kind = _table(self, "READERS"), _table(self, "Body")
        return check_body(
            request, url, settings, wire=self.WIRE, readers=readers, kind=kind, build=self.build
        )

    def explain(
        self,
        request: Request,
        *,
        settings: Mapping[str, Any] | None = None,
        policies: Policies | str | Mapping[str, Any] = PORTABLE,
    ) -> Explanation:
        """Return where each value of a request goes on this API: sent, renamed, moved, merged, made, dropped, rejected.

        Print the result for a table, or read its `rows`. A request that cannot be built is explained too.

        Raises:
            SettingError: for settings that this API does not have.
        """
        from .linting.explaining import explain

        return explain(self.build, self.WIRE.name, request, settings, policies)

    def supports(self, model: str, field: str, *, settings: Mapping[str, Any] | None = None) -> Support:
        """Return whether a model supports a field of a request: yes, no or unknown.

        Args:
            model: the name of the model.
            field: `top_k`, `reasoning.effort`, `image`, `vendor.NAME`, ...
            settings: settings of this API that the answer may depend on.

        Raises:
            InvalidRequest: for a field that requests do not have.
            SettingError: for settings that this API does not have.
        """
        from .linting.support import supports

        return supports(self.WIRE, model, field, settings)

    def read(self, body: Any, url: str | None = None) -> Reading:
        """Read a request body of this API into a neutral Request.

        Unknown keys and other spellings are kept on the nodes, so that `build` writes the same body again.

        Args:
            body: the JSON of the request body, decoded or not; reading text or bytes saves a copy.
            url: the URL that the body was sent to, where the API has the model or other values in it.

        Raises:
            BodyError: when the body is not a JSON object, or lacks its messages.
        """
        own = cast("PackageApi", self)
        if own.read_body is None:
            from functools import partial

            from .read.bodies import read_body

            own.read_body = partial(read_body, _table(self, "READERS"), self.WIRE, self.build)
        return own.read_body(body, url)

    def read_answer(self, body: Any) -> Answer:
        """Read an answer of this API; unknown keys are kept, so that `write_answer` writes the same body again.

        Args:
            body: the JSON, decoded or not, or the object or dict that the vendor's SDK returned. Pass the object itself
                rather than its `model_dump()`.

        Raises:
            BodyError: when the body is not an answer; its `error` is an `ApiError` when the API answered with one.
        """
        from .answers.answer_reader import read_answer

        tables = (
            _table(self, "READERS"),
            _table(self, "ANSWERS"),
            _table(self, "STREAM"),
        )
        try:
            return read_answer(body, self.WIRE, *tables)
        except BodyError as error:
            from .answers.answer_bodies import is_streamed

            if error.error is None and tables[2] is not None and is_streamed(body, tables[1], self.stream):
                way = "feed it to stream(), whose close() gives the answer"
                raise BodyError(f"{self.WIRE.name}: this is a stream, or a part of one: {way}") from None
            raise

    def write_answer(
        self,
        answer: Answer,
        *,
        id: str | None = None,  # noqa: A002  # the API's own word
        created: int | None = None,
        policies: Policies | str | Mapping[str, Any] = STRICT,
        notes: list[Note] | None = None,
    ) -> Any:
        """Write an answer in the form of this API: an object, or a list that holds one.

        An answer that was read from this API comes out unchanged; one of another API is converted.

        Args:
            answer: the answer to write.
            id: the id to write instead of the answer's own.
            created: the time of the answer in seconds since 1970, where this API has a key for it.
            policies: `strict`, `lenient` or other policies for what this API cannot express.
            notes: a list to which notes of what was dropped are added.

        Raises:
            RequestError: when a value has no place, unless `policies` allow to drop it.
        """
        from .answers.answer_writer import write_answer

        table = _table(self, "ANSWERS")
        return write_answer(
            answer,
            self.WIRE,
            _table(self, "WRITERS"),
            table,
            policies=policies,
            notes=notes,
            id=id,
            created=created,
        )

    def read_error(self, status: int | None, body: Any, headers: Mapping[str, str] | None = None) -> ApiError:
        """Read an error response of this API: its kind, its message and the field that it names.

        Args:
            status: the HTTP status; None for an error without one, such as that of an answer.
            body: the decoded body, or its bytes or text.
            headers: the headers of the response.
        """
        from .answers.api_error import read_error

        return read_error(status, body, _table(self, "ANSWERS"), headers, self.WIRE.name)

    def write_error(self, error: ApiError) -> dict[str, Any]:
        """Write an error as the response body of this API; `error.status` is its HTTP status."""
        from .answers.api_error import write_error

        return write_error(error, _table(self, "ANSWERS"), self.WIRE.name)

    def stream(self, framing: str | None = None, *, model: str | None = None) -> Stream:
        """Return a reader of a streamed answer: `feed` it bytes or an SDK's events, and `close` it to get the answer.

        Args:
            framing: how events are separated, where that is not the default of this API: `sse`, `ndjson`,
                `json_array` or `aws_event_stream`.
            model: the model that was asked, for APIs on which streams of some models count tokens otherwise.
        """
        from promptwire_text.words import matches_any

        from .answers.stream import Stream

        table, answers = _table(self, "STREAM"), _table(self, "ANSWERS")
        # an API without streams has no table
        if model and matches_any(model, getattr(table, "inclusive_counts", "")):
            answers = answers.inclusive
        return Stream(self.WIRE, table, answers, _table(self, "READERS"), framing)

    def write_stream(  # noqa: PLR0913  # each a word of the API's events
        self,
        *,
        id: str = "",  # noqa: A002  # the API's own word
        model: str = "",
        created: int = 0,
        framing: str | None = None,
        usage: bool = False,
        policies: Policies | str | Mapping[str, Any] = STRICT,
        notes: list[Note] | None = None,
    ) -> StreamWriter:
        """Return a writer of a streamed answer: `feed` it events, and `close` it at the end; both return bytes.

        Args:
            id: the id of the answer.
            model: the name of the model.
            created: the time of the answer, in seconds since 1970.
            framing: how events are separated, where that is not the default of this API.
            usage: whether the request asked for an event of token counts, where this API sends one on request only
                (`stream_usage` of the request).
            policies: `strict`, `lenient` or other policies for what this API cannot express.
            notes: a list to which notes of what was dropped are added.

        The writer raises NoPlace for a value without a place, unless `policies` allow to drop it.
        """
        from .answers.stream_writer import StreamWriter

        known = {"id": id, "model": model, "created": created}
        tables = [_table(self, name) for name in ("ANSWERS", "STREAM", "WRITTEN")]
        return StreamWriter(
            self.WIRE,
            _table(self, "WRITERS"),
            *tables,
            framing=framing,
            known=known,
            policies=policies,
            notes=notes,
            usage=usage,
        )


# operations that APIs had in an earlier version -> what to write now
_EARLIER = {
    "CAPABILITIES": "WIRE.capabilities",
    "answer_coverage": "promptwire.results.answer_coverage(api, answer)",
    "lint": "check, which takes a body as well",
    "read_batch_result": "promptwire.results.read_batch_result(api, line)",
}


class PackageApi(Api):
    """The operations of an API whose package is generated; the package exports the methods as functions.

    package  the name of the package, whose modules are loaded when they are first needed
    build    the package's own function
    answers  the module that describes the answers of this API, relative to the package; empty where none does
    """

    __slots__ = ("_build", "_wire", "answers", "package", "read_body")

    def __init__(self, package: str, build: Callable[..., Built[Any]], wire: Wire, answers: str = "") -> None:
        self.package = package
        self._build = build
        self._wire = wire
        self.answers = answers
        # the reader of bodies, from its first reading on
        self.read_body: Callable[[Any, str | None], Reading] | None = None

    @property
    def WIRE(self) -> Wire:  # noqa: N802  # the name of a constant in a module
        """The facts of the API."""
        return self._wire

    def build(
        self,
        request: Request,
        *,
        settings: Mapping[str, Any] | None = None,
        policies: Policies | str | Mapping[str, Any] = STRICT,
    ) -> Built[Any]:
        """Build the exact request with the package's own function."""
        return self._build(request, settings=settings, policies=policies)

    def earlier_name(self, name: str) -> Any:
        """Return what an API had under a name in an earlier version, with a warning that says what to write now.

        Raises:
            AttributeError: no API had this name.
        """
        if name not in _EARLIER:
            raise AttributeError(f"module {self.package!r} has no attribute {name!r}", name=name)
        from functools import partial

        from .moved_names import warn_deprecated

        warn_deprecated(f"{self.package}.{name} is now {_EARLIER[name]}")
        if name == "CAPABILITIES":
            return self.WIRE.capabilities
        if name == "lint":
            return self._lint
        return partial(answer_coverage if name == "answer_coverage" else read_batch_result, self)

    def _lint(self, body: Any, url: str | None = None) -> tuple[Problem, ...]:
        """Return the problems of a body: what `lint` was, with its argument."""
        return self.check(body, url)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the name of the package, so that its functions pickle."""
        return _api_of, (self.package,)


def answer_coverage(api: Api, answer: Answer) -> Coverage:
    """Return how much of an answer that `read_answer` read is in its fields, and which keys are only kept.

    Args:
        api: The API that the answer was read from, such as `promptwire.openai_chat`.
        answer: The answer.
    """
    from .answers.coverage import coverage

    return coverage(answer, api.WIRE, _table(api, "READERS"), _table(api, "ANSWERS"))


def read_batch_result(api: Api, line: Any) -> BatchResult:
    """Read a line of a batch result file: the id of the request, and its answer or the error of the API.

    Args:
        api: The API of the batch, such as `promptwire.openai_chat`.
        line: Bytes, text or decoded JSON.

    Raises:
        BodyError: The line is not a batch result.
    """
    from .answers.batch_results import read_batch_result

    return read_batch_result(line, _table(api, "ANSWERS"), api.WIRE, api.read_answer)


def _api_of(package: str) -> Api:
    from importlib import import_module

    api: Api = import_module(package)._API  # noqa: SLF001  # every generated package has one
    return api


# a table that the package itself does not import -> the module that has it; the others describe its answers
_MODULES = {"READERS": ".reading", "Body": ".types"}


def _table(api: Api, name: str) -> Any:
    """Return a table of a generated package; None if it has none, such as one of streams."""
    # the functions of a module are the methods of its API
    own = cast("PackageApi", getattr(api, "_API", api))
    # a dialect takes its writers from its parent
    imported = vars(modules[own.package])
    if name in imported:
        return imported[name]
    module = _MODULES.get(name, own.answers)
    loaded = modules.get(f"{own.package}{module}" if module.startswith(".") else module)
    if loaded is None:
        from importlib import import_module

        loaded = import_module(module, own.package)
    return getattr(loaded, name, None)
