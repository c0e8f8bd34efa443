"""Rules of a wire: what one model or setting refuses, renames or decides. Later rules win."""

from __future__ import annotations

from .nodes import Node, dataclass, field
from .options import LAYER_ROLES
from .request import RARE_FIELDS, ROLES
from .rule_changes import add, change
from .rule_entries import Entry, parse_entry, split_path
from .rule_paths import accessor, head, is_deep, mark_values, node_of, values_here, watched_values
from .rule_plans import Plan, Verdict
from .rule_tools import ToolsLook, values_of_tools, with_grouped
from .typed import TYPE_CHECKING, Any, Iterable, Mapping, new_dict
from .values import fits

if TYPE_CHECKING:
    from .built import Built
    from .request import Request
    from .rule_schemas import SchemaFacts


_MOST_CLEAR = 64
_BEGUN = "last_message.role=assistant"
_RARE_HEADS = frozenset(RARE_FIELDS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Rule(Node):
    """One rule: when it holds, and what it does.

    model, not_model  patterns for the model's name (`*` stands for any text)
    settings          build settings that must have one of these values
    given             neutral fields that must be set, also with values (`stream=true`)
    reject, allow     fields (`temperature>2`, `reasoning.effort=max|xhigh`, `message.role=system`, `part=document`)
    rename            body key -> synonym
    respell           synonym -> body key, where memory has the synonym
    moves             (path of keys, path of keys, constants beside the second): where a value of the body belongs
    assign            what the wire should assume (`instructions.role`), or `omit` because the server holds it
    add               a list among the settings -> what it must hold: the first word, unless one of the patterns fits
    because, source   the reason, and who says so
    """

    model: tuple[str, ...] = ()
    not_model: tuple[str, ...] = ()
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=new_dict)
    given: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=new_dict)
    respell: Mapping[str, str] = field(default_factory=new_dict)
    moves: tuple[tuple[tuple[str, ...], tuple[str, ...], Mapping[str, Any]], ...] = ()
    assign: Mapping[str, str] = field(default_factory=new_dict)
    add: Mapping[str, str] = field(default_factory=new_dict)
    because: str = ""
    source: str = ""

    def holds(self, model: str | None, settings: Mapping[str, Any]) -> bool:
        """Tell whether model and settings match (`given` aside)."""
        if self.model and not any(fits(model, glob) for glob in self.model):
            return False
        if any(fits(model, glob) for glob in self.not_model):
            return False
        return all(_has_one(settings.get(name), values) for name, values in self.settings.items())

    @property
    def first_given(self) -> str:
        """The field of a request without which the rule is not met: the first of `given`, where it is one."""
        first = head(self.given[0]) if self.given else ""
        return first if first in RARE_FIELDS else "messages"

    @property
    def changes(self) -> bool:
        """Whether the rule leaves out a field, or adds to a setting, before messages and tools are written."""
        omits = "omit" in self.assign.values()
        return omits or (bool(self.add) and self.inside is None and not self.adds_for_tools)

    def is_met(self, request: Request, wire: str) -> bool:
        """Tell whether every field of `given` is set; of options of one API, those of this wire.

        What stands inside messages is looked for where it is written.
        """
        return all(
            _matches(entry, request, wire) for entry in self.given if not is_deep(parse_entry(entry).path)
        )

    @property
    def inside(self) -> Entry | None:
        """What the rule looks for inside messages before it adds to a setting."""
        return next((entry for entry in map(parse_entry, self.given) if is_deep(entry.path)), None)

    @property
    def adds_for_tools(self) -> bool:
        """Whether the rule adds to a setting for the sake of some tools: asked where those are written."""
        paths = {parse_entry(text).path for text in self.given if self.add} - {"tools", "tools.count"}
        return "tools" in map(head, paths) and self.inside is None and "omit" not in self.assign.values()


def _has_one(given: Any, values: tuple[str, ...]) -> bool:
    """Tell whether a setting, or an entry of one that is a list, has one of these values."""
    several = type(given) in (list, tuple)
    return any(each in values for each in given) if several else given in values


def _matches(text: str, request: Request, wire: str) -> bool:
    entry = parse_entry(text)
    return any(
        _means(entry, value, request, wire) for value in each_value(accessor(entry.path, wire)(request))
    )


def _means(entry: Entry, value: Any, request: Request, wire: str) -> bool:
    return entry.means(value, accessor(entry.operand, wire)(request) if entry.names_path else ())


def each_value(values: Iterable[Any]) -> Iterable[Any]:
    """Look into lists of words, such as `include`."""
    for value in values:
        if type(value) is tuple:
            yield from value
        else:
            yield value


def _changing(rules: Iterable[Rule]) -> tuple[tuple[str, Rule], ...]:
    """The rules that change something before the messages are written, and a field without which each is not met."""
    return tuple([(rule.first_given, rule) for rule in rules if rule.changes])


class Decision:
    """What the rules say for one model and one choice of settings."""

    __slots__ = (
        "_adding",
        "_adding_for_tools",
        "_changing",
        "_common",
        "_full",
        "_simple",
        "_simple_changing",
        "clear",
        "moving",
        "renames",
        "role",
    )

    def __init__(self, rules: tuple[Rule, ...], common: frozenset[str], wire: str) -> None:
        """Sort the rules of a wire; `common` are the sampling options that builders always look at."""
        self.role: str | None = None
        for rule in rules:
            self.role = rule.assign.get("instructions.role", self.role)
        self._full = Plan(rules, wire)
        # a request without rarely used fields meets none of the rules about them
        plain = [rule for rule in rules if not any(head(entry) in RARE_FIELDS for entry in rule.given)]
        self._simple = Plan(plain, wire)
        self._simple.fields = [
            row
            for row in self._simple.fields
            if not (head(row[0]) in _RARE_HEADS or all(map(_means_begun, row[2])))
        ]
        self._common = common
        # sets of given options of which no rule speaks in a simple request, as far as they were met
        self.clear: set[frozenset[str]] = set()
        self._changing = _changing(rules)
        self._simple_changing = _changing(plain)
        self._adding = tuple([(entry, rule) for rule in rules if (entry := rule.inside) is not None])
        self._adding_for_tools = tuple([rule for rule in rules if rule.adds_for_tools])
        self.moving = tuple([rule for rule in rules if rule.moves])
        self.renames = tuple(
            [
                (key, spelling, names is rule.respell)
                for rule in rules
                for names in (rule.rename, rule.respell)
                for key, spelling in names.items()
            ]
        )

    def is_rare(self, request: Request) -> bool:
        """Tell whether a request has more than common fields; those that need no rule are remembered as clear."""
        given = request.options.given
        if not (request.simple and given <= self._common):
            return True
        if (
            not (self._simple.fields or self._simple_changing)
            and given.isdisjoint(self._simple.options)
            and len(self.clear) < _MOST_CLEAR
        ):
            self.clear.add(given)
        return False

    def apply(self, request: Request, built: Built[Any]) -> Request:
        """Lift first messages, leave out what the server holds, add settings; raise or note what the rules refuse.

        Messages and tools are looked at where they are written.
        """
        if request.continuation is not None:
            from .continuing import without_foreign_continuation

            request = without_foreign_continuation(request, built)
        if built.wire.lifts and request.messages and request.messages[0].role in LAYER_ROLES:
            from .lifting import lifted

            request = lifted(request, built)
        if built.wire.drops_blank and request.instructions:
            from .passes.blanks import without_blank_layers

            request = without_blank_layers(request, built)
        for name, rule in self._simple_changing if request.simple else self._changing:
            if getattr(request, name) is not None and rule.is_met(request, built.wire.name):
                request = change(request, rule, built)
        if built.policies.refusals != "ignore":
            self._check(request, self._simple if request.simple else self._full, built)
        return request

    def _check(self, request: Request, plan: Plan, built: Built[Any]) -> None:
        if plan.options and not request.options.given.isdisjoint(plan.options):
            for path, entries in plan.options.items():
                if path in request.options.given:
                    _refuse(path, [(request.options, getattr(request.options, path))], entries, built)
        for path, values, entries, needed in plan.fields:
            if needed and getattr(request, needed) is None:
                continue
            found = values(request)
            if found:
                node = node_of(path, request)
                _refuse(path, [(node, value) for value in found], entries, built)
        # the schema of the answer is measured with those of strict tools
        if request.response_format is not None and plan.schemas:
            built.watch_tools()

    def check_watched(self, node: object, built: Built[Any]) -> None:
        """Raise or note what the rules refuse in a message or part that builders pointed out; add what it asks for."""
        request, wire = built.request, built.wire.name
        found: list[Any] | None
        for path, split, verdicts in self._full.deep:
            # what a tool returned may stand in a message of any role
            if split[0] in ROLES and split[0] != "tool" and split[0] not in built.roles:
                continue
            found = values_here(split, node, wire)
            values = list(each_value(found or ()))
            # where a node stands is dear to find out
            if found is None or any(
                verdict.rejects and _means(verdict.entry, value, request, wire)
                for verdict in verdicts
                for value in values
            ):
                standing = watched_values(built, split, node, found)
                _refuse(path, [(node, value) for value in standing], verdicts, built)
        for entry, rule in self._adding:
            split = split_path(entry.path)
            values = [each for each in each_value(values_here(split, node, wire) or ()) if entry.means(each)]
            if values and watched_values(built, split, node, values) and rule.is_met(request, wire):
                add(rule, built)

    def check_mark(self, node: Any, built: Built[Any]) -> None:
        """Raise or note what the rules refuse in the cache mark of a node, or in the number of marks so far."""
        for path, split, verdicts in self._full.marks:
            values = mark_values(split, node, built)
            _refuse(path, [(node, value) for value in values], verdicts, built)
        if node is not built.request:
            built.last_mark = node

    def check_option(self, path: str, built: Built[Any]) -> None:
        """Raise or note what the rules refuse in an option, or the count of messages, beyond a limit."""
        request = built.request
        node = node_of(path, request)
        for value in accessor(path, built.wire.name)(request):
            _refuse(path, [(node, value)], self._full.limits.get(path, []), built)

    def check_kinds(self, built: Built[Any]) -> None:
        """Raise or note what the rules refuse in the kinds of tools, and in their number."""
        if self._full.kinds:
            look = ToolsLook(built.request, built.wire.name)
            for path, (values, verdicts) in self._full.kinds.items():
                _refuse(path, values(look), verdicts, built)

    def check_tools(self, built: Built[Any]) -> None:
        """Raise or note what the rules refuse in the fields of tools, and in schemas."""
        look = ToolsLook(
            built.request, built.wire.name, implied="response_format.strict" in built.wire.implied
        )
        for path, (values, verdicts) in self._full.tools.items() if look.tools else ():
            found = values(look)
            if found:
                _refuse(path, found, verdicts, built)
        if self._full.schemas and (schemas := look.schemas()):
            self._check_schemas(schemas, look, built)
        for rule in self._adding_for_tools:
            if rule.is_met(built.request, built.wire.name):
                add(rule, built)

    def _check_schemas(self, schemas: list[SchemaFacts], look: ToolsLook, built: Built[Any]) -> None:
        """Raise or note what the rules refuse in schemas that are followed to the letter; fine ones are remembered."""
        fine, known = self._full.fine_schemas, tuple(map(id, schemas))
        if fine is not None and known in fine:
            return
        refused = False
        for path, (values, verdicts) in self._full.schemas.items():
            refused = _refuse(path, values(look), verdicts, built) or refused
        if fine is not None and not refused:
            if len(fine) >= _MOST_CLEAR:
                fine.clear()
            fine[known] = schemas

    def check_added(self, tools: Iterable[Any], built: Built[Any]) -> None:
        """Raise or note what the rules refuse in tools that a message brings along: no selection or count has them."""
        every = with_grouped(tools)
        for path, (_, verdicts) in (*self._full.kinds.items(), *self._full.tools.items()):
            _, selector, tail = split_path(path)
            if not selector and tail != "count":
                _refuse(path, values_of_tools(every, path, built.wire.name), verdicts, built)

    def rename(self, body: dict[str, Any], built: Built[Any]) -> None:
        """Switch body keys to the spellings that the rules ask for, each in its place.

        What memory spells otherwise is switched back, unless the build is verbatim.
        """
        for key, spelling, remembered in self.renames:
            if key in body and not (remembered and built.policies.refusals == "ignore"):
                rows = [(spelling if each == key else each, value) for each, value in body.items()]
                body.clear()
                body.update(rows)


def _refuse(path: str, found: list[tuple[object, Any]], verdicts: list[Verdict], built: Built[Any]) -> bool:
    """Let every rule speak about every value; the last one that means it decides. Tell whether one was refused.

    The reason is that of the last rule, though what refuses any value says more than what refuses this one.
    """
    request, wire = built.request, built.wire.name
    refused = False
    for node, values in found:
        for value in each_value([values]):
            refusing: Verdict | None = None
            for verdict in verdicts:
                if not (_means(verdict.entry, value, request, wire) and verdict.rule.is_met(request, wire)):
                    continue
                if not verdict.rejects:
                    refusing = None
                elif refusing is None or refusing.entry.operator or not verdict.entry.operator:
                    refusing = verdict
            if refusing is not None:
                built.refuse(path, value, refusing.rule, node)
                refused = True
                break
    return refused


def _means_begun(verdict: Verdict) -> bool:
    """Tell whether a verdict is about requests that end with the assistant's words: none of them is simple."""
    # entries of one text are one object
    about_begun = verdict.entry is parse_entry(_BEGUN) or _BEGUN in verdict.rule.given
    return about_begun or not verdict.rejects
