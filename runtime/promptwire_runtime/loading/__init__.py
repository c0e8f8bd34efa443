"""Loading a Request from a mapping, a JSON file or a YAML file."""

from __future__ import annotations

from .source import load_request

__all__ = ["load_request"]
