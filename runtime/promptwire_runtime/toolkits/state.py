"""The toolkit state of a conversation: plain data, stored as JSON between two requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import InvalidRequest
from ..nodes.checks import CheckedRecord
from ..nodes.records import fields, replace
from ..wire_json.kinds import is_list, is_mapping
from .config import MESSAGE_TURN, WHILE_EXPANDED, CollapsingConfig


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ToolkitState(CheckedRecord):
    """The expanded toolkits and their active texts. Every change returns a new state.

    expanded      names of the toolkits that are expanded, in that order
    active        names of those whose system prompt is in the instructions, in the order in which they came
    prompts       name of a toolkit to its system prompt as it was when it was asked for; "" where there is none
    descriptions  name of a toolkit to its description, where a function gave that
    rules         name of a toolkit to its system prompt, where the API defers tools itself and is told from the start
    answered      ids of calls of functions that were not shown yet: a toolkit was expanded instead
    """

    expanded: tuple[str, ...] = ()
    active: tuple[str, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    descriptions: Mapping[str, str] = field(default_factory=dict[str, str])
    rules: Mapping[str, str] = field(default_factory=dict[str, str])
    answered: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the state as JSON."""
        lists = {"expanded": self.expanded, "active": self.active, "answered": self.answered}
        objects = {"prompts": self.prompts, "descriptions": self.descriptions, "rules": self.rules}
        return {name: list(texts) for name, texts in lists.items()} | {
            name: dict(texts) for name, texts in objects.items()
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> ToolkitState:
        """Read a state from JSON; missing keys have their defaults.

        Raises InvalidRequest for what `to_json` never gives.
        """
        if not is_mapping(data):
            raise InvalidRequest(f"a state of toolkits is an object, not {type(data).__name__}")
        kinds = {row.name: row.default == () for row in fields(cls)}
        for name, value in data.items():
            if name not in kinds:
                raise InvalidRequest(f'a state of toolkits has no "{name}"', field=name)
            texts = value if is_list(value) else [*value, *value.values()] if is_mapping(value) else [None]
            if is_list(value) != kinds[name] or not all(isinstance(text, str) for text in texts):
                wanted = "a list of texts" if kinds[name] else "an object of texts"
                raise InvalidRequest(f"in a state of toolkits, {name} is {wanted}", field=name)
        values: dict[str, Any] = {
            name: tuple(value) if kinds[name] else dict(value) for name, value in data.items()
        }
        return cls(**values)

    # ---- changes

    def said(self, name: str, prompt: str) -> ToolkitState:
        """Add a system prompt to the instructions, after the active ones."""
        active = self.active if name in self.active else (*self.active, name)
        return replace(self, active=active, prompts={**self.prompts, name: prompt})

    def opened(self, name: str) -> ToolkitState:
        """Expand a toolkit."""
        return self if name in self.expanded else replace(self, expanded=(*self.expanded, name))

    def closed(self, name: str, config: CollapsingConfig) -> ToolkitState:
        """Collapse a toolkit; what it said goes with it where the configuration says `while_expanded`."""
        state = replace(self, expanded=tuple([other for other in self.expanded if other != name]))
        if config.lifetime != WHILE_EXPANDED:
            return state
        active = tuple([other for other in state.active if other != name])
        prompts = {other: text for other, text in state.prompts.items() if other != name}
        return replace(state, active=active, prompts=prompts)

    def next_turn(self, config: CollapsingConfig) -> ToolkitState:
        """Start a new message turn: deactivate prompts that last one message turn."""
        return replace(self, active=()) if config.lifetime == MESSAGE_TURN else self
