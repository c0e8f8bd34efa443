"""A client for the requests that promptwire builds: ask, stream, run tools. Needs httpx: the extra `http`."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("httpx") is None:
    raise ModuleNotFoundError('promptwire.http needs httpx: pip install "promptwire[http]"', name="httpx")

from promptwire_runtime.execution.run_records import Run, RunLimitError, RunOptions, StepLimitError

# a missing package is named with what installs it
from .client import AsyncClient, Client, ClientOptions
from .errors import ApiConnectionError, ApiStatusError, ApiTimeoutError, HttpError
from .exchange import Outgoing
from .middleware import cache, fallback, log, telemetry
from .model_calls import CallSteps, Middleware, ModelCall
from .objects import AsyncObjectStream, ObjectStream
from .streams import AsyncEventStream, EventStream

__all__ = [
    "ApiConnectionError",
    "ApiStatusError",
    "ApiTimeoutError",
    "AsyncClient",
    "AsyncEventStream",
    "AsyncObjectStream",
    "CallSteps",
    "Client",
    "ClientOptions",
    "EventStream",
    "HttpError",
    "Middleware",
    "ModelCall",
    "ObjectStream",
    "Outgoing",
    "Run",
    "RunLimitError",
    "RunOptions",
    "StepLimitError",
    "cache",
    "fallback",
    "log",
    "telemetry",
]
