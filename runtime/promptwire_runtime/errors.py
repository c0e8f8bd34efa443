"""Every error that promptwire raises.

PromptwireError
├── RequestError        a Request cannot be built; names message, part and field
│   ├── MissingField    the API requires a value that the Request does not have
│   ├── NoPlace         the API does not support a value of the Request
│   ├── Refused         a rule of the API rejects a value
│   └── InvalidRequest  the Request is invalid for every API
├── BodyError           a request body is not a JSON object, or has no conversation
├── AnswerError         an answer does not have the expected content
│   └── StreamError     a stream ended early or reported an error; has the answer so far
├── ClientError         a vendor's client is for another API, or cannot send what was built
├── SettingError        a build setting is unknown, invalid or missing
├── PolicyError         a policy or preset is unknown
├── ContextError        a layer, filter, summarizer or scope failed; names it
└── LoadError           a request file cannot be loaded; names file, line and column, or the path inside
"""

from __future__ import annotations

# type checkers treat this name like typing.TYPE_CHECKING; importing typing would cost more than this module
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


class PromptwireError(Exception):
    """Base class of all errors of promptwire."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the parts of a copy or pickle. The constructor, whose arguments are not kept, is not called again."""
        return _rebuild, (type(self), self.args), vars(self)


def _rebuild(kind: type[PromptwireError], args: tuple[Any, ...]) -> PromptwireError:
    error = kind.__new__(kind)
    error.args = args
    return error


class RequestError(PromptwireError):
    """A Request cannot be built for one wire.

    Attributes:
        wire: The wire.
        path: The path of the node in the Request (`messages[2].parts[0]`).
        field: The field of that node.
        value: The value, if there is one.
        reason: The message without wire, path and source.
        source: The citation of the rule, if there is one.
        problems: All problems of the request under the same policies, this one included (`Problem`).
        loss: What is lost if the value is dropped: `hint`, `tuning` or `meaning`.
        fix: The repair that the rule names; empty if it names none.
        rule: The name of the rule, if it has one.
        condition: The condition of the rule that the value meets, if there is one.
        role: For a part without a place, the role of the messages that do not accept its kind, if they decide.
        guard: For a part without a place, its field whose value the API does not accept, if that decides.
        no_repair: Why no repair keeps the meaning of the value, where the rule or the option says so.
        ending: Lines that the message ends with: the other problems of the request, and why no repair is right.
        node: The node of the Request, if it is known.
        retry: Builds the request under other policies; None if the error is not of a strict build.
    """

    problems: tuple[Any, ...] = ()
    loss: str = "meaning"
    fix: str = ""
    rule: str = ""
    condition: Any = None
    role: str = ""
    guard: str = ""
    no_repair: str = ""
    ending: tuple[str, ...] = ()
    node: Any = None
    retry: Any = None
    _advice: str | None = None

    def __init__(
        self,
        message: str,
        *,
        wire: str = "",
        path: str = "",
        field: str = "",
        value: object = None,
        source: str = "",
    ) -> None:
        """Store the attributes, and put wire, path and source into the message."""
        super().__init__(message)
        self.wire = wire
        self.field = field
        self.value = value
        self.reason = message
        self.source = source
        self.place_at(path)

    def place_at(self, path: str) -> None:
        """Name another node of the Request as the cause, in the attribute and in the message."""
        self.path = path
        where = ": ".join(piece for piece in (self.wire, path) if piece)
        text = f"{self.reason} ({self.source})" if self.source else self.reason
        self.args = (f"{where}: {text}" if where else text,)

    def __str__(self) -> str:
        """Return the message with its ending, and the preset that would build the request, if one would."""
        return "\n  ".join(filter(None, (super().__str__(), *self.ending, self.advice)))

    @property
    def advice(self) -> str:
        """The preset that would build the request, and how many notes it would have; empty if none would."""
        if self.retry is None:
            return ""
        if self._advice is None:
            self._advice = self._advised()
        return self._advice

    def _advised(self) -> str:
        for preset in ("portable", "lenient"):
            try:
                notes = self.retry(preset).notes
            except PromptwireError:
                continue
            return f'policies="{preset}" builds this request, with {len(notes)} note{"" if len(notes) == 1 else "s"}'
        return ""


class MissingField(RequestError):
    """The API requires a value that the Request does not have."""


class NoPlace(RequestError):
    """The API does not support a value of the Request."""


class Refused(RequestError):
    """A rule of the API rejects a value for this model or setting."""


class InvalidRequest(RequestError, ValueError):
    """A value is invalid for every API."""


class BodyError(PromptwireError):
    """A body cannot be read, because it is not an object that holds a conversation or an answer.

    `error` is the `ApiError` when the API answered with an error.
    """

    def __init__(self, message: str, error: Any = None) -> None:
        """Store the API's error."""
        super().__init__(message)
        self.error = error


class AnswerError(PromptwireError):
    """An answer does not have the expected content: JSON, or a result for each of its tool calls."""


class StreamError(AnswerError):
    """A stream ended early or reported an error.

    `answer` is what was received until then, `error` the `ApiError` when the API sent one.
    """

    def __init__(self, message: str, answer: Any = None, error: Any = None) -> None:
        """Store the answer and the API's error."""
        super().__init__(message)
        self.answer = answer
        self.error = error


class ClientError(PromptwireError):
    """A vendor's client is for another API, or cannot send all of a request.

    Attributes:
        wire: The wire of the request.
        client: The package of the client.
        path: What it cannot send: a path in the body, or the name of a header.
    """

    def __init__(self, message: str, *, wire: str, client: str, path: str = "") -> None:
        """Store the attributes, and put wire, path and source into the message."""
        super().__init__(": ".join(piece for piece in (wire, path, message) if piece))
        self.wire = wire
        self.client = client
        self.path = path


class SettingError(PromptwireError):
    """A setting is unknown, has an invalid value, or is required and missing; `missing` is the name in that case."""

    missing: str | None = None


class PolicyError(PromptwireError):
    """A preset, policy or choice is unknown."""


class ContextError(PromptwireError):
    """A layer, filter, summarizer or scope failed, or returned an invalid value.

    `where` names it (`filter static_memory`). The original exception is the cause.
    """

    def __init__(self, message: str, *, where: str) -> None:
        """Store the attributes, and put wire, path and source into the message."""
        super().__init__(f"{where}: {message}")
        self.where = where


class LoadError(PromptwireError):
    """A request file cannot be loaded. The message names the place."""
