"""The transport of a request: URL and headers."""

from __future__ import annotations

from ..errors import InvalidRequest, MissingField, PromptwireError, SettingError
from ..nodes.records import replace
from ..typed import TYPE_CHECKING
from ..wire_json.values import plain_text

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Request
    from ..reporting.settings import Settings
    from .wire import Sent, Wire


class Transport:
    """The URL and headers of one request, from which the functions of its wire write them.

    Attributes:
        wire: The wire of the request.
        settings: The settings of the build, checked.
        request: The request, whose model and continuation may be in the URL.
    """

    __slots__ = ("_sent", "request", "settings", "wire")

    def __init__(self, wire: Wire, settings: Settings | None, request: Request) -> None:
        self.wire = wire
        self.settings = settings
        self.request = request
        self._sent: Sent | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Omit URL and headers, which hold credentials."""
        return Transport, (self.wire, self.settings, self.request)

    def sent(self) -> Sent:
        """Return URL and headers, which are computed once."""
        if self._sent is None:
            from .addresses import check_address, check_headers, check_used

            if self.settings and not self.wire.address_only.isdisjoint(self.settings):
                check_used(self.wire, self.settings, stream=bool(self.request.stream))
            sent = self._written()
            check_address(sent.url, self.wire.name, self.settings)
            check_headers(sent.headers, self.wire.name)
            self._sent = sent
        return self._sent

    def known_headers(self) -> dict[str, str]:
        """Return the headers without those whose credential was not passed."""
        sent, secrets = self.sent(), self.wire.secrets.items()
        unknown = [f"${variable}" for name, variable in secrets if self.setting(name) is None]
        return {
            name: text
            for name, text in sent.headers.items()
            if name not in sent.secret or not any(word in text for word in unknown)
        }

    def _written(self) -> Sent:
        """Return URL, with the caller's query string, and headers."""
        from .addresses import with_query

        sent = self.wire.transport(self)
        query = self.setting("query") if "query" in self.wire.settings else None
        return replace(sent, url=with_query(sent.url, query)) if query else sent

    def placeholders(self) -> Sent:
        """Return URL and headers with a marker in place of each credential (see `redaction`)."""
        from ..reporting.redaction import mark_placeholders

        self.sent()
        settings, variables = (None, {}) if self.settings is None else self.settings.with_placeholders()
        sent = Transport(self.wire, settings, self.request)._written()  # noqa: SLF001  # another of the same class
        url = mark_placeholders(sent.url, variables)
        headers = {name: mark_placeholders(text, variables) for name, text in sent.headers.items()}
        return replace(sent, url=url, headers=headers).marked()

    def setting(self, name: str) -> Any:
        """Return a build setting, or its default."""
        return self.wire.setting(name, self.settings)

    def continues(self, field: str) -> str | None:
        """Return a field of the request's continuation, `id` or `conversation`; None without one."""
        known = self.request.continuation
        return None if known is None else getattr(known, field)

    def url_setting(self, name: str) -> str:
        """Return the text of the model or of a required setting; a list is joined by commas."""
        field = name.partition(".")[2]
        value = (
            self.request.model if name == "model" else self.continues(field) if field else self.setting(name)
        )
        if not value and (name == "model" or field):
            raise MissingField(f"{name} is missing; the URL needs it", wire=self.wire.name, field=name)
        if value is None:
            error = SettingError(
                f"{self.wire.name}: the setting {name} is required; pass settings={{{name!r}: ...}}"
            )
            error.missing = name
            raise error
        return ",".join(value) if type(value) in (list, tuple) else str(plain_text(value))

    def url_piece(self, name: str) -> str:
        """Return the text of a setting that is used inside a URL unescaped. It cannot start another URL component."""
        from .addresses import is_piece

        text, known = self.url_setting(name), self.wire.settings.get(name)
        stated = () if known is None else (known.default, *known.choices)
        if text not in stated and not is_piece(text):
            why = "is used inside the URL; it must not be empty, . or .., nor contain spaces or any of / \\ ? # & ;"
            raise self._unfit(name, why)
        return text

    def host_piece(self, name: str) -> str:
        """Return the text of a setting that is part of a host name."""
        from .addresses import is_host_piece

        text = self.url_setting(name)
        if not is_host_piece(text):
            raise self._unfit(name, "is part of a host name; use letters, digits, - and _ only")
        return text

    def path_setting(self, name: str) -> str:
        """Return text that is percent-encoded into a URL path. Dot segments are rejected: encoding does not help."""
        from .addresses import leads_elsewhere

        text = self.url_setting(name)
        if leads_elsewhere(text):
            raise self._unfit(name, "is part of the URL path; its segments must not be . or ..")
        return text

    def _unfit(self, name: str, why: str) -> PromptwireError:
        """Return the error for text that does not fit the URL. It omits the text, which may be a credential."""
        if name == "model" or "." in name:
            return InvalidRequest(f"{name} {why}", wire=self.wire.name, field=name)
        return SettingError(f"{self.wire.name}: {name} {why}")

    def address_setting(self, name: str) -> str:
        """Return the address that a URL starts with, without a trailing slash."""
        from .addresses import leads_elsewhere

        address = self.url_setting(name).rstrip("/")
        if not address:
            raise SettingError(f"{self.wire.name}: {name} is empty; write it as https://host.example")
        if set(address) & set("?#\\ ") or not address.isprintable() or leads_elsewhere(address):
            raise self._unfit(
                name,
                "must be an address without spaces, \\ and dot segments; pass URL parameters as the setting query",
            )
        return address

    def unsent(self) -> InvalidRequest:
        """Return the error for a request that is not sent, because the wire is a local runtime."""
        why = f"{self.wire.title} runs in the caller's own process; it has a body, but no method, URL or headers"
        return InvalidRequest(why, wire=self.wire.name)
