"""Let the rules of an API check a request while it is written."""

from __future__ import annotations

from itertools import pairwise
from operator import attrgetter

from ..reporting.spec_words import kind_of
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..model.options import ToolChoice
    from ..model.request import Message
    from ..model.tools import ToolAddition
    from ..reporting.report import Report
    from ..rules.decisions import Decision
    from ..rules.field_values import Marks
    from .wire import Wire

_NO_KINDS: frozenset[str] = frozenset()
_MOST_NAMES = 4096
_NAME = attrgetter("name")
_SAME_NAME = "another tool of the request has this name, and a call names only one: rename one of them"


class Neighbours:
    """The kinds of parts directly before and after each part of one message."""

    __slots__ = ("_after", "_before", "message")

    def __init__(self, message: Message) -> None:
        self.message = message
        self._before: dict[int, set[str]] = {}
        self._after: dict[int, set[str]] = {}
        for first, second in pairwise(message.parts):
            # a message may hold the same part object twice
            self._after.setdefault(id(first), set()).add(kind_of(second))
            self._before.setdefault(id(second), set()).add(kind_of(first))

    def before(self, part: object) -> frozenset[str] | set[str]:
        """Return the kinds directly before a part."""
        return self._before.get(id(part), _NO_KINDS)

    def after(self, part: object) -> frozenset[str] | set[str]:
        """Return the kinds directly after a part."""
        return self._after.get(id(part), _NO_KINDS)


class RuleChecks:
    """The checks of one build: generated writers call them where a rule may reject something."""

    __slots__ = (
        "_checked_nodes",
        "_is_off",
        "_kinds_checked",
        "_marks",
        "_neighbours",
        "_report",
        "_schemas_checked",
        "_tools_checked",
        "_wire",
    )

    def __init__(self, wire: Wire, report: Report) -> None:
        self._wire = wire
        self._report = report
        self._is_off = report.policies.refusals == "ignore"
        self._checked_nodes: dict[int, object] = {}
        self._neighbours: Neighbours | None = None
        self._marks: Marks | None = None
        self._kinds_checked = self._tools_checked = self._schemas_checked = False

    def _decide(self) -> Decision:
        """Return the decision of the rules for the model and the settings, which rules may add to."""
        return self._wire.decide(self._report.request.model, self._report.settings)

    def check_node(self, node: object) -> None:
        """Check a message, part or mark against the rules, once however often it occurs."""
        if self._is_off:
            return
        if id(node) not in self._checked_nodes:
            self._checked_nodes[id(node)] = node
            self._decide().check_watched(node, self._report)

    def check_ends(self) -> None:
        """Check the messages that are first, last or behind another in place of one of which nothing is sent."""
        report = self._report
        omitted = report.omitted_messages
        if not self._is_off and report.continuation is None and omitted is not None:
            messages = report.request.messages
            sent = tuple([each for each in messages if id(each) not in omitted])
            if sent and (id(messages[0]) in omitted or id(messages[-1]) in omitted):
                self._decide().check_ends(report.request, sent, report)
            for before, message in pairwise(messages) if report.found is None else ():
                if id(before) in omitted and id(message) not in omitted:
                    self.check_node(message)

    def check_last_part(self, message: Message | None) -> None:
        """Check the last part of a message, for rules about the message that follows it."""
        if message is not None and message.parts:
            self.check_node(message.parts[-1])

    def is_preceded(self, part: object, message: Message, kinds: tuple[str, ...]) -> bool:
        """Return whether a part of one of these kinds stands directly before a part."""
        if len(message.parts) == 1 or self._is_off:
            return False
        return not self._neighbours_in(message).before(part).isdisjoint(kinds)

    def is_followed(self, part: object, message: Message, kinds: tuple[str, ...]) -> bool:
        """Return whether a part of one of these kinds stands directly after a part."""
        if len(message.parts) == 1 or self._is_off:
            return False
        return not self._neighbours_in(message).after(part).isdisjoint(kinds)

    def _neighbours_in(self, message: Message) -> Neighbours:
        """Return the neighbours of a message's parts, computed once per message."""
        if self._neighbours is None or self._neighbours.message is not message:
            self._neighbours = Neighbours(message)
        return self._neighbours

    def is_checked(self, *paths: str) -> bool:
        """Return whether a rule that applies to this model reads one of these paths."""
        return not self._is_off and self._decide().is_about(paths)

    def mark(self, node: Any) -> Any:
        """Check the cache mark of a node against the rules, and return it."""
        if not self._is_off:
            if self._marks is None:
                from ..rules.field_values import Marks

                self._marks = Marks()
            self._decide().check_mark(node, self._marks, self._report)
        return node.cache

    def check_option(self, path: str) -> None:
        """Check an option that is outside the limits of some rule."""
        if not self._is_off:
            self._decide().check_option(path, self._report)

    def check_kinds(self) -> None:
        """Check the kinds of tools and their number, once."""
        if not self._kinds_checked and not self._is_off:
            self._kinds_checked = True
            self._decide().check_kinds(self._report)

    def check_tools(self) -> None:
        """Check the tools, once, when a rule may reject one of them."""
        if not self._tools_checked and not self._is_off:
            self._tools_checked = True
            self._decide().check_tools(self._report)
            self.check_schemas()

    def check_schemas(self) -> None:
        """Check the strict schemas of tools and response format, once."""
        if not self._schemas_checked and not self._is_off:
            self._schemas_checked = True
            self._decide().check_schemas(self._report)

    def check_added_tools(self, part: ToolAddition) -> None:
        """Check the tools that a message adds."""
        if not self._is_off:
            self._decide().check_added(part.tools, self._report)

    def check_choice(self, choice: ToolChoice) -> None:
        """Reject the choice of a tool that the request does not have, if it has tools at all."""
        tools = [
            member
            for tool in self._report.request.tools or ()
            for member in (tool, *getattr(tool, "tools", ()))
        ]
        names = {getattr(tool, "name", None) for tool in tools}
        chosen = [name for name in choice.names or (choice.name,) if name is not None]
        if not names.issuperset(chosen):
            from ..rules.held_parts import added_tools

            names |= {getattr(tool, "name", None) for tool in added_tools(self._report.request)}
        if not names or not all(isinstance(name, str) for name in names):
            return
        for name in chosen:
            if name not in names:
                self._report.refused("tool_choice.name", name, "no tool of the request has this name", choice)

    def check_hosted_choice(self, choice: ToolChoice) -> None:
        """Reject the choice of a kind of hosted tool that the request does not have, if it has tools at all."""
        from ..rules.held_parts import added_tools, chosen_kinds, is_of_kind, with_grouped

        tools = with_grouped(self._report.request.tools or ())
        if not tools or any(getattr(tool, "name", None) is getattr(tool, "type", None) for tool in tools):
            return  # raw JSON of this wire has neither
        for kind in chosen_kinds(choice):
            if not any(is_of_kind(tool, kind) for tool in (*tools, *added_tools(self._report.request))):
                self._report.refused(
                    "tool_choice.type", kind, "no tool of the request is of this kind", choice
                )

    def plain_tools(self, tools: tuple[Any, ...], is_plain: Callable[[Any], bool]) -> tuple[Any, ...] | None:
        """Check the names of tools, and return the tools if all of them are plain."""
        last = self._wire.last_tools
        # all turns of a conversation have the same tools
        if last and (known := last[0])[0] is tools:
            return tools if known[1] else None
        has_names = self.check_names(tools)
        are_plain = bool(tools) and all(map(is_plain, tools))
        if has_names:
            last[:] = [(tools, are_plain)]
        return tools if are_plain else None

    def check_names(self, tools: tuple[Any, ...]) -> bool:
        """Reject tool names that do not match the wire's pattern, and repeated names. Return whether all are valid."""
        wire = self._wire
        try:
            names = set(map(_NAME, tools))
            if (not wire.names or names <= wire.known_names) and len(names) == len(tools):
                return True
        except (AttributeError, TypeError):
            pass  # raw JSON of this wire has no `name` attribute
        seen: set[str] = set()
        repeated = False
        for tool in tools:
            name = getattr(tool, "name", None)
            if isinstance(name, str):
                self.check_name(tool)
                if name in seen:
                    repeated = True
                    why = f"{wire.title} accepts each tool name once" if wire.unique_names else _SAME_NAME
                    self._report.refused("tools.name", name, why, tool)
                seen.add(name)
        return not repeated and (not wire.names or seen <= wire.known_names)

    def check_name(self, node: Any) -> None:
        """Reject the name of a tool or call that does not match the wire's pattern. Valid names are remembered."""
        known, pattern = self._wire.known_names, self._wire.names
        if not isinstance(node.name, str) or not pattern or node.name in known:
            return
        from ..predicates.words import is_unlike

        if not is_unlike(node.name, pattern):
            if len(known) >= _MOST_NAMES:
                known.clear()
            known.add(node.name)
        else:
            self._report.refused(
                f"{kind_of(node)}.name",
                node.name,
                f"{self._wire.title} accepts tool names that match {pattern}",
                node,
            )
