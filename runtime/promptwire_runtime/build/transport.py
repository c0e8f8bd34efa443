"""Where one build is sent: its settings, and what URL and headers are made of."""

from __future__ import annotations

from ..errors import InvalidRequest, MissingField, PromptwireError, SettingError
from ..nodes.records import replace
from ..reporting.policies import STRICT, policies_of
from ..typed import TYPE_CHECKING
from ..wire_json.values import plain_text
from .finishing import NodeFinisher

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..reporting.policies import Policies
    from .wire import Sent, Wire


class TransportMixin(NodeFinisher):
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
            from .addresses import check_address, check_headers

            sent = self._transported()
            check_address(sent.url, self.wire.name, self.settings)
            check_headers(sent.headers, self.wire.name)
            self._sent = sent
        return self._sent

    def known_headers(self) -> dict[str, str]:
        """Give the headers without those of a credential that was not given."""
        sent, secrets = self.sent(), self.wire.secrets.items()
        unknown = [f"${variable}" for name, variable in secrets if self.setting(name) is None]
        return {
            name: text
            for name, text in sent.headers.items()
            if name not in sent.secret or not any(word in text for word in unknown)
        }

    def _transported(self) -> Sent:
        """Give URL, with the caller's own parameters, and headers."""
        from .addresses import with_query

        sent = self.wire.transport(self)
        query = self.setting("query") if "query" in self.wire.settings else None
        return replace(sent, url=with_query(sent.url, query)) if query else sent

    def placeholders(self) -> Sent:
        """Give URL and headers with the name of a variable, between two NUL, in place of each credential."""
        from ..reporting.redaction import mark_placeholders

        self.sent()
        bare = type(self)()
        bare.wire, bare.request, bare.policies = self.wire, self.request, self.policies
        variables: dict[str, str] = {}
        if self.settings is not None:
            bare.settings, variables = self.settings.with_placeholders()
        sent = bare._transported()  # noqa: SLF001  # another build of the same class
        url = mark_placeholders(sent.url, variables)
        headers = {name: mark_placeholders(text, variables) for name, text in sent.headers.items()}
        return replace(sent, url=url, headers=headers).marked()

    def continues(self, field: str) -> str | None:
        """Give what the continuation of the request says: its `id` or `conversation`."""
        known = self.request.continuation
        return None if known is None else getattr(known, field)

    def url_setting(self, name: str) -> str:
        """Give the text of the model or of a setting that the URL or a header needs; a list joined by commas."""
        field = name.partition(".")[2]
        value = (
            self.request.model if name == "model" else self.continues(field) if field else self.setting(name)
        )
        if not value and (name == "model" or field):
            raise MissingField(f"{name} is missing: the URL needs it", wire=self.wire.name, field=name)
        if value is None:
            error = SettingError(
                f"{self.wire.name}: the setting {name} is needed: settings={{{name!r}: ...}}"
            )
            error.missing = name
            raise error
        return ",".join(value) if type(value) in (list, tuple) else str(plain_text(value))

    def url_piece(self, name: str) -> str:
        """Give the text of a setting that stands inside a URL as it is: what a caller gives does not end its piece."""
        from .addresses import is_piece

        text, known = self.url_setting(name), self.wire.settings.get(name)
        stated = () if known is None else (known.default, *known.choices)
        if text not in stated and not is_piece(text):
            why = "stands inside the URL: no ., no .., no space and none of / \\ ? # & ;, and it is not empty"
            raise self._unfit(name, why)
        return text

    def host_piece(self, name: str) -> str:
        """Give the text of a setting that stands inside the name of a host."""
        from .addresses import is_host_piece

        text = self.url_setting(name)
        if not is_host_piece(text):
            raise self._unfit(name, "stands inside the name of a host: it has letters, digits, - and _ only")
        return text

    def path_setting(self, name: str) -> str:
        """Give text that is quoted to stand in the path of a URL; dots alone would lead elsewhere all the same."""
        from .addresses import leads_elsewhere

        text = self.url_setting(name)
        if leads_elsewhere(text):
            raise self._unfit(name, "stands in the path of the URL: none of its pieces is . or ..")
        return text

    def _unfit(self, name: str, why: str) -> PromptwireError:
        """Give the error of a text that its place in a URL does not take; it may be a credential, so nobody sees it."""
        if name == "model" or "." in name:
            return InvalidRequest(f"{name} {why}", wire=self.wire.name, field=name)
        return SettingError(f"{self.wire.name}: {name} {why}")

    def address_setting(self, name: str) -> str:
        """Give the address that a URL begins with, without a slash at its end."""
        from .addresses import leads_elsewhere

        address = self.url_setting(name).rstrip("/")
        if not address:
            raise SettingError(
                f"{self.wire.name}: {name} is empty: it is an address such as https://host.example"
            )
        if set(address) & set("?#\\ ") or not address.isprintable() or leads_elsewhere(address):
            raise self._unfit(
                name,
                "is an address without spaces, \\ and . or .. in its path; its parameters are the setting query",
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
