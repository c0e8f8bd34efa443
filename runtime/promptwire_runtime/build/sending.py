"""Where one build is sent: its settings, and what URL and headers are made of."""

from __future__ import annotations

from ..errors import InvalidRequest, MissingField, SettingError
from ..nodes.records import replace
from ..reporting.policies import STRICT, policies_of
from ..typed import TYPE_CHECKING
from ..wire_json.values import plain_text
from .finishing import Finishing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..reporting.policies import Policies
    from .wire import Sent, Wire


class Sending(Finishing):
    """What the functions for URL and headers call."""

    __slots__ = ()

    # a report knows the facts of the same wire
    wire: Wire  # pyright: ignore[reportIncompatibleVariableOverride]
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
            secret = self.wire.secrets
            shown = {name: value for name, value in (self.settings or {}).items() if name not in secret}
            check_address(sent.url, self.wire.name, shown)
            query = self.setting("query") if "query" in self.wire.settings else None
            self._sent = replace(sent, url=with_query(sent.url, query)) if query else sent
        return self._sent

    def placeholders(self) -> Sent:
        """Give URL and headers with environment variables in place of credentials."""
        secrets = self.wire.secrets
        settings = self.settings or {}
        shown = dict(settings) | {name: f"${secrets[name]}" for name in settings if name in secrets}
        bare = type(self)()
        bare.wire, bare.request, bare.policies = self.wire, self.request, self.policies
        bare.settings = self.wire.take_settings(shown)
        return self.wire.transport(bare)

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

    def body_setting(self, name: str) -> Any:
        """Give a build setting that stands in the body: text, a list of texts, or None."""
        value = self.setting(name)
        return list(value) or None if type(value) in (list, tuple) else value
