"""What the rules of a spec say about a sample: read from the spec once more, apart from the engine of the runtime."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from ..model.continuing import server_state
from ..model.identity import ByIdentity
from ..model.neutral import OPTIONS, ROLES
from ..model.rule_entries import RuleEntry, parse_entry
from ..model.wire import WireModel
from ..spec.schema import Rule
from .filling import Undecided, matches
from .sample import Sample

# what a rule may say of messages of a role, whatever they hold
_OF_ALL = ("", "count")
_COMPARED = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is left of the sample, the paths that are refused, the role of instructions, and keys with other names."""

    sample: Sample
    refused: tuple[str, ...]
    role: str
    renames: Mapping[str, str]


class _Verdict(NamedTuple):
    """What a rule says of the values that an entry means, at the path that errors name."""

    rejects: bool
    entry: RuleEntry
    path: str


class _Held(NamedTuple):
    """A rule that holds for a model, its entries taken apart; `adds` says whether it changes a setting in the body."""

    rule: Rule
    given: tuple[RuleEntry, ...]
    verdicts: tuple[_Verdict, ...]
    omitted: tuple[str, ...]
    adds: bool

    def is_met(self, sample: Sample) -> bool:
        """Whether a sample has all that is given."""
        return not self.given or all(_means(entry, sample) for entry in self.given)


def apply_rules(model: WireModel, sample: Sample) -> Ruling:
    """Apply the rules of a wire, in their order: later ones win. Raises Undecided for a path that samples lack."""
    rules = _held(ByIdentity(model), sample.model or "")
    role = model.instructions.role
    for held in rules:
        role = str(held.rule.set.get("instructions.role", role))
    met = [held for held in rules if held.is_met(sample)]
    remaining, omitted = sample, [name for held in met for name in held.omitted]
    omitted += _kept_by_server(model, sample)
    if omitted:
        remaining = sample.without(omitted)
        met = [held for held in rules if held.is_met(remaining)]
    if any(held.adds for held in met):
        raise Undecided("a setting in the body gets what it lacks")
    refused: dict[str, bool] = {}
    for held in met:
        for rejects, entry, path in held.verdicts:
            absent = entry.head in OPTIONS and entry.head not in remaining.fields
            if not absent and _means(entry, remaining):
                refused[path] = rejects
    renames = {key: other for held in met for key, other in held.rule.rename.items()}
    return Ruling(remaining, tuple([path for path, rejects in refused.items() if rejects]), role, renames)


def _kept_by_server(model: WireModel, sample: Sample) -> list[str]:
    """What the server holds of what a sample continues; nobody says what it holds, so nothing is known to differ."""
    state = server_state(model)
    if state is None or model.body.dotted["continuation"].isdisjoint(sample.continuation):
        return []
    return [name for name in state.omits if "." not in name]


def _taken_apart(rule: Rule, *, adds: bool) -> _Held:
    given = tuple([parse_entry(text) for text in rule.when.given])
    verdicts = [
        _Verdict(rejects, entry, text.removesuffix(entry.operator + entry.operand))
        for rejects, texts in ((True, rule.reject), (False, rule.allow))
        for text, entry in [(text, parse_entry(text)) for text in texts]
    ]
    omitted = tuple([name for name, value in rule.set.items() if value == "omit"])
    return _Held(rule, given, tuple(verdicts), omitted, adds)


@lru_cache(maxsize=64)
def _held(wire: ByIdentity[WireModel], name: str) -> tuple[_Held, ...]:
    """The rules that hold for the name of a model and say anything of a body, what is given aside."""
    model = wire.value
    in_body = any(hole.path[0] == "settings" for hole in model.body.shape.holes)
    rules = [rule for rule in model.rules if _holds(rule, model, name)]
    held = [_taken_apart(rule, adds=in_body and bool(rule.add)) for rule in rules]
    return tuple([row for row in held if row.verdicts or row.rule.rename or row.rule.set or row.adds])


def _holds(rule: Rule, model: WireModel, name: str) -> bool:
    when = rule.when
    if when.model and not matches(name, when.model):
        return False
    if matches(name, when.not_model):
        return False
    settings = model.transport.settings
    return all(
        name in settings and settings[name].default in values for name, values in when.settings.items()
    )


def _means(entry: RuleEntry, sample: Sample) -> bool:
    if entry.selector is None and entry.head in ROLES and not sample.parts and entry.tail not in _OF_ALL:
        # most rules look at parts, of which there are none but plain text
        return False
    selected = sample if entry.selector is None else _selected(entry, entry.selector, sample)
    values = selected.values(entry.head, entry.tail)
    if values is None:
        raise Undecided(f"no sample has {entry.path}")
    return bool(values) and any(_fits(entry, value, sample) for value in values)


def _selected(entry: RuleEntry, selector: RuleEntry, sample: Sample) -> Sample:
    """Leave only those tools, or messages, that the brackets of an entry mean."""
    if entry.head == "tools" and not sample.tools:
        return sample
    if entry.head == "tools":
        return replace(
            sample,
            tools=[
                (kind, fields)
                for kind, fields in sample.tools
                if selector.path in fields and _fits(selector, fields[selector.path], sample)
            ],
        )
    # without parts of their own, messages have text, and no other field
    if selector.head == "parts" and selector.tail not in ("", "text"):
        if any(role == entry.head and selector.tail in fields for role, _, fields in sample.parts):
            raise Undecided(f"{entry.path} of some messages")
        return replace(sample, messages=(), parts=[row for row in sample.parts if row[0] != entry.head])
    if any(role == entry.head for role, _ in sample.messages):
        raise Undecided(f"{entry.path} of some messages")
    return sample


def _fits(entry: RuleEntry, value: Any, sample: Sample) -> bool:
    if value is None:
        return entry.operator == "!="
    word = str(value).lower() if isinstance(value, bool) else str(value)
    if entry.operator == "!~":
        return re.fullmatch(entry.operand, word, re.DOTALL) is None
    if entry.compares:
        other = parse_entry(entry.operand)
        bounds = (
            [entry.operand] if re.match(r"-?[0-9]", entry.operand) else sample.values(other.head, other.tail)
        )
        return any(_COMPARED[entry.operator](float(value), float(bound)) for bound in bounds or ())
    if entry.operator:
        return matches(word, entry.words) is (entry.operator == "=")
    return True
