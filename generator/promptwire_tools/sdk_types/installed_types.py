"""Load the SDK types that a spec names from the installed package."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module, metadata
from operator import attrgetter
from typing import Any

from pydantic.alias_generators import to_camel, to_snake

from promptwire_gen.spec.client_sections import ClientSpec, Sdk

from .kinds import Kind, RecordKey, RecordKind, SdkError
from .python_types import Declarations
from .services import Services


def installed_version(sdk: str, read: str) -> str:
    """Return the version of an installed package; `read` is the package and version that the spec was read from.

    Raises SdkError with the install command if it is not installed.
    """
    try:
        return metadata.version(sdk)
    except metadata.PackageNotFoundError:
        raise SdkError(f'{sdk} is not installed: pip install "{read.replace(" ", "==")}"') from None


def body_types(name: str, sdk: Sdk, client: ClientSpec | None) -> Kind:
    """Return the kind of an SDK's body types, under the keys of the body where a client renames arguments.

    Raises SdkError for a type that the SDK does not have.
    """
    declarations = Declarations()
    try:
        kind = [row for path in sdk.types for row in _declared(path, declarations)]
        services = Services() if sdk.operations else None
        kind += [row for operation in sdk.operations if services for row in services.input(operation)]
    except (ImportError, AttributeError, LookupError) as error:
        why = f"{name} {metadata.version(name)} has no such type: {error}"
        raise SdkError(f"{why}; look for it, and correct sdks.{name} in the spec") from error
    if client is None or all(key == place for key, place in client.accepts.items()):
        return tuple(kind)
    return tuple([_under_keys(row, client) if isinstance(row, RecordKind) else row for row in kind])


def declared_record(path: str) -> RecordKind:
    """Return the body at `module:Class` as one record; of several forms, the keys of all.

    Raises SdkError if nothing is there, or something that is no object.
    """
    try:
        kind = _declared(path, Declarations())
    except (ImportError, AttributeError, ValueError) as error:
        raise SdkError(
            f"{path} cannot be imported: {error}; install the SDK, and look for the type"
        ) from None
    rows = [row for row in kind if isinstance(row, RecordKind)]
    if not rows:
        raise SdkError(f"{path} is no TypedDict, model, dataclass or method: name the type of a body")
    keys: dict[str, RecordKey] = {}
    for row in rows:
        keys = {**row.keys, **keys}
    return RecordKind(rows[0].name, lambda: keys)


def _declared(path: str, declarations: Declarations) -> Kind:
    """Return the type at `module:Class`, or the parameters of `module:Class.method`, as a kind."""
    module, _, name = path.partition(":")
    declared: Any = attrgetter(name)(import_module(module))
    if inspect.isfunction(declared):
        return (RecordKind(name, lambda: declarations.parameters(declared)),)
    return declarations.kind(declared)


def _under_keys(record: RecordKind, client: ClientSpec) -> RecordKind:
    """Rename arguments to the keys of the body that they become; other arguments keep their names."""
    opened = {place.partition(".")[0] for place in client.accepts.values() if "." in place}
    ways = {place: key.split(".") for key, place in client.accepts.items()}
    tree: dict[str, Any] = {}
    for name, key in record.keys.items():
        inner = [row for row in key.kind if isinstance(row, RecordKind)] if name in opened else []
        rows = {f"{name}.{to_snake(below)}": row for part in inner for below, row in part.keys.items()}
        for place, row in (rows or {name: key}).items():
            way = ways.get(place, [place])
            _put(tree, [*map(to_camel, way)] if client.snake and place in ways else way, row)
    return _as_record(record.name, tree)


def _put(tree: dict[str, Any], way: list[str], key: RecordKey) -> None:
    for step in way[:-1]:
        tree = tree.setdefault(step, {})
    tree[way[-1]] = key


def _as_record(name: str, tree: Mapping[str, Any]) -> RecordKind:
    keys = {
        step: row if isinstance(row, RecordKey) else RecordKey((_as_record(step, row),))
        for step, row in tree.items()
    }
    return RecordKind(name, lambda: keys)
