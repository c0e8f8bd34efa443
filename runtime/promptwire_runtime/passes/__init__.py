"""Steps over the messages that some wires need; a spec switches them on."""

from .neighbours import may_merge, merge_neighbours

__all__ = ["may_merge", "merge_neighbours"]
