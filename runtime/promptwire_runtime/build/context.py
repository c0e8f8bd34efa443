"""The state of one build. Generated code reads from it and reports to it."""

from __future__ import annotations

from ..errors import InvalidRequest, PromptwireError
from ..model.options import LAYER_ROLES
from ..model.parts import ToolCall
from ..model.request import Message, Request
from ..nodes.plain import BLANK_LAYER
from ..reporting.node_paths import owner_of
from ..reporting.policies import STRICT, policies_of
from ..reporting.spec_words import spec_word
from ..typed import TYPE_CHECKING
from .rule_hooks import RuleHooks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..reporting.policies import Policies
    from ..rules.decisions import Decision
    from ..rules.rule import Rule
    from .wire import Wire
    from .writers import BodyRow, Writers

# with more open calls, checking all pairs at once is cheaper than finding each
_FEW = 64


class BuildContext(RuleHooks):
    """The state of one build: wire, request, settings, policies, notes and caches."""

    __slots__ = ("writers",)

    writers: Writers
    # rules that move values inside the body
    moving: tuple[Rule, ...] = ()
    # the keys that they may take values from
    moved: frozenset[str] = frozenset()
    # created when first needed; most builds need none of them
    called: dict[object, ToolCall] | None = None
    _answered: frozenset[int] | None = None
    no_tools: bool = False
    _pairs_checked: bool = False

    def configure(
        self, settings: Mapping[str, Any] | None, policies: Policies | str | Mapping[str, Any]
    ) -> None:
        """Set settings and policies. Raises SettingError or PolicyError."""
        if policies is not STRICT:
            self.policies = policies_of(policies)
        if settings is not None:
            self.settings = self.wire.take_settings(settings)

    def prepared(self, request: Request, decision: Decision) -> Request:
        """Run the passes and rules over the request as a whole, and return the request to write.

        Messages and tools are checked later, where they are written.
        """
        if request.continuation is not None:
            from ..passes.continuation import apply_continuation

            request = apply_continuation(request, self)
        if self.wire.hoist and request.messages and request.messages[0].role in LAYER_ROLES:
            from ..passes.continuation import hoist_messages

            request = hoist_messages(request, self)
        if request.turns & BLANK_LAYER:
            from ..passes.blanks import without_blank_layers

            request = without_blank_layers(request, self)
        request = decision.apply(request, self)
        # rules on strict schemas also count the schema of the response format
        if request.response_format is not None and decision.measures_answers(request):
            self.check_schemas()
        return request

    def unsent_messages(self, request: Request) -> tuple[Message, ...]:
        """Return the messages that the server does not have yet; the others are omitted with a note."""
        from ..passes.continuation import unsent_messages

        self.continuation = request.continuation
        return unsent_messages(request, self)

    def placed(self, error: PromptwireError) -> PromptwireError:
        """Return an error with wire, path and field added, if it knows only the value that caused it."""
        if not isinstance(error, InvalidRequest) or error.value is None:
            return error
        node, field = owner_of(self.request, error.value)
        path = self.path(node)
        call = getattr(node, "id", None) if field == "arguments" else None
        text = str(error) if call is None else f"{error} (call {call})"
        return InvalidRequest(text, wire=self.wire.name, path=path, field=field)

    def broken(self, error: Exception) -> InvalidRequest:
        """Return the error for an unexpected exception: it names the value of the wrong type that caused it."""
        from ..nodes.type_errors import broken

        return broken((self.caller_request, self.request), Request, error, self.wire.name)

    def reordered(self, message: Message) -> None:
        """Report, once per message, that content which follows the calls is sent before them."""
        if self.last_reordered is not message:
            self.last_reordered = message
            self.note("moved", message, "parts", "content after the tool calls is sent before them")

    def call_of(self, result: Any) -> ToolCall | None:
        """Return the call that a result answers, if the request has it."""
        if self.called is None:
            from ..passes.pairing import calls_by_result

            self.called = calls_by_result(self.request.messages)
        return self.called.get(id(result)) or self.called.get(result.call_id)

    def name_called(self, result: Any) -> str | None:
        """Return the name of the tool that a result comes from, if the request has its call."""
        call = self.call_of(result)
        return None if call is None else call.name

    def unused(self, node: object, field: str) -> None:
        """Report a value that this wire does not use, unless a call and its result share it (the name or the id)."""
        call_id = getattr(node, "call_id", None) if field == "name" else None
        if call_id is not None and getattr(node, field) == self.name_called(node):
            return
        if field == "call_id" and self.call_of(node) is not None:
            return
        if field != "id" or not self._is_answered(node):
            super().unused(node, field)

    def _is_answered(self, node: object) -> bool:
        """Return whether a node is a call that some result of the request answers."""
        if type(node) is not ToolCall:
            return False
        if self._answered is None:
            from ..passes.pairing import answered_calls

            self._answered = answered_calls(self.request.messages)
        return id(node) in self._answered

    def close_call(self, result: Any, calls: list[Any] | None) -> None:
        """Remove the call that a result answers from the open calls; if it is not among them, check all pairs."""
        if calls and result.call_id in calls[:_FEW]:
            calls.remove(result.call_id)
        else:
            self.check_pairs(calls)

    def check_pairs(self, calls: list[Any] | None) -> None:
        """Report, once, all calls without results and results without calls. Clear the open calls."""
        if calls:
            calls.clear()
        if not self._pairs_checked and self.policies.orphans != "keep":
            self._pairs_checked = True
            from ..passes.pairing import report_orphans

            report_orphans(self)

    def write_optional_keys(self, request: Request, body: dict[str, Any]) -> None:
        """Write the keys of a body that most requests omit, and report the fields that have no key."""
        writers = self.writers
        vendor = self.known_vendor(request)
        for write in writers.optional_keys:
            write(request, self, body, vendor)
        self.report_body(request, writers.body)

    def body_setting(self, name: str) -> Any:
        """Return a build setting that is written into the body: text, a list of texts, or None."""
        value = self.setting(name)
        return list(value) or None if type(value) in (list, tuple) else value

    def known_vendor(self, request: Request) -> Mapping[str, Any]:
        """Return this wire's vendor options on a request that the body has a key for."""
        options = self.vendor(request)
        known = self.writers.body.shape.vendor
        if not options or options.keys() <= known:
            return options
        return {option: value for option, value in options.items() if option in known}

    def report_body(self, request: Request, row: BodyRow) -> None:
        """Report the options and fields of a request that the body has no key for."""
        if not request.options.given <= row.options:
            self.lost_options(row.options)
        for field in row.fields:
            if getattr(request, field) is not None:
                self.lost(request, field)
        for head, fields in row.parts.items():
            part: Any = getattr(request, head)
            if part is not None and not (head == "tool_choice" and self.no_tools):
                self._report_part(request, part, head, row, fields)

    def _report_part(
        self, request: Request, part: Any, head: str, row: BodyRow, fields: Iterable[str]
    ) -> None:
        """Report the fields without a key, unless a shape writes the part and reports them."""
        if _is_written(part, head, row):
            return
        for field in fields:
            if getattr(part, field) is not None:
                self.lost(request, f"{head}.{field}")
        if head != "continuation":
            self.finish_scalar(part)

    def without_tools(self) -> None:
        """Omit the tool choice, because the request has tools and none of them is sent."""
        self.no_tools = True
        choice = self.request.tool_choice
        if choice is not None:
            self.note("dropped", choice, spec_word(choice), "none of the tools is sent")


def _is_written(part: Any, head: str, row: BodyRow) -> bool:
    """Return whether a shape writes a tool choice or reasoning, which it does if that has a mode or kind."""
    return head in row.alone and getattr(part, "mode" if head == "tool_choice" else "kind") is not None


def start(wire: Wire, request: Request) -> BuildContext:
    """Return a new strict build without settings; generated code does the same inline."""
    build = BuildContext()
    build.wire = wire
    build.request = request
    return build
