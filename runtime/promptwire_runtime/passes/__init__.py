"""Steps over the messages that some wires need; a spec switches them on."""

from .neighbours import may_join, may_merge, open_last
from .results import results_apart

__all__ = ["may_join", "may_merge", "open_last", "results_apart"]
