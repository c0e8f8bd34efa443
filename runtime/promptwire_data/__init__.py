"""Convert, check and read requests in columns: for `map_batches` of Ray Data, and for tables of pyarrow and polars.

Each function takes a table with a column of JSON texts and returns a table of the same kind, so that it needs none of
these packages itself. `write_files` writes the batch of each input file in a folder of its own.
"""

from __future__ import annotations

from .columns import Convert, Lint, ReadResults
from .files import FileBatch, write_files

__all__ = ["Convert", "FileBatch", "Lint", "ReadResults", "write_files"]
