"""Facts as rules: `values`, `needs`, `asks` and `models` of a spec and of its families, put before its own rules.

The rules are nodes of the tree, and stand where the facts stand: whatever is wrong with one is shown there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..problems import Problem, Span, did_you_mean, quote
from .nodes import Node, Scalar, Sequence, Table

_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?")
_DASH = re.compile(r"(?<=\d)-(?=\d)")
_VERSION = re.compile(r"-\d{4}-\d{2}-\d{2}$")
# a path may have a selector: tools[type=web_search*].name
_PATH = re.compile(r"[^\[=<>!]*(?:\[[^\]]*\])?[^=<>!]*")
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
    work.groups.update(_groups(tree))
    declared: list[Node] = [*work.needs(tree), *work.values(tree), *work.asks(tree)]
    for name, use, page in _families(tree, families, problems):
        inner = _Work(problems, {**_groups(page), **work.groups})
        work.groups = inner.groups
        names = () if use is not None and use.get("alone") is not None else _listed(page.get("names"))
        for rule in (*inner.models(page), *inner.with_groups(_items(page.get("rules")))):
            declared += _of_family(_of_models(rule, names), name, _without(use))
    declared += [*work.models(tree), *work.with_groups(own)]
    span = rules.span if rules is not None else tree.span
    return _with(tree, "rules", Sequence(tuple(declared), span))


@dataclass(slots=True)
class _Work:
    """Makes rules of facts; `groups` are those that facts may name."""

    problems: list[Problem]
    groups: dict[str, Node] = field(default_factory=dict[str, Node])

    def needs(self, tree: Table) -> Iterator[Table]:
        """Refuse a field, and allow it where what it needs is given."""
        for path, fact in _facts(tree.get("needs")):
            given = fact.get("given")
            if given is None:
                continue
            words = " and ".join(
                [_subject(str(item.value)) for item in _listed(given) if isinstance(item, Scalar)]
            )
            because = _because(fact, f"{_subject(str(path.value))} needs {words}", path.span)
            for verb, when in (("reject", ()), ("allow", ((_text("given", path.span), given),))):
                yield _rule(when, [(verb, [path])], because, fact)

    def values(self, tree: Table) -> Iterator[Table]:
        """Refuse all values of a field but those that are taken."""
        for path, fact in _facts(tree.get("values")):
            yield from self._fact(path, fact, ())

    def models(self, tree: Table) -> Iterator[Table]:
        """Refuse what a group of models does not take."""
        for path, cells in _facts(tree.get("models")):
            for group, fact in _tables(cells):
                yield from self._fact(path, fact, self._when([group]))

    def asks(self, tree: Table) -> Iterator[Table]:
        """Add the word that a field asks for."""
        for setting, asked in _tables(tree.get("asks")):
            for path, fact in _facts(asked):
                word = fact.get("word")
                if not isinstance(word, Scalar):
                    continue
                entry = str(path.value)
                both = "|".join(dict.fromkeys([str(word.value), _VERSION.sub("-*", str(word.value))]))
                when = ((_text("given", path.span), Sequence((path,), path.span)),)
                add = Table(((setting, _text(both, word.span)),), setting.span)
                because = _because(fact, f"{_subject(entry)} is in beta", path.span)
                yield _rule(when, [("add", add)], because, fact)

    def with_groups(self, rules: Iterable[Node]) -> Iterator[Node]:
        """Write out the groups that the rules name."""
        for rule in rules:
            when = rule.get("when") if isinstance(rule, Table) else None
            named = when.get("models") if isinstance(when, Table) else None
            if not (isinstance(rule, Table) and isinstance(when, Table) and named is not None):
                yield rule
                continue
            meant = dict(self._when([item for item in _listed(named) if isinstance(item, Scalar)]))
            entries = [(key, value) for key, value in when.entries if key.value != "models"]
            for key, value in meant.items():
                also = next((old for old_key, old in entries if old_key.value == key.value), None)
                entries = [entry for entry in entries if entry[0].value != key.value]
                entries.append((key, Sequence((*_listed(also), *_listed(value)), value.span)))
            yield _with(rule, "when", Table(tuple(entries), when.span))

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
                (_text(key, items[0].span), Sequence(tuple(items), items[0].span))
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
        listed, excluded = (
            (node.get("names"), node.get("without")) if isinstance(node, Table) else (node, None)
        )
        if above and excluded is not None:
            message = f"{quote(name)} leaves models out, and so it cannot be part of another group"
            self.problems.append(Problem(group.span, "bad-value", message, "name its globs"))
        for nodes, target in ((listed, names), (excluded, without)):
            for item in _listed(nodes):
                if isinstance(item, Scalar) and str(item.value) in self.groups:
                    self._collect(item, target, without, (*above, name))
                else:
                    target.append(item)


def _families(
    tree: Table, families: Mapping[str, Table], problems: list[Problem]
) -> Iterator[tuple[str, Table | None, Table]]:
    """Give the families that a spec names: name, what is said of its use, page."""
    uses = tree.get("families")
    for key, use in uses.entries if isinstance(uses, Table) else ():
        name = str(key.value)
        if name not in families:
            hint = did_you_mean(name, families) or f"write models/{name}.yaml beside the specs"
            problems.append(
                Problem(key.span, "unknown-family", f"there is no family of models {quote(name)}", hint)
            )
            continue
        known = use if isinstance(use, Table) else None
        yield name, known, _spelled(families[name], known)


def _spelled(page: Table, use: Table | None) -> Table:
    """Spell the globs of a family as an API names its models: with a prefix, with dots in versions."""
    prefix, dots = (use.get(word) if use is not None else None for word in ("prefix", "dots"))
    before = str(prefix.value) if isinstance(prefix, Scalar) else ""
    groups = _groups(page)

    def spelled(node: Node) -> Node:
        if isinstance(node, Table):
            return Table(tuple([(key, spelled(value)) for key, value in node.entries]), node.span)
        if isinstance(node, Sequence):
            return Sequence(tuple(map(spelled, node.items)), node.span)
        glob = str(node.value)
        if glob in groups:
            return node
        return node._replace(value=before + (_DASH.sub(".", glob) if dots is not None else glob))

    if not (before or dots):
        return page
    return Table(
        tuple(
            [
                (key, spelled(value) if key.value in ("names", "groups") else value)
                for key, value in page.entries
            ]
        ),
        page.span,
    )


def _without(use: Table | None) -> frozenset[str]:
    """Give the fields whose facts do not hold for an API."""
    return frozenset([path for key, _ in _entries(use, "without") for path in str(key.value).split(", ")])


def _of_models(rule: Node, names: tuple[Node, ...]) -> Node:
    """Let a rule of a family hold for its models alone, where it names none."""
    when = rule.get("when") if isinstance(rule, Table) else None
    if not isinstance(rule, Table) or not names or (isinstance(when, Table) and when.get("model")):
        return rule
    meant = (_text("model", rule.span), Sequence(names, rule.span))
    entries = when.entries if isinstance(when, Table) else ()
    return _with(rule, "when", Table((meant, *entries), rule.span))


def _entries(table: Table | None, key: str) -> tuple[tuple[Scalar, Node], ...]:
    inner = table.get(key) if table is not None else None
    return inner.entries if isinstance(inner, Table) else ()


def _of_family(rule: Node, family: str, without: frozenset[str]) -> Iterator[Node]:
    """Mark a rule as a fact of a family, without the fields that do not hold for an API; none where nothing is left."""
    if not isinstance(rule, Table):
        return
    entries: list[tuple[Scalar, Node]] = []
    for key, value in rule.entries:
        kept = tuple([entry for entry in _listed(value) if _path_of(entry) not in without])
        if key.value not in ("reject", "allow"):
            entries.append((key, value))
        elif kept:
            entries.append((key, Sequence(kept, value.span)))
    if any(key.value in ("reject", "allow") for key, _ in entries):
        yield Table((*entries, (_text("family", rule.span), _text(family, rule.span))), rule.span)


def _path_of(entry: Node) -> str:
    return _PATH.match(str(entry.value))[0] if isinstance(entry, Scalar) else ""  # type: ignore[index]


def _refused(path: Scalar, fact: Table) -> Iterator[Node]:
    """Give the entries of a rule that refuses what a fact leaves out."""
    only, like, never = fact.get("only"), fact.get("like"), fact.get("never")
    entry = str(path.value)
    if isinstance(never, Scalar):
        yield _text(f"{entry}={never.value}", path.span)
    if fact.get("refused") is not None:
        yield path
    if isinstance(like, Scalar):
        yield _text(f"{entry}!~{like.value}", path.span)
    if isinstance(only, Scalar):
        limits = _RANGE.fullmatch(str(only.value))
        if limits is None:
            yield _text(f"{entry}!={only.value}", path.span)
        else:
            yield from [
                _text(f"{entry}{sign}{limit}", path.span)
                for sign, limit in zip("<>", limits.groups(), strict=True)
                if limit is not None
            ]


def _reason(path: str, fact: Table, *, of_model: bool) -> str:
    """Say what a fact says, in the words of the request."""
    only, subject = fact.get("only"), _subject(path)
    takes = "this model takes" if of_model else "the API takes"
    if isinstance(never := fact.get("never"), Scalar):
        return f"{takes} no {_words(str(never.value))} as {subject}"
    if not isinstance(only, Scalar):
        return (
            f"{takes} no {subject}"
            if fact.get("refused") is not None
            else f"{takes} another form of {subject}"
        )
    limits = _RANGE.fullmatch(str(only.value))
    if limits is None:
        return f"{takes} {_words(str(only.value))} as {subject}"
    low, high = limits.groups()
    if low is not None and high is not None:
        return f"{subject} goes from {low} to {high}"
    return f"{subject} is at least {low}" if low is not None else f"{subject} is at most {high}"


def _words(listed: str) -> str:
    *first, last = listed.split("|")
    return f"{', '.join(first)} or {last}" if first else last


def _subject(path: str) -> str:
    return path.removeprefix("vendor.")


def _because(fact: Table, reason: str, span: Span) -> Node:
    return fact.get("because") or _text(reason, span)


def _rule(
    when: Iterable[tuple[Scalar, Node]],
    does: Iterable[tuple[str, Iterable[Node] | Table]],
    because: Node,
    fact: Table,
) -> Table:
    span = fact.span
    source = fact.get("source")
    entries: list[tuple[Scalar, Node]] = [(_text("when", span), Table(tuple(when), span))]
    for verb, what in does:
        node = what if isinstance(what, Table) else Sequence(tuple(what), span)
        entries.append((_text(verb, span), node))
    entries.append((_text("because", span), because))
    entries += [(_text("source", span), source)] if source is not None else []
    return Table(tuple(entries), span)


def _text(text: str, span: Span) -> Scalar:
    return Scalar(text, span, quoted=True)


def _with(table: Table, key: str, value: Node) -> Table:
    """Put another value under a key, or one more at the end."""
    entries = [(old, value if old.value == key else node) for old, node in table.entries]
    if table.get(key) is None:
        entries.append((_text(key, value.span), value))
    return Table(tuple(entries), table.span)


def _groups(tree: Table) -> dict[str, Node]:
    groups = tree.get("groups")
    return {str(key.value): node for key, node in groups.entries} if isinstance(groups, Table) else {}


def _facts(node: Node | None) -> Iterator[tuple[Scalar, Table]]:
    """Give each path of a section with what is said of it; one key may name several."""
    for key, value in _tables(node):
        for path in str(key.value).split(", "):
            yield key._replace(value=path), value


def _tables(node: Node | None) -> Iterator[tuple[Scalar, Table]]:
    """Give the entries of a mapping whose values are mappings."""
    for key, value in node.entries if isinstance(node, Table) else ():
        if isinstance(value, Table):
            yield key, value


def _listed(node: Node | None) -> tuple[Node, ...]:
    """Let one value stand for a list of one."""
    if node is None:
        return ()
    return node.items if isinstance(node, Sequence) else (node,)


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Sequence) else ()
