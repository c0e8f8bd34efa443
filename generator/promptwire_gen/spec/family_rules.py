"""The families of models that a spec names: their pages in its spelling, and their rules without what does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..problems import Problem, did_you_mean, quote
from .nodes import Node, Scalar, Sequence, Table
from .trees import groups_of, inside_and_outside, listed, text, with_value

_DASH = re.compile(r"(?<=\d)-(?=\d)")
# a path may have a selector: tools[type=web_search*].name
_PATH = re.compile(r"[^\[=<>!]*(?:\[[^\]]*\])?[^=<>!]*")


def families_of(
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
    groups = groups_of(page)

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


def left_out(use: Table | None) -> frozenset[str]:
    """Give the fields whose facts do not hold for an API: paths, or globs of paths."""
    return frozenset([path for key, _ in _entries(use, "without") for path in str(key.value).split(", ")])


def of_models(rule: Node, names: Node | None) -> Node:
    """Let a rule of a family hold for its models alone, where it names none."""
    when = rule.get("when") if isinstance(rule, Table) else None
    named = isinstance(when, Table) and (when.get("model") or when.get("not_model"))
    if not isinstance(rule, Table) or names is None or named:
        return rule
    inside, outside = inside_and_outside(names)
    meant = [
        (text(key, rule.span), Sequence(listed(node), rule.span))
        for key, node in (("model", inside), ("not_model", outside))
        if node is not None
    ]
    entries = when.entries if isinstance(when, Table) else ()
    return with_value(rule, "when", Table((*meant, *entries), rule.span))


def _entries(table: Table | None, key: str) -> tuple[tuple[Scalar, Node], ...]:
    inner = table.get(key) if table is not None else None
    return inner.entries if isinstance(inner, Table) else ()


def of_family(rule: Node, family: str, leaves_out: frozenset[str]) -> Iterator[Node]:
    """Mark a rule as a fact of a family, without the fields that do not hold for an API; none where nothing is left."""
    if not isinstance(rule, Table):
        return
    entries: list[tuple[Scalar, Node]] = []
    for key, value in rule.entries:
        kept = tuple([entry for entry in listed(value) if not _among(_path_of(entry), leaves_out)])
        if key.value not in ("reject", "allow"):
            entries.append((key, value))
        elif kept:
            entries.append((key, Sequence(kept, value.span)))
    if any(key.value in ("reject", "allow") for key, _ in entries):
        yield Table((*entries, (text("family", rule.span), text(family, rule.span))), rule.span)


def _among(path: str, globs: frozenset[str]) -> bool:
    return any(path == glob or (glob.endswith("*") and path.startswith(glob[:-1])) for glob in globs)


def _path_of(entry: Node) -> str:
    return _PATH.match(str(entry.value))[0] if isinstance(entry, Scalar) else ""  # type: ignore[index]
