"""Names of nodes in the spec language: a part, a message, a tool by its kind."""

from __future__ import annotations

# by the name of a class
_KINDS: dict[str, str] = {}
TOOL_WORDS = {"tool": "function", "custom_tool": "custom", "tool_group": "group", "hosted_tool": "hosted"}


def kind_of(node: object) -> str:
    """Return the kind of a node: the name of its class in snake case."""
    return kind_of_class(type(node))


def kind_of_class(cls: type) -> str:
    """Return the kind of the nodes of a class."""
    name = cls.__name__
    kind = _KINDS.get(name)
    if kind is None:
        letters = ["_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(name)]
        kind = _KINDS[name] = "".join(letters)
    return kind


def spec_word(node: object) -> str:
    """Return the name of a node in specs: for a tool its kind in `unions.tool`, for other nodes their kind."""
    kind = kind_of(node)
    return TOOL_WORDS.get(kind, kind)
