"""Which layers say nothing that another does not say."""

from __future__ import annotations

from ..model.options import Instruction


def contained(layers: list[Instruction], dropped: list[tuple[Instruction, str]]) -> list[Instruction]:
    """Give the layers whose text no other layer contains (of equal ones the first); report the others.

    Layers of different roles, and layers with cache marks or options of their own, are never compared.
    """
    kept: list[Instruction] = []
    for index, layer in enumerate(layers):
        if layer.plain and any(
            other.role == layer.role
            and layer.text in other.text
            and (place < index or layer.text != other.text)
            for place, other in enumerate(layers)
            if place != index and other.plain
        ):
            dropped.append((layer, "another layer contains it"))
        else:
            kept.append(layer)
    return kept
