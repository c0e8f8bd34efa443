"""The profile of a model on one API: look-ups of what it accepts, without a build."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model.options import (
    NO_REASONING,
    OPTION_NAMES,
    ReasoningOptions,
    ResponseFormat,
    ToolChoice,
)
from ..model.parts import Text, Tool
from ..model.request import Message, Request
from ..nodes.records import replace
from ..nodes.type_errors import check_type
from .field_places import has_field, lost_setting, words_of_field
from .field_values import is_deep
from .nearest_values import nearest_step, nearest_word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..reporting.facts import WireFacts
    from .decisions import Decision
    from .plans import RuleCheck

# fields of the request whose own fields rules name, each with its value where a request has none
_DOTTED = {
    "reasoning": NO_REASONING,
    "tool_choice": ToolChoice(),
    "response_format": ResponseFormat("text"),
}
_BLANK = (Message("user", (Text("?"),)),)
# a choice of tools is looked up with a tool
_TOOLS = (Tool("lookup"),)
_MOST_STEPS = 8
# fields whose values may be no texts
_TYPED = frozenset({*OPTION_NAMES, "reasoning.budget"})
# a value that no rule names
_NO_WORD = "\0"


class Profile:
    """What a model accepts on an API under some settings.

    Each look-up takes a field as rules name it: `temperature`, `reasoning.effort`, `tool_choice.mode`, `stop`,
    `part` (kinds of parts), `tool` (kinds of tools), `message.role`. `request` is the request that would hold the
    value, because rules may look at its other fields; without one, the value is looked up alone.
    """

    __slots__ = ("_decision", "is_named", "model", "nearest_model", "table", "wire")

    def __init__(
        self, wire: WireFacts, model: str | None, decision: Decision, *, is_named: bool, nearest: str
    ) -> None:
        """Take the decision for the model.

        `is_named` says whether any rule of the API names it. `nearest` is the known model that is nearest to an unknown
        one of a family, and empty for any other.
        """
        self.nearest_model = nearest
        self.wire = wire
        self.model = model
        self.is_named = is_named
        self._decision = decision
        self.table = decision.table

    def has(self, field: str) -> bool:
        """Return whether the API has a field, or a rule leaves it out because the API does the same without it."""
        # a default such as a penalty of 0 is as good as none
        return self._omits(field) or bool(self.wire.defaults.get(field)) or has_field(self.wire, field)

    def accepts(self, field: str, value: Any, request: Request | None = None) -> bool:
        """Return whether the API has a place for a value of a field, and no rule rejects it for this model."""
        holder = self._holder(field, value, request)
        return self._has_place(field, value, holder) and self._refusal(field, value, holder) is None

    def refusal(self, field: str, value: Any, request: Request | None = None) -> RuleCheck | None:
        """Return the check of the rule that rejects a value of a field, or None; its `rule` has reason and source."""
        return self._refusal(field, value, self._holder(field, value, request))

    def nearest(self, field: str, value: Any, request: Request | None = None) -> Any:
        """Return the accepted value nearest to a value; None if there is none.

        The nearest number is the limit; the nearest level of effort is the next one below, else the next one above;
        a list or a text is shortened. No value that turns reasoning off comes near to one that turns it on.
        """
        tried = value
        for _ in range(_MOST_STEPS):
            if tried is None or self.accepts(field, tried, request):
                return tried
            word = nearest_word(tried, field, lambda other: self.accepts(field, other, request))
            if word is not None:
                return word
            holder = self._holder(field, tried, request)
            found = self._refusal(field, tried, holder)
            condition = None if found is None else found.condition
            tried = nearest_step(tried, field, condition, holder, self.wire.name)
        return None

    def problems(self, request: Request, head: str) -> tuple[RuleCheck, ...]:
        """Return the checks that reject something in a request because of one of its fields, such as `reasoning`.

        They are those about the field itself, and those of other fields whose rules look at it. Rules about single
        parts of messages are left to a build.
        """
        wire = self.wire.name
        return tuple(
            [
                found
                for checks in self.table.checks_about(head)
                if not is_deep(checks.path)
                for found in checks.refusals(checks.values(request, wire), request, wire)
            ]
        )

    def doubts(self, request: Request) -> list[RuleCheck]:
        """Return the checks of rules about known models that reject something in the request of an unknown one."""
        return self._decision.doubts(request, self.wire.name)

    def lost_setting(self, settings: ReasoningOptions) -> str:
        """Return the first of `kind`, `effort` and `budget` that the API cannot write with the others, or ''."""
        return lost_setting(self.wire, settings)

    def values(self, field: str) -> tuple[str, ...]:
        """Return the words that are accepted for a field alone; empty if its values are no words of a fixed list."""
        words = words_of_field(self.wire, field) or self._words_of_rules(field)
        return tuple([word for word in words if self.accepts(field, _value_of(field, word))])

    def _words_of_rules(self, field: str) -> tuple[str, ...]:
        """Return the words that rules name for a field if they reject all others."""
        checks = self.table.checks_at(field)
        request = Request(self.model, _BLANK)
        if checks is None or checks.refusing(_NO_WORD, request, self.wire.name) is None:
            return ()
        rows = [row.condition for row in checks.rows]
        words = [word for each in rows if each.operator in ("=", "!=") for word in each.words]
        found: dict[Any, str] = {}
        for word in words:
            # 1 and 1.0 are one number
            found.setdefault(_value_of(field, word), word)
        return tuple([word for word in found.values() if "*" not in word])

    def _holder(self, field: str, value: Any, request: Request | None) -> Request:
        """Return the request with a value in a field; as it is, for a field of its messages or tools."""
        head, _, name = field.partition(".")
        tools = _TOOLS if head == "tool_choice" else ()
        given = Request(self.model, _BLANK, tools=tools) if request is None else request
        changes: Mapping[str, Any]
        if field in OPTION_NAMES:
            changes = {"options": replace(given.options, **{field: value})}
        elif head in _DOTTED:
            changes = {
                head: replace(getattr(given, head) or _DOTTED[head], **{name: value}) if name else value
            }
        elif head == "vendor":
            options = given.vendor or {}
            own = {**options.get(self.wire.name, {}), name: value}
            changes = {"vendor": {**options, self.wire.name: own}}
        elif not name and head in Request.__slots__:
            changes = {head: value}
        else:
            return given
        made = replace(given, **changes)
        if head in changes and not (name or isinstance(value, str)):
            check_type(Request, head, getattr(made, head))
        return made

    def _has_place(self, field: str, value: Any, holder: Request) -> bool:
        """Return whether the API can write a value of a field, or does the same without it."""
        head = field.partition(".")[0]
        if self.wire.defaults.get(field) == value or self._omits(head, holder):
            return True
        words = words_of_field(self.wire, field)
        if words is not None and value not in words:
            return False
        if head == "reasoning" and holder.reasoning is not None and self.lost_setting(holder.reasoning):
            return False
        return words is not None or has_field(self.wire, field)

    def _omits(self, field: str, holder: Request | None = None) -> bool:
        """Return whether a rule leaves out a field, of a request or of some, because the API does the same without."""
        rules = self.table.omitting.get(field, ())
        return any(holder is None or rule.is_met(holder, self.wire.name) for rule in rules)

    def _refusal(self, field: str, value: Any, holder: Request) -> RuleCheck | None:
        wire = self.wire.name
        own = self.table.checks_at(field)
        found = None if own is None else next(own.refusals([value], holder, wire), None)
        if found is not None:
            return found
        others = [checks for checks in self.table.checks_inside(field) if checks is not own]
        others += filter(None, map(self.table.checks_at, _paths_around(field)))
        rows = ((checks, checks.values(holder, wire)) for checks in others)
        return next(
            (check for checks, values in rows for check in checks.refusals(values, holder, wire)), None
        )


def _paths_around(field: str) -> tuple[str, ...]:
    """Return the paths that a setting is also checked at: the whole that it belongs to, and the kind of reasoning."""
    head, _, name = field.partition(".")
    if head not in _DOTTED or not name:
        return ()
    return (head, "reasoning.kind") if name in ("mode", "budget") and head == "reasoning" else (head,)


def _value_of(field: str, word: str) -> Any:
    """Return the value that a word of a rule stands for: numbers, truth values and texts are all words there."""
    if field not in _TYPED:
        return word
    try:
        number = float(word)
    except ValueError:
        return {"true": True, "false": False}.get(word, word)
    return int(number) if number.is_integer() else number
