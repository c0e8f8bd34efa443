"""Batches: files of requests within the limits of each service, their results, and further rounds.

`write` converts files of requests and writes the files of a batch; `read` joins the results with the requests; `status`
tells how far it is; `retry` writes what failed again. All of them can be killed and repeated.
"""

from __future__ import annotations

from promptwire_runtime.build.batch_services import BatchService, batch_service, batch_services

from .errors import BatchError
from .job import Job
from .ledger import STATES, BatchEntry, SentFile
from .manifest import Manifest
from .results import ResultReport, read
from .rounds import Status, entries, failed_requests, retry, status
from .sending import FetchReport, fetch, send
from .shards import Shard
from .writing import write

__all__ = [
    "STATES",
    "BatchEntry",
    "BatchError",
    "BatchService",
    "FetchReport",
    "Job",
    "Manifest",
    "ResultReport",
    "SentFile",
    "Shard",
    "Status",
    "batch_service",
    "batch_services",
    "entries",
    "failed_requests",
    "fetch",
    "read",
    "retry",
    "send",
    "status",
    "write",
]
