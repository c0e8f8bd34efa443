"""What the client needs of the package of an API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from promptwire_runtime import Answer, Built, Policies, Request, Wire
from promptwire_runtime.answers.api_error import ApiError
from promptwire_runtime.answers.stream import Stream


class ApiModule(Protocol):
    """The generated package of an API whose spec describes answers, such as `promptwire.openai_chat`."""

    WIRE: Wire

    def build(
        self, request: Request, *, settings: Mapping[str, Any] | None = None, policies: Policies | str = ...
    ) -> Built[Any]:
        """Build a request."""
        ...

    def read_answer(self, body: Any) -> Answer:
        """Read a whole answer."""
        ...

    def read_error(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> ApiError:
        """Read an error."""
        ...

    def stream(self, framing: str | None = None) -> Stream:
        """Return a reader of a streamed answer."""
        ...
