"""What `build` returns: method, URL, headers, body and notes of one request."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING, BodyT, Generic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.request import Request
    from ..reporting.notes import Note
    from ..reporting.policies import Policies
    from .clients import Arguments
    from .context import BuildContext
    from .wire import Signing, Wire


class Built(Generic[BodyT]):
    """One request, ready to send.

    body     the JSON body; the large JSON of a request (schemas, arguments, results, citations, elements, extra, form
             memory) stands in it as the caller's own objects: whoever changes that changes a deep copy
    context  the working memory of its build, of which the properties tell
    """

    # every build makes one: two slots are set sooner than a method takes two arguments
    __slots__ = ("__weakref__", "body", "context")

    body: BodyT
    context: BuildContext

    @property
    def request(self) -> Request:
        """The request as it was written: rules and passes may have made another one of the caller's."""
        return self.context.request

    @property
    def wire(self) -> Wire:
        """The wire that it was build for."""
        return self.context.wire

    @property
    def policies(self) -> Policies:
        """The policies of the build."""
        return self.context.policies

    @property
    def settings(self) -> Mapping[str, Any] | None:
        """The settings that were given, and what rules added to them."""
        return self.context.settings

    @property
    def account(self) -> dict[str, Any]:
        """The settings that what this API's server holds belongs to, as they may be shown."""
        state, settings = self.wire.state, self.context.shown_settings()
        return {name: settings[name] for name in (() if state is None else state.binds) if name in settings}

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was moved, merged or dropped on the way."""
        return self.context.notes

    @property
    def method(self) -> str:
        """The HTTP method."""
        if self.local:
            raise self.context.unsent()
        return self.wire.method

    @property
    def local(self) -> bool:
        """Whether the wire is a runtime in the caller's own process: then there is a body, and nothing to send."""
        return not self.wire.method

    @property
    def url(self) -> str:
        """The URL."""
        return self.context.sent().url

    @property
    def shown_url(self) -> str:
        """The URL for people to see: `$NAME` stands for each credential."""
        from ..reporting.redaction import show_marks

        return show_marks(self.context.placeholders().url)

    @property
    def headers(self) -> dict[str, str]:
        """The headers; a credential that was not given stands as `$NAME` of its environment variable."""
        return dict(self.context.sent().headers)

    @property
    def shown_headers(self) -> dict[str, str]:
        """The headers for people to see: `$NAME` stands for each credential."""
        from ..reporting.redaction import show_marks

        return {name: show_marks(text) for name, text in self.context.placeholders().headers.items()}

    @property
    def signing(self) -> Signing | None:
        """The signature that the caller's signer must add; None where headers say all."""
        return None if self.wire.signing is None else self.wire.signing(self.context)

    @property
    def digest(self) -> str:
        """SHA-256 of the body, independent of key order."""
        import hashlib

        from .encoding import encoded

        return hashlib.sha256(encoded(self.body, sort_keys=True)).hexdigest()

    def batch_line(self, custom_id: str) -> bytes:
        """Give this request as one line (without its end) of the API's batch; the body is the one of `.json()`.

        Raises InvalidRequest without an id, for a streamed request, and on a wire without batches.
        """
        from urllib.parse import urlsplit

        from .encoding import encoded

        if not self.wire.batch:
            raise InvalidRequest("its spec knows no batches", wire=self.wire.name)
        if not custom_id:
            raise InvalidRequest("a request of a batch needs an id", wire=self.wire.name, field="custom_id")
        if self.request.stream:
            raise InvalidRequest("a request of a batch is not streamed", wire=self.wire.name, field="stream")
        words = {"id": custom_id, "method": self.method, "path": urlsplit(self.url).path, "body": self.body}
        return encoded({key: words[word] for key, word in self.wire.batch.items()})

    def json(self) -> bytes:
        """Give the body as compact UTF-8 JSON."""
        from .encoding import encoded

        return encoded(self.body)

    def kwargs_for(self, client: str) -> Arguments:
        """Give the keyword arguments with which somebody else's client sends this request.

        client  the client's package: `openai`, `anthropic`, `google-genai`, `boto3`, `mistralai`, `cohere`

        What comes back is a dict; its `.call` names the method (`chat.completions.create`), its `.base_url` is where
        the client must be. Keys of the body that the method has no argument for, headers and parameters of the URL
        go where the client takes such (`extra_body`, `extra_headers`, `extra_query`). Credentials are the client's own.
        Raises ClientError for another API's client, which names those that fit, and for what the client cannot send.
        """
        from .clients import arguments_for

        return arguments_for(self.context, self.body, client)

    def httpx(self) -> dict[str, Any]:
        """Give the arguments of `httpx.request` and `httpx.stream`: method, url, headers, content.

        The content is the bytes of `.json()`. A credential that was not given is left out: `auth` of httpx may show it.
        """
        return {
            "method": self.method,
            "url": self.url,
            "headers": self.context.known_headers(),
            "content": self.json(),
        }

    def curl(self) -> str:
        """Give the request as a curl command; credentials are always shown as environment variables."""
        from .encoding import as_curl

        return as_curl(self.context.placeholders(), self.signing, self.method, self.body)

    def __repr__(self) -> str:
        """Show wire, model and size, never a credential."""
        model = self.request.model
        shown = repr(model) if isinstance(model, str) else type(model).__name__
        return f"<Built {self.wire.name} model={shown} notes={len(self.notes)}>"
