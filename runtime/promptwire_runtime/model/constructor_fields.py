"""What the one-line constructors take by name, for type checkers: one TypedDict a constructor."""

from __future__ import annotations

from typing import Any, TypedDict

from .parts import Cache, PerWire
from .wire_memory import Kept, Provenance


class MessageFields(TypedDict, total=False):
    """What a message may carry beside its role and content."""

    name: str | None
    id: str | None
    status: str | None
    phase: str | None
    provenance: Provenance | None
    vendor: PerWire | None
    extra: PerWire | None
    kept: Kept | None


class PartFields(TypedDict, total=False):
    """What any part may carry."""

    cache: Cache | None
    signature: str | None
    provenance: Provenance | None
    vendor: PerWire | None
    extra: PerWire | None
    kept: Kept | None


class ResultFields(PartFields, total=False):
    """What a tool result may carry beside its name, its content and whether it is an error."""

    item_id: str | None
    status: str | None


class ImageFields(PartFields, total=False):
    """What an image may carry beside its source."""

    detail: str | None
    filename: str | None


class DocumentFields(PartFields, total=False):
    """What a document may carry beside its source."""

    title: str | None
    context: str | None
    filename: str | None
    detail: str | None
    citations: Any
