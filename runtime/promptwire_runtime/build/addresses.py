"""The address that a request is sent to, made of the settings that a caller gives."""

from __future__ import annotations

import re

from ..errors import SettingError
from ..typed import TYPE_CHECKING
from .credentials import without_user

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


_SCHEMES = ("http", "https")
# a name or an address in brackets, and a port
_HOST = re.compile(r"(?:\[[^\[\]]+\]|[^:\[\]]+)(?::[0-9]+)?")


def check_address(url: str, wire: str, settings: Mapping[str, Any]) -> None:
    """Refuse an address that is not of HTTP; a path alone is one, for clients that know the host.

    `settings` are those that may be shown: the error names the one that the address begins with.
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
    stated = {name: value for name, value in settings.items() if value}
    name = next((name for name, value in stated.items() if url.startswith(str(value).rstrip("/"))), None)
    said = f"{name}={without_user(str(stated[name]))!r}" if name is not None else "the address"
    raise SettingError(f"{wire}: {said} {trouble}")


def with_query(url: str, query: str) -> str:
    """Add parameters, as they are written (`beta=true&trace=1`), to those that a URL has."""
    if not query.isascii() or not query.isprintable() or set(query) & set(" #"):
        raise SettingError(
            "query is written as it stands in a URL: beta=true&trace=1, spaces and the like as %20"
        )
    return f"{url}{'&' if '?' in url else '?'}{query.removeprefix('?')}"
