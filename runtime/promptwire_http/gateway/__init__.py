"""A server that speaks some APIs to its clients and another one to the server behind. The extra `serve`."""

from __future__ import annotations

from .application import application
from .calls import NOTES
from .configuration import Gateway

__all__ = ["NOTES", "Gateway", "application"]
