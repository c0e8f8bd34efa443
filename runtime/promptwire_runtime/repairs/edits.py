"""The context of a repair."""

from __future__ import annotations

from dataclasses import dataclass

from ..reporting.node_paths import Origins, node_at
from ..reporting.policies import STRICT, Policies
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..build.wire import Wire
    from ..errors import RequestError
    from ..model.request import Request
    from ..rules.profile import Profile


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class RepairContext:
    """The context of a repair: everything it may read besides the request.

    Attributes:
        wire: The wire that the request is built for, with its facts and rules.
        policies: The policies of the build.
        origins: Where nodes come from in the caller's request. All repairs of one build share it.
        settings: The settings of the build, on which the rules depend.
        problems: The problems that asked for this repair. Their paths refer to the request that the repair is given.
    """

    wire: Wire
    origins: Origins
    policies: Policies = STRICT
    settings: Mapping[str, Any] | None = None
    problems: tuple[RequestError, ...] = ()

    @property
    def profile(self) -> Profile:
        """What the model of the problems accepts on the wire, for look-ups without a build."""
        return self.wire.profile(self.origins.caller_request.model, self.settings)

    def path(self, node: object) -> str:
        """Return the path of a node in the caller's request."""
        return self.origins.path(node)

    def copied(self, original: object, *copies: object) -> None:
        """Remember that some nodes were made from a node of the request."""
        self.origins.copied(original, copies)

    def nodes(self, request: Request) -> list[tuple[Any, RequestError]]:
        """Return the nodes that the problems are about, each with its problem, without nodes that are gone."""
        found = [(node_at(request, error.path), error) for error in self.problems]
        return [(node, error) for node, error in found if node is not None]
