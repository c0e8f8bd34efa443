"""What `build` returns: method, URL, headers, body and notes; also the place where builders report problems."""

from __future__ import annotations

from .errors import InvalidRequest, MissingField, PromptwireError, SettingError
from .json_values import is_mapping
from .nodes import replace
from .places import owner_of
from .policies import policies_of
from .reports import Reports
from .request import Message, Request
from .typed import TYPE_CHECKING, BodyT, Generic
from .values import plain_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .policies import Policies
    from .wire import Sent, Signing, Wire


class Built(Reports, Generic[BodyT]):
    """One request, ready to send.

    body    the JSON body; payloads (schemas, arguments, base64 text) are the caller's own objects
    notes   what was moved, merged or dropped on the way
    """

    body: BodyT
    settings: Mapping[str, Any] | None = None
    # made when they are first needed: most builds need none of them
    called: dict[object, str] | None = None
    _sent: Sent | None = None

    def configure(self, settings: Mapping[str, Any] | None, policies: Policies | str) -> None:
        """Take settings and policies; raises SettingError or PolicyError."""
        self.policies = policies_of(policies)
        if settings is not None:
            self.wire.check_settings(settings)
            self.settings = {name: plain_text(value) for name, value in settings.items()}

    # ---- what a caller reads

    @property
    def method(self) -> str:
        """The HTTP method."""
        if not self.wire.method:
            raise self.unsent()
        return self.wire.method

    @property
    def local(self) -> bool:
        """Whether the wire is a runtime in the caller's own process: then there is a body, and nothing to send."""
        return not self.wire.method

    @property
    def url(self) -> str:
        """The URL."""
        return self._transport().url

    @property
    def shown_url(self) -> str:
        """The URL for people to see: `$NAME` stands for each credential among its parameters."""
        from .credentials import masked

        return masked(self.url)

    @property
    def headers(self) -> dict[str, str]:
        """The headers; a credential that was not given stands as `$NAME` of its environment variable."""
        return dict(self._transport().headers)

    @property
    def signing(self) -> Signing | None:
        """The signature that the caller's signer must add; None where headers say all."""
        return None if self.wire.signing is None else self.wire.signing(self)

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

    def curl(self) -> str:
        """Give the request as a curl command; credentials are always shown as environment variables."""
        from .encoding import as_curl

        return as_curl(self._transport(), self._placeholders(), self.signing, self.method, self.body)

    def __repr__(self) -> str:
        """Show wire, model and size, never a credential."""
        model = self.request.model
        shown = repr(model) if isinstance(model, str) else type(model).__name__
        return f"<Built {self.wire.name} model={shown} notes={len(self.notes)}>"

    def _transport(self) -> Sent:
        if self._sent is None:
            from .encoding import with_query

            sent = self.wire.transport(self)
            query = self.setting("query") if "query" in self.wire.settings else None
            self._sent = replace(sent, url=with_query(sent.url, query)) if query else sent
        return self._sent

    def _placeholders(self) -> Sent:
        secrets = self.wire.secrets
        given = {name: value for name, value in (self.settings or {}).items() if value is not None}
        shown = given | {name: f"${secrets[name]}" for name in given if name in secrets}
        bare: Built[Any] = start(self.wire, self.request)
        bare.configure(shown, self.policies)
        return self.wire.transport(bare)

    # ---- what generated code calls

    def setting(self, name: str) -> Any:
        """Give a build setting, or its default."""
        if self.settings is not None and name in self.settings:
            return self.settings[name]
        return self.wire.settings[name].default

    def url_setting(self, name: str) -> str:
        """Give the text of the model or of a setting that the URL or a header needs; a list joined by commas."""
        value = self.request.model if name == "model" else self.setting(name)
        if name == "model":
            if value is None:
                raise MissingField("model is missing: the URL needs it", wire=self.wire.name, field="model")
            if not isinstance(value, str):
                kind = type(value).__name__
                raise InvalidRequest(f"the URL takes text, not {kind}", wire=self.wire.name, field="model")
        if value is None:
            error = SettingError(
                f"{self.wire.name}: the setting {name} is needed: settings={{{name!r}: ...}}"
            )
            error.missing = name
            raise error
        return ",".join(value) if type(value) in (list, tuple) else str(plain_text(value))

    def address_setting(self, name: str) -> str:
        """Give the address that a URL begins with, without a slash at its end."""
        address = self.url_setting(name).rstrip("/")
        if not address or set(address) & set("?# "):
            # the value is not repeated: it may hold a credential
            raise SettingError(
                f"{self.wire.name}: {name} is an address; its parameters are the setting query"
            )
        return address

    def unsent(self) -> InvalidRequest:
        """Give the error for whoever asks a local runtime where it sends."""
        why = f"{self.wire.title} runs in the caller's own process: it has a body, and no method, URL or headers"
        return InvalidRequest(why, wire=self.wire.name)

    def vendor(self, node: Any) -> Mapping[str, Any]:
        """Give this wire's own options on a node."""
        given: Mapping[str, Mapping[str, Any]] = node.vendor or {}
        return given.get(self.wire.name, {})

    def watch(self, node: object) -> None:
        """Let the rules look at a message, part or mark that one of them may refuse: once, wherever it stands."""
        if self.policies.refusals == "ignore":
            return
        if self._judged is None:
            self._judged = {}
        if id(node) not in self._judged:
            self._judged[id(node)] = node
            self.wire.decide(self.request.model, self.settings).check_watched(node, self)

    def watch_option(self, path: str) -> None:
        """Let the rules look at an option that is beyond the limits of one of them."""
        if self.policies.refusals != "ignore":
            self.wire.decide(self.request.model, self.settings).check_option(path, self)

    def watch_tools(self) -> None:
        """Let the rules look at the tools, once, when one of them is what a rule may refuse."""
        if not self._tools_checked and self.policies.refusals != "ignore":
            self._tools_checked = True
            self.wire.decide(self.request.model, self.settings).check_tools(self)

    def check_vendor(self, node: Any, known: frozenset[str]) -> None:
        """Report vendor options that no shape of this node names; those of other wires get a note."""
        for wire in node.vendor:
            if wire != self.wire.name:
                self.note("dropped", node, f"vendor.{wire}", "options of another wire")
        for name in self.vendor(node):
            if name not in known:
                self.lost(
                    node, f"vendor.{self.wire.name}.{name}", f"{self.wire.title} knows no such option here"
                )

    def unseen(self, request: Request) -> tuple[Message, ...]:
        """Give the messages that the server does not hold yet, and note that the others are left out."""
        from .continuing import unseen

        return unseen(request, self)

    def placed(self, error: PromptwireError) -> PromptwireError:
        """Add wire, path and field to an error that knows only the value it is about."""
        if not isinstance(error, InvalidRequest) or error.value is None:
            return error
        path, field = owner_of(self.request, error.value)
        return InvalidRequest(str(error), wire=self.wire.name, path=path, field=field)

    def broken(self, error: Exception) -> InvalidRequest:
        """Say which value of the request has a type that its field does not take."""
        from .misfits import broken

        return broken(self.request, error, self.wire.name)

    def bare(self, node: Any) -> None:
        """Report options and extra JSON of a node whose value stands bare, where no key could join it."""
        if node.kept is not None:
            self.forget(node)
        if node.vendor is not None:
            self.check_vendor(node, frozenset())
        for wire in node.extra or ():
            if wire == self.wire.name:
                self.lost(node, f"extra.{wire}", "its value stands bare")
            else:
                self.note("dropped", node, f"extra.{wire}", "meant for another wire")

    def opaque(self, node: Any) -> Any:
        """Give an element of this wire as it came, and report what a caller put beside it."""
        if not node.plain:
            for name in ("cache", "signature"):
                if getattr(node, name) is not None:
                    self.lost(node, name, "the element is sent as it came")
            self.bare(node)
        return node.value

    def recall(self, item: dict[str, Any], node: Any) -> dict[str, Any]:
        """Apply the memory of this wire to a node's JSON."""
        kept = node.kept
        if kept is None or kept.form is None:
            return item
        if kept.wire != self.wire.name:
            self.forget(node)
            return item
        from .memory import restore

        return restore(item, kept.form)

    def finish(self, item: dict[str, Any], node: Any, known: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Complete a node's JSON: memory of this wire, unknown vendor options, extra JSON."""
        if node.kept is not None:
            item = self.recall(item, node)
        if node.vendor is not None:
            self.check_vendor(node, known)
        if node.extra is not None:
            item = self._extend(item, node)
        return item

    def _extend(self, item: dict[str, Any], node: Any) -> dict[str, Any]:
        for wire, addition in node.extra.items():
            if wire == self.wire.name:
                item = _merge(item, addition)
                self.note("added", node, "extra", f"merged as given: {', '.join(map(str, addition))}")
            else:
                self.note("dropped", node, f"extra.{wire}", "meant for another wire")
        return item

    def spread(
        self, named: dict[str, Any], rest: Mapping[str, Any] | None, node: object, option: str = ""
    ) -> dict[str, Any]:
        """Put free JSON beside the named keys of a node; a name that both hold is an error, as is what has no names.

        `option` names the vendor option that the JSON was given as.
        """
        given: Any = rest
        if given is not None and not is_mapping(given):
            path, shown = self.path(node), type(given).__name__
            field = f"vendor.{self.wire.name}.{option}" if option else ""
            text = f"{option} is an object" if option else f"a JSON object stands here, not {shown}"
            raise InvalidRequest(text, wire=self.wire.name, path=path, field=field)
        if rest:
            for key in rest:
                if key in named:
                    path = self.path(node)
                    raise InvalidRequest(f'"{key}" is given twice', wire=self.wire.name, path=path, field=key)
            named.update(rest)
        return named

    def shape_of(self, node: Any) -> str | None:
        """Give the alternative that a node was read as, when it was read from this wire."""
        kept = node.kept
        return kept.shape if kept is not None and kept.wire == self.wire.name else None


def start(wire: Wire, request: Request) -> Built[Any]:
    """Start a strict build without settings; generated code does the same inline and fills in the body."""
    built: Built[Any] = Built()
    built.wire = wire
    built.request = request
    return built


def _merge(item: Mapping[str, Any], addition: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(item)
    for key, value in addition.items():
        old = out.get(key)
        if is_mapping(old) and is_mapping(value):
            out[key] = _merge(old, value)
        else:
            out[key] = value
    return out
