"""The address that a request is sent to, made of the settings that a caller gives."""

from __future__ import annotations

from .errors import SettingError
from .typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from .built import Built


# what a scheme may hold beside letters and digits
_MARKS = str.maketrans("", "", "+-.")


def check_address(url: str, built: Built[Any]) -> None:
    """Refuse an address without a scheme; a path alone is one, for clients that know the host."""
    scheme, found, rest = url.partition("://")
    named = found and scheme.isascii() and scheme.translate(_MARKS).isalnum()
    if url.startswith("/") or (named and rest[:1] not in ("", "/", "?")):
        return
    lacks, wanted = ("host", "an address such as https://host.example") if named else (
        "scheme", "write http:// or https:// before the host")  # fmt: skip
    secret = built.wire.secrets
    given = {name: value for name, value in (built.settings or {}).items() if value and name not in secret}
    name = next((name for name, value in given.items() if url.startswith(str(value).rstrip("/"))), None)
    said = f"{name}={given[name]!r}" if name is not None else "the address"
    raise SettingError(f"{built.wire.name}: {said} has no {lacks}: {wanted}")


def with_query(url: str, query: str) -> str:
    """Add parameters, as they are written (`beta=true&trace=1`), to those that a URL has."""
    if not query.isascii() or not query.isprintable() or set(query) & set(" #"):
        raise SettingError(
            "query is written as it stands in a URL: beta=true&trace=1, spaces and the like as %20"
        )
    return f"{url}{'&' if '?' in url else '?'}{query.removeprefix('?')}"
