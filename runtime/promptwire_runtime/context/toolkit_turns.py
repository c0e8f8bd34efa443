"""Where toolkits meet the pipeline: the session of a message turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..model.request import Request
from ..steps import Steps
from ..toolkits.catalogue import Toolkits
from ..toolkits.declaring import ToolkitLike
from ..toolkits.deferring import Target, mode_of
from ..toolkits.session import Session, begin_steps
from ..toolkits.state import ToolkitState
from ..toolkits.viewing import without_view


def catalogue_of(toolkits: Toolkits | Iterable[ToolkitLike] | None) -> Toolkits | None:
    """Take the toolkits of an agent; None where it has none."""
    return toolkits if toolkits is None or isinstance(toolkits, Toolkits) else Toolkits(toolkits)


class ToolkitTurn(NamedTuple):
    """What toolkits know of a message turn that begins: their state after the one before, and the API."""

    state: ToolkitState | None
    wire: Target | None

    def bare(self, catalogue: Toolkits | None, request: Request) -> Request:
        """Give a request without what the toolkits added to it in the turn before."""
        if catalogue is None:
            return request
        mode = mode_of(catalogue, self.wire, request.model)
        return without_view(catalogue, self.state or ToolkitState(), mode, request)

    def session_steps(self, catalogue: Toolkits | None, request: Request) -> Steps[Session | None]:
        """Begin the session of the turn; None where the agent has no toolkits."""
        if catalogue is None:
            return None
        return (yield from begin_steps(catalogue, request, self.state, self.wire)).turn()
