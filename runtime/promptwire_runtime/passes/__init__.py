"""Passes over the messages of a request. A spec turns on those that its API needs."""

from .blanks import drops_blank, drops_empty, joins, note_merged, open_last, results_apart

__all__ = ["drops_blank", "drops_empty", "joins", "note_merged", "open_last", "results_apart"]
