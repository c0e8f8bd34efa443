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
    from collections.abc import Mapping
    from typing import Any

__all__ = [
    "AnswerError",
    "BodyError",
    "ClientError",
    "ContextError",
    "InvalidRequest",
    "LoadError",
    "MissingField",
    "NoPlace",
    "PolicyError",
    "PromptwireError",
    "Refused",
    "RequestError",
    "SettingError",
    "StreamError",
]


class PromptwireError(Exception):
    """Base class of all errors of promptwire."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the parts of a copy or pickle. The constructor, whose arguments are not kept, is not called again."""
        return _rebuild, (type(self), self.args), vars(self)


def _rebuild(kind: type[PromptwireError], args: tuple[Any, ...]) -> PromptwireError:
    error = kind.__new__(kind)
    error.args = args
    return error


def _earlier_attribute(owner: object, name: str, moved: Mapping[str, str]) -> Any:
    """Return an attribute of an earlier version, with a warning that names the new one."""
    new = moved.get(name)
    if new is None:
        raise AttributeError(
            f"{type(owner).__name__!r} object has no attribute {name!r}", name=name, obj=owner
        )
    from functools import reduce

    from .moved_names import warn_deprecated

    warn_deprecated(f"{type(owner).__name__}.{name} is now {type(owner).__name__}.{new}")
    return reduce(getattr, new.split("."), owner)


class Problem:
    """One thing that is wrong, in a request or in a body.

    Attributes:
        path: The node of the request (`messages[2].parts[0]`), or the place in the body (`messages[2].content[0].txt`);
            empty for the whole.
        field: The field of the node, or the path of a rule; empty in a body.
        what: In a request, `refused` by a rule, `no place` in this API, `missing` although the API requires it, or
            `invalid` for every API; a `doubt` where the nearest known model rejects it, and nobody knows whether this
            one does. In a body also `unknown key`, `unknown value`, `wrong type`, `unpaired` (a call without a result,
            or the reverse), `deviation` (reading assumed what the API documents), or `unreadable`.
        reason: What is wrong, in words.
        source: The citation of the rule; empty where the shapes of the spec decide.
        value: The value, if there is one.
        steps: The path in a body as keys and indexes; empty in a request.
        suggestion: For an unknown key or value, the one that is probably meant.
        outcomes: From `check`: preset -> what a build does about it, such as `error` or `left out, with a note`.
        loss: What is lost if the value is dropped: `hint`, `tuning` or `meaning`.
        rule: The name of the rule, if it has one.
        fix: The repair that the rule names; empty if it names none.
        no_repair: Why no repair keeps the meaning of the value, where the rule or the option says so.
        condition: The condition of the rule that the value meets, if there is one.
        role: For a part without a place, the role of the messages that do not accept its kind, if they decide.
        guard: For a part without a place, its field whose value the API does not accept, if that decides.
    """

    loss: str = "meaning"
    rule: str = ""
    fix: str = ""
    no_repair: str = ""
    condition: Any = None
    role: str = ""
    guard: str = ""

    def __init__(  # noqa: PLR0913  # as many as a place and a reason have
        self,
        reason: str,
        *,
        what: str = "invalid",
        path: str = "",
        field: str = "",
        value: object = None,
        source: str = "",
        steps: tuple[str | int, ...] = (),
        suggestion: str = "",
    ) -> None:
        """Store the attributes; the others have their defaults until a rule or a check sets them."""
        self.reason = reason
        self.what = what
        self.path = path
        self.field = field
        self.value = value
        self.source = source
        self.steps = steps
        self.suggestion = suggestion
        self.outcomes: Mapping[str, str] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return an attribute by its earlier name."""
            return _earlier_attribute(self, name, {"does": "outcomes", "message": "reason"})

    def _key(self) -> tuple[object, ...]:
        return self.what, self.path, self.field, self.steps, self.reason, self.source

    def __eq__(self, other: object) -> bool:
        """Compare place, kind, reason and source."""
        return self._key() == other._key() if isinstance(other, Problem) else NotImplemented

    def __hash__(self) -> int:
        """Hash place, kind, reason and source."""
        return hash(self._key())

    def __repr__(self) -> str:
        """Show place, kind, reason and source."""
        names = ("what", "path", "field", "reason", "source")
        rows = [f"{name}={value!r}" for name in names if (value := getattr(self, name))]
        return f"Problem({', '.join(rows)})"

    def __str__(self) -> str:
        """Show place, reason and source as one line."""
        place = f"{self.path}: " if self.path else ""
        return f"{place}{self.reason}" + (f" ({self.source})" if self.source else "")


# attributes of a problem that errors had in an earlier version
_OF_PROBLEMS = ("condition", "fix", "guard", "loss", "no_repair", "role", "rule")


class RequestError(PromptwireError):
    """A Request cannot be built for one wire.

    Attributes:
        wire: The wire.
        problem: What is wrong; `path`, `field`, `value`, `reason` and `source` are its attributes.
        problems: All problems of the request under the same policies, this one included.
        ending: Lines that the message ends with: the other problems of the request, and why no repair is right.
        node: The node of the Request, if it is known.
        retry: Builds the request under other policies; None if the error is not of a strict build.
    """

    what = "invalid"
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
        """Store the problem, and put wire, path and source into the message."""
        super().__init__(message)
        self.wire = wire
        self.problem = Problem(message, what=self.what, path=path, field=field, value=value, source=source)
        self.problems: tuple[Problem, ...] = (self.problem,)
        self.place_at(path)

    @property
    def path(self) -> str:
        """The path of the node in the Request (`messages[2].parts[0]`)."""
        return self.problem.path

    @property
    def field(self) -> str:
        """The field of that node."""
        return self.problem.field

    @property
    def value(self) -> Any:
        """The value, if there is one."""
        return self.problem.value

    @property
    def reason(self) -> str:
        """The message without wire, path and source."""
        return self.problem.reason

    @property
    def source(self) -> str:
        """The citation of the rule, if there is one."""
        return self.problem.source

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return what the problem has now, and the error had in an earlier version."""
            return _earlier_attribute(self, name, {name: f"problem.{name}" for name in _OF_PROBLEMS})

    def place_at(self, path: str) -> None:
        """Name another node of the Request as the cause, in the problem and in the message."""
        self.problem.path = path
        where = f"{self.wire}: " if self.wire else ""
        self.args = (f"{where}{self.problem}",)

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

    what = "missing"


class NoPlace(RequestError):
    """The API does not support a value of the Request."""

    what = "no place"


class Refused(RequestError):
    """A rule of the API rejects a value for this model or setting."""

    what = "refused"


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
        """Store the attributes, and put wire and path before the message."""
        super().__init__(": ".join(piece for piece in (wire, path, message) if piece))
        self.wire = wire
        self.client = client
        self.path = path


class SettingError(PromptwireError):
    """A setting is unknown, has an invalid value, or is required and missing; `missing` is the name in that case."""

    missing: str | None = None


class PolicyError(PromptwireError):
    """A preset, policy or choice is unknown; `name` is the key in a mapping that is wrong."""

    name: str = ""


class ContextError(PromptwireError):
    """A layer, filter, summarizer or scope failed, or returned an invalid value.

    `where` names it (`filter static_memory`). The original exception is the cause.
    """

    def __init__(self, message: str, *, where: str) -> None:
        """Store the place, and put it before the message."""
        super().__init__(f"{where}: {message}")
        self.where = where


class LoadError(PromptwireError):
    """A request file cannot be loaded. The message names the place."""
