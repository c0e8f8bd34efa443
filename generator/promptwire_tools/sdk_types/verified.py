"""Compare one wire with the types of one SDK, and match the differences with the reasons in the spec."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from promptwire_gen.model.offers import ShapeFilter
from promptwire_gen.model.wire import WireModel

from .compare import ComparedField, by_path, compare, nowhere
from .installed_types import body_types, installed_version
from .spec_kinds import body_kind

_TOLD_APART = re.compile(r"\([^()]*\)|(?<=\[)[^\[\]]*(?=\])")


Reasons: TypeAlias = Mapping[str, Sequence[ComparedField]]


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of a comparison.

    Attributes:
        read: The version that the spec was read from.
        installed: The version that was compared.
        fields: The SDK's fields that a request body has.
        excluded: Its other fields, by the reasons in the spec.
        omitted: Those of `fields` that the spec leaves out, by its reasons.
        missing: Those of `fields` that the spec lacks without a reason.
        stale: Paths of reasons that match no missing field.
        gone: Keys of the spec that the SDK has nowhere.
    """

    wire: str
    sdk: str
    read: str
    installed: str
    fields: Sequence[ComparedField]
    excluded: Reasons
    omitted: Reasons
    missing: Sequence[ComparedField]
    stale: Sequence[str]
    gone: Sequence[ComparedField]

    @property
    def known(self) -> int:
        """The number of fields that a shape of the spec names."""
        return self._count("known")

    @property
    def kept(self) -> int:
        """The number of fields inside JSON that is taken whole."""
        return self._count("kept")

    @property
    def named(self) -> int:
        """The number of fields that are known or missing."""
        return len(self.fields) - self.kept

    @property
    def coverage(self) -> float:
        """The share of known fields among those that are known or missing, from 0 to 1."""
        return self.known / self.named if self.named else 1.0

    @property
    def sound(self) -> bool:
        """Return whether every missing field has a reason, and every reason matches a missing field."""
        return not self.missing and not self.stale

    def _count(self, state: str) -> int:
        return sum([row.state == state for row in self.fields])


def verify(model: WireModel, filters: Mapping[str, ShapeFilter], name: str) -> Verified:
    """Compare the shapes of a wire with the types of one of its SDKs.

    Raises SdkError if it is not installed, or lacks the types.
    """
    sdk, client = model.sdks[name], model.clients.get(name)
    read = sdk.version or (client.version if client is not None else "")
    installed = installed_version(name, read)
    theirs, ours = body_types(name, sdk, client), body_kind(model, filters)
    rows = by_path(compare(theirs, ours))
    missing = [row for row in rows if row.state == "missing"]
    excluded, missing, unheard = _excused(sdk.excluded, missing)
    omitted, unexcused, unneeded = _excused(sdk.omitted, missing)
    beside = {row.path for listed in excluded.values() for row in listed}
    return Verified(
        wire=model.name,
        sdk=name,
        read=read.partition(" ")[2],
        installed=installed,
        fields=[row for row in rows if row.path not in beside],
        excluded=excluded,
        omitted=omitted,
        missing=unexcused,
        stale=[*unheard, *unneeded],
        gone=nowhere(compare(ours, theirs)),
    )


def _excused(
    reasons: Mapping[str, str], missing: Iterable[ComparedField]
) -> tuple[Reasons, list[ComparedField], list[str]]:
    """Return the fields that reasons match, by reason; the other fields; and the paths of reasons that match none."""
    excused: dict[str, list[ComparedField]] = {}
    left: list[ComparedField] = []
    heard: set[str] = set()
    for field in missing:
        fitting = [path for path in reasons if covers(path, field.path)]
        heard |= {*fitting}
        if fitting:
            excused.setdefault(reasons[fitting[0]], []).append(field)
        else:
            left.append(field)
    return excused, left, [path for path in reasons if path not in heard]


def covers(path: str, field: str) -> bool:
    """Return whether a path names a field or an object around it; alternatives in brackets may be left out of it."""
    plain = _TOLD_APART.sub("", field)
    return any(way == path or (way.startswith(path) and way[len(path)] in ".[(") for way in (field, plain))
