"""The options and the result of an agent's loop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from ..answers.answer import USAGE_COUNTS, Answer, Usage
from ..context.pipeline import Pipeline
from ..context.plan import Prepared
from ..errors import PromptwireError
from ..model.request import Request
from ..toolkits.catalogue import Toolkits
from ..toolkits.declaring import Approve, Call, InvocationFilter, ToolkitLike
from ..toolkits.kits import ToolkitState
from ..toolkits.session import Session


class RunOptions(TypedDict, total=False):
    """The options of a run; see `run`."""

    pipeline: Pipeline | None
    toolkits: Toolkits | Iterable[ToolkitLike] | None
    approve: Approve | None
    filters: Iterable[InvocationFilter]
    state: ToolkitState | None
    plan_phase: str
    properties: Mapping[str, Any]
    max_steps: int
    max_seconds: float | None
    max_parallel: int | None
    tool_errors: str


@dataclass(frozen=True, slots=True)
class Run:
    """The result of an agent's loop.

    Attributes:
        answer: The last answer.
        request: The caller's conversation with the last answer, without what a pipeline or toolkits add to each model
            call. Append the user's next message and run it again.
        answers: All answers, in order.
        pending: The calls that wait for the caller's results; then `request` is without the last answer.
        prepared: What the pipeline prepared last. None without a pipeline.
        session: The session of the toolkits; pass its `state` to the next run. None without toolkits.
    """

    answer: Answer
    request: Request
    answers: tuple[Answer, ...]
    pending: tuple[Call, ...] = ()
    prepared: Prepared | None = None
    session: Session | None = None

    @property
    def text(self) -> str:
        """The text of the last answer."""
        return self.answer.text

    @property
    def usage(self) -> Usage:
        """The token counts of all answers together; None where no answer has a count."""
        counts: dict[str, Any] = {
            name: _sum([getattr(answer.usage, name, None) for answer in self.answers])
            for name in USAGE_COUNTS
        }
        return Usage(**counts)


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


class RunLimitError(PromptwireError):
    """A run reached a limit before the model had answered: `max_seconds`, or `max_steps` as a `StepLimitError`.

    Attributes:
        run: The run so far; the calls of its last answer have results.
    """

    def __init__(self, limit: str, run: Run) -> None:
        """Store the run, and put the limit into the message."""
        super().__init__(f"the model still called tools after {limit}, or continue with error.request")
        self.run = run

    @property
    def request(self) -> Request:
        """The conversation so far, with the results of all calls. Run it again to continue."""
        return self.run.request

    @property
    def answer(self) -> Answer:
        """The last answer, whose calls were the last ones."""
        return self.run.answer


class StepLimitError(RunLimitError):
    """An agent still called tools after its last step."""
