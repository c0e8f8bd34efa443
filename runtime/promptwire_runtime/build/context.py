"""The state of one build. Generated code reads from it and reports to it."""

from __future__ import annotations

from ..errors import InvalidRequest
from ..model.options import LAYER_ROLES
from ..nodes.plain import BLANK_LAYER
from ..nodes.records import is_node, replace
from ..reporting.policies import STRICT, policies_of
from ..reporting.report import Report
from ..reporting.spec_words import spec_word
from ..reporting.unkeyed import report_unkeyed, report_unknown_options
from ..typed import TYPE_CHECKING, cast
from ..wire_json.copies import own_json
from ..wire_json.kinds import is_mapping
from ..wire_json.values import wrapped
from .finishing import complete_answer, merge_extra, recall_form, report_leftover, unwritten_options
from .rule_checks import RuleChecks
from .writers import Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..model.request import Message, Request
    from ..reporting.policies import Policies
    from ..rules.decisions import Decision
    from ..rules.rule import Rule
    from .wire import Wire
    from .writers import BodyRow, Writers

NO_ROW = Row()
# with more open calls, checking all pairs at once is cheaper than finding each
_FEW = 64


class BuildContext:
    """The state of one build: the writers of the API, the report, and the checks of rules.

    Attributes:
        report: The request, policies, settings and notes; what rules and passes see.
        writers: The tables of the API.
        moving: Rules that move values inside the body.
        moved: The keys that these rules may take values from.
        no_tools: Whether none of the tools of the request is sent.
        answering: Whether an answer is written, which has keys that requests do not repeat.
    """

    __slots__ = ("__dict__", "report", "writers")

    report: Report
    writers: Writers
    moving: tuple[Rule, ...] = ()
    moved: frozenset[str] = frozenset()
    no_tools: bool = False
    answering: bool = False
    # created when first needed; most builds need none of them
    _rules: RuleChecks | None = None
    _pairs_checked: bool = False

    @property
    def wire(self) -> Wire:
        """The wire that the request is built for."""
        return cast("Wire", self.report.wire)

    @property
    def request(self) -> Request:
        """The request that is written; passes and rules may have changed the caller's."""
        return self.report.request

    @property
    def rules(self) -> RuleChecks:
        """The checks of the rules of this API."""
        if self._rules is None:
            self._rules = RuleChecks(self.wire, self.report)
        return self._rules

    def configure(
        self, settings: Mapping[str, Any] | None, policies: Policies | str | Mapping[str, Any]
    ) -> None:
        """Set settings and policies. Raises SettingError or PolicyError."""
        if policies is not STRICT:
            self.report.policies = policies_of(policies)
        if settings is not None:
            self.report.settings = self.wire.take_settings(settings)

    def prepared(self, request: Request, decision: Decision) -> Request:
        """Run the passes and rules over the request as a whole, and return the request to write.

        Messages and tools are checked later, where they are written.
        """
        if request.continuation is not None:
            from ..passes.continuation import apply_continuation

            request = apply_continuation(request, self.report)
        if self.wire.hoist and request.messages and request.messages[0].role in LAYER_ROLES:
            from ..passes.continuation import hoist_messages

            request = hoist_messages(request, self.report)
        if request.turns & BLANK_LAYER:
            from ..passes.blanks import without_blank_layers

            request = without_blank_layers(request, self.report)
        request = decision.apply(request, self.report)
        # rules on strict schemas also count the schema of the response format
        if request.response_format is not None and decision.measures_answers(request):
            self.rules.check_schemas()
        return request

    def unsent_messages(self, request: Request) -> tuple[Message, ...]:
        """Return the messages that the server does not have yet; the others are omitted with a note."""
        from ..passes.continuation import unsent_messages

        self.report.continuation = request.continuation
        return unsent_messages(request, self.report)

    def omit_message(self, message: Message) -> None:
        """Report a message of which nothing is sent, and check the message that is first or last in its place."""
        self.report.omit_message(message)
        self.rules.check_ends()

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
        if not self._pairs_checked and self.report.policies.orphans != "keep":
            self._pairs_checked = True
            from ..passes.pairing import report_orphans

            report_orphans(self.report)

    def write_optional_keys(self, request: Request, body: dict[str, Any]) -> None:
        """Write the keys of a body that most requests omit, and report the fields that have no key."""
        writers = self.writers
        vendor = self.known_vendor(request)
        for write in writers.optional_keys:
            write(request, self, body, vendor)
        self.report_body(request, writers.body)

    def body_setting(self, name: str) -> Any:
        """Return a build setting that is written into the body: text, a list of texts, or None."""
        value = self.report.setting(name)
        return list(value) or None if type(value) in (list, tuple) else value

    def known_vendor(self, request: Request) -> Mapping[str, Any]:
        """Return this wire's vendor options on a request that the body has a key for."""
        options = self.report.vendor(request)
        known = self.writers.body.shape.vendor
        if not options or options.keys() <= known:
            return options
        return {option: value for option, value in options.items() if option in known}

    def report_body(self, request: Request, row: BodyRow) -> None:
        """Report the options and fields of a request that the body has no key for."""
        if not request.options.given <= row.options:
            self.report.lost_options(row.options)
        for field in row.fields:
            if getattr(request, field) is not None:
                self.report.lost(request, field)
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
                self.report.lost(request, f"{head}.{field}")
        if head != "continuation":
            self.finish_scalar(part)

    def without_tools(self) -> None:
        """Omit the tool choice, because the request has tools and none of them is sent."""
        self.no_tools = True
        choice = self.report.request.tool_choice
        if choice is not None:
            self.report.note("dropped", choice, spec_word(choice), "none of the tools is sent")

    def opaque(self, node: Any) -> Any:
        """Return an opaque element of this wire unchanged, and report the other fields of its node."""
        if not node.is_plain:
            for name in ("cache", "signature"):
                if getattr(node, name) is not None:
                    self.report.lost(node, name, "the element is sent unchanged")
            report_unkeyed(node, self.report)
        if self.report.policies.refusals != "ignore" and self.report.was_read:
            self.report.note(
                "passed through",
                node,
                "",
                f"{self.report.wire.title} has no such element: it is sent as it was read",
            )
        return node.value

    def lost_tool(self, tool: Any) -> None:
        """Report a tool that this wire has no shape for, or that is JSON of another wire.

        Raises TypeError for a value that is no node, such as a dict, whose place the build then names.
        """
        if not is_node(tool):
            raise TypeError("a tool is not a node")
        word = spec_word(tool)
        if word == "opaque":
            why = f"it is JSON of {tool.wire}, which no other API accepts"
        else:
            why = self._why_not_hosted(tool) if word == "hosted" else "this API has no tools of this kind"
        self.report.lost(tool, "", why)

    def _why_not_hosted(self, tool: Any) -> str:
        """Return why a hosted tool has no place, and what of the API's own is of its kind and accepted by the model."""
        from ..model.hosted import hosted_words
        from ..model.parts import HostedTool

        wire, request = self.wire, self.report.request
        words = hosted_words(tool.type, wire.name, wire.api)
        profile = wire.profile(request.model, self.report.shown_settings())
        if "option" in words and profile.refusal(f"vendor.{words['option']}", {}, request) is None:
            return f"this API has no tool {tool.type}; set vendor.{wire.name}.{words['option']} instead"
        if "type" in words:
            own = replace(request, tools=(HostedTool(words["type"], words.get("name"), words.get("config")),))
            if profile.refusal("tools.type", words["type"], own) is None:
                return f"this API has no tool {tool.type}; use its own, {words['type']}"
            return f"this API has no tool {tool.type}, and this model does not take its own, {words['type']}"
        return f"this API has no tools of this kind ({tool.type})"

    def write_standalone(self, node: Any) -> Any:
        """Return an opaque element among the messages; no neighbour is merged into it."""
        value = self.opaque(node)
        self.report.last_apart = [value]
        return value

    def finish_scalar(self, node: Any, row: Row = NO_ROW) -> None:
        """Report fields, options and extra JSON of a node that is written as a scalar, which has no keys for them."""
        self.report_row(node, row)
        if node.kept is not None:
            report_leftover(node, self.report)
        report_unkeyed(node, self.report)

    def report_row(self, node: Any, row: Row) -> None:
        """Report the fields of a node that its shape has no key for."""
        for field, effect in row.fields:
            value = getattr(node, field)
            if value is None:
                continue
            if effect == "unsupported" or (effect == "unsupported_if_true" and value):
                self.report.lost(node, field)
            else:
                self.report.unused(node, field)

    def finish(self, item: dict[str, Any], node: Any, row: Row = NO_ROW) -> dict[str, Any]:
        """Complete a node's JSON: report fields without a key, apply form memory and extra JSON, check options."""
        if row.fields:
            self.report_row(node, row)
        if node.kept is not None:
            item = recall_form(item, node, self.report)
        if node.vendor is not None:
            report_unknown_options(node, row.vendor, self.report)
        if node.extra is not None:
            item = merge_extra(item, node, self.report)
        if self.answering and (row.read_only or row.answered):
            complete_answer(item, node, row, self.report)
        if row.read_only:
            for field in unwritten_options(item, node, row.read_only, self.report):
                self.report.unused(node, field)
        return item

    def finish_body(self, body: dict[str, Any], request: Request, row: BodyRow) -> dict[str, Any]:
        """Complete a body: apply form memory and extra JSON, check vendor options."""
        if self.report.wire.wrapping:
            # form memory knows the body as it is sent
            body = wrapped(body, *self.report.wire.wrapping)
        body = self.finish(body, request, row.shape)
        for field in unwritten_options(body, request, row.read_only, self.report):
            self.report.lost(request, field)
        return body

    def spread(
        self, named: dict[str, Any], rest: Mapping[str, Any] | None, node: object, option: str = ""
    ) -> dict[str, Any]:
        """Add a copy of free-form JSON to the named keys of a node.

        Args:
            named: The keys that are written by name.
            rest: The free-form JSON.
            node: The node that holds it.
            option: The vendor option that it was passed as, if any.

        Raises:
            InvalidRequest: `rest` is not an object, or has a key that is also in `named`.
        """
        content: Any = rest
        if content is not None and not is_mapping(content):
            path, kind = self.report.origins.path(node), type(content).__name__
            field = f"vendor.{self.report.wire.name}.{option}" if option else ""
            text = (
                f"{option} must be an object, not {kind}"
                if option
                else f"expected a JSON object, found {kind}"
            )
            raise InvalidRequest(text, wire=self.report.wire.name, path=path, field=field)
        if rest:
            for key in rest:
                if key in named:
                    path = self.report.origins.path(node)
                    raise InvalidRequest(
                        f'the key "{key}" is set twice', wire=self.report.wire.name, path=path, field=key
                    )
            named.update(own_json(rest))
        return named

    def shape_of(self, node: Any) -> str | None:
        """Return the shape that a node was read as, if it was read from this wire."""
        kept = node.kept
        return kept.shape if kept is not None and kept.wire == self.report.wire.name else None


def _is_written(part: Any, head: str, row: BodyRow) -> bool:
    """Return whether a shape writes a tool choice or reasoning, which it does if that has a mode or kind."""
    return head in row.alone and getattr(part, "mode" if head == "tool_choice" else "kind") is not None


def start(wire: Wire, request: Request) -> BuildContext:
    """Return a new strict build without settings; generated code does the same inline."""
    build = BuildContext()
    build.report = report = Report()
    report.wire = wire
    report.request = request
    return build
