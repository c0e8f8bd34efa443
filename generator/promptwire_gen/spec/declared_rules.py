"""Facts as rules: `values`, `needs`, `asks` and `models` of a spec and of its families, put before its own rules.

The rules are nodes of the tree, and stand where the facts stand: whatever is wrong with one is shown there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..problems import Problem, Span, did_you_mean, quote
from .declared import RANGE
from .family_rules import families_of, left_out, of_family, of_models
from .nodes import Node, Scalar, Sequence, Table
from .trees import facts_of, groups_of, inside_and_outside, items_of, listed, tables_of, text, with_value

_RANGE = re.compile(RANGE)
_VERSION = re.compile(r"-\d{4}-\d{2}-\d{2}$")
FACTS = ("values", "needs", "asks", "families", "groups", "models")


def with_declared(tree: Table, families: Mapping[str, Table], problems: list[Problem]) -> Table:
    """Put what a spec declares, and what its families say, before its rules.

    What is not as it should be is left out: the checks of the sections tell. Unknown groups and families are problems.
    """
    rules = tree.get("rules")
    own = list(rules.items) if isinstance(rules, Sequence) else []
    if not any(tree.get(name) for name in FACTS):
        return tree
    work = _Work(problems)
    work.groups.update(groups_of(tree))
    declared: list[Node] = [*work.needs(tree), *work.values(tree), *work.asks(tree)]
    for name, use, page in families_of(tree, families, problems):
        inner = _Work(problems, {**groups_of(page), **work.groups})
        work.groups = inner.groups
        names = None if use is not None and use.get("alone") is not None else page.get("names")
        facts = (*inner.needs(page), *inner.values(page), *inner.models(page))
        for rule in (*facts, *inner.with_groups(items_of(page.get("rules")))):
            declared += of_family(of_models(rule, names), name, left_out(use))
    declared += [*work.models(tree), *work.with_groups(own)]
    span = rules.span if rules is not None else tree.span
    return with_value(tree, "rules", Sequence(tuple(declared), span))


@dataclass(slots=True)
class _Work:
    """Makes rules of facts; `groups` are those that facts may name."""

    problems: list[Problem]
    groups: dict[str, Node] = field(default_factory=dict[str, Node])

    def needs(self, tree: Table) -> Iterator[Table]:
        """Refuse a field, and allow it where what it needs is given; or refuse it beside what it does not go with."""
        for path, fact in facts_of(tree.get("needs")):
            given, either, without = (listed(fact.get(word)) for word in ("given", "either", "without"))
            enough = [(*given, item) for item in either] or [given]
            subject = _subject(str(path.value))
            if given or either:
                words = " and ".join([*map(_words_of, given), *([_either(either)] if either else [])])
                because = _because(fact, f"{subject} needs {words}", path.span)
                yield _rule((), [("reject", [path])], because, fact)
                for items in enough:
                    yield _rule(_given(items, path), [("allow", [path])], because, fact)
            because = _because(fact, f"{subject} does not go with {_either(without)}", path.span)
            for item in without:
                yield _rule(_given((item,), path), [("reject", [path])], because, fact)

    def values(self, tree: Table) -> Iterator[Table]:
        """Refuse all values of a field but those that are taken."""
        for path, fact in facts_of(tree.get("values")):
            yield from self._fact(path, fact, ())

    def models(self, tree: Table) -> Iterator[Table]:
        """Refuse what a group of models does not take."""
        for path, cells in facts_of(tree.get("models")):
            for group, fact in tables_of(cells):
                yield from self._fact(path, fact, self._when([group]))

    def asks(self, tree: Table) -> Iterator[Table]:
        """Add the word that a field asks for."""
        for setting, asked in tables_of(tree.get("asks")):
            for path, fact in facts_of(asked):
                word = fact.get("word")
                if not isinstance(word, Scalar):
                    continue
                entry = str(path.value)
                both = "|".join(dict.fromkeys([str(word.value), _VERSION.sub("-*", str(word.value))]))
                add = Table(((setting, text(both, word.span)),), setting.span)
                because = _because(fact, f"{_subject(entry)} is in beta", path.span)
                yield _rule(_given((path,), path), [("add", add)], because, fact)

    def with_groups(self, rules: Iterable[Node]) -> Iterator[Node]:
        """Write out the groups that the rules name."""
        for rule in rules:
            when = rule.get("when") if isinstance(rule, Table) else None
            named = when.get("models") if isinstance(when, Table) else None
            if not (isinstance(rule, Table) and isinstance(when, Table) and named is not None):
                yield rule
                continue
            meant = dict(self._when([item for item in listed(named) if isinstance(item, Scalar)]))
            entries = [(key, value) for key, value in when.entries if key.value != "models"]
            for key, value in meant.items():
                also = next((old for old_key, old in entries if old_key.value == key.value), None)
                entries = [entry for entry in entries if entry[0].value != key.value]
                entries.append((key, Sequence((*listed(also), *listed(value)), value.span)))
            yield with_value(rule, "when", Table(tuple(entries), when.span))

    def _fact(self, path: Scalar, fact: Table, when: tuple[tuple[Scalar, Node], ...]) -> Iterator[Table]:
        entries = list(_refused(path, fact))
        if entries:
            because = _because(fact, _reason(str(path.value), fact, of_model=bool(when)), path.span)
            yield _rule(when, [("reject", entries)], because, fact)

    def _when(self, groups: Iterable[Scalar]) -> tuple[tuple[Scalar, Node], ...]:
        """Give the globs of groups, and those of what is none of them."""
        names: list[Node] = []
        without: list[Node] = []
        for group in groups:
            self._collect(group, names, without, ())
        rows = (("model", names), ("not_model", without))
        return tuple(
            [
                (text(key, items[0].span), Sequence(tuple(items), items[0].span))
                for key, items in rows
                if items
            ]
        )

    def _collect(self, group: Scalar, names: list[Node], without: list[Node], above: tuple[str, ...]) -> None:
        name = str(group.value)
        node = self.groups.get(name)
        if node is None or name in above:
            message = (
                f"there is no group of models {quote(name)}"
                if node is None
                else f"{quote(name)} holds itself"
            )
            hint = did_you_mean(name, self.groups) or "groups says which models are in it"
            self.problems.append(Problem(group.span, "unknown-group", message, hint))
            return
        inside, outside = inside_and_outside(node)
        if above and outside is not None:
            message = f"{quote(name)} leaves models out, and so it cannot be part of another group"
            self.problems.append(Problem(group.span, "bad-value", message, "name its globs"))
        for nodes, target in ((inside, names), (outside, without)):
            for item in listed(nodes):
                if isinstance(item, Scalar) and str(item.value) in self.groups:
                    self._collect(item, target, without, (*above, name))
                else:
                    target.append(item)


def _refused(path: Scalar, fact: Table) -> Iterator[Node]:
    """Give the entries of a rule that refuses what a fact leaves out."""
    entry = str(path.value)
    if rejected := _listed_words(fact, "not"):
        yield text(f"{entry}={rejected}", path.span)
    if fact.get("unsupported") is not None:
        yield path
    if isinstance(pattern := fact.get("pattern"), Scalar):
        yield text(f"{entry}!~{pattern.value}", path.span)
    if accepted := _listed_words(fact, "enum"):
        yield text(f"{entry}!={accepted}", path.span)
    yield from [
        text(f"{entry}{sign}{limit}", path.span)
        for sign, limit in zip("<>", _limits(fact), strict=True)
        if limit is not None
    ]


def _listed_words(fact: Table, key: str) -> str:
    """Write the values of a list as an entry has them, `auto|default`."""
    values = [item.value for item in listed(fact.get(key)) if isinstance(item, Scalar)]
    return "|".join([str(value).lower() if isinstance(value, bool) else str(value) for value in values])


def _limits(fact: Table) -> tuple[str | None, str | None]:
    """Return the bounds of a range, each None where it is open."""
    limits = fact.get("range")
    match = _RANGE.fullmatch(str(limits.value)) if isinstance(limits, Scalar) else None
    return (None, None) if match is None else (match[1], match[2])


def _reason(path: str, fact: Table, *, of_model: bool) -> str:
    """Say what a fact says, in the words of the request."""
    subject = _subject(path)
    takes = "this model takes" if of_model else "the API takes"
    if rejected := _listed_words(fact, "not"):
        return f"{takes} no {_words(rejected)} as {subject}"
    if accepted := _listed_words(fact, "enum"):
        return f"{takes} {_words(accepted)} as {subject}"
    low, high = _limits(fact)
    if low is not None and high is not None:
        return f"{subject} goes from {low} to {high}"
    if low is not None or high is not None:
        return f"{subject} is at least {low}" if low is not None else f"{subject} is at most {high}"
    return (
        f"{takes} no {subject}"
        if fact.get("unsupported") is not None
        else f"{takes} another form of {subject}"
    )


def _words(listed: str) -> str:
    *first, last = listed.split("|")
    return f"{', '.join(first)} or {last}" if first else last


def _either(items: Iterable[Node]) -> str:
    return _words("|".join(map(_words_of, items)))


def _words_of(entry: Node) -> str:
    return _subject(str(entry.value)) if isinstance(entry, Scalar) else ""


def _given(items: Iterable[Node], path: Scalar) -> tuple[tuple[Scalar, Node], ...]:
    return ((text("given", path.span), Sequence(tuple(items), path.span)),)


def _subject(path: str) -> str:
    return path.removeprefix("vendor.")


def _because(fact: Table, reason: str, span: Span) -> Node:
    return fact.get("because") or text(reason, span)


def _rule(
    when: Iterable[tuple[Scalar, Node]],
    does: Iterable[tuple[str, Iterable[Node] | Table]],
    because: Node,
    fact: Table,
) -> Table:
    span = fact.span
    source = fact.get("source")
    entries: list[tuple[Scalar, Node]] = [(text("when", span), Table(tuple(when), span))]
    for verb, what in does:
        node = what if isinstance(what, Table) else Sequence(tuple(what), span)
        entries.append((text(verb, span), node))
    entries.append((text("because", span), because))
    entries += [(text("source", span), source)] if source is not None else []
    return Table(tuple(entries), span)
