"""Decode JSON text, and notice what Python accepts and JSON does not."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any


class StrictJson:
    """The hooks of one decoding; `odd` becomes true for duplicate keys, NaN and infinite numbers."""

    def __init__(self) -> None:
        self.odd = False

    def decode(self, text: str | bytes) -> Any:
        """Decode a JSON text. Raises ValueError or RecursionError."""
        return json.loads(
            text, object_pairs_hook=self._object, parse_constant=self._number, parse_float=self._number
        )

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        self.odd = self.odd or len(value) < len(pairs)
        return value

    def _number(self, text: str) -> float:
        number = float(text)
        self.odd = self.odd or not isfinite(number)
        return number
