"""Steps over the messages that some wires need; a spec switches them on."""

from .blanks import drops_blank, drops_empty
from .neighbours import joins, note_merged, open_last
from .results import results_apart

__all__ = ["drops_blank", "drops_empty", "joins", "note_merged", "open_last", "results_apart"]
