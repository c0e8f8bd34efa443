"""Convert AWS operations to kinds: the input shapes of botocore's service models."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .kinds import ANY, SCALAR, Kind, ListKind, MappingKind, RecordKey, RecordKind

# locations outside the body: URL and headers
_ELSEWHERE = ("uri", "querystring", "header", "headers")


class Services:
    """The kinds of operations' inputs; each shape of a service is one record."""

    def __init__(self) -> None:
        self._session: Any = import_module("botocore.session").Session()
        self._records: dict[tuple[str, str], RecordKind] = {}

    def input(self, operation: str) -> Kind:
        """Return the kind of the body of `service:Operation`.

        Raises LookupError for a service or an operation that botocore does not have.
        """
        service, _, name = operation.partition(":")
        try:
            model = self._session.get_service_model(service)
            return self._kind(service, model.operation_model(name).input_shape)
        except Exception as error:
            # botocore has one error class for each
            raise LookupError(f"botocore has no operation {operation}: {error}") from error

    def _kind(self, service: str, shape: Any) -> Kind:
        match shape.type_name:
            case "structure" if not shape.is_document_type:
                key = (service, shape.name)
                if key not in self._records:
                    self._records[key] = RecordKind(shape.name, lambda: self._keys(service, shape))
                return (self._records[key],)
            case "list":
                return (ListKind(self._kind(service, shape.member)),)
            case "map":
                return (MappingKind(self._kind(service, shape.value)),)
            case "structure":
                return ANY
            case _:
                return SCALAR

    def _keys(self, service: str, shape: Any) -> Mapping[str, RecordKey]:
        return {
            member.serialization.get("name", name): RecordKey(
                self._kind(service, member),
                tuple(getattr(member, "enum", ())),
                name in shape.required_members,
            )
            for name, member in shape.members.items()
            if member.serialization.get("location") not in _ELSEWHERE
        }
