"""The batches of a service through the vendor's own SDK: upload a file, create a batch, ask how far it is, download."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Protocol
from urllib.parse import urlsplit

from promptwire_runtime import PromptwireError, Request, user

from .errors import BatchError
from .job import Job, wire_module

_MOST_SHOWN = 500


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a batch is: its status in the words of the service, and its result files where it has ended."""

    status: str
    ended: bool
    results: tuple[str, ...] = ()


class BatchClient(Protocol):
    """The calls of one SDK."""

    def upload(self, path: Path) -> Any:
        """Upload a file; return what `create` takes. A file that was uploaded costs nothing until then."""
        ...

    def create(self, uploaded: Any, model: str) -> str:
        """Create a batch; return its id. It is never sent twice: errors are for the caller to judge."""
        ...

    def state(self, batch: str) -> BatchState:
        """Return how far a batch is."""
        ...

    def download(self, results: str, out: IO[bytes]) -> None:
        """Write a result file."""
        ...


class _OpenAi:
    def __init__(self, job: Job, base_url: str | None) -> None:
        self._endpoint = _endpoint(job)
        self._client = _sdk("openai", "openai").OpenAI(base_url=base_url, max_retries=0)

    def upload(self, path: Path) -> Any:
        with path.open("rb") as stream:
            return self._client.files.create(file=(path.name, stream), purpose="batch").id

    def create(self, uploaded: Any, model: str) -> str:
        del model
        made = self._client.batches.create(
            input_file_id=uploaded, endpoint=self._endpoint, completion_window="24h"
        )
        return _id(made.id)

    def state(self, batch: str) -> BatchState:
        found = self._client.batches.retrieve(batch)
        problems = found.errors.data if found.errors is not None and found.errors.data else ()
        told = ": ".join([found.status, *[problem.message for problem in problems[:1] if problem.message]])
        ended = found.status in ("completed", "failed", "expired", "cancelled")
        return BatchState(told, ended, _list_given(found.output_file_id, found.error_file_id))

    def download(self, results: str, out: IO[bytes]) -> None:
        with self._client.files.with_streaming_response.content(results) as response:
            _write(response.iter_bytes(), out)


class _Anthropic:
    def __init__(self, job: Job, base_url: str | None) -> None:
        self._job = job
        self._client = _sdk("anthropic", "anthropic").Anthropic(base_url=base_url, max_retries=0)

    def upload(self, path: Path) -> Any:
        # its batches are created with their requests
        requests = json.loads(path.read_bytes())["requests"]
        betas = ",".join(_betas(self._job, [row["params"] for row in requests]))
        return requests, {"anthropic-beta": betas} if betas else None

    def create(self, uploaded: Any, model: str) -> str:
        del model
        requests, headers = uploaded
        return _id(self._client.messages.batches.create(requests=requests, extra_headers=headers).id)

    def state(self, batch: str) -> BatchState:
        found = self._client.messages.batches.retrieve(batch)
        ended = found.processing_status == "ended"
        return BatchState(found.processing_status, ended, (batch,) if ended and found.results_url else ())

    def download(self, results: str, out: IO[bytes]) -> None:
        with self._client.messages.batches.with_streaming_response.results(results) as response:
            _write(response.iter_bytes(), out)


class _Gemini:
    def __init__(self, _: Job, base_url: str | None) -> None:
        options = None if base_url is None else {"base_url": base_url}
        self._client = _sdk("google.genai", "google-genai").Client(http_options=options)

    def upload(self, path: Path) -> Any:
        return self._client.files.upload(file=str(path), config={"mime_type": "jsonl"}).name

    def create(self, uploaded: Any, model: str) -> str:
        return _id(self._client.batches.create(model=model, src=uploaded).name)

    def state(self, batch: str) -> BatchState:
        found = self._client.batches.get(name=batch)
        status = found.state.name.removeprefix("JOB_STATE_").lower()
        told = f"{status}: {found.error.message}" if found.error and found.error.message else status
        ended = status in ("succeeded", "partially_succeeded", "failed", "cancelled", "expired")
        return BatchState(told, ended, _list_given(found.dest.file_name if found.dest else None))

    def download(self, results: str, out: IO[bytes]) -> None:
        out.write(self._client.files.download(file=results))


class _Mistral:
    def __init__(self, job: Job, base_url: str | None) -> None:
        self._endpoint = _endpoint(job)
        options = {} if base_url is None else {"server_url": base_url}
        mistral, key = _sdk("mistralai.client", "mistralai").Mistral, os.environ.get("MISTRAL_API_KEY")
        if not key:
            raise BatchError("mistral: no API key; set the environment variable MISTRAL_API_KEY")
        self._client = mistral(api_key=key, **options)

    def upload(self, path: Path) -> Any:
        with path.open("rb") as stream:
            file = {"file_name": path.name, "content": stream}
            return self._client.files.upload(file=file, purpose="batch").id

    def create(self, uploaded: Any, model: str) -> str:
        made = self._client.batch.jobs.create(
            input_files=[uploaded], model=model or None, endpoint=self._endpoint
        )
        return _id(made.id)

    def state(self, batch: str) -> BatchState:
        found = self._client.batch.jobs.get(job_id=batch)
        told = ": ".join([found.status, *[problem.message for problem in found.errors[:1]]])
        ended = found.status in ("SUCCESS", "FAILED", "TIMEOUT_EXCEEDED", "CANCELLED")
        return BatchState(told, ended, _list_given(found.output_file, found.error_file))

    def download(self, results: str, out: IO[bytes]) -> None:
        _write(self._client.files.download(file_id=results).iter_bytes(), out)


# name of the service -> its client
_CLIENTS: Mapping[str, Callable[[Job, str | None], BatchClient]] = {
    "openai": _OpenAi,
    "anthropic": _Anthropic,
    "gemini": _Gemini,
    "mistral": _Mistral,
}


def vendor_client(job: Job, base_url: str | None = None) -> BatchClient:
    """Return the client of the service that runs a batch, with the credential that its SDK finds in the environment.

    Raises:
        BatchError: there is no client for this service, its SDK is not installed, or finds no credential.
    """
    service = job.facts().name
    if service not in _CLIENTS:
        known = ", ".join(_CLIENTS)
        raise BatchError(
            f"promptwire sends batches to {known}; upload the files to {service} yourself,"
            " and read the results with promptwire batch read"
        )
    with vendor_errors(service):
        return _CLIENTS[service](job, base_url)


@contextmanager
def vendor_errors(service: str) -> Generator[None]:
    """Convert the errors of an SDK. Raises BatchError, whose cause is the SDK's error."""
    try:
        yield
    except BatchError:
        raise
    except Exception as error:
        text = " ".join(str(error).split())[:_MOST_SHOWN]
        raise BatchError(f"{service}: {type(error).__name__}: {text}") from error


def is_refusal(error: BatchError) -> bool:
    """Return whether the service did not do what was asked: it said so, or was not reached."""
    status = _status(error)
    if status is None:
        return _is_of_network(error, "ConnectError", "ConnectTimeout")
    # a timeout or a conflict says nothing about what was done
    return 400 <= status < 500 and status not in (408, 409)


def may_pass(error: BatchError) -> bool:
    """Return whether the same question may be answered later: the network failed, or the service was busy or down."""
    status = _status(error)
    if status is None:
        return _is_of_network(error, "TransportError")
    return status >= 500 or status in (408, 409, 429)


def _status(error: BatchError) -> int | None:
    cause = error.__cause__
    status = getattr(cause, "status_code", None) or getattr(cause, "code", None)
    return status if isinstance(status, int) else None


def _is_of_network(error: BatchError, *kinds: str) -> bool:
    """Return whether an error of httpx is behind it, which all SDKs use and some of them wrap."""
    cause = error.__cause__
    causes = (cause, getattr(cause, "__cause__", None))
    return any(kind.__name__ in kinds for one in causes for kind in type(one).__mro__)


def _sdk(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise BatchError(f"the SDK that sends this batch is not installed: pip install {package}") from None


def _probe(job: Job) -> Any:
    """Build the smallest request of a job, for its URL."""
    probe = Request(job.model or "m", [user("Hello")])
    return wire_module(job.to).build(probe, settings=job.settings, policies="verbatim")


def _betas(job: Job, bodies: Iterable[Any]) -> Iterable[str]:
    """Return the betas that requests need, each once: a batch has one header for all of them."""
    wire, betas = wire_module(job.to), dict[str, None]()
    for body in bodies:
        # a line that was divided as it is may be one that cannot be read
        with suppress(PromptwireError):
            built = wire.build(wire.read(body).request, settings=job.settings, policies="lenient")
            betas |= dict.fromkeys(filter(None, built.headers.get("anthropic-beta", "").split(",")))
    return betas


def _endpoint(job: Job) -> str:
    return job.facts().path or str(urlsplit(str(_probe(job).url)).path)


def _id(found: Any) -> str:
    if not isinstance(found, str) or not found:
        raise BatchError("the service gave the batch no id")
    return found


def _list_given(*names: Any) -> tuple[str, ...]:
    # an SDK may have a value of its own for a field that did not come
    return tuple([name for name in names if isinstance(name, str) and name])


def _write(chunks: Iterable[bytes], out: IO[bytes]) -> None:
    for chunk in chunks:
        out.write(chunk)
