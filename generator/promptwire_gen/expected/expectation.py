"""One expectation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..spec.fields import is_list, is_object

# stands for the name of the wire, so that the expectations of its dialects are the same
THIS_WIRE = "$wire"


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

    def of_wire(self, wire: str) -> Expectation:
        """Return the expectation with the name of a wire in place of THIS_WIRE."""
        return replace(self, request=_named(self.request, wire))


def _named(value: Any, wire: str) -> Any:
    if is_object(value):
        return {wire if key == THIS_WIRE else key: _named(inner, wire) for key, inner in value.items()}
    if is_list(value):
        return [_named(inner, wire) for inner in value]
    return wire if value == THIS_WIRE else value
