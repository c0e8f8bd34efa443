"""Convert an OpenAPI description to kinds: the body of one POST operation, its address and its credentials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from .kinds import ANY, SCALAR, Alternative, Kind, ListKind, MappingKind, RecordKey, RecordKind, SdkError

# keys that bodies of requests to models have
_TELLING = frozenset(
    {
        "messages",
        "contents",
        "input",
        "inputs",
        "prompt",
        "inputText",
        "max_tokens",
        "maxTokens",
        "temperature",
    }
)


@dataclass(frozen=True, slots=True)
class Operation:
    """A POST operation: its path, its server, the header of its credential, and the kind of its body."""

    path: str
    server: str | None
    header: str
    prefix: str
    body: RecordKind


def operation_of(file: Path, path: str | None) -> Operation:
    """Return the operation at `path`, or the only one whose body looks like a request to a model.

    Raises SdkError if the file cannot be read, or if it has no such operation or several.
    """
    try:
        document: Any = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SdkError(f"{file} cannot be read: {error}") from None
    described = _Description(_object(document))
    found = {name: body for name, body in described.bodies() if path in (None, name)}
    if path is None:
        found = {name: body for name, body in found.items() if not _TELLING.isdisjoint(body.keys)}
    if len(found) != 1:
        names = ", ".join(sorted(found or dict(described.bodies()))[:12]) or "none"
        why = "several such operations" if found else "no operation whose body is a request to a model"
        raise SdkError(f"{file} has {why}; name one of its paths, {file}:/PATH. With a JSON body: {names}")
    ((name, body),) = found.items()
    header, prefix = described.credential()
    return Operation(name, described.server(), header, prefix, body)


class _Description:
    """One OpenAPI document; each schema that is referred to becomes one record."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._records: dict[str, RecordKind] = {}

    def bodies(self) -> Iterator[tuple[str, RecordKind]]:
        """Yield path and body of each POST operation whose body is a JSON object."""
        for path, item in _object(self._document.get("paths")).items():
            body = self._resolved(_object(_object(_object(item).get("post")).get("requestBody")))
            schema = _object(_object(body.get("content")).get("application/json")).get("schema")
            for row in self.kind(schema, path) if schema is not None else ():
                if isinstance(row, RecordKind):
                    yield path, row
                    break

    def server(self) -> str | None:
        """Return the first address, without a slash at its end."""
        servers = _list(self._document.get("servers"))
        url = _object(servers[0]).get("url") if servers else None
        return url.rstrip("/") if isinstance(url, str) and url.startswith("http") and "{" not in url else None

    def credential(self) -> tuple[str, str]:
        """Return the header of the credential, and the text before it."""
        schemes = _object(_object(self._document.get("components")).get("securitySchemes"))
        for scheme in map(_object, schemes.values()):
            if scheme.get("type") == "apiKey" and scheme.get("in") == "header":
                return str(scheme.get("name", "x-api-key")).lower(), ""
        return "authorization", "Bearer "

    def kind(self, schema: Any, name: str) -> Kind:
        """Return the kind of a schema."""
        said = _object(schema)
        if "$ref" in said:
            target = str(said["$ref"])
            if target not in self._records:
                inner = self._resolved(said)
                rows = self.kind(inner, target.rpartition("/")[2])
                if len(rows) != 1 or not isinstance(rows[0], RecordKind):
                    return rows
                self._records[target] = rows[0]
            return (self._records[target],)
        members = [inner for word in ("anyOf", "oneOf") for inner in _list(said.get(word))]
        if members:
            return tuple(dict.fromkeys([row for inner in members for row in self.kind(inner, name)]))
        return self._plain(said, name)

    def _plain(self, said: Mapping[str, Any], name: str) -> Kind:
        kind = said.get("type")
        word = next(
            (each for each in _list(kind) if each != "null"), None if isinstance(kind, list) else kind
        )
        if word == "array" or "items" in said:
            return (ListKind(self.kind(said.get("items", {}), name)),)
        if "properties" in said or "allOf" in said:
            return (RecordKind(str(said.get("title") or name), lambda: self._keys(said)),)
        if word == "object":
            return (_free(said, self, name),)
        return SCALAR if word is not None or "enum" in said or "const" in said else ANY

    def _keys(self, said: Mapping[str, Any]) -> Mapping[str, RecordKey]:
        keys: dict[str, RecordKey] = {}
        for part in _list(said.get("allOf")):
            keys |= self._keys(self._resolved(_object(part)))
        required = _list(said.get("required"))
        for name, schema in _object(said.get("properties")).items():
            inner = self._resolved(_object(schema))
            keys[name] = RecordKey(self.kind(schema, name), _words(inner), name in required)
        return keys

    def _resolved(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """Follow references; one that leads nowhere is an empty schema."""
        for _ in range(16):
            if "$ref" not in said:
                break
            place: Any = self._document
            for step in str(said["$ref"]).removeprefix("#/").split("/"):
                place = _object(place).get(step.replace("~1", "/").replace("~0", "~"))
            said = _object(place)
        return said


def _free(said: Mapping[str, Any], description: _Description, name: str) -> Alternative:
    return MappingKind(description.kind(said.get("additionalProperties") or {}, name))


def _words(said: Mapping[str, Any]) -> tuple[str, ...]:
    words = [*_list(said.get("enum")), *([said["const"]] if "const" in said else [])]
    words += [
        word
        for key in ("anyOf", "oneOf")
        for inner in _list(said.get(key))
        for word in _words(_object(inner))
    ]
    return tuple([word for word in words if isinstance(word, str)])


def _object(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return [*cast("Iterable[Any]", value)] if isinstance(value, list) else []
