"""Every error that promptwire raises.

PromptwireError
├── RequestError        a Request that cannot be built; names message, part and field
│   ├── MissingField    the wire requires a value that the Request lacks
│   ├── NoPlace         the Request holds a value that the wire cannot carry
│   ├── Refused         a rule of the wire refuses this combination
│   └── InvalidRequest  the Request itself makes no sense
├── BodyError           a wire body that is no JSON object, or lacks its conversation
├── AnswerError         an answer that does not hold what is asked of it
│   └── StreamError     a stream that broke off or told an error; holds what came
├── ClientError         a client that does not fit, or cannot send what was built; names it and the place
├── SettingError        an unknown or missing build setting
├── PolicyError         an unknown policy or preset
├── ContextError        a layer, filter, summarizer or scope that failed; names it
└── LoadError           a request file that cannot be loaded; names file, line and column or the path inside
"""

from __future__ import annotations

# type checkers take this name for theirs; importing it would cost more than this module
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


class PromptwireError(Exception):
    """Base of all errors raised on purpose."""


class RequestError(PromptwireError):
    """A Request that cannot be built for one wire.

    `path` says where (`messages[2].parts[0]`), `field` which value, `wire` for which API.
    `reason` is the text without the place, `source` who says so, where that is known.
    `problems` are this one and all others of the request that the same policies do not let pass (`Problem`).
    `value` is the value itself, where there is one.
    """

    problems: tuple[Any, ...] = ()

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
        """Keep the place beside the text."""
        where = ": ".join(piece for piece in (wire, path) if piece)
        told = f"{message} ({source})" if source else message
        super().__init__(f"{where}: {told}" if where else told)
        self.wire = wire
        self.path = path
        self.field = field
        self.value = value
        self.reason = message
        self.source = source


class MissingField(RequestError):
    """The wire requires a value that the Request lacks."""


class NoPlace(RequestError):
    """The Request holds a value that this wire cannot carry."""


class Refused(RequestError):
    """A rule of the wire refuses this value for this model or setting."""


class InvalidRequest(RequestError, ValueError):
    """A value that no wire could mean, found where it was made."""


class BodyError(PromptwireError):
    """A wire body that cannot be read at all: its root is not an object that holds a conversation."""


class AnswerError(PromptwireError):
    """An answer that does not hold what is asked of it: JSON, or a result for each of its calls."""


class StreamError(AnswerError):
    """A stream that broke off, or told an error; `answer` is what came until then."""

    def __init__(self, message: str, answer: object = None) -> None:
        """Keep the answer beside the text."""
        super().__init__(message)
        self.answer = answer


class ClientError(PromptwireError):
    """A client of somebody else that is not for this wire, or cannot send all of a request.

    `client` is its package, `path` what it cannot send: a place in the body or the name of a header.
    """

    def __init__(self, message: str, *, wire: str, client: str, path: str = "") -> None:
        """Keep the place beside the text."""
        super().__init__(": ".join(piece for piece in (wire, path, message) if piece))
        self.wire = wire
        self.client = client
        self.path = path


class SettingError(PromptwireError):
    """An unknown setting, a value outside its choices, or a setting that the URL needs and nobody gave: `missing`."""

    missing: str | None = None


class PolicyError(PromptwireError):
    """An unknown preset, policy or policy value."""


class ContextError(PromptwireError):
    """A layer, filter, summarizer or scope that failed, or gave back what it may not.

    `where` names it (`filter static_memory`); what it raised itself is the cause.
    """

    def __init__(self, message: str, *, where: str) -> None:
        """Keep the place beside the text."""
        super().__init__(f"{where}: {message}")
        self.where = where


class LoadError(PromptwireError):
    """A request file that cannot be loaded; the text names the place."""
