"""A job: what its lines become. A job is plain data, so that workers get it and a manifest keeps it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import blake2b
from importlib import import_module
from typing import Any

from promptwire_runtime.build.batch_services import BatchService, batch_service
from promptwire_runtime.wire_json.kinds import is_object

from .errors import BatchError

# no service is known to take less
_ID_LENGTH = 64
_PLAIN_ID = re.compile(r"[!-~]+")
_USER = re.compile(r"(//)[^/?#]*@")


@dataclass(frozen=True)
class Job:
    """The settings for building and writing the requests of a batch.

    Attributes:
        to: The wire to build them for.
        service: The service that runs the batch, such as `together`; by default the one that the settings mean.
        source: The wire of lines that do not name theirs.
        model: The model there; the own one of each line by default.
        policies: The policies for `build`: a preset, or choices.
        settings: The settings for `build`. Credentials are left out: no line of a batch has one.
        deduplicate: Whether a request whose body was there before is written once; its result counts for both.
        as_is: Whether the lines are lines of this service already, and are kept byte by byte.
    """

    to: str
    service: str | None = None
    source: str | None = None
    model: str | None = None
    policies: str = "portable"
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    deduplicate: bool = False
    as_is: bool = False

    def __post_init__(self) -> None:
        """Leave credentials out."""
        secret = wire_module(self.to).WIRE.secrets
        public = {
            name: _without_password(value) for name, value in self.settings.items() if name not in secret
        }
        object.__setattr__(self, "settings", public)

    def facts(self) -> BatchService:
        """Return what the service takes.

        Raises:
            InvalidRequest: the wire has no batches.
            SettingError: no service has this name, or the settings mean none.
        """
        return batch_service(wire_module(self.to).WIRE, self.service, self.settings)

    def as_json(self) -> dict[str, Any]:
        """Return the job as plain data."""
        return asdict(self)


@cache
def wire_module(name: str) -> Any:
    """Return the module of a wire. Raises PromptwireError for an unknown name."""
    return import_module("promptwire").wire(name)


def aliases() -> Mapping[str, str]:
    """Return the names of wires in recorded requests, and those of the wires themselves: name -> wire."""
    package = import_module("promptwire")
    return {name: name for name in package.WIRES} | dict(package.ALIASES)


def id_for(name: str, service: BatchService) -> str:
    """Return the id of a request: its name if the service takes that, or else a digest of the name."""
    fits = len(name) <= (service.id_length or _ID_LENGTH) and _id_pattern(service.ids).fullmatch(name)
    return name if fits else digest_id(name)


def digest_id(name: str) -> str:
    """Return an id that every service takes, and that is another one for another name."""
    return f"r{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=15).hexdigest()}"


def _without_password(value: Any) -> Any:
    """Return a setting; an address without the name and the password that may stand in it."""
    if not isinstance(value, str) or "@" not in value:
        return value
    return _USER.sub(r"\1", value)


@cache
def _id_pattern(pattern: str | None) -> re.Pattern[str]:
    return _PLAIN_ID if pattern is None else re.compile(pattern)


def id_of(line: Mapping[str, Any], service: BatchService) -> str:
    """Return the id of a decoded line of a service. Raises BatchError for a line without one."""
    key = next((key for key, word in service.line.items() if word == "id"), None)
    found: Any = line.get(key) if key is not None else _inside(line, service)
    if not isinstance(found, str) or not found:
        where = key or service.id_in
        raise BatchError(f'the line is not a batch line of {service.name}: its id "{where}" is missing')
    return found


def _inside(line: Mapping[str, Any], service: BatchService) -> Any:
    found: Any = line.get(next(key for key, word in service.line.items() if word == "body"))
    for key in (service.id_in or "").split("."):
        found = found.get(key) if is_object(found) else None
    return found
