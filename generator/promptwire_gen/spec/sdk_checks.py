"""Checks of the section `sdks`, and against `clients`."""

from __future__ import annotations

from collections.abc import Iterator

from ..problems import quote
from .schema import Spec
from .transport_checks import Clash


def check_sdks(spec: Spec) -> Iterator[Clash]:
    """Yield the SDKs without a type, or without the version that was read."""
    for name, sdk in spec.sdks.items():
        if not sdk.types and not sdk.operations:
            hint = "write types: module:Class, or operations: service:Operation"
            yield Clash(("sdks", name), "missing-key", f"no type of {quote(name)} is named", hint)
        if sdk.version is None and name not in spec.clients:
            message = f"the version of {quote(name)} that was read is not named"
            hint = f"write version: {name} 1.0.0, or the client in clients"
            yield Clash(("sdks", name), "missing-key", message, hint)
        elif sdk.version is not None and name in spec.clients:
            message, hint = "clients names the version already", "leave it out here"
            yield Clash(("sdks", name, "version"), "bad-value", message, hint, at_key=True)
        elif sdk.version is not None and sdk.version.partition(" ")[0] != name:
            message = f"{quote(sdk.version)} is no version of {quote(name)}"
            yield Clash(("sdks", name, "version"), "bad-value", message, f"write {name} and its version")
