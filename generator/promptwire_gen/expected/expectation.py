"""One expectation of a generated builder."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..spec.fields import is_list, is_object
from ..spec.shapes import Shape

# stands for the name of the wire, so that its dialects have the same expectations
THIS_WIRE = "$wire"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A request, and the values in it that the API has no place for.

    Attributes:
        lost: The paths of values that a build may not drop by default, sorted, as notes name them.
        unused: The paths of values whose loss changes nothing for the model.
        shape: The shape that is written. A dialect that has it from its parent needs no test of its own.
    """

    name: str
    request: Mapping[str, Any]
    lost: tuple[str, ...]
    unused: tuple[str, ...] = ()
    shape: Shape | None = None

    def of_wire(self, wire: str) -> Expectation:
        """Return the expectation with the name of a wire in place of THIS_WIRE."""
        lost, unused = [
            tuple([path.replace(THIS_WIRE, wire) for path in paths]) for paths in (self.lost, self.unused)
        ]
        return replace(self, request=_named(self.request, wire), lost=lost, unused=unused)


def expect(
    name: str, fields: Mapping[str, Any], losses: Mapping[str, bool], shape: Shape | None = None
) -> Expectation:
    """Return the expectation for a request with these fields.

    `losses` are the paths of the values that are lost -> whether that changes the meaning.
    """
    request = {"messages": [{"user": "Hi"}], **fields}
    lost, unused = [
        tuple(sorted([path for path, matters in losses.items() if matters is meaning]))
        for meaning in (True, False)
    ]
    return Expectation(name=name, request=request, lost=lost, unused=unused, shape=shape)


def place_below(path: str, losses: Mapping[str, bool], told: Collection[str] = ()) -> dict[str, bool]:
    """Return the losses of a node by their paths in the request, except those that other keys express (`told`)."""
    return {f"{path}.{name}": matters for name, matters in losses.items() if name not in told}


def option_name(option: str) -> str:
    """Return how notes name an option of the wire that is built."""
    return f"vendor.{THIS_WIRE}.{option}"


def _named(value: Any, wire: str) -> Any:
    if is_object(value):
        return {wire if key == THIS_WIRE else key: _named(inner, wire) for key, inner in value.items()}
    if is_list(value):
        return [_named(inner, wire) for inner in value]
    return wire if value == THIS_WIRE else value
