"""The working memory of one build, which generated code reads from and reports to."""

from __future__ import annotations

from ..errors import InvalidRequest, MissingField, PromptwireError, SettingError
from ..model.nodes import replace
from ..model.paths import owner_of
from ..model.request import Message, Request
from ..reporting.policies import STRICT, policies_of
from ..typed import TYPE_CHECKING
from ..wire_json.values import plain_text
from .finishing import Completing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.options import Continuation
    from ..model.tools import ToolAddition
    from ..reporting.policies import Policies
    from .wire import Sent, Wire


class BuildContext(Completing):
    """One build: its wire, request, settings and policies, and what was found out on the way.

    Generated code reads from it and reports to it.
    """

    __slots__ = ()

    settings: Mapping[str, Any] | None = None
    # made when they are first needed: most builds need none of them
    called: dict[object, str] | None = None
    marks: int = 0
    last_mark: object = None
    last_reordered: Message | None = None
    # what the wire's server goes on with
    continued: Continuation | None = None
    _pairs_checked: bool = False
    _sent: Sent | None = None

    def configure(self, settings: Mapping[str, Any] | None, policies: Policies | str) -> None:
        """Take settings and policies; raises SettingError or PolicyError."""
        if policies is not STRICT:
            self.policies = policies_of(policies)
        if settings is not None:
            self.settings = self.wire.take_settings(settings)

    def sent(self) -> Sent:
        """Give URL and headers, which are found out once."""
        if self._sent is None:
            from .addresses import check_address, with_query

            sent = self.wire.transport(self)
            check_address(sent.url, self)
            query = self.setting("query") if "query" in self.wire.settings else None
            self._sent = replace(sent, url=with_query(sent.url, query)) if query else sent
        return self._sent

    def placeholders(self) -> Sent:
        """Give URL and headers with environment variables in place of credentials."""
        secrets = self.wire.secrets
        given = self.settings or {}
        shown = dict(given) | {name: f"${secrets[name]}" for name in given if name in secrets}
        bare = start(self.wire, self.request)
        bare.configure(shown, self.policies)
        return self.wire.transport(bare)

    def setting(self, name: str) -> Any:
        """Give a build setting, or its default."""
        if self.settings is not None and name in self.settings:
            return self.settings[name]
        return self.wire.settings[name].default

    def url_setting(self, name: str) -> str:
        """Give the text of the model or of a setting that the URL or a header needs; a list joined by commas."""
        value = self.request.model if name == "model" else self.setting(name)
        if not value and name == "model":
            raise MissingField("model is missing: the URL needs it", wire=self.wire.name, field="model")
        if value is None:
            error = SettingError(
                f"{self.wire.name}: the setting {name} is needed: settings={{{name!r}: ...}}"
            )
            error.missing = name
            raise error
        return ",".join(value) if type(value) in (list, tuple) else str(plain_text(value))

    def url_piece(self, name: str) -> str:
        """Give the text of a setting that stands inside a URL as it is: what a caller gives does not end its piece."""
        text, known = self.url_setting(name), self.wire.settings[name]
        if text not in (known.default, *known.choices) and (not text or set(text) & set("/\\?#& ")):
            # the value is not repeated: it may hold a credential
            why = "stands inside the URL: it is not empty, and has no space and none of / \\ ? # &"
            raise SettingError(f"{self.wire.name}: {name} {why}")
        return text

    def address_setting(self, name: str) -> str:
        """Give the address that a URL begins with, without a slash at its end."""
        address = self.url_setting(name).rstrip("/")
        if not address:
            raise SettingError(
                f"{self.wire.name}: {name} is empty: it is an address such as https://host.example"
            )
        if set(address) & set("?# "):
            # the value is not repeated: it may hold a credential
            raise SettingError(
                f"{self.wire.name}: {name} is an address; its parameters are the setting query"
            )
        return address

    def unsent(self) -> InvalidRequest:
        """Give the error for whoever asks a local runtime where it sends."""
        why = f"{self.wire.title} runs in the caller's own process: it has a body, and no method, URL or headers"
        return InvalidRequest(why, wire=self.wire.name)

    def watch(self, node: object) -> None:
        """Let the rules look at a message, part or mark that one of them may refuse: once, wherever it stands."""
        if self.policies.refusals == "ignore":
            return
        if self._judged is None:
            self._judged = {}
        if id(node) not in self._judged:
            self._judged[id(node)] = node
            self.wire.decide(self.request.model, self.settings).check_watched(node, self)

    def mark(self, node: Any) -> Any:
        """Give the cache mark of a node, which is sent, and let the rules look at it."""
        if self.policies.refusals != "ignore":
            self.marks += 1
            self.wire.decide(self.request.model, self.settings).check_mark(node, self)
        return node.cache

    def watch_option(self, path: str) -> None:
        """Let the rules look at an option that is beyond the limits of one of them."""
        if self.policies.refusals != "ignore":
            self.wire.decide(self.request.model, self.settings).check_option(path, self)

    def watch_kinds(self) -> None:
        """Let the rules look at the kinds of tools and their number, once."""
        if not self._kinds_checked and self.policies.refusals != "ignore":
            self._kinds_checked = True
            self.wire.decide(self.request.model, self.settings).check_kinds(self)

    def watch_tools(self) -> None:
        """Let the rules look at the tools, once, when one of them is what a rule may refuse."""
        if not self._tools_checked and self.policies.refusals != "ignore":
            self._tools_checked = True
            self.wire.decide(self.request.model, self.settings).check_tools(self)
            self.watch_schemas()

    def watch_schemas(self) -> None:
        """Let the rules look at the schemas that are followed to the letter, once."""
        if not self._schemas_checked and self.policies.refusals != "ignore":
            self._schemas_checked = True
            self.wire.decide(self.request.model, self.settings).check_schemas(self)

    def watch_added(self, part: ToolAddition) -> None:
        """Let the rules look at the tools that a message brings along."""
        if self.policies.refusals != "ignore":
            self.wire.decide(self.request.model, self.settings).check_added(part.tools, self)

    def unseen(self, request: Request) -> tuple[Message, ...]:
        """Give the messages that the server does not hold yet, and note that the others are left out."""
        from ..passes.continuation import unseen

        self.continued = request.continuation
        return unseen(request, self)

    def placed(self, error: PromptwireError) -> PromptwireError:
        """Add wire, path and field to an error that knows only the value it is about."""
        if not isinstance(error, InvalidRequest) or error.value is None:
            return error
        node, field = owner_of(self.request, error.value)
        path = self.path(node)
        call = getattr(node, "id", None) if field == "arguments" else None
        text = str(error) if call is None else f"{error} (call {call})"
        return InvalidRequest(text, wire=self.wire.name, path=path, field=field)

    def broken(self, error: Exception) -> InvalidRequest:
        """Say which value of the request has a type that its field does not take."""
        from ..model.type_errors import broken

        given = self.request if self._given is None else self._given
        return broken((given, self.request), error, self.wire.name)

    def rest_of(self, message: Message, *shared: str) -> Message:
        """Give what is left of a message after its first piece; `shared` is on every piece: `name`, `vendor.prefix`."""
        from ..passes.splitting import rest_of

        return rest_of(message, shared, self)

    def reordered(self, message: Message) -> None:
        """Note, once, a message whose content stands behind its calls and is sent before them."""
        if self.last_reordered is not message:
            self.last_reordered = message
            self.note("moved", message, "parts", "what stands behind its calls is sent before them here")

    def close_call(self, result: Any, calls: list[Any] | None) -> None:
        """Take the call that a result answers off those that are open; look at the pairs where there is none."""
        if calls and result.call_id in calls:
            calls.remove(result.call_id)
        else:
            self.check_pairs(calls)

    def check_pairs(self, calls: list[Any] | None) -> None:
        """Report, once, the calls and results of the request that stand alone; no call is open after that."""
        if calls:
            calls.clear()
        if not self._pairs_checked:
            self._pairs_checked = True
            from ..passes.pairing import report_orphans

            report_orphans(self)

    def without_item(self, message: Message) -> None:
        """Report what stands on a message when all its parts are items of their own."""
        from ..passes.splitting import without_item

        without_item(message, self)


def start(wire: Wire, request: Request) -> BuildContext:
    """Start a strict build without settings; generated code does the same inline."""
    build = BuildContext()
    build.wire = wire
    build.request = request
    build.policies = STRICT
    return build
