"""Instructions that stand as the first messages: the keys of such a message, and the wire's words for its role."""

from __future__ import annotations

from dataclasses import dataclass

from ...model.neutral import LAYER_ROLES
from ...model.wire import WireModel


@dataclass(frozen=True)
class FirstMessages:
    """`{speaker: role, content: ...}`.

    Attributes:
        words: The roles that a message may have -> the words of the wire; empty where these are the same.
    """

    wire: WireModel
    words: dict[str, str]

    @property
    def role(self) -> str:
        """The role of a layer that names none."""
        return self.wire.instructions.role

    @property
    def roles(self) -> list[str]:
        """The roles that layers may have here."""
        return sorted(set(self.wire.messages) & {"system", "developer"})

    @property
    def content(self) -> str:
        """The key of the content."""
        return self.wire.content_key(self.role)

    @property
    def joined(self) -> bool:
        """Return whether the texts of several layers become one."""
        return self.wire.instructions.several == "join"


def first_messages(wire: WireModel) -> FirstMessages | None:
    """Return how instructions are written as first messages; None where they have a key."""
    if wire.instructions.placement != "first_message":
        return None
    assigned = [str(rule.set["instructions.role"]) for rule in wire.rules if "instructions.role" in rule.set]
    roles = dict.fromkeys((wire.instructions.role, *assigned, *LAYER_ROLES))
    words = {role: wire.messages[role].wire_role for role in roles if role in wire.messages}
    return FirstMessages(wire, words if any(role != word for role, word in words.items()) else {})
