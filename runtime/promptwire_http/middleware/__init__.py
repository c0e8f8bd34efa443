"""Middleware that is ready to use: telemetry, a cache, a log, and another client if the first one fails."""

from __future__ import annotations

from .caching import cache
from .call_log import log
from .fallback import fallback
from .telemetry import telemetry

__all__ = ["cache", "fallback", "log", "telemetry"]
