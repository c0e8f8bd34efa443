"""All rules of a wire in order: facts (needs, values, asks), families, facts about models, own rules. Later rules win.

Facts and the texts of rules become conditions here, once. Each condition keeps the place where it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..problems import Span, SpecProblem, did_you_mean, quote
from .declared import Fact, FamilyUse, Group, Need, join_alternatives
from .fields import Dated
from .nodes import Path, Table, locate, span_at
from .profiles import find_statements
from .rule_conditions import Condition, parse_field, parse_key
from .schema import Spec
from .shared_pages import Family, FamilyPage, Host, HostPage, SharedPages

_DASH = re.compile(r"(?<=\d)-(?=\d)")
_VERSION = re.compile(r"-\d{4}-\d{2}-\d{2}$")


IN_MESSAGES = "messages[]."
"""What a key of messages begins with in `rename`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WireRule:
    """One rule of a wire: when it holds, and what it does.

    model, not_model  globs of names of models
    given, unless     conditions of the request: all of the first must hold, none of the second may
    since, until      the first and the last day on which it holds; empty for no limit
    ignore            values that the API takes without effect
    add               a list among the settings -> the word that it must hold, and words that are as good
    fix               the repair of a rejected request, as one text; empty for the default of the field
    fixed_at          where the fix was written
    family            the family of models, or the host, that the rule comes from
    place             its path in the spec; empty for a rule of a family or host
    """

    model: tuple[str, ...] = ()
    not_model: tuple[str, ...] = ()
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    given: tuple[Condition, ...] = ()
    unless: tuple[Condition, ...] = ()
    reject: tuple[Condition, ...] = ()
    since: str = ""
    until: str = ""
    ignore: tuple[Condition, ...] = ()
    allow: tuple[Condition, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict[str, str])
    set: Mapping[str, Any] = field(default_factory=dict[str, Any])
    add: Mapping[str, str] = field(default_factory=dict[str, str])
    because: str = ""
    source: str = ""
    fix: str = ""
    fixed_at: Span | None = field(default=None, compare=False)
    family: str | None = None
    place: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class FamilyRules:
    """The rules of a family of models, for all APIs that serve them.

    Attributes:
        name: The name of the family.
        title: A readable title.
        file: Its page.
        names: The globs of all its models, which rules about all of them have.
        rules: Its rules in order, as the page spells the names of models.
        known: The names of the models that the page knows.
        like: The names of new models -> the known model that each is taken for.
        others: Other names of models -> their names.
        use: How an API names the models; None for names as they are on the page.
    """

    name: str
    title: str
    file: str
    names: Group | None
    rules: tuple[WireRule, ...]
    known: tuple[str, ...] = ()
    like: Mapping[str, str] = field(default_factory=dict[str, str])
    others: Mapping[str, str] = field(default_factory=dict[str, str])
    use: FamilyUse | None = None

    def spell_rules(self) -> tuple[WireRule, ...]:
        """Return the rules as the API names the models; the function `spelled` of the runtime does the same."""
        return (
            self.rules
            if self.use is None
            else tuple([self._spell_family(rule, self.use) for rule in self.rules])
        )

    def is_about_all(self, rule: WireRule) -> bool:
        """Return whether a rule of the page is about all models of the family."""
        names = self.names
        return (
            names is not None
            and bool(names.names)
            and (rule.model, rule.not_model) == (names.names, names.without)
        )

    def _spell_family(self, rule: WireRule, use: FamilyUse) -> WireRule:
        if use.alone and self.is_about_all(rule):
            return replace(rule, model=(), not_model=())
        model, not_model = (
            tuple([_spell_glob(glob, use) for glob in globs]) for globs in (rule.model, rule.not_model)
        )
        return replace(rule, model=model, not_model=not_model)


def make_family_rules(page: FamilyPage) -> FamilyRules:
    """Return the rules of a family; problems of its page are reported where a spec uses it."""
    family = page.family
    maker = _RuleMaker(family, page.tree, [], family.all_groups())
    rules = [
        ruled
        for rule in maker.make_shared_rules()
        for ruled in _restrict_to_family(rule, family.family, family.names, frozenset())
    ]
    file = page.tree.span.file
    return FamilyRules(
        family.family,
        family.title,
        file,
        family.names,
        _merge_facts(rules),
        family.known,
        family.resolve_new_models(),
        family.other_names(),
    )


def make_wire_rules(
    spec: Spec, tree: Table, shared: SharedPages, problems: list[SpecProblem], chain: Sequence[str] = ()
) -> tuple[WireRule, ...]:
    """Return the rules of a spec; groups, families and hosts that do not exist are problems.

    `chain` has the spec and those whose facts it inherits, the nearest first.
    """
    # a family whose page has problems may have the groups that the spec names
    knows_groups = all(shared.families.get(name, True) for name in spec.families)
    own = _RuleMaker(spec, tree, problems if knows_groups else [], dict(spec.groups))
    rules = [*own.make_need_rules(), *own.make_value_rules(), *own.make_ask_rules()]
    here: list[WireRule] = []
    for name, use, page in _find_families(spec, tree, shared.families, problems):
        # two families may use one name for their own groups
        maker = _RuleMaker(page.family, page.tree, problems, {**page.family.groups, **spec.groups}, use)
        here += maker.make_profile_rules(chain) if chain else ()
        own.groups = {**page.family.groups, **own.groups}
        names = None if use is not None and use.alone else page.family.names
        left_out = _find_excluded_paths(use)
        for rule in maker.make_shared_rules():
            rules += _restrict_to_family(rule, name, names, left_out)
    rules += [*own.make_model_rules(), *here, *own.make_own_rules()]
    for host, nodes in _find_hosts(spec, tree, shared.hosts, problems):
        maker = _RuleMaker(host, nodes, problems, {**host.groups, **spec.groups})
        rules += [_restrict_to_host(rule, host, spec) for rule in maker.make_shared_rules()]
    return _merge_facts(rules)


def _find_hosts(
    spec: Spec, tree: Table, hosts: Mapping[str, HostPage | None], problems: list[SpecProblem]
) -> Iterator[HostPage]:
    """Yield the pages of the hosts that a spec names."""
    for index, name in enumerate(spec.hosts):
        if name not in hosts:
            hint = did_you_mean(name, hosts) or f"write hosts/{name}.yaml beside the specs"
            message = f"there is no host {quote(name)}"
            problems.append(SpecProblem(span_at(tree, ("hosts", index)), "unknown-host", message, hint))
        elif (page := hosts[name]) is not None:
            yield page


def _restrict_to_host(rule: WireRule, host: Host, spec: Spec) -> WireRule:
    """Return a rule of a host as one that holds at its addresses; always, where these are the API's own."""
    own = spec.transport.settings.get("base_url")
    settings = {} if own is not None and own.default in host.urls else {"base_url": host.urls}
    return replace(rule, settings=settings, family=host.host, place=())


def _merge_facts(rules: Iterable[WireRule]) -> tuple[WireRule, ...]:
    """Merge neighbouring facts with the same conditions, reason and source into one rule."""
    merged: list[WireRule] = []
    for rule in rules:
        last = merged[-1] if merged else None
        is_fact = not (rule.place or rule.allow)
        same = last is not None and replace(last, reject=rule.reject, ignore=rule.ignore) == rule
        if last is not None and same and is_fact and not last.place:
            reject, ignore = (*last.reject, *rule.reject), (*last.ignore, *rule.ignore)
            merged[-1] = replace(last, reject=reject, ignore=ignore)
        else:
            merged.append(rule)
    return tuple(merged)


@dataclass(slots=True)
class _RuleMaker:
    """Turns the facts and rules of one page into rules.

    Attributes:
        groups: The groups of models that it may name.
        use: How an API names the models of a family.
    """

    page: Spec | Family | Host
    tree: Table
    problems: list[SpecProblem]
    groups: dict[str, Group]
    use: FamilyUse | None = None

    def make_shared_rules(self) -> Iterator[WireRule]:
        """Yield the facts and rules of the page of a family or host, in order."""
        yield from self.make_need_rules()
        yield from self.make_value_rules()
        yield from self.make_model_rules()
        yield from self.make_profile_rules()
        yield from self.make_own_rules()

    def make_need_rules(self) -> Iterator[WireRule]:
        """Yield rules that reject a field without the fields that it needs, and together with those that exclude it."""
        for key, need in self.page.needs.items():
            place: Path = ("needs", key)
            given, enough, without = (
                self._place_conditions((*place, name), getattr(need, name))
                for name in ("given", "either", "without")
            )
            for path in self._parse_paths(place):
                yield from _make_need_rules(path, need, given, enough, without)

    def make_value_rules(self) -> Iterator[WireRule]:
        """Yield rules that reject the values which a fact excludes."""
        for key, facts in self.page.values.items():
            for index, fact in enumerate(facts):
                for path in self._parse_paths(("values", key)):
                    yield self._make_fact_rule(path, fact, ("values", key, index))

    def make_model_rules(self) -> Iterator[WireRule]:
        """Yield rules that reject the values which a group of models does not accept."""
        for key, cells in self.page.models.items():
            for path in self._parse_paths(("models", key)):
                for group, facts in cells.items():
                    cell: Path = ("models", key, group)
                    model, not_model = self._collect_globs([(group, span_at(self.tree, cell, key=True))])
                    for index, fact in enumerate(facts):
                        rule = self._make_fact_rule(path, fact, (*cell, index))
                        yield replace(rule, model=model, not_model=not_model)

    def make_profile_rules(self, wires: Sequence[str] = ()) -> Iterator[WireRule]:
        """Yield rules for the facts of profiles: those for every API, or those for some APIs only (`wires`)."""
        if not isinstance(self.page, Family):
            return
        for place, name, facts, models in find_statements(self.page.profiles, wires):
            path = parse_field(name).with_span(span_at(self.tree, place, key=True))
            spelled = models if self.use is None else tuple([_spell_glob(each, self.use) for each in models])
            for index, fact in enumerate(facts):
                yield replace(self._make_fact_rule(path, fact, (*place, index)), model=spelled)

    def make_ask_rules(self) -> Iterator[WireRule]:
        """Add the word that a field asks for to a setting."""
        for setting, asked in self.page.asks.items() if isinstance(self.page, Spec) else ():
            place: Path = ("asks", setting)
            for key, ask in asked.items():
                words = "|".join(dict.fromkeys([ask.word, _VERSION.sub("-*", ask.word)]))
                for path in self._parse_paths((*place, key)):
                    yield WireRule(
                        given=(path,),
                        unless=self._place_conditions((*place, key, "unless"), ask.unless),
                        add={setting: words},
                        because=ask.because or f"`{path.subject}` is in beta",
                        source=ask.source,
                        place=place,
                        **_get_days(ask),
                    )

    def make_own_rules(self) -> Iterator[WireRule]:
        """Parse the rules of the page, with the globs of the groups that they name."""
        for index, rule in enumerate(self.page.rules):
            place: Path = ("rules", index)
            when, groups = rule.when, (*place, "when", "models")
            model, not_model = self._collect_globs(
                [(name, locate(self.tree, (*groups, n))) for n, name in enumerate(when.models)]
            )
            yield WireRule(
                model=(*when.model, *model),
                not_model=(*when.not_model, *not_model),
                settings=when.settings,
                given=self._place_conditions((*place, "when", "given"), when.given),
                unless=self._place_conditions((*place, "when", "unless"), when.unless),
                reject=self._place_conditions((*place, "reject"), rule.reject),
                allow=self._place_conditions((*place, "allow"), rule.allow),
                rename=rule.rename,
                set=rule.set,
                because=rule.because,
                source=rule.source,
                fix=rule.fix or "",
                fixed_at=None if rule.fix is None else locate(self.tree, (*place, "fix")),
                place=place,
                **_get_days(rule),
            )

    def _parse_paths(self, place: Path) -> Iterator[Condition]:
        """Parse the paths that the key of a fact names: one, or several with a comma between them."""
        span = span_at(self.tree, place, key=True)
        parse = parse_key if place[0] in ("needs", "asks") else parse_field
        for text in str(place[-1]).split(", "):
            yield parse(text).with_span(span)

    def _make_fact_rule(self, path: Condition, fact: Fact, place: Path) -> WireRule:
        unless = self._place_conditions((*place, "unless"), fact.unless)
        reject = tuple(fact.list_rejected(path))
        return WireRule(
            given=self._place_conditions((*place, "while"), fact.while_),
            unless=unless,
            reject=reject,
            allow=fact.list_accepted(path),
            ignore=fact.list_ignored(path),
            because=fact.explain(path),
            source=fact.source,
            fix=fact.fix or "",
            fixed_at=None if fact.fix is None else locate(self.tree, (*place, "fix")),
            **_get_days(fact),
        )

    def _place_conditions(self, place: Path, conditions: Sequence[Condition]) -> tuple[Condition, ...]:
        """Return conditions with the places of their fields."""
        return tuple(
            [
                each.with_span(locate(self.tree, (*place, *each.steps), at_key=bool(each.steps)))
                for each in conditions
            ]
        )

    def _collect_globs(self, groups: Iterable[tuple[str, Span]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the globs of the models of some groups, and the globs of excluded models."""
        names: list[str] = []
        without: list[str] = []
        for group, span in groups:
            self._collect_group(group, span, names, without, ())
        return tuple(names), tuple(without)

    def _collect_group(
        self, name: str, span: Span, names: list[str], without: list[str], above: tuple[str, ...]
    ) -> None:
        group = self.groups.get(name)
        if group is None or name in above:
            message = f"{quote(name)} holds itself" if group else f"there is no group of models {quote(name)}"
            hint = did_you_mean(name, self.groups) or "groups says which models are in it"
            self.problems.append(SpecProblem(span, "unknown-group", message, hint))
            return
        if above and group.without:
            message = f"{quote(name)} leaves models out, and so it cannot be part of another group"
            self.problems.append(SpecProblem(span, "bad-value", message, "name its globs"))
        for key, globs, target in (("names", group.names, names), ("without", group.without, without)):
            for index, glob in enumerate(globs):
                if glob in self.groups:
                    place = self._locate_member(name, key, index)
                    self._collect_group(glob, place, target, without, (*above, name))
                else:
                    target.append(glob)

    def _locate_member(self, group: str, key: str, index: int) -> Span:
        node = self.tree.get("groups")
        inner = node.get(group) if isinstance(node, Table) else None
        return locate(self.tree, ("groups", group, *([key] if isinstance(inner, Table) else []), index))


def _make_need_rules(
    path: Condition,
    need: Need,
    given: tuple[Condition, ...],
    enough: tuple[Condition, ...],
    without: tuple[Condition, ...],
) -> Iterator[WireRule]:
    """Yield a rule for each thing that a field needs, all with the same reason."""
    needed = [
        *[each.subject for each in given],
        *([join_alternatives([each.subject for each in enough])] if enough else []),
    ]
    because = need.because or f"`{path.subject}` needs {' and '.join(needed)}"
    for unless in (*[(condition,) for condition in given], *([enough] if enough else [])):
        yield WireRule(unless=unless, reject=(path,), because=because, source=need.source, **_get_days(need))
    if without:
        because = (
            need.because
            or f"`{path.subject}` does not go with {join_alternatives([each.subject for each in without])}"
        )
    for condition in without:
        yield WireRule(
            given=(condition,), reject=(path,), because=because, source=need.source, **_get_days(need)
        )


def _get_days(section: Dated) -> dict[str, Any]:
    """Return the days between which a fact or rule holds, as arguments of a rule."""
    return {"since": section.from_ or "", "until": section.until or ""}


def _find_families(
    spec: Spec, tree: Table, families: Mapping[str, FamilyPage | None], problems: list[SpecProblem]
) -> Iterator[tuple[str, FamilyUse | None, FamilyPage]]:
    """Yield the families that a spec names: name, use, and the page with the names of models as this API has them."""
    for name, use in spec.families.items():
        if name not in families:
            span = span_at(tree, ("families", name), key=True)
            hint = did_you_mean(name, families) or f"write models/{name}.yaml beside the specs"
            message = f"there is no family of models {quote(name)}"
            problems.append(SpecProblem(span, "unknown-family", message, hint))
        elif (page := families[name]) is not None:
            yield name, use, page._replace(family=_spell_family(page.family, use or FamilyUse()))


def _spell_family(family: Family, use: FamilyUse) -> Family:
    """Spell the globs of a family as an API names its models: with a prefix, with dots in versions."""
    members = family.all_groups()

    def spell(globs: Iterable[str]) -> tuple[str, ...]:
        return tuple([glob if glob in members else _spell_glob(glob, use) for glob in globs])

    def spell_group(group: Group) -> Group:
        return group.model_copy(update={"names": spell(group.names), "without": spell(group.without)})

    groups = {name: spell_group(group) for name, group in members.items()}
    names = None if family.names is None else spell_group(family.names)
    return family.model_copy(update={"groups": groups, "names": names})


def _spell_glob(glob: str, use: FamilyUse) -> str:
    return (use.prefix or "") + (_DASH.sub(".", glob) if use.dots is not None else glob)


def _find_excluded_paths(use: FamilyUse | None) -> frozenset[str]:
    """Return the paths, or globs of paths, whose facts do not hold for an API."""
    return frozenset([path for key in (use.without if use is not None else ()) for path in key.split(", ")])


def _restrict_to_family(
    rule: WireRule, family: str, names: Group | None, left_out: frozenset[str]
) -> Iterator[WireRule]:
    """Yield a rule for the models of its family, without fields that are left out; none if no field remains."""

    def keep(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        return tuple([condition for condition in conditions if not _matches_any(condition.place, left_out)])

    reject, allow, ignore = keep(rule.reject), keep(rule.allow), keep(rule.ignore)
    if not (reject or allow or ignore):
        return
    rule = replace(rule, reject=reject, allow=allow, ignore=ignore, family=family, place=())
    if names is not None and not (rule.model or rule.not_model):
        rule = replace(rule, model=names.names, not_model=names.without)
    yield rule


def _matches_any(path: str, globs: frozenset[str]) -> bool:
    return any(path == glob or (glob.endswith("*") and path.startswith(glob[:-1])) for glob in globs)
