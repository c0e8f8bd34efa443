"""The transport of a request: URL and headers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ..errors import InvalidRequest, MissingField, PromptwireError, SettingError
from ..nodes.records import replace
from ..reporting.redaction import shown_safely
from ..reporting.settings import Settings
from ..wire_json.values import plain_text
from .wire import Wire

if TYPE_CHECKING:
    from ..model.request import Request
    from .wire import Sent

_SCHEMES = ("http", "https")
_LABELS = r"[\w-]+(?:\.[\w-]+)*"
# a host name or an IPv6 address in brackets, and a port
_HOST = re.compile(rf"(?:\[[0-9A-Fa-f:.]+(?:%25[\w.~-]+)?\]|{_LABELS}\.?)(?::[0-9]{{1,5}})?")
_HOST_PIECE = re.compile(r"[0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]+)*")
# what RFC 3986 allows unescaped in a segment or value, except & and ;
_PIECE = re.compile(r"(?:[0-9A-Za-z._~!$'()*+,:@=-]|%[0-9A-Fa-f]{2})+")
# clients and servers remove dot segments, and `..` with the segment before it
_DOTS = re.compile(r"(?:^|[/\\])\.{1,2}(?:$|[/\\;?#])")
# RFC 9110: names are tokens. Values are ASCII, because one client sends other letters as Latin-1, another as UTF-8
_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_TEXT = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?)?")


def check_address(url: str, wire: str, settings: Settings | None) -> None:
    """Raise SettingError for a URL that is not an HTTP URL or a path; a path is for clients that know the host.

    The error names the setting that the URL begins with, unless that is a credential.
    """
    scheme, colon, rest = url.partition(":")
    of_http = colon and scheme.lower() in _SCHEMES
    host = rest.removeprefix("//").partition("/")[0].partition("?")[0].rpartition("@")[2]
    if (url.startswith("/") and not url.startswith("//")) or (
        of_http and rest.startswith("//") and _HOST.fullmatch(host)
    ):
        return
    problem = (
        "has no host; write it as https://host.example:8000/v1"
        if of_http
        else f"has the scheme {scheme}; use http:// or https://"
        if colon and rest.startswith("//") and scheme.isidentifier()
        else "has no scheme; write http:// or https:// before the host"
    )
    stated: dict[str, Any] = dict(settings or {})
    for hidden in () if settings is None else settings.variables():
        del stated[hidden]
    name = next(
        (name for name, value in stated.items() if value and url.startswith(str(value).rstrip("/"))), None
    )
    what = f"{name}={shown_safely(str(stated[name]))!r}" if name is not None else "the URL"
    raise SettingError(f"{wire}: {what} {problem}")


def check_used(wire: Wire, settings: Settings, *, stream: bool) -> None:
    """Raise SettingError for a setting without effect, because other settings choose a URL that leaves it out."""
    chosen = {name: setting.default for name, setting in wire.settings.items()} | dict(settings)

    def holds(conditions: Mapping[str, tuple[str, ...]]) -> bool:
        return all(chosen[name] in values for name, values in conditions.items())

    def uses(template: str, conditions: Mapping[str, tuple[str, ...]], name: str) -> bool:
        return name in conditions or f"${{{name}}}" in template or f"${{{name}|" in template

    used = next((url, when) for url, flag, when in wire.urls if flag in {None, stream} and holds(when))
    for name in sorted(wire.address_only & settings.keys()):
        if settings[name] == wire.settings[name].default or uses(*used, name):
            continue
        forms = [when for url, _, when in wire.urls if uses(url, when, name)]
        needed = {
            key: values for key, values in forms[0].items() if all(when.get(key) == values for when in forms)
        }
        others = " and ".join(
            f"{key} to {' or '.join(values)}" for key, values in needed.items() if key != name
        )
        deciding = {key for _, _, when in wire.urls for key in when if wire.settings[key].choices}
        state = ", ".join(f"{key} {chosen[key]}" for key in sorted(deciding))
        way_out = f"set {others} as well, or omit {name}" if others else f"omit {name}"
        raise SettingError(f"{wire.name}: the setting {name} has no effect with {state}; {way_out}")


def is_piece(text: str) -> bool:
    """Return whether a text can be part of a URL unescaped, without starting another component."""
    plain = unquote(text)
    return (
        bool(_PIECE.fullmatch(text))
        and plain.isprintable()
        and not (set(plain) & set("/\\?#&;%") or leads_elsewhere(text))
    )


def is_host_piece(text: str) -> bool:
    """Return whether a text can be part of a host name."""
    return _HOST_PIECE.fullmatch(text) is not None


def leads_elsewhere(text: str) -> bool:
    """Return whether a path segment is . or .., also after decoding it any number of times."""
    while not _DOTS.search(text):
        decoded = unquote(text)
        if decoded == text:
            return False
        text = decoded
    return True


def with_query(url: str, query: str) -> str:
    """Append a query string such as `beta=true&trace=1` to a URL."""
    if not query.isascii() or not query.isprintable() or set(query) & set(" #"):
        raise SettingError(
            "query must be a URL query string such as beta=true&trace=1; percent-encode spaces and non-ASCII text"
        )
    return f"{url}{'&' if '?' in url else '?'}{query.removeprefix('?')}"


def check_headers(headers: Mapping[str, str], wire: str) -> None:
    """Raise SettingError for a header that no client can send. The error omits the value, which may be a credential."""
    for name, text in headers.items():
        if not _NAME.fullmatch(name):
            raise SettingError(f"{wire}: {name!r} is not a valid header name; use letters, digits and -")
        if not _TEXT.fullmatch(text):
            why = "must be ASCII text without control characters and without spaces at its ends"
            raise SettingError(f"{wire}: the header {name} {why}")


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
        sent = self.wire.transport(self)
        query = self.setting("query") if "query" in self.wire.settings else None
        return replace(sent, url=with_query(sent.url, query)) if query else sent

    def placeholders(self) -> Sent:
        """Return URL and headers with a marker in place of each credential (see `redaction`)."""
        from ..reporting.redaction import mark_placeholders

        given = self.sent()
        settings, variables = (None, {}) if self.settings is None else self.settings.with_placeholders()
        if not variables:
            return given.marked()
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
        text, known = self.url_setting(name), self.wire.settings.get(name)
        stated = () if known is None else (known.default, *known.choices)
        if text not in stated and not is_piece(text):
            why = "is used inside the URL; it must not be empty, . or .., nor contain spaces or any of / \\ ? # & ;"
            raise self._unfit(name, why)
        return text

    def host_piece(self, name: str) -> str:
        """Return the text of a setting that is part of a host name."""
        text = self.url_setting(name)
        if not is_host_piece(text):
            raise self._unfit(name, "is part of a host name; use letters, digits, - and _ only")
        return text

    def path_setting(self, name: str) -> str:
        """Return text that is percent-encoded into a URL path. Dot segments are rejected: encoding does not help."""
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
