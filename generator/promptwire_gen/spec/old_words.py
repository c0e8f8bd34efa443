"""Rewrite claims in words that were renamed: `gen fmt` does it, and the compiler names the new word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ..problems import Span
from .nodes import Node, Scalar, Sequence, Table
from .rule_conditions import TESTED_TEXT
from .words import BadWordError, bare_word, meaning

_RANGE = re.compile(r"(?P<low>-?\d+(?:\.\d+)?)?\.\.(?P<high>-?\d+(?:\.\d+)?)?")
_TEST = re.compile(
    r"(?P<path>[^\[=<>!]*(?:\[[^\]]*\][^=<>!]*)?)(?P<sign>!=|!~|<=|>=|=|<|>)(?P<operand>.*)", re.DOTALL
)
_LENGTH = re.compile(r"len\((?P<path>.+)\)(?P<sign>[<>])(?P<operand>[0-9]+)")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_COUNT = ".count"
_SIGNS = {"<": "exclusiveMaximum", ">": "exclusiveMinimum", "<=": "maximum", ">=": "minimum"}
# keys of claims that hold conditions
_CONDITIONS = ("given", "unless", "either", "without", "reject", "allow")
Entry = tuple[Scalar, Node]


def renewed_facts(facts: Table, *, of_groups: bool) -> Table:
    """Return facts by field in present words: `stop.count: {range: ..4}` is `stop: {maxItems: 4}`.

    `of_groups` is whether a field has facts for groups of models, not one for all.
    """
    taken = {str(key.value) for key, _ in facts.entries}
    entries: dict[str, Entry] = {}
    for key, value in facts.entries:
        inner = _members(value) if of_groups else (value,)
        name, words = _present_name(
            str(key.value), [fact for fact in inner if isinstance(fact, Table)], taken
        )
        new = _each_fact(value, words, levels=int(of_groups))
        earlier = entries.get(name)
        if earlier is not None:
            # several facts about one field
            new = Sequence((*_listed(earlier[1]), *_listed(new)), earlier[1].span)
        entries[name] = key._replace(value=name), new
    return facts._replace(entries=tuple(entries.values()))


def renewed_conditions(claim: Table) -> Table:
    """Return a rule, a need or a fact with its conditions as mappings: `{temperature: {exclusiveMinimum: 2}}`."""

    def renewed(key: Scalar, value: Node) -> Node:
        if key.value == "when" and isinstance(value, Table):
            return renewed_conditions(value)
        return _conditions(value) if key.value in _CONDITIONS else value

    # no conditions need no word
    entries = [
        (key, value)
        for key, value in claim.entries
        if not (key.value == "when" and value == Table((), value.span))
    ]
    return claim._replace(entries=tuple([(key, renewed(key, value)) for key, value in entries]))


def _members(node: Node) -> tuple[Node, ...]:
    return tuple([value for _, value in node.entries]) if isinstance(node, Table) else ()


def _listed(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Sequence) else (node,)


def _present_name(
    name: str, facts: list[Table], taken: set[str]
) -> tuple[str, Mapping[str, tuple[str, ...]]]:
    """Return the present name of the field of some facts, and what stands for a word of theirs.

    The word `range` stands for two bounds, and in `enum: ["*"]` the end of the field is what must be given.
    """
    fields = name.split(", ")
    shorter = ", ".join(field.removesuffix(_COUNT) for field in fields)
    counts = all(field.endswith(_COUNT) for field in fields) and shorter not in taken
    if counts and all(fact.get("range") is not None for fact in facts):
        return shorter, {"range": ("minItems", "maxItems")}
    above, last = zip(*(field.rpartition(".")[::2] for field in fields), strict=True)
    if facts and all(_is_any(fact.get("enum")) for fact in facts) and "]" not in "".join(last):
        if len(set(last)) == 1 and ", ".join(above) not in taken:
            return ", ".join(above), {"enum": last[:1]}
        if len(set(above)) == 1 and above[0] not in taken:
            return above[0], {"enum": last}
    return name, {"range": ("minimum", "maximum")}


def _is_any(node: Node | None) -> bool:
    """Return whether a node is `["*"]`: any value, but one."""
    return isinstance(node, Sequence) and [getattr(item, "value", None) for item in node.items] == ["*"]


def _each_fact(node: Node, words: Mapping[str, tuple[str, ...]], levels: int) -> Node:
    if not isinstance(node, Table):
        return node
    if levels:
        entries = tuple([(key, _each_fact(value, words, levels - 1)) for key, value in node.entries])
        return node._replace(entries=entries)
    entries = tuple([entry for old in node.entries for entry in _renewed_word(*old, words)])
    return renewed_conditions(node._replace(entries=entries))


def _renewed_word(key: Scalar, value: Node, words: Mapping[str, tuple[str, ...]]) -> Iterator[Entry]:
    """Yield the entries that stand for one word of a fact."""
    word = str(key.value)
    bounds = ("minLength", "maxLength") if word == "length" else words.get(word, ())
    limits = _RANGE.fullmatch(str(value.value)) if isinstance(value, Scalar) else None
    if word == "enum" and bounds:
        yield key._replace(value="required"), _required(bounds, value.span)
    elif word in ("range", "length") and limits is not None:
        for bound, text in zip(bounds, limits.groups(), strict=True):
            if text is not None:
                yield key._replace(value=bound), scalar_of(text, value.span)
    else:
        yield key, value


def _required(names: Iterable[str], span: Span) -> Node:
    """Return what must be given: a name, `{one_of: [url, file_id]}`, or several of these."""
    items: list[Node] = []
    for name in names:
        texts = tuple([_text(word, span) for word in name.split("|")])
        several = Table(((_text("one_of", span), Sequence(texts, span)),), span)
        items.append(several if texts[1:] else texts[0])
    return Sequence(tuple(items), span) if items[1:] else items[0]


def _conditions(node: Node) -> Node:
    """Return conditions, in which texts with a test are mappings."""
    if isinstance(node, Sequence):
        items = tuple(map(_conditions, node.items))
        # one mapping needs no list around it
        return items[0] if len(items) == 1 and isinstance(items[0], Table) else node._replace(items=items)
    if isinstance(node, Scalar) and isinstance(node.value, str) and TESTED_TEXT.match(node.value):
        return condition_as_mapping(node.value, node.span)
    return node


def condition_as_mapping(text: str, span: Span) -> Node:
    """Return the mapping that stands for a condition in text: `{tools: {minItems: 21}}` for `tools.count>20`."""
    match = _LENGTH.fullmatch(text) or _TEST.fullmatch(text)
    if match is None:
        return _text(text, span)
    path, sign, operand = match["path"], match["sign"], match["operand"]
    if sign == "=":
        return _mapping(path, _words(operand, span), span)
    if sign == "!=":
        test = _mapping("set", Scalar(False, span, False), span) if operand == "*" else None
        return _mapping(path, test or _mapping("not", _words(operand, span), span), span)
    if sign == "!~":
        return _mapping(path, _mapping("not", _mapping("pattern", _text(operand, span), span), span), span)
    if match.re is _LENGTH:
        return _counted(path, sign, operand, "Length", span)
    if path.endswith(_COUNT) and _NUMBER.fullmatch(operand):
        return _counted(path.removesuffix(_COUNT), sign, operand, "Items", span)
    number = scalar_of(operand, span) if _NUMBER.fullmatch(operand) else _text(operand, span)
    return _mapping(path, _mapping(_SIGNS[sign], number, span), span)


def _counted(path: str, sign: str, operand: str, noun: str, span: Span) -> Node:
    step = 0 if sign.endswith("=") else 1
    word, number = ("min", int(operand) + step) if sign.startswith(">") else ("max", int(operand) - step)
    return _mapping(path, _mapping(word + noun, Scalar(number, span, False), span), span)


def _words(text: str, span: Span) -> Node:
    items = tuple([scalar_of(word, span) for word in text.split("|")])
    return Sequence(items, span) if items[1:] else items[0]


def _mapping(key: str, value: Node, span: Span) -> Node:
    return Table(((_text(key, span), value),), span)


def _text(text: str, span: Span) -> Scalar:
    """Return a text, which is quoted if it would be read as something else."""
    try:
        quoted = meaning(text) != text
    except BadWordError:
        quoted = True
    return Scalar(text, span, quoted)


def scalar_of(word: str, span: Span) -> Scalar:
    """Return a word, as a number, true or false if its text says all of it."""
    try:
        value = meaning(word)
    except BadWordError:
        value = word
    return Scalar(value, span, False) if bare_word(value) == word else _text(word, span)
