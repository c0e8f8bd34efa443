"""One conversation with toolkits: what each model call sees, and what comes of the calls that it makes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InvalidRequest
from ..model.parts import CustomToolCall, Opaque, ToolCall
from ..model.request import Message, Request
from ..model.tools import AnyTool, ToolGroup
from ..nodes.checks import CheckedRecord
from ..nodes.records import replace, set_fields
from ..reporting.notes import Note
from ..steps import Steps, run, run_async
from .catalogue import Toolkits, suggestion
from .config import CONTAINERS, NATIVE, NONE
from .declaring import Approve
from .expanding import Answering, expand_steps, in_order, opening_steps
from .kits import ToolkitState
from .running import run_steps
from .showing import DeferralMode, Target, mode_of
from .viewing import view_of, without_expansions

if TYPE_CHECKING:
    from ..nodes.next_request import Answered, BuiltRequest


@dataclass(frozen=True, eq=False, repr=False)
class Session(CheckedRecord):
    """A conversation with toolkits; every method gives a new session.

    Attributes:
        toolkits: The toolkits of the agent.
        bare: The conversation without tools and instructions of toolkits.
        state: The expanded toolkits and their texts. Store it with the conversation.
        wire: The module of the API, such as `promptwire.openai_responses`. None: any API.
        request: The request of the next model call, with visible tools and active instructions.
        notes: How functions are deferred and why, and what was left out.
        mode: How functions are deferred: `native`, `containers` or `none`.
        shown: The names of all tools of the request.

    Raises:
        InvalidRequest: a tool of the request has the name of a toolkit or function, or the tool choice names a function
            that is not visible.
        ContextError: a description could not be computed, or must be awaited with `Session.begin_async`.
    """

    toolkits: Toolkits
    bare: Request
    state: ToolkitState = field(default_factory=ToolkitState)
    wire: Any = None
    request: Request = field(init=False, repr=False, compare=False)
    notes: tuple[Note, ...] = field(init=False, repr=False, compare=False)
    mode: DeferralMode = field(init=False, repr=False, compare=False)
    shown: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compute the request of the next model call."""
        super().__post_init__()
        mode = mode_of(self.toolkits, self.wire, self.bare.model)
        state = run(opening_steps(self.toolkits, self.state, mode), "Session.begin_async")
        view = view_of(self.toolkits, state, mode, self.bare)
        set_fields(self, state=state, mode=mode, **view._asdict())

    @classmethod
    async def begin_async(
        cls, toolkits: Toolkits, bare: Request, state: ToolkitState | None = None, wire: Target | None = None
    ) -> Session:
        """Begin as the constructor does, and await descriptions that must be."""
        return await run_async(begin_steps(toolkits, bare, state, wire))

    # ---- the calls of an answer

    def calls(self, answer: Answered) -> tuple[ToolCall | CustomToolCall, ...]:
        """Return the calls that the caller has to run; the session answers all others itself."""
        return tuple([call for call in answer.calls if self._is_open(call.name)])

    def run(self, call: ToolCall | CustomToolCall, *, approve: Approve | None = None) -> Message:
        """Run the function that a call names, and return the message that answers it.

        Arguments that do not fit the function are an answer to the model: the message says what is wrong with them.

        Args:
            call: one of `calls(answer)`.
            approve: called with the call before a function that requires permission: True runs it, False or text (the
                reason) refuses it, and the result says so.

        Raises:
            InvalidRequest: no toolkit has a function of this name that can be run, or it requires permission and
                `approve` is None.
            ContextError: the function, a filter or `approve` failed; or one of them must be awaited, with `run_async`.
        """
        return run(run_steps(self.toolkits.invocation(call, approve)), "run_async")

    async def run_async(self, call: ToolCall | CustomToolCall, *, approve: Approve | None = None) -> Message:
        """Run the function that a call names as `run` does, and await function, filters and `approve`."""
        return await run_async(run_steps(self.toolkits.invocation(call, approve)))

    def after(self, answer: Answered, *more: Message, built: BuiltRequest | None = None) -> Session:
        """Go on after an answer: add its message, what containers say, and the results that you give.

        The call of a container expands it; that of a function which did not show expands where it stands, and asks for
        the call again; that of a function which nobody has is answered as failed. No call is left without a result.

        Args:
            answer: what `read_answer` or a stream gave for `request`.
            *more: a result for each of `calls(answer)`, as `run` gives them, then whatever else is to be said.
            built: what was built of `request`, for continuations.

        Raises:
            AnswerError: one of `calls(answer)` has no result, or a call that is not yours has one.
            ContextError: what a toolkit says when it is expanded cannot be had.
        """
        return run(self.after_steps(answer, more, built), "after_async")

    async def after_async(
        self, answer: Answered, *more: Message, built: BuiltRequest | None = None
    ) -> Session:
        """Go on after an answer as `after` does, and await what toolkits say."""
        return await run_async(self.after_steps(answer, more, built))

    # ---- what the application does

    def turn(self, *messages: Message) -> Session:
        """Start the next message turn: drop texts that last one message turn, and append these messages."""
        bare, state = self.bare, self.state.next_turn(self.toolkits.config)
        if self.toolkits.config.function_result_lifetime == "ephemeral":
            bare = without_expansions(bare, self.toolkits.kits.keys(), state.answered)
            state = replace(state, answered=())
        bare = replace(bare, messages=(*bare.messages, *messages))
        return Session(self.toolkits, bare, state, self.wire)

    def expand(self, *names: str) -> Session:
        """Expand toolkits and the toolkits around them, as if the model had called them."""
        return run(self._expand(names), "expand_async")

    async def expand_async(self, *names: str) -> Session:
        """Expand toolkits as `expand` does, and await their texts."""
        return await run_async(self._expand(names))

    def collapse(self, *names: str) -> Session:
        """Collapse toolkits."""
        state = self.state
        for name in names:
            state = state.closed(self._path(name)[-1], self.toolkits.config)
        return Session(self.toolkits, self.bare, state, self.wire)

    def changed(self, **fields: Any) -> Session:
        """Change fields of the request: `changed(tool_choice=None)`."""
        return Session(self.toolkits, replace(self.bare, **fields), self.state, self.wire)

    def on(self, wire: Target | None, model: str | None = None) -> Session:
        """Go on with another API, and another model of it."""
        bare = self.bare if model is None else replace(self.bare, model=model)
        return Session(self.toolkits, bare, self.state, wire)

    # ---- steps

    def after_steps(
        self, answer: Answered, more: tuple[Message, ...], built: BuiltRequest | None
    ) -> Steps[Session]:
        """Go on after an answer as `after` does, in steps that others may run among theirs."""
        answering = Answering(self.toolkits, self.state, {}, contained=self.mode.word == CONTAINERS)
        for number, call in enumerate(answer.calls):
            if call.name in self.toolkits.kits or not self._is_open(call.name):
                answering = yield from answering.answered(number, call, self.shown)
            else:
                answering = yield from answering.used(call.name)
        messages = in_order(answer.calls, answering.results, more)
        following = self.request.after(answer, *messages, built=built)
        return Session(self.toolkits, self._without_toolkit_items(following), answering.state, self.wire)

    def _without_toolkit_items(self, following: Request) -> Request:
        """Return the next request without what toolkits added to the last one."""
        new = following.messages[len(self.request.messages) :]
        changes: dict[str, Any] = {"messages": (*self.bare.messages, *new)}
        if following.continuation is not None:
            # counted in the messages that were sent
            added = len(self.request.messages) - len(self.bare.messages)
            start = following.continuation.start
            changes["continuation"] = replace(following.continuation, start=max(0, start - added))
        return replace(self.bare, **changes)

    def _expand(self, names: tuple[str, ...]) -> Steps[Session]:
        state = self.state
        for name in names:
            state, _ = yield from expand_steps(self.toolkits, state, self._path(name))
        return Session(self.toolkits, self.bare, state, self.wire)

    def _path(self, name: str) -> tuple[str, ...]:
        path = self.toolkits.paths.get(name)
        if path is None:
            known = suggestion(name, self.toolkits.paths)
            raise InvalidRequest(f'no toolkit is named "{name}"; {known}', field="toolkits")
        return path

    def _is_open(self, name: str) -> bool:
        """Return whether the caller runs calls of this name: visible functions, or tools of the API itself."""
        if name in self.toolkits.kits:
            return False
        if name in self.shown:
            return True
        own = any(isinstance(tool, Opaque) for tool in self.bare.tools or ())
        return own and name not in self.toolkits.members


def begin_steps(
    toolkits: Toolkits, bare: Request, state: ToolkitState | None = None, wire: Target | None = None
) -> Steps[Session]:
    """Begin a session in steps, which may wait for descriptions."""
    mode = mode_of(toolkits, wire, bare.model)
    known = yield from opening_steps(toolkits, state or ToolkitState(), mode)
    return Session(toolkits, bare, known, wire)


_MODES = {"whole": NONE, "collapsed": CONTAINERS, "deferred": NATIVE}


class Cost(NamedTuple):
    """The tools of one way to send them.

    way     `whole`, `collapsed` or `deferred`
    tools   how many the model sees from the start; a group of deferred tools counts as one
    start   what those cost, by the caller's estimate
    sent    what all that is sent costs, deferred tools too
    """

    way: str
    tools: int
    start: int
    sent: int


def costs(
    toolkits: Toolkits,
    request: Request,
    *,
    state: ToolkitState | None = None,
    wire: Target | None = None,
    estimate: Callable[[str], int] = len,
) -> tuple[Cost, ...]:
    """Compare the tokens that the tools of a request and its toolkits cost, for each way that the API supports.

    Args:
        toolkits: the toolkits.
        request: the request that has them; its own tools count too.
        state: what is expanded already.
        wire: the module of the API; `deferred` is compared where it defers tools itself.
        estimate: counts a text, the neutral JSON of tools: characters unless a tokenizer is given.
    """
    rows: list[Cost] = []
    for way, word in _MODES.items():
        config = replace(toolkits.config, enabled=True, deferral=word)
        session = Session(Toolkits(toolkits.tops, config), request, state or ToolkitState(), wire)
        if session.mode.word == word:
            tools = session.request.tools or ()
            seen = tuple(_seen(tools))
            rows.append(Cost(way, len(seen), estimate(_text(seen)), estimate(_text(tools))))
    return tuple(rows)


def cost_table(rows: Iterable[Cost], unit: str = "characters") -> str:
    """Format costs as a table; `unit` is the unit of the estimate."""
    lines = [("tools", "shown", f"{unit} at the start", f"{unit} sent")]
    lines += [(row.way, f"{row.tools:,}", f"{row.start:,}", f"{row.sent:,}") for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        [
            "  ".join([first.ljust(widths[0]), *map(str.rjust, numbers, widths[1:])])
            for first, *numbers in lines
        ]
    )


def _seen(tools: Iterable[AnyTool]) -> Iterator[AnyTool]:
    """Yield the tools that a model sees before it searches; a group is its name and description."""
    for tool in tools:
        if isinstance(tool, ToolGroup):
            yield replace(tool, tools=tuple(_seen(tool.tools)))
        elif not getattr(tool, "deferred", None):
            yield tool


def _text(tools: tuple[AnyTool, ...]) -> str:
    from ..loading.dumping import dump_request

    rows = dump_request(Request(tools=tools)).get("tools", [])
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
