"""The error of batches."""

from __future__ import annotations

from promptwire_runtime import PromptwireError


class BatchError(PromptwireError):
    """A batch cannot be written, resumed or read; the message names the file and line, or the folder."""
