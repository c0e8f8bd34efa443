"""A server that speaks some APIs to its clients and others to the servers behind. The extra `serve`."""

from __future__ import annotations

from .application import Application, application
from .calls import NOTES
from .configuration import Caller, Gateway, ModelTarget, Upstream, digest_of

__all__ = ["NOTES", "Application", "Caller", "Gateway", "ModelTarget", "Upstream", "application", "digest_of"]
