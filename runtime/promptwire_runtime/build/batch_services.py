"""The services that run requests of an API in batches: what their files look like, and one line of such a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from ..errors import InvalidRequest, SettingError
from ..nodes.checks import CheckedRecord
from ..wire_json.kinds import is_object
from .encoding import encoded
from .wire import Wire


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BatchService(CheckedRecord):
    """The form and the limits of one service's batch files.

    name          the service: `openai`, `azure`, `anthropic`, `together`
    line          the keys of one request, each with what stands there: `id`, `method`, `path`, `body`
    when          the settings with which this service is meant
    path          the path that every line states; None for the path of the URL
    wraps         the key of the list of requests, if a file is one JSON object; None for JSON lines
    omits         keys of the body that a line leaves out
    id_in         where the id stands inside the body, if a line has no key for it
    ids           the pattern that an id must match, if there is one
    id_length     how long an id may be, if that is known
    model         `line` if each line has a model of its own, `file` if all lines of a file have one
    min_requests  how many requests a file must have
    max_requests  how many requests a file may have
    max_bytes     how large a file may be
    source        who states this, and when
    """

    name: str
    line: Mapping[str, str]
    when: Mapping[str, str] = field(default_factory=dict[str, str])
    path: str | None = None
    wraps: str | None = None
    omits: tuple[str, ...] = ()
    id_in: str | None = None
    ids: str | None = None
    id_length: int | None = None
    model: str = "line"
    min_requests: int | None = None
    max_requests: int | None = None
    max_bytes: int | None = None
    source: str = ""

    def encoded_line(self, built: Any, custom_id: str, body: bytes | None = None) -> bytes:
        """Return a `Built` as one line of a file, without the line break; `body` is its `json()`, if that is known.

        Raises:
            InvalidRequest: the id is empty, or the request is streamed.
        """
        if not custom_id or type(custom_id) is not str:
            raise InvalidRequest(
                "a batch request requires an id, which must be text", wire=built.wire.name, field="custom_id"
            )
        if built.request.stream:
            raise InvalidRequest("a batch request cannot be streamed", wire=built.wire.name, field="stream")
        words: dict[str, Any] = {"id": custom_id, "method": built.method}
        if "path" in self.line.values():
            words["path"] = self.path or urlsplit(str(built.url)).path
        pieces = {key: encoded(words[word]) for key, word in self.line.items() if word != "body"}
        text = self._body(built, custom_id, body)
        return b"{%s}" % b",".join([encoded(key) + b":" + pieces.get(key, text) for key in self.line])

    def _body(self, built: Any, custom_id: str, body: bytes | None) -> bytes:
        changed: dict[str, Any] = built.body
        if self.omits and not changed.keys().isdisjoint(self.omits):
            changed = {key: value for key, value in changed.items() if key not in self.omits}
        if self.id_in is not None:
            changed = _with_id(changed, self.id_in, custom_id)
        if changed is not built.body:
            return encoded(changed)
        whole: bytes = built.json() if body is None else body
        return whole


def batch_services(wire: Wire) -> tuple[BatchService, ...]:
    """Return the services that run requests of a wire in batches."""
    return tuple([BatchService(name=name, **facts) for name, facts in wire.batches.items()])


def batch_service(
    wire: Wire, name: str | None = None, settings: Mapping[str, Any] | None = None
) -> BatchService:
    """Return a service by its name, or the first one that the settings mean.

    Raises:
        InvalidRequest: the wire has no batches.
        SettingError: no service has this name, or the settings mean none.
    """
    services = batch_services(wire)
    if not services:
        raise InvalidRequest("batches are not supported for this API", wire=wire.name)
    given = {key: setting.default for key, setting in wire.settings.items()} | dict(settings or {})
    for service in services:
        meant = all(given.get(key) == value for key, value in service.when.items())
        if service.name == name or (name is None and meant):
            return service
    names = ", ".join([service.name for service in services])
    if name is not None:
        raise SettingError(f'{wire.name}: no batch service is called "{name}"; use {names}')
    raise SettingError(f"{wire.name}: the settings mean no batch service; name one of {names}")


def _with_id(body: dict[str, Any], path: str, custom_id: str) -> dict[str, Any]:
    """Return a copy of a body with the id at a path; objects on the way are copied."""
    key, _, rest = path.partition(".")
    inner = body.get(key)
    value = _with_id(dict(inner) if is_object(inner) else {}, rest, custom_id) if rest else custom_id
    return {**body, key: value}
