"""The requests of one message turn: as they are, with toolkits, or prepared by a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..answers.answer import Answer
from ..context.pipeline import Pipeline, ToolkitTurn
from ..context.plan import Prepared
from ..errors import InvalidRequest
from ..model.request import Message, Request
from ..model.tools import AnyTool
from ..nodes.records import replace
from ..steps import Steps
from ..toolkits.catalogue import Toolkits
from ..toolkits.declaring import Call
from ..toolkits.session import Session

if TYPE_CHECKING:
    from ..nodes.next_request import BuiltRequest

_FORCED = frozenset({"required", "named", "custom", "several", "hosted"})


class Turn:
    """The state of one message turn; every model call of it asks `request`.

    Attributes:
        own: The caller's conversation: their request with the messages of this turn, without what a pipeline or
            toolkits add.
        request: The request of the next model call.
        prepared: What the pipeline prepared. None without a pipeline.
        session: The session of the toolkits. None without toolkits.
    """

    def __init__(self, request: Request, pipeline: Pipeline | None) -> None:
        """Start with the request as it is."""
        self.own = request
        self.request = request
        self.pipeline = pipeline
        self.prepared: Prepared | None = None
        self.session: Session | None = None

    def begin_steps(
        self, toolkits: Toolkits | None, start: ToolkitTurn, plan_phase: str, properties: Mapping[str, Any]
    ) -> Steps[None]:
        """Prepare the first model call."""
        if self.pipeline is not None:
            self._take_prepared(
                (yield from self.pipeline.prepare_steps(self.own, plan_phase, properties, start))
            )
        elif toolkits is not None:
            self._take_session(
                (yield from start.session_steps(toolkits, start.without_toolkits(toolkits, self.own)))
            )

    def calls(self, answer: Answer) -> tuple[Call, ...]:
        """Return the calls of an answer that toolkits do not answer themselves."""
        return answer.calls if self.session is None else self.session.calls(answer)

    def after_steps(
        self, answer: Answer, more: tuple[Message, ...], built: BuiltRequest | None
    ) -> Steps[tuple[Message, ...]]:
        """Add an answer and the results of its calls, and prepare the next model call. Return the new messages."""
        before = len(self._bare.messages)
        if self.pipeline is not None and self.prepared is not None:
            self._take_prepared((yield from self.pipeline.after_steps(self.prepared, answer, more, built)))
        elif self.session is not None:
            self._take_session((yield from self.session.after_steps(answer, more, built)))
        else:
            self.request = self.request.after(answer, *more, built=built)
        new = self._bare.messages[before:]
        self._extend(new)
        return new

    def tell_steps(self, answer: Answer | None, error: BaseException | None = None) -> Steps[None]:
        """Tell the pipeline's filters about an answer that nothing follows, or about a call that failed."""
        if self.pipeline is not None and self.prepared is not None:
            yield from self.pipeline.post_invoke_steps(
                self.prepared, () if answer is None else (answer,), error
            )

    def relax(self) -> None:
        """Relax a tool choice that forces a tool: a tool that must be called would be called forever."""
        self.own = _unforced(self.own)
        bare = _unforced(self._bare)
        if bare is self._bare:
            return
        if self.session is not None:
            self.session = self.session.changed(tool_choice=bare.tool_choice)
        if self.prepared is not None:
            self.prepared = replace(self.prepared, unscoped=bare, session=self.session)
        elif self.session is None:
            self.request = bare

    @property
    def _bare(self) -> Request:
        """The request without what is added to each model call."""
        if self.prepared is not None:
            return self.prepared.unscoped
        return self.request if self.session is None else self.session.bare

    def _take_prepared(self, prepared: Prepared) -> None:
        self.prepared, self.session, self.request = prepared, prepared.session, prepared.request

    def _take_session(self, session: Session | None) -> None:
        if session is not None:
            self.session, self.request = session, session.request

    def _extend(self, new: tuple[Message, ...]) -> None:
        following = self._bare
        changes: dict[str, Any] = {"messages": (*self.own.messages, *new)}
        if following.continuation is not None:
            # counted in the messages of the caller
            added = len(following.messages) - len(changes["messages"])
            start = max(0, following.continuation.start - added)
            changes["continuation"] = replace(following.continuation, start=start)
        self.own = replace(self.own, **changes)


def with_toolkits(pipeline: Pipeline | None, toolkits: Toolkits | None) -> Pipeline | None:
    """Return the pipeline with these toolkits. Raises InvalidRequest if it has toolkits already."""
    if pipeline is None or toolkits is None:
        return pipeline
    if pipeline.catalogue is not None:
        raise InvalidRequest(
            "the pipeline has toolkits already; pass toolkits to one of the two", field="toolkits"
        )
    return replace(pipeline, toolkits=toolkits)


def _unforced(request: Request) -> Request:
    choice = request.tool_choice
    if choice is None or choice.mode not in _FORCED:
        return request
    relaxed = replace(
        choice,
        mode="auto" if choice.parallel is None else None,
        name=None,
        names=None,
        must=None,
        type=None,
        config=None,
        kept=None,
    )
    return replace(request, tool_choice=relaxed)


def with_tools(request: Request, tools: tuple[AnyTool, ...]) -> Request:
    """Return the request with more tools."""
    return replace(request, tools=(*(request.tools or ()), *tools)) if tools else request
