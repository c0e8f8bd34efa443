"""One expectation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One request, and its body, an error of this kind about this field, or the fields of a part that are lost.

    None of these where the shapes do not decide it.
    """

    name: str
    request: Mapping[str, Any]
    body: Mapping[str, Any] | None = None
    error: str | None = None
    field: str | None = None
    lost: tuple[str, ...] = ()
