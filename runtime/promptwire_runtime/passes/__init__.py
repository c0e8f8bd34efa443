"""Steps over the messages that some wires need; a spec switches them on."""

from .neighbours import join_last, may_merge

__all__ = ["join_last", "may_merge"]
