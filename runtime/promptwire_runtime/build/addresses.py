"""Whether address and headers are what HTTP takes: they are made of the settings that a caller gives."""

from __future__ import annotations

import re
from urllib.parse import unquote

from ..errors import SettingError
from ..reporting.redaction import without_any_user
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..reporting.settings import Settings


_SCHEMES = ("http", "https")
_LABELS = r"[\w-]+(?:\.[\w-]+)*"
# a name or an address in brackets, and a port
_HOST = re.compile(rf"(?:\[[0-9A-Fa-f:.]+(?:%25[\w.~-]+)?\]|{_LABELS}\.?)(?::[0-9]{{1,5}})?")
_HOST_PIECE = re.compile(r"[0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]+)*")
# what RFC 3986 takes inside a segment or value as it stands, but for & and ;
_PIECE = re.compile(r"(?:[0-9A-Za-z._~!$'()*+,:@=-]|%[0-9A-Fa-f]{2})+")
# clients and servers leave such a segment out, the second kind with the one before it
_DOTS = re.compile(r"(?:^|[/\\])\.{1,2}(?:$|[/\\;?#])")
# what RFC 9110 takes as the name and the value of a header
_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_TEXT = re.compile(r"(?:[!-~\xa1-\xff](?:[ -~\xa0-\xff]*[!-~\xa1-\xff])?)?")


def check_address(url: str, wire: str, settings: Settings | None) -> None:
    """Refuse an address that is not of HTTP; a path alone is one, for clients that know the host.

    The error names the setting that the address begins with, unless that is a credential.
    """
    scheme, colon, rest = url.partition(":")
    of_http = colon and scheme.lower() in _SCHEMES
    host = rest.removeprefix("//").partition("/")[0].partition("?")[0].rpartition("@")[2]
    if (url.startswith("/") and not url.startswith("//")) or (
        of_http and rest.startswith("//") and _HOST.fullmatch(host)
    ):
        return
    trouble = (
        "has no host: an address is such as https://host.example:8000/v1"
        if of_http
        else f"is of {scheme}, not of HTTP: write http:// or https:// before the host"
        if colon and rest.startswith("//") and scheme.isidentifier()
        else "has no scheme: write http:// or https:// before the host"
    )
    stated: dict[str, Any] = dict(settings or {})
    for hidden in () if settings is None else settings.variables():
        del stated[hidden]
    name = next(
        (name for name, value in stated.items() if value and url.startswith(str(value).rstrip("/"))), None
    )
    said = f"{name}={without_any_user(str(stated[name]))!r}" if name is not None else "the address"
    raise SettingError(f"{wire}: {said} {trouble}")


def is_piece(text: str) -> bool:
    """Tell whether a text stands inside a URL as it is, and begins nothing else."""
    plain = unquote(text)
    return (
        bool(_PIECE.fullmatch(text))
        and plain.isprintable()
        and not (set(plain) & set("/\\?#&;%") or leads_elsewhere(text))
    )


def is_host_piece(text: str) -> bool:
    """Tell whether a text stands inside the name of a host, and does not end it."""
    return _HOST_PIECE.fullmatch(text) is not None


def leads_elsewhere(text: str) -> bool:
    """Tell whether a segment of a path is . or .., as it stands or however often it is decoded."""
    while not _DOTS.search(text):
        decoded = unquote(text)
        if decoded == text:
            return False
        text = decoded
    return True


def with_query(url: str, query: str) -> str:
    """Add parameters, as they are written (`beta=true&trace=1`), to those that a URL has."""
    if not query.isascii() or not query.isprintable() or set(query) & set(" #"):
        raise SettingError(
            "query is written as it stands in a URL: beta=true&trace=1, spaces and the like as %20"
        )
    return f"{url}{'&' if '?' in url else '?'}{query.removeprefix('?')}"


def check_headers(headers: Mapping[str, str], wire: str) -> None:
    """Refuse a header that no client can send; its value may be a credential, and is not repeated."""
    for name, text in headers.items():
        if not _NAME.fullmatch(name):
            raise SettingError(f"{wire}: {name!r} is no name of a header: it has letters, digits and - only")
        if not _TEXT.fullmatch(text):
            why = "takes Latin-1 letters, no control character, and no space at its ends"
            raise SettingError(f"{wire}: the header {name} {why}")
