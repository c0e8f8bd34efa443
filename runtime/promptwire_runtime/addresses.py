"""The address that a request is sent to, made of the settings that a caller gives."""

from __future__ import annotations

from .errors import SettingError
from .typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from .built import Built


def check_address(url: str, built: Built[Any]) -> None:
    """Refuse an address without a scheme; a path alone is one, for clients that know the host."""
    scheme, found, _ = url.partition("://")
    if url.startswith("/") or (found and scheme.isascii() and scheme.replace("+", "").isalnum()):
        return
    given = built.settings or {}
    name = next((name for name, value in given.items() if value and url.startswith(str(value))), None)
    said = f"{name}={given[name]!r}" if name is not None else "the address"
    raise SettingError(f"{built.wire.name}: {said} has no scheme: write http:// or https:// before the host")


def with_query(url: str, query: str) -> str:
    """Add parameters, as they are written (`beta=true&trace=1`), to those that a URL has."""
    if not query.isascii() or not query.isprintable() or set(query) & set(" #"):
        raise SettingError(
            "query is written as it stands in a URL: beta=true&trace=1, spaces and the like as %20"
        )
    return f"{url}{'&' if '?' in url else '?'}{query.removeprefix('?')}"
