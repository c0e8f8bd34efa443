"""Labels of variants, which name their generated functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .wire import Variant


def with_own_labels(variants: Sequence[Variant]) -> tuple[Variant, ...]:
    """Add roles or slot to the labels of shapes that share kind, source and variant."""
    counts: dict[str, int] = {}
    for variant in variants:
        counts[variant.label] = counts.get(variant.label, 0) + 1
    labelled: list[Variant] = []
    labels: set[str] = set()
    for variant in variants:
        label = variant.label
        if counts[label] > 1 and variant.roles:
            label = f"{label}_{variant.roles[0]}"
        while label in labels:
            label += "_also"
        labels.add(label)
        labelled.append(replace(variant, label=label))
    return tuple(labelled)
