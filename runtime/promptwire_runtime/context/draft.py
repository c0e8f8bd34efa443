"""What context providers and filters see and change: the request so far, and its instructions as layers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..model.request import Message, Request
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import Record, replace
from .layers import LayersLike, Merged, from_source, merge
from .policies import REQUEST
from .sections import Section


@dataclass(frozen=True, eq=False, repr=False)
class Draft(Record):
    """A request on its way; every method gives a new draft.

    request     the caller's request as it is by now; its own `instructions` are already layers
    merged      the layers and sections of its system text
    properties  what the caller handed to `prepare`: ids, paths, anything that providers and filters want
    """

    request: Request
    merged: Merged
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def text(self) -> str:
        """The system text as it is by now; empty when there is none."""
        return self.merged.text

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation as it is by now, without the system text."""
        return self.request.messages

    def with_section(self, name: str, text: str) -> Draft:
        """Put a named section behind the layers, or replace the one of that name; a blank text takes it out."""
        return replace(self, merged=self.merged.with_section(Section(name, text)))

    def with_text(self, layers: LayersLike, source: str = REQUEST) -> Draft:
        """Replace all layers and sections by others."""
        merged = merge(from_source(source, layers), self.merged.policies)
        return replace(self, merged=merged._replace(dropped=self.merged.dropped + merged.dropped))

    def with_messages(self, messages: Iterable[Message]) -> Draft:
        """Replace the conversation."""
        return replace(self, request=replace(self.request, messages=tuple(messages)))
