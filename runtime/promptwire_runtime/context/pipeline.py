"""The context pipeline: everything between a caller's request and the one that is built, in one order.

1. instructions    base, plan mode, context providers and the request's own layers are merged
2. history         a long history is reduced
3. filters         project documents, static memory, dynamic memory, the current plan, then others as registered
4. options         defaults fill in what the request does not say
5. toolkits        once for each model call: the tools that show, and what toolkits say
6. scope           once for each model call: which tools it sees

Then the request is built and sent, functions are run, and filters learn what came of it (`post_invoke`). Where the
system text goes, field or message, is decided after the filters: they need not know it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..model.options import Instruction
from ..model.request import Message, Request
from ..nodes.checks import CheckedRecord, as_tuple
from ..nodes.records import replace, set_fields
from ..nodes.type_errors import check_class
from ..prepared import own_of, own_of_message
from ..reporting.notes import Note
from ..steps import Steps, run, run_async
from ..toolkits.catalogue import Toolkits
from ..toolkits.declaring import ToolkitLike
from ..toolkits.kits import ToolkitState
from ..toolkits.session import Session, begin_steps
from ..toolkits.showing import Target, mode_of
from ..toolkits.viewing import without_view
from .dedup import settle_own, without_written
from .filters import (
    ContextProvider,
    Draft,
    Filter,
    Outcome,
    PromptFilter,
    Scope,
    SectionLike,
    apply_steps,
    message_of,
    named,
    post_invoke_steps,
    provider_steps,
    providers,
    scope_steps,
)
from .history import HistoryReduction, reduce_steps
from .layers import LayersLike, Merged, from_source, layers_of, merge
from .plan import ContextReport, Path, PlanMode, Prepared, instruction_path, place
from .policies import (
    REQUEST,
    STANDARD,
    ContextPolicies,
    check_defaults,
    context_policies_of,
    merge_request,
)

if TYPE_CHECKING:
    from ..nodes.next_request import Answered, BuiltRequest


def catalogue_of(toolkits: Toolkits | Iterable[ToolkitLike] | None) -> Toolkits | None:
    """Return the agent's toolkits as `Toolkits`; None if it has none."""
    return toolkits if toolkits is None or isinstance(toolkits, Toolkits) else Toolkits(toolkits)


class ToolkitTurn(NamedTuple):
    """The toolkit state and the API of a message turn that begins."""

    state: ToolkitState | None
    wire: Target | None

    def without_toolkits(self, catalogue: Toolkits | None, request: Request) -> Request:
        """Return the request without what toolkits added in the turn before."""
        if catalogue is None:
            return request
        mode = mode_of(catalogue, self.wire, request.model)
        return without_view(catalogue, self.state or ToolkitState(), mode, request)

    def session_steps(self, catalogue: Toolkits | None, request: Request) -> Steps[Session | None]:
        """Begin the session of the turn; None where the agent has no toolkits."""
        if catalogue is None:
            return None
        return (yield from begin_steps(catalogue, request, self.state, self.wire)).turn()


_SLOTS = ("project_documents", "static_memory", "dynamic_memory", "current_plan")
_MERGED_BEFORE = Note(
    "merged", "", "instructions", "an earlier turn merged the agent's layers into it: they are written anew"
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Pipeline(CheckedRecord):
    """The additions of an agent to every request. One instance serves any number of requests and threads.

    Attributes:
        base: Instructions of the agent: text, an `Instruction`, or several.
        plan: Plan mode. None: the agent has none.
        dynamic: Context providers, in order. Each takes a `Draft` and returns text, layers or None.
        history: The limits at which a long history is reduced.
        project_documents, static_memory, dynamic_memory, current_plan: The first filters, in this order. Each is text,
            titled documents (title -> text), or a filter.
        filters: Further filters, in order.
        defaults: A request whose values are used if a request does not set them.
        toolkits: `Toolkits`, or a list of toolkits.
        scope: `scope(request)` returns the tools of one model call, or None for all.
        native: Whether the API has a field for instructions: true, false or "unknown", as in
            `WIRE.capabilities["instructions"]["native"]` of its module. None leaves the place to the builder.
        policies: `ContextPolicies`, or the name of a preset.

    A provider, filter, scope or summarizer may return an awaitable; then call the methods that end in `_async`. An
    exception that one of them raises becomes a `ContextError` that names it.
    """

    base: LayersLike = None
    plan: PlanMode | None = None
    dynamic: Iterable[ContextProvider] = ()
    history: HistoryReduction | None = None
    project_documents: SectionLike | None = None
    static_memory: SectionLike | None = None
    dynamic_memory: SectionLike | None = None
    current_plan: SectionLike | None = None
    filters: Iterable[PromptFilter] = ()
    defaults: Request | None = None
    toolkits: Toolkits | Iterable[ToolkitLike] | None = None
    scope: Scope | None = None
    native: bool | str | None = None
    policies: ContextPolicies | str | Mapping[str, Any] = STANDARD
    fixed: tuple[Instruction, ...] = field(init=False, repr=False, compare=False)
    in_order: tuple[Filter, ...] = field(init=False, repr=False, compare=False)
    catalogue: Toolkits | None = field(init=False, repr=False, compare=False)
    path: Path = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check all fields and compute what does not depend on a request."""
        super().__post_init__()
        for name, kind in (("plan", PlanMode), ("history", HistoryReduction)):
            if (value := getattr(self, name)) is not None:
                check_class(value, kind, name)
        if self.defaults is not None:
            check_defaults(self.defaults)
        slots = [named(section, name) for name in _SLOTS if (section := getattr(self, name)) is not None]
        set_fields(
            self,
            dynamic=providers(self.dynamic),
            policies=context_policies_of(self.policies),
            fixed=layers_of(base=self.base),
            in_order=(*slots, *[named(filter_) for filter_ in as_tuple(self.filters, "filters")]),
            catalogue=catalogue_of(self.toolkits),
            path="native" if self.native is None else instruction_path(self.native),
        )

    # ---- one message turn

    def prepare(
        self,
        request: Request,
        *,
        plan_phase: str = "active",
        properties: Mapping[str, Any] | None = None,
        toolkit_state: ToolkitState | None = None,
        wire: Target | None = None,
    ) -> Prepared:
        """Prepare the request of a new message turn.

        Args:
            request: the caller's request; its instructions are the layers of this request alone.
            plan_phase: where plan mode is (`plan.next_phase`); without plan mode it means nothing.
            properties: anything that providers and filters want to know.
            toolkit_state: `prepared.session.state` of the turn before.
            wire: the module of the API that is asked, which may defer the tools of toolkits itself.

        Raises:
            ContextError: a provider, filter, summarizer, toolkit or scope failed, or is asynchronous.
        """
        turn = ToolkitTurn(toolkit_state, wire)
        return run(self.prepare_steps(request, plan_phase, properties or {}, turn), "prepare_async")

    async def prepare_async(
        self,
        request: Request,
        *,
        plan_phase: str = "active",
        properties: Mapping[str, Any] | None = None,
        toolkit_state: ToolkitState | None = None,
        wire: Target | None = None,
    ) -> Prepared:
        """Prepare the request of a new message turn, as `prepare` does, and await what is asynchronous."""
        turn = ToolkitTurn(toolkit_state, wire)
        return await run_async(self.prepare_steps(request, plan_phase, properties or {}, turn))

    # ---- the further model calls of one message turn

    def next_call(self, prepared: Prepared, *messages: Message) -> Prepared:
        """Prepare the next model call of the same turn: add messages (calls, results), and scope the tools anew.

        Raises:
            ContextError: the scope failed, or is asynchronous.
        """
        return run(self._next_call(prepared, messages), "next_call_async")

    async def next_call_async(self, prepared: Prepared, *messages: Message) -> Prepared:
        """Prepare the next model call as `next_call` does, and await a scope that is asynchronous."""
        return await run_async(self._next_call(prepared, messages))

    def after(
        self, prepared: Prepared, answer: Answered, *more: Message, built: BuiltRequest | None = None
    ) -> Prepared:
        """Prepare the next model call of the same turn: `Request.after`, with what toolkits answer themselves.

        First, `post_invoke` of every filter gets the message of the answer: do not call `post_invoke` for it as well.

        Args:
            prepared: what the answer was asked with.
            answer: what `read_answer` or a stream gave.
            *more: a result for each call that is yours: `prepared.session.calls(answer)`, or all without toolkits.
            built: what was built of the request, for continuations.

        Raises:
            AnswerError: a call has no result.
            ContextError: a filter, toolkit or scope failed, or is asynchronous.
        """
        return run(self.after_steps(prepared, answer, more, built), "after_async")

    async def after_async(
        self, prepared: Prepared, answer: Answered, *more: Message, built: BuiltRequest | None = None
    ) -> Prepared:
        """Prepare the next model call as `after` does, and await what toolkits and scope do."""
        return await run_async(self.after_steps(prepared, answer, more, built))

    # ---- after a model call

    def post_invoke(
        self, prepared: Prepared, *answer: Message | Answered, error: BaseException | None = None
    ) -> None:
        """Call `post_invoke` of every filter in order with the outcome of a model call.

        Args:
            prepared: what the model was asked with.
            *answer: the messages that came back; of an answer, its message.
            error: why the call failed, if it did.

        Raises:
            ContextError: a filter failed, or is asynchronous; all others have been told nevertheless.
        """
        run(self.post_invoke_steps(prepared, answer, error), "post_invoke_async")

    async def post_invoke_async(
        self, prepared: Prepared, *answer: Message | Answered, error: BaseException | None = None
    ) -> None:
        """Call `post_invoke` of every filter as `post_invoke` does, and await the results."""
        await run_async(self.post_invoke_steps(prepared, answer, error))

    # ---- the stages

    def prepare_steps(
        self, request: Request, plan_phase: str, properties: Mapping[str, Any], turn: ToolkitTurn
    ) -> Steps[Prepared]:
        """Prepare the request of a new message turn, in steps that others may run among theirs."""
        check_class(request, Request, "request")
        request = turn.without_toolkits(self.catalogue, request)
        draft, own = yield from self._instructions(request, plan_phase, properties)
        stages, reduction = ["instructions"], None
        if self.history is not None:
            reduced, reduction = yield from reduce_steps(draft.request, self.history)
            draft = replace(draft, request=reduced)
            stages.append("history")
        draft = yield from apply_steps(draft, self.in_order)
        stages += [f"filter {filter_.name}" for filter_ in self.in_order]
        unscoped = place(draft.merged, draft.request, self.path, own)
        notes = list(draft.merged.dropped)
        if self.defaults is not None:
            policies = draft.merged.policies
            told = notes if policies.taken_tool_names == "note" else None
            unscoped = merge_request(unscoped, self.defaults, policies.lists, told)
            stages.append("options")
        merged = draft.merged
        report = ContextReport(
            text=merged.text,
            origins=merged.origins,
            notes=tuple(notes),
            reduction=reduction,
            stages=tuple(stages),
        )
        session = yield from turn.session_steps(self.catalogue, unscoped)
        return (yield from self._apply_scope(Prepared(unscoped, unscoped, report, properties), session))

    def _instructions(
        self, request: Request, plan_phase: str, properties: Mapping[str, Any]
    ) -> Steps[tuple[Draft, tuple[Instruction, ...]]]:
        """Merge the layers; give the draft, and the layers of the request alone."""
        request, written, notes = without_written(request)
        sent = tuple(from_source(REQUEST, request.instructions))
        plan = self.plan.layer(plan_phase) if self.plan is not None else None
        layers = [*self.fixed, *([plan] if plan is not None else [])]
        policies = context_policies_of(self.policies)
        draft = Draft(replace(request, instructions=None), merge(layers, policies), properties)
        for number, provider in enumerate(self.dynamic, 1):
            layers += yield from provider_steps(provider, number, draft)
            draft = replace(draft, merged=merge(layers, policies))
        own = own_of(request.instructions)
        if own is None:
            own = sent or next(map(own_of_message, written), ())
        merged = _without_replaced(draft.merged, own)
        if sent and own != sent:
            notes.append(_MERGED_BEFORE)
        if self.path == "message" and policies.unsupported_per_request == "drop":
            notes_of_own = [_unsupported_note(index) for index in range(len(own))]
            merged = merged._replace(dropped=(*merged.dropped, *notes_of_own))
            added: tuple[Instruction, ...] = ()
        else:
            added = own
        merged = merged._replace(dropped=(*merged.dropped, *notes))
        merged, settled = settle_own(merged, added, draft.request)
        return replace(draft, merged=merged, request=settled), own

    def _apply_scope(self, prepared: Prepared, session: Session | None) -> Steps[Prepared]:
        """Apply toolkits and scope, which select the tools of one model call."""
        request, report = prepared.unscoped, prepared.report
        if session is not None:
            prepared = replace(prepared, unscoped=session.bare, session=session)
            request, report = session.request, report.with_stage("toolkits", session.notes)
        if self.scope is not None:
            request, notes = yield from scope_steps(request, self.scope)
            report = report.with_stage("scope", notes)
        return replace(prepared, request=request, report=report)

    def _next_call(self, prepared: Prepared, messages: tuple[Message, ...]) -> Steps[Prepared]:
        unscoped = replace(prepared.unscoped, messages=prepared.unscoped.messages + messages)
        session = None if prepared.session is None else prepared.session.changed(messages=unscoped.messages)
        return (yield from self._apply_scope(replace(prepared, unscoped=unscoped), session))

    def after_steps(
        self, prepared: Prepared, answer: Answered, more: tuple[Message, ...], built: BuiltRequest | None
    ) -> Steps[Prepared]:
        """Prepare the next model call as `after` does, in steps."""
        said = () if answer.message is None else (answer.message,)
        yield from self.post_invoke_steps(prepared, said, None)
        if prepared.session is None:
            unscoped = prepared.unscoped.after(answer, *more, built=built)
            return (yield from self._apply_scope(replace(prepared, unscoped=unscoped), None))
        session = yield from prepared.session.after_steps(answer, more, built)
        return (yield from self._apply_scope(prepared, session))

    def post_invoke_steps(
        self, prepared: Prepared, answer: Iterable[Message | Answered], error: BaseException | None
    ) -> Steps[None]:
        """Call `post_invoke` of every filter, in steps."""
        messages = tuple([message for each in answer if (message := message_of(each)) is not None])
        return post_invoke_steps(
            Outcome(prepared.request, messages, error, prepared.properties), self.in_order
        )


def _without_replaced(merged: Merged, own: tuple[Instruction, ...]) -> Merged:
    """Leave out the agent's layers of a source that a layer of the request names, such as `base`."""
    if merged.policies.named_sources != "replace":
        return merged
    named = {layer.source for layer in own} - {None, REQUEST}
    why = "the request has a layer of this source"
    reasons = {index: why for index, layer in enumerate(merged.layers) if layer.source in named}
    return merged.without(reasons) if reasons else merged


def _unsupported_note(index: int) -> Note:
    why = "the API has no field for instructions of a request"
    return Note("dropped", f"instructions.{REQUEST}[{index}]", "text", why)
