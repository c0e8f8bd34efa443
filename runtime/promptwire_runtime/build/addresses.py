"""Check that the URL and headers of a request are valid HTTP. They contain settings that a caller passed in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from ..errors import SettingError
from ..reporting.redaction import shown_safely
from ..reporting.settings import Settings
from .wire import Wire

_SCHEMES = ("http", "https")
_LABELS = r"[\w-]+(?:\.[\w-]+)*"
# a host name or an IPv6 address in brackets, and a port
_HOST = re.compile(rf"(?:\[[0-9A-Fa-f:.]+(?:%25[\w.~-]+)?\]|{_LABELS}\.?)(?::[0-9]{{1,5}})?")
_HOST_PIECE = re.compile(r"[0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]+)*")
# what RFC 3986 allows unescaped in a segment or value, except & and ;
_PIECE = re.compile(r"(?:[0-9A-Za-z._~!$'()*+,:@=-]|%[0-9A-Fa-f]{2})+")
# clients and servers remove dot segments, and `..` with the segment before it
_DOTS = re.compile(r"(?:^|[/\\])\.{1,2}(?:$|[/\\;?#])")
# what RFC 9110 allows as a header name and value
_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_TEXT = re.compile(r"(?:[!-~\xa1-\xff](?:[ -~\xa0-\xff]*[!-~\xa1-\xff])?)?")


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
            why = "must be Latin-1 text without control characters and without spaces at its ends"
            raise SettingError(f"{wire}: the header {name} {why}")
