"""The connections of an asynchronous client: one is kept for the next request; requests at once have their own."""

from __future__ import annotations

from typing import Any

import httpx

# a proxy would get what is meant for this machine, a key among it
_OWN_MACHINE: dict[str, None] = dict.fromkeys(("all://localhost", "all://127.0.0.1", "all://[::1]"))


def blocking_connections() -> httpx.Client:
    """Return an HTTP client with the proxies and certificates of the environment."""
    return httpx.Client(mounts=_OWN_MACHINE)


class Connections(httpx.AsyncClient):
    """An HTTP client for many requests at once, with the proxies and certificates of the environment.

    httpcore gives an idle connection to every request that starts before the first of them has sent something. The
    others find it busy, each a turn of the event loop after the other, or have it closed under them. Therefore a
    request takes a kept connection only while no other one waits for its response; otherwise it opens its own.
    """

    def __init__(self, most: int | None = 100) -> None:
        """Open nothing yet. `most` is the largest number of connections of each of the two kinds."""
        verify = httpx.create_ssl_context()
        kept = httpx.Limits(max_connections=most, max_keepalive_connections=None)
        super().__init__(verify=verify, limits=kept, mounts=_OWN_MACHINE)
        fresh = httpx.Limits(max_connections=most, max_keepalive_connections=0)
        self._fresh = httpx.AsyncClient(verify=verify, limits=fresh, mounts=_OWN_MACHINE)
        self._starting = False

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request."""
        if self._starting:
            return await self._fresh.send(request, **options)
        self._starting = True
        try:
            return await super().send(request, **options)
        finally:
            self._starting = False

    async def aclose(self) -> None:
        """Close all connections."""
        await self._fresh.aclose()
        await super().aclose()
