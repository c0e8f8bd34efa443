"""The result of `build`: method, URL, headers, body and notes of one request."""

from __future__ import annotations

from ..errors import AnswerError
from ..model.parts import CALLS, CustomToolCall, ToolCall
from ..nodes.records import fields, is_node, replace
from ..typed import TYPE_CHECKING, BodyT, Generic, cast
from ..wire_json.kinds import class_of, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeVar

    from ..model.request import Request
    from ..reporting.notes import Note
    from ..reporting.policies import Policies
    from ..reporting.report import Report
    from .clients import Arguments
    from .encoding import CachePrefix
    from .transport import Transport
    from .wire import Signing, Wire

    AnsweredT = TypeVar("AnsweredT")

# the argument of a function that stands for a free-text tool
_INPUT = "input"
# fields that may hold calls
_INSIDE = frozenset({"candidates", "message", "turns", "parts"})


def sent_names(edits: Iterable[Any], policy: str) -> dict[str, str]:
    """Return the value that was sent -> the caller's, of the edits under one policy that can be reversed."""
    return {edit.sent: edit.given for edit in edits if edit.policy == policy and edit.sent is not None}


def restored(value: Any, edits: Iterable[Any]) -> Any:
    """Return an answer, message, call or event with the caller's names of tools.

    A call of a function that was sent for a free-text tool becomes a call of that tool.
    """
    edits = tuple(edits)
    names = sent_names(edits, "tool_names")
    custom = frozenset(sent_names(edits, "custom_tools"))
    return _restore(value, names, custom) if names or custom else value


def _restore(value: Any, names: Mapping[str, str], custom: frozenset[str]) -> Any:
    if class_of(value) is tuple:
        made = tuple([_restore(each, names, custom) for each in value])
        return value if all(new is old for new, old in zip(made, value, strict=True)) else made
    if type(value) is ToolCall and value.name in custom:
        text = _text_of(value)
        if text is not None:
            name = names.get(value.name, value.name)
            return CustomToolCall(
                value.id, name, text, signature=value.signature, provenance=value.provenance
            )
    changes: dict[str, Any] = {}
    for field in fields(value) if is_node(value) else ():
        if field.init and field.name in _INSIDE and getattr(value, field.name) is not None:
            old = getattr(value, field.name)
            new = _restore(old, names, custom)
            if new is not old:
                changes[field.name] = new
    if (isinstance(value, CALLS) or _is_call(value)) and value.name in names:
        changes["name"] = names[value.name]
    return replace(value, **changes) if changes else value


def _is_call(value: Any) -> bool:
    """Return whether a value is the event of a call."""
    return getattr(value, "kind", None) == "call"


def _text_of(call: ToolCall) -> str | None:
    """Return the free text in the arguments of a call; None if they hold anything else."""
    try:
        arguments = call.parsed_arguments
    except AnswerError:
        return None
    text = arguments.get(_INPUT) if is_object(arguments) and len(arguments) == 1 else None
    return text if isinstance(text, str) else None


class Built(Generic[BodyT]):
    """One request, ready to send.

    Attributes:
        body: The JSON body, a new dict. Large JSON values (schemas, arguments, results, citations, opaque elements,
            extra, form memory) are shared with the request. Deep-copy the body before mutating it.
        report: The request with its wire, policies, settings and notes, which the properties read.
    """

    # created by every build: setting two slots is faster than a constructor call
    __slots__ = ("__weakref__", "_transport", "body", "report")

    body: BodyT
    report: Report
    _transport: Transport

    @property
    def context(self) -> Report:
        """The earlier name of `report`."""
        from ..moved_names import warn_deprecated

        warn_deprecated("Built.context is report now")
        return self.report

    @property
    def request(self) -> Request:
        """The request as it was written. Rules and passes may have changed the caller's."""
        return self.report.request

    @property
    def wire(self) -> Wire:
        """The wire that the request was built for."""
        return cast("Wire", self.report.wire)

    @property
    def policies(self) -> Policies:
        """The policies of the build."""
        return self.report.policies

    @property
    def settings(self) -> Mapping[str, Any] | None:
        """The settings that the caller passed, and those that rules added."""
        return self.report.settings

    @property
    def account(self) -> dict[str, Any]:
        """The settings that identify the account and host of stored conversations, without credentials."""
        state, settings = self.wire.state, self.report.shown_settings()
        return {name: settings[name] for name in (() if state is None else state.binds) if name in settings}

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return the notes on values that were moved, merged or dropped."""
        return self.report.notes

    @property
    def caller_names(self) -> dict[str, str]:
        """The names of tools as they were sent -> the caller's, where repairs changed them."""
        return sent_names(self.report.edits, "tool_names")

    def restored(self, answered: AnsweredT) -> AnsweredT:
        """Return an answer, a message, or an event of a stream with the caller's names and kinds of tools."""
        whole: AnsweredT = restored(answered, self.report.edits)
        return whole

    @property
    def edits(self) -> tuple[Note, ...]:
        """The notes of repairs, with the value before and after where an answer refers to it."""
        return self.report.edits

    @property
    def transport(self) -> Transport:
        """The URL and headers of the request, computed when they are asked for."""
        if not hasattr(self, "_transport"):
            from .transport import Transport

            self._transport = Transport(self.wire, self.report.settings, self.request)
        return self._transport

    @property
    def method(self) -> str:
        """The HTTP method."""
        if self.local:
            raise self.transport.unsent()
        return self.wire.method

    @property
    def local(self) -> bool:
        """Return whether the wire is a runtime in the caller's own process, which has a body but no URL or headers."""
        return not self.wire.method

    @property
    def url(self) -> str:
        """The URL."""
        return self.transport.sent().url

    @property
    def shown_url(self) -> str:
        """The URL with `$NAME` in place of each credential."""
        from ..reporting.redaction import show_marks

        return show_marks(self.transport.placeholders().url)

    @property
    def headers(self) -> dict[str, str]:
        """The headers. A credential that was not passed is the `$NAME` of its environment variable."""
        return dict(self.transport.sent().headers)

    @property
    def shown_headers(self) -> dict[str, str]:
        """The headers with `$NAME` in place of each credential."""
        from ..reporting.redaction import show_marks

        return {name: show_marks(text) for name, text in self.transport.placeholders().headers.items()}

    @property
    def signing(self) -> Signing | None:
        """The signature that the caller must add; None if the headers are complete."""
        return None if self.wire.signing is None else self.wire.signing(self.transport)

    @property
    def digest(self) -> str:
        """SHA-256 of the body, independent of key order."""
        import hashlib

        from .encoding import encoded

        return hashlib.sha256(encoded(self.body, sort_keys=True)).hexdigest()

    @property
    def prefixes(self) -> tuple[CachePrefix, ...]:
        """The beginnings of the prompt that its cache marks end, each with a digest, in the order of the prompt.

        The next request reads a cache if it has the digest again. Empty for an API without marks.
        """
        from .encoding import cache_prefixes

        return cache_prefixes(self.body, self.request.model, self.wire.prompt, self.wire.cache_marks)

    def batch_line(self, custom_id: str, service: str | None = None) -> bytes:
        """Return this request as one line of the API's batch file, without the line break.

        Args:
            custom_id: The id that comes back with the result.
            service: The service that runs the batch, such as `together`; by default the one that the settings mean.

        Raises:
            InvalidRequest: `custom_id` is empty, the request is streamed, or the wire has no batches.
            SettingError: no service has this name, or the settings mean none.
        """
        from .batch_services import batch_service

        return batch_service(self.wire, service, self.settings).encoded_line(self, custom_id)

    def json(self) -> bytes:
        """Return the body as compact UTF-8 JSON."""
        from .encoding import encoded

        return encoded(self.body)

    def kwargs_for(self, client: str) -> Arguments:
        """Return the keyword arguments with which a vendor's client sends this request.

        Args:
            client: The client's package: `openai`, `anthropic`, `google-genai`, `boto3`, `mistralai`, `cohere`.

        Returns:
            A dict. Its `.call` names the method (`chat.completions.create`), its `.base_url` is the base URL that the
            client must have. Keys of the body without an argument, headers and URL parameters are in the arguments
            that the client has for them (`extra_body`, `extra_headers`, `extra_query`). Credentials are not included.

        Raises:
            ClientError: the client is for another API, or cannot send all of the request.
        """
        from .clients import arguments_for

        return arguments_for(self.transport, self.body, client)

    def httpx(self, content: bytes | None = None) -> dict[str, Any]:
        """Return the arguments for `httpx.request` and `httpx.stream`: method, url, headers, content.

        A credential that was not passed is omitted; use `auth` of httpx for it.

        Args:
            content: The bytes of the body, as a `ConversationEncoder` made them; by default, those of `.json()`.
        """
        return {
            "method": self.method,
            "url": self.url,
            "headers": self.transport.known_headers(),
            "content": self.json() if content is None else content,
        }

    def curl(self) -> str:
        """Return the request as a curl command. Credentials are always shown as environment variables."""
        from .encoding import as_curl

        return as_curl(self.transport.placeholders(), self.signing, self.method, self.body)

    def __repr__(self) -> str:
        """Return wire, model and number of notes, never a credential."""
        model = self.request.model
        shown = repr(model) if isinstance(model, str) else type(model).__name__
        return f"<Built {self.wire.name} model={shown} notes={len(self.notes)}>"
