"""The functions that the package of every API offers beside its own `build`."""

from __future__ import annotations

from sys import modules

from .errors import BodyError
from .reporting.policies import PORTABLE, STRICT
from .typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .answers.answer import Answer
    from .answers.api_error import ApiError
    from .answers.batch_results import BatchResult
    from .answers.coverage import Coverage
    from .answers.stream import Stream
    from .answers.stream_writer import StreamWriter
    from .build.result import Built
    from .build.wire import Wire
    from .build.writers import Writers
    from .linting.explaining import Explanation
    from .linting.findings import Finding
    from .linting.request_problems import Problem
    from .linting.support import Support
    from .model.request import Request
    from .read.result import Reading
    from .reporting.notes import Note
    from .reporting.policies import Policies


class Api:
    """The operations of one API; its package exports the methods as functions (`read = _API.read`).

    package  the name of the package; `reading` and `types` in it are loaded when they are first needed
    build    the package's own function
    answers  the module that describes the answers of this API, relative to the package; empty where none does
    """

    __slots__ = ("_read", "answers", "build", "package", "wire", "writers")

    def __init__(
        self,
        package: str,
        build: Callable[..., Built[Any]],
        wire: Wire,
        writers: Writers,
        answers: str = "",
    ) -> None:
        self.package = package
        self.build = build
        self.wire = wire
        self.writers = writers
        self.answers = answers
        # what reads a body, from its first reading on
        self._read: Callable[[Any, str | None], Reading] | None = None

    def check(self, request: Request, *, settings: Mapping[str, Any] | None = None) -> tuple[Problem, ...]:
        """Return all problems of a request that a strict build meets, in order, without building it.

        Each problem says what every preset of policies does about it.

        Raises:
            SettingError: for settings that this API does not have.
        """
        from .linting.checking import check

        return check(self.build, request, self.wire, settings)

    def explain(
        self,
        request: Request,
        *,
        settings: Mapping[str, Any] | None = None,
        policies: Policies | str = PORTABLE,
    ) -> Explanation:
        """Return where each value of a request goes on this API: sent, renamed, moved, merged, made, dropped, rejected.

        Print the result for a table, or read its `rows`. A request that cannot be built is explained too.

        Raises:
            SettingError: for settings that this API does not have.
        """
        from .linting.explaining import explain

        return explain(self.build, self.wire.name, request, settings, policies)

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

        return supports(self.build, self.wire, model, field, settings)

    def read(self, body: Any, url: str | None = None) -> Reading:
        """Read a request body of this API into a neutral Request.

        Unknown keys and other spellings are kept on the nodes, so that `build` writes the same body again.

        Args:
            body: the JSON of the request body, decoded or not; reading text or bytes saves a copy.
            url: the URL that the body was sent to, where the API has the model or other values in it.

        Raises:
            BodyError: when the body is not a JSON object, or lacks its messages.
        """
        read = self._read
        if read is None:
            from functools import partial

            from .read.bodies import read_body

            read = self._read = partial(read_body, self._load(".reading", "READERS"), self.wire, self.build)
        return read(body, url)

    def lint(self, body: Any, url: str | None = None) -> tuple[Finding, ...]:
        """Return the problems of a request body of this API, each with its place in the body.

        Args:
            body: the JSON of the request body, decoded or not.
            url: the URL that the body was sent to.
        """
        from .linting.lint import lint

        readers, kind = self._load(".reading", "READERS"), self._load(".types", "Body")
        return lint(body, url, wire=self.wire, readers=readers, kind=kind, build=self.build)

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
            self._load(".reading", "READERS"),
            self._answer_table("ANSWERS"),
            self._answer_table("STREAM"),
        )
        try:
            return read_answer(body, self.wire, *tables)
        except BodyError as error:
            from .answers.answer_bodies import is_streamed

            if error.error is None and tables[2] is not None and is_streamed(body, tables[1], self.stream):
                way = "feed it to stream(), whose close() gives the answer"
                raise BodyError(f"{self.wire.name}: this is a stream, or a part of one: {way}") from None
            raise

    def write_answer(
        self,
        answer: Answer,
        *,
        id: str | None = None,  # noqa: A002  # the API's own word
        created: int | None = None,
        policies: Policies | str = STRICT,
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

        table = self._answer_table("ANSWERS")
        return write_answer(
            answer, self.wire, self.writers, table, policies=policies, notes=notes, id=id, created=created
        )

    def read_error(self, status: int | None, body: Any, headers: Mapping[str, str] | None = None) -> ApiError:
        """Read an error response of this API: its kind, its message and the field that it names.

        Args:
            status: the HTTP status; None for an error without one, such as that of an answer.
            body: the decoded body, or its bytes or text.
            headers: the headers of the response.
        """
        from .answers.api_error import read_error

        return read_error(status, body, self._answer_table("ANSWERS"), headers, self.wire.name)

    def read_batch_result(self, line: Any) -> BatchResult:
        """Read a line of a batch result file: the id of the request, and its answer or the error of the API.

        Args:
            line: bytes, text or decoded JSON.

        Raises:
            BodyError: when the line is not a batch result.
        """
        from .answers.batch_results import read_batch_result

        return read_batch_result(line, self._answer_table("ANSWERS"), self.wire, self.read_answer)

    def write_error(self, error: ApiError) -> dict[str, Any]:
        """Write an error as the response body of this API; `error.status` is its HTTP status."""
        from .answers.api_error import write_error

        return write_error(error, self._answer_table("ANSWERS"), self.wire.name)

    def stream(self, framing: str | None = None) -> Stream:
        """Return a reader of a streamed answer: `feed` it bytes or an SDK's events, and `close` it to get the answer.

        Args:
            framing: how events are separated, where that is not the default of this API: `sse`, `ndjson`,
                `json_array` or `aws_event_stream`.
        """
        from .answers.stream import Stream

        tables = self._answer_table("STREAM"), self._answer_table("ANSWERS")
        return Stream(self.wire, *tables, self._load(".reading", "READERS"), framing)

    def write_stream(  # noqa: PLR0913  # each a word of the API's events
        self,
        *,
        id: str = "",  # noqa: A002  # the API's own word
        model: str = "",
        created: int = 0,
        framing: str | None = None,
        usage: bool = False,
        policies: Policies | str = STRICT,
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
        tables = [self._answer_table(name) for name in ("ANSWERS", "STREAM", "WRITTEN")]
        return StreamWriter(
            self.wire,
            self.writers,
            *tables,
            framing=framing,
            known=known,
            policies=policies,
            notes=notes,
            usage=usage,
        )

    def answer_coverage(self, answer: Answer) -> Coverage:
        """Return how much of an answer that `read_answer` read is in its fields, and which keys are only kept."""
        from .answers.coverage import coverage

        return coverage(answer, self.wire, self._load(".reading", "READERS"), self._answer_table("ANSWERS"))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the name of the package, so that its functions pickle."""
        return _api_of, (self.package,)

    def _load(self, module: str, name: str) -> Any:
        loaded = modules.get(f"{self.package}{module}" if module.startswith(".") else module)
        if loaded is None:
            from importlib import import_module

            loaded = import_module(module, self.package)
        # APIs that do not stream have no table of streams
        return getattr(loaded, name, None)

    def _answer_table(self, name: str) -> Any:
        return self._load(self.answers, name)


def _api_of(package: str) -> Api:
    from importlib import import_module

    api: Api = import_module(package)._API  # noqa: SLF001  # every generated package has one
    return api
