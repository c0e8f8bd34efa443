"""The rules of a wire: their checks, and the facts of families that mean something there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import compress
from pathlib import PurePath
from typing import Any

from ..problems import Span, did_you_mean, quote
from ..spec.fixes import find_fix_troubles, has_repair
from ..spec.load import LoadedSpec
from ..spec.nodes import Path
from ..spec.notation import Notation
from ..spec.rule_conditions import Condition, parse_field
from ..spec.wire_rules import IN_MESSAGES, WireRule
from .body_model import Body
from .condition_checks import check_condition, check_field, is_inside_messages, is_pointed_out
from .neutral import OPTIONS, REQUEST
from .wire import WireModel

_SPEAKERS = ("system", "developer", "user")
_NO_TOOLS = "the request has no tools; add the tools, or leave the choice out"
_NO_TOOLS_SOURCE = "API references describe tool_choice as a choice among the tools of the request, 2026-11"
_OMITTED = tuple(name for name in (*REQUEST, "continuation") if name not in ("model", "messages"))


def drop_unplaced_rules(rules: Iterable[WireRule], body: Body) -> tuple[WireRule, ...]:
    """Leave out inherited rules about continuations for which the body has no place."""
    named = body.dotted["continuation"]

    def is_held(condition: Condition) -> bool:
        return condition.head != "continuation" or condition.tail in named

    held = [rule for rule in rules if all(map(is_held, rule.given))]
    return tuple(
        [
            rule
            if all(map(is_held, rule.unless))
            else replace(rule, unless=tuple(filter(is_held, rule.unless)))
            for rule in held
        ]
    )


def fit_rules(
    model: WireModel, spec: LoadedSpec, notation: Notation
) -> tuple[tuple[WireRule, ...], Mapping[Span, bool]]:
    """Return the rules without facts of families about fields that a wire lacks, and which facts have a place here."""
    rules = _make_choice_rule(model, spec)
    placed: dict[Span, bool] = {}

    here = Span(model.file, 1, 1, 1)

    def means(condition: Condition, *, given: bool) -> bool:
        trial = Notation()
        check_condition(replace(condition, span=here), model, trial, given=given)
        return not trial.problems

    def keep_known_words(condition: Condition) -> Condition | None:
        """Return a condition with only the words that exist on this wire; None if none of them does."""
        if condition.operator != "=" or len(condition.words) < 2:
            return condition if means(condition, given=True) else None
        words = [word for word in condition.words if means(condition.with_test("=", (word,)), given=True)]
        return condition.with_test("=", tuple(words)) if words else None

    for rule in spec.rules:
        if rule.family is None:
            kept = _drop_lost_renames(rule, model, notation)
            rules += [] if kept is None else [kept]
            continue
        given = tuple(
            [meant for condition in rule.given if (meant := keep_known_words(condition)) is not None]
        )
        holds = len(given) == len(rule.given)
        about = (*rule.reject, *rule.allow, *rule.ignore)
        fits = [holds and means(condition, given=False) for condition in about]
        placed |= {
            condition.span: placed.get(condition.span, False) or fit
            for condition, fit in zip(about, fits, strict=True)
        }
        unless = tuple([condition for condition in rule.unless if means(condition, given=True)])
        if all(fits) and (given, unless) == (rule.given, rule.unless):
            rules.append(rule)
        elif any(fits):
            rules.append(
                replace(
                    rule,
                    given=given,
                    reject=tuple(compress(rule.reject, fits)),
                    allow=tuple(compress(rule.allow, fits[len(rule.reject) :])),
                    ignore=tuple(compress(rule.ignore, fits[len(rule.reject) + len(rule.allow) :])),
                    unless=unless,
                )
            )
    return tuple(rules), placed


def _make_choice_rule(model: WireModel, spec: LoadedSpec) -> list[WireRule]:
    """Return the rule that a tool choice needs tools, for all its fields about which the spec states no need itself.

    A rule of the spec that allows `tool_choice.mode` or `tool_choice.parallel` lifts it.
    """
    stated = {path for key in spec.model.needs for path in key.split(", ")}
    placed = {"mode": bool(model.unions["tool_choice"]), "parallel": model.chooses_parallel}
    fields = [f"tool_choice.{name}" for name in placed if placed[name]]
    free = [field for field in fields if stated.isdisjoint({field, "tool_choice"})]
    if not free:
        return []
    needed, *rejected = [parse_field(path) for path in ("tools", *free)]
    return [WireRule(unless=(needed,), reject=tuple(rejected), because=_NO_TOOLS, source=_NO_TOOLS_SOURCE)]


def check_rules(model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    """Check the conditions of all rules, of those of families their fields alone, and what rename, set and add say."""
    for rule in spec.rules:
        if rule.fixed_at is not None:
            hint = "write a fix that suits what the rule rejects, or none with the reason"
            for message in find_fix_troubles(rule.fix, rule.reject, (*REQUEST, *OPTIONS)):
                notation.report(rule.fixed_at, "bad-fix", message, hint)
        before = len(notation.problems)
        _check_what_it_is_about(rule, model, notation)
        if len(notation.problems) == before:
            _check_ignored(rule.ignore, notation)
        if rule.fixed_at is None and len(notation.problems) == before:
            _check_has_fix(rule, notation)
        if rule.family is not None:
            continue
        for condition in (*rule.given, *rule.unless):
            check_condition(condition, model, notation, given=True)
        _check_rename(rule.rename, (*rule.place, "rename"), model, notation)
        _check_set(rule.set, (*rule.place, "set"), notation)
        if "transport" not in spec.invalid:
            _check_add(rule, model, notation)
        _check_conditions(rule, notation)
        _check_given(rule, notation)


def _check_what_it_is_about(rule: WireRule, model: WireModel, notation: Notation) -> None:
    """Check what a rule rejects, allows or ignores; of a family's also under which conditions."""
    about = (*rule.reject, *rule.allow, *rule.ignore)
    # an API may lack a field that the facts of a family name, but rules can name it
    for condition in about if rule.family is None else (*about, *rule.given, *rule.unless):
        if rule.family is None:
            check_condition(condition, model, notation, given=False)
        else:
            check_field(condition, notation)


def _check_has_fix(rule: WireRule, notation: Notation) -> None:
    """Reject a rule that names no repair where its field has none either."""
    for condition in rule.reject:
        if not has_repair(condition):
            message = (
                f"{quote(str(condition))} is rejected, and nothing says how a request is brought into line"
            )
            hint = "write fix: drop, nearest, {set: VALUE} or another repair, or fix: {none: why no repair is right}"
            notation.report(condition.span, "no-fix", message, hint)


def _check_ignored(conditions: Iterable[Condition], notation: Notation) -> None:
    """Reject fields inside messages and tools, whose values no build looks at without a rule that rejects some."""
    for condition in conditions:
        if condition.head not in (*OPTIONS, *REQUEST) or condition.head in ("messages", "tools", "model"):
            message = f"{quote(condition.place)} is no option or field of the request, so ignored says nothing of it"
            hint = "name one, such as temperature or reasoning.mode"
            notation.report(condition.span, "bad-value", message, hint)


def list_conditions_inside(rule: WireRule) -> list[Condition]:
    """Return the conditions of a rule that look at any message or part."""
    return [condition for condition in rule.given if is_inside_messages(condition)]


def list_conditions_on_tools(rule: WireRule) -> list[Condition]:
    """Return the conditions about tools under which a setting gets a word; builders check them while writing tools."""
    if not rule.add:
        return []
    conditions = [condition for condition in rule.given if condition.head == "tools" and condition.tail]
    return [
        condition
        for condition in conditions
        if condition.path != "tools.count" or condition.where is not None
    ]


def _check_given(rule: WireRule, notation: Notation) -> None:
    """Reject conditions inside messages, except of `asks`."""
    for condition in (*list_conditions_inside(rule), *filter(is_inside_messages, rule.unless)):
        if rule.add and is_pointed_out(condition):
            continue
        why, hint = "only asks looks there", "name a field of the request"
        if rule.add:
            why, hint = "no fact looks there", "name a message, a part, or a field of one"
        message = f"{quote(str(condition))} is inside messages: {why}"
        notation.report(condition.span, "bad-value", message, hint)


def _is_inherited(path: Path, model: WireModel, notation: Notation) -> bool:
    """Return whether a key of a rule stands in a spec that the wire extends."""
    file = PurePath(notation.find_file(path))
    return file.stem in model.chain[1:] or file.parent.name in model.chain[1:]


def _drop_lost_renames(rule: WireRule, model: WireModel, notation: Notation) -> WireRule | None:
    """Return a rule without what it renames in a parent and this body does not have; None if nothing is left of it."""
    aliases_of = {entry.key: entry.aliases for entry in model.body.shape.fields}
    lost = [
        key
        for key, other in rule.rename.items()
        if "." not in key + other
        and key not in aliases_of
        and key not in aliases_of.get(other, ())
        and _is_inherited((*rule.place, "rename", key), model, notation)
    ]
    if not lost:
        return rule
    rest = replace(rule, rename={key: other for key, other in rule.rename.items() if key not in lost})
    does = (rest.reject, rest.allow, rest.rename, rest.set, rest.add, rest.ignore)
    return rest if any(does) else None


def _check_rename(rename: Mapping[str, str], path: Path, model: WireModel, notation: Notation) -> None:
    aliases_of = {entry.key: entry.aliases for entry in model.body.shape.fields}
    for key, alias in rename.items():
        if key.startswith(IN_MESSAGES):
            _check_message_key(key, alias, path, model, notation)
        elif "." in key or "." in alias:
            _check_move(key, alias, path, model, notation)
        elif key in aliases_of.get(alias, ()):
            # what was read under an alias is written under its key
            continue
        elif key not in aliases_of:
            if not _is_inherited((*path, key), model, notation):
                hint = did_you_mean(key, aliases_of) or f"the body has {', '.join(aliases_of)}"
                message = f"{quote(key)} is not a key of the body"
                notation.report((*path, key), "unknown-key", message, hint, at_key=True)
        elif alias not in aliases_of[key]:
            hint = did_you_mean(alias, aliases_of[key]) or f'write "{key}|{alias}" in body'
            message = f"{quote(key)} has no alias {quote(alias)} in the body"
            notation.report((*path, key), "unknown-alias", message, hint)


def _check_message_key(key: str, other: str, path: Path, model: WireModel, notation: Notation) -> None:
    """Check that a key of messages is renamed to another spelling of the same key."""
    name = key.removeprefix(IN_MESSAGES)
    has_messages = model.body.find_key(["messages"]) is not None
    shapes = [message.shape for message in model.messages.values()] if has_messages else []
    entries = [entry for shape in shapes for entry in shape.fields]
    words = {word: entry.spellings for entry in entries for word in entry.spellings}
    if name not in words:
        hint = did_you_mean(name, words) or f"messages have {', '.join(words)}"
        message = f"{quote(name)} is not a key of a message"
        notation.report((*path, key), "unknown-key", message, hint, at_key=True)
    elif other not in words[name]:
        hint = did_you_mean(other, words[name]) or f'write "{name}|{other}" in the message'
        message = f"{quote(name)} has no other word {quote(other)} in a message"
        notation.report((*path, key), "unknown-alias", message, hint)


def _check_move(key: str, target: str, path: Path, model: WireModel, notation: Notation) -> None:
    """Check that both ends are keys of the body, and that the second reads all holes that the first writes."""
    ends = {end: model.body.find_key(end.split(".")) for end in (key, target)}
    for end in (key, target):
        if ends[end] is None:
            message, hint = (
                f"{quote(end)} is not a key of the body",
                "write the path of a key, such as config.top_k",
            )
            notation.report((*path, key), "unknown-key", message, hint, at_key=end == key)
    first, second = ends[key], ends[target]
    if first is None or second is None:
        return
    written, read = ([hole.path for hole in entry.shape.holes] for entry in (first, second))
    if not written or not set(written) <= set(read):
        message = f"{quote(target)} does not hold what {quote(key)} holds"
        advice = f"write =${'.'.join(written[0])} there" if written else None
        notation.report((*path, key), "other-value", message, advice)


def _check_set(assigned: Mapping[str, Any], path: Path, notation: Notation) -> None:
    for key, value in assigned.items():
        place = (*path, key)
        if key == "instructions.role":
            if value not in _SPEAKERS:
                message = f"instructions.role must be {', '.join(_SPEAKERS[:-1])} or {_SPEAKERS[-1]}"
                notation.report(place, "bad-value", message, did_you_mean(str(value), _SPEAKERS))
        elif key not in _OMITTED:
            hint = did_you_mean(key, ("instructions.role", *_OMITTED))
            hint = hint or "set instructions.role, or a field to omit"
            message = f"{quote(key)} cannot be set by a rule"
            notation.report(place, "unknown-field", message, hint, at_key=True)
        elif value != "omit":
            notation.report(place, "bad-value", f"a rule can only omit {key}", f"write {key}: omit")


def _check_add(rule: WireRule, model: WireModel, notation: Notation) -> None:
    """Check that the setting of `asks`, after which the rule is named, is a list."""
    lists = [name for name, setting in model.transport.settings.items() if setting.type == "list"]
    for name in rule.add:
        if name not in lists:
            message = f"{quote(name)} is no list among the settings"
            hint = did_you_mean(name, lists) or (
                f"the lists are {', '.join(lists)}"
                if lists
                else f"write {name}: {{type: list}} in transport.settings"
            )
            notation.report(rule.place, "unknown-field", message, hint, at_key=True)


def _check_conditions(rule: WireRule, notation: Notation) -> None:
    """Check that renamed keys and the role of instructions depend on model and settings only."""
    conditions = (*rule.given, *rule.unless)
    others = [condition for condition in conditions if condition.path != "instructions"]
    for key, other in rule.rename.items():
        if conditions and (key.startswith(IN_MESSAGES) or not ("." in key or "." in other)):
            message = f"{quote(key)} is renamed for a model or a setting, whatever is given"
            place = (*rule.place, "rename", key)
            notation.report(place, "bad-value", message, "leave out given and unless", at_key=True)
    if others and "instructions.role" in rule.set:
        message = "instructions.role is set for a model or a setting, whatever else is given"
        place = (*rule.place, "set", "instructions.role")
        notation.report(place, "bad-value", message, f"leave out the condition {others[0]}", at_key=True)
