"""The errors of the small package."""

from __future__ import annotations

from . import InvalidRequest, NoPlace, PromptwireError

__all__ = ["InvalidRequest", "NoPlace", "PromptwireError"]
