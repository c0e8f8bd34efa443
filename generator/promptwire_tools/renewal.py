"""Replace the old words and forms of specs by their present ones, for `gen fmt`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from promptwire_gen.problems import Span
from promptwire_gen.spec.explain import RENAMED_WORDS
from promptwire_gen.spec.nodes import BadWordError, Node, Scalar, Sequence, Table, parse_word, write_bare_word
from promptwire_gen.spec.rule_conditions import NUMBERS, TESTED_TEXT

Entry = tuple[Scalar, Node]

_RANGE = re.compile(r"(?P<low>-?\d+(?:\.\d+)?)?\.\.(?P<high>-?\d+(?:\.\d+)?)?")
# the words that stand for a range
_BOUNDS = {"range": ("minimum", "maximum"), "length": ("minLength", "maxLength")}
_TEST = re.compile(
    r"(?P<path>[^\[=<>!]*(?:\[[^\]]*\][^=<>!]*)?)(?P<sign>!=|!~|<=|>=|=|<|>)(?P<operand>.*)", re.DOTALL
)
_LENGTH = re.compile(r"len\((?P<path>.+)\)(?P<sign>[<>])(?P<operand>[0-9]+)")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
# sign -> the word of its test, and what was added to the number; numbers of entries are fields of their own here
_SIGNS = {sign: (word, step) for word, (sign, step) in NUMBERS.items() if not word.endswith("Items")}


def present_words(key: Scalar, value: Node, section: str) -> Iterator[Entry]:
    """Yield the present entries for an entry of a section: `maximum: 4` for `range: ..4`, `not` for `never`."""
    old = str(key.value)
    new = RENAMED_WORDS.get((section, old), "")
    limits = _RANGE.fullmatch(str(value.value)) if new and isinstance(value, Scalar) else None
    if old in _BOUNDS and limits is not None:
        for word, text in zip(_BOUNDS[old], limits.groups(), strict=True):
            if text is not None:
                yield key._replace(value=word), _scalar(text, value.span)
    else:
        # several words are for the author to choose from
        yield key._replace(value=new) if new and " " not in new else key, value


def source_as_data(source: Node) -> Node:
    """Return `{openai_sdk: docs of top_p}` as `{who: openai_sdk, what: docs of top_p}`."""
    if not isinstance(source, Table) or source.get("who") is not None:
        return source
    items: list[Node] = []
    for key, value in source.entries:
        who = (_scalar("who", key.span), key)
        is_named = isinstance(value, Scalar) and value.value is None
        items.append(key if is_named else Table((who, (_scalar("what", key.span), value)), key.span))
    return Sequence(tuple(items), source.span) if items[1:] else items[0]


def present_condition(node: Node) -> Node:
    """Return a condition, as a mapping if it is a text with a test."""
    if isinstance(node, Scalar) and isinstance(node.value, str) and TESTED_TEXT.match(node.value):
        return condition_as_mapping(node.value, node.span)
    return node


def condition_as_mapping(text: str, span: Span) -> Node:
    """Return a condition in text as a mapping: `{seed: {exclusiveMinimum: 2}}` for `seed>2`."""
    match = _LENGTH.fullmatch(text) or _TEST.fullmatch(text)
    if match is None:
        return _quote_text(text, span)
    path, sign, operand = match["path"], match["sign"], match["operand"]
    if sign == "=":
        return _one_key(path, _list_words(operand, span), span)
    if sign == "!=":
        is_absent = operand == "*"
        test = ("set", Scalar(False, span, False)) if is_absent else ("not", _list_words(operand, span))
    elif sign == "!~":
        test = "not", _one_key("pattern", _quote_text(operand, span), span)
    else:
        word, step = _SIGNS[f"len{sign}" if match.re is _LENGTH else sign]
        number = _scalar(operand, span) if _NUMBER.fullmatch(operand) else _quote_text(operand, span)
        test = word, Scalar(int(operand) - step, span, False) if step else number
    return _one_key(path, _one_key(*test, span), span)


def _list_words(text: str, span: Span) -> Node:
    items = tuple([_scalar(word, span) for word in text.split("|")])
    return Sequence(items, span) if items[1:] else items[0]


def _one_key(key: str, value: Node, span: Span) -> Node:
    return Table(((_quote_text(key, span), value),), span)


def _quote_text(text: str, span: Span) -> Scalar:
    """Return a text, quoted if YAML would read it as another value."""
    try:
        quoted = parse_word(text) != text
    except BadWordError:
        quoted = True
    return Scalar(text, span, quoted)


def _scalar(word: str, span: Span) -> Scalar:
    """Return a word, as a number, true or false if its text says all of it."""
    try:
        value = parse_word(word)
    except BadWordError:
        value = word
    return Scalar(value, span, False) if write_bare_word(value) == word else _quote_text(word, span)


# ---- where words, conditions and sources are ----------------------------------------------------------------------

# sections that hold claims, and the levels of keys above each claim
CLAIMS = {"values": 1, "needs": 1, "asks": 2, "models": 2, "rules": 1}
# other sections that cite sources
CITING = ("prompt", "signatures", "tools", "transport")
# what says why stands behind what is claimed
_LAST = {"fix": 1, "because": 2, "source": 3}
Renew: TypeAlias = Callable[[Node], Node]


@dataclass(slots=True, eq=False)
class WordPlace:
    """A mapping of a spec whose words may be old; a list of such mappings has the same place.

    Attributes:
        keys: Key -> what it holds: a function that renews its value, or a place; `*` stands for all other keys.
        section: The section that its words belong to, as in RENAMED_WORDS.
        is_claim: Whether what is claimed is put before its proof.
    """

    keys: dict[str, WordPlace | Renew]
    section: str | None = None
    is_claim: bool = False


def _place_below(place: WordPlace, levels: int) -> WordPlace:
    """Return the place that is some levels of keys above another."""
    return _place_below(WordPlace({"*": place}), levels - 1) if levels else place


def _claim_place(section: str) -> WordPlace:
    when: dict[str, WordPlace | Renew] = dict.fromkeys(("given", "unless"), present_condition)
    tested = dict.fromkeys((*when, "either", "without", "reject", "allow"), present_condition)
    return WordPlace({**tested, "when": WordPlace(when), "source": source_as_data}, section, is_claim=True)


def _citing_place(section: str) -> WordPlace:
    """Return the place of a section in which every `source` is renewed."""
    inside = WordPlace({"source": source_as_data})
    inside.keys["*"] = inside
    return WordPlace(inside.keys, section)


_PROFILE = WordPlace(
    {
        "source": source_as_data,
        "values": _place_below(_claim_place("values"), 1),
        "on": _place_below(_claim_place("values"), 2),
    }
)
_CALLS = WordPlace({"*": WordPlace({}, "clients")})
SPEC = WordPlace(
    {
        **{
            name: _place_below(_claim_place(name), 0 if name == "rules" else levels)
            for name, levels in CLAIMS.items()
        },
        **{name: _citing_place(name) for name in CITING},
        "profiles": WordPlace({"*": _PROFILE}),
        "clients": WordPlace({"*": WordPlace({"calls": _CALLS}, "clients")}),
        "sdks": WordPlace({"*": WordPlace({}, "sdks")}),
    },
    "",
)


@dataclass(slots=True)
class Renewal:
    """Replaces the old words of one file.

    Attributes:
        anchors: The names of anchored nodes by their ids, completed with the ids of renewed nodes.
    """

    anchors: dict[int, str]
    _renewed: dict[tuple[int, int], tuple[Node, Node]] = field(
        default_factory=dict[tuple[int, int], tuple[Node, Node]]
    )

    def renew(self, node: Node, place: WordPlace | Renew) -> Node:
        """Return a node with present words; an alias becomes the same new node as its anchor."""
        task = id(node), id(place)
        if task not in self._renewed:
            new = self._renew(node, place)
            # the old node is kept, so that its id stays its own
            self._renewed[task] = node, new
            if id(node) in self.anchors:
                self.anchors[id(new)] = self.anchors[id(node)]
        return self._renewed[task][1]

    def _renew(self, node: Node, place: WordPlace | Renew) -> Node:
        if isinstance(node, Sequence):
            return node._replace(items=tuple([self.renew(item, place) for item in node.items]))
        if not isinstance(place, WordPlace):
            return place(node)
        return self.renew_mapping(node, place) if isinstance(node, Table) else node

    def renew_mapping(self, table: Table, place: WordPlace) -> Table:
        """Return a mapping with present words, and the proof of a claim behind it."""
        entries = [*table.entries]
        if place.section is not None:
            entries = [new for key, node in entries for new in present_words(key, node, place.section)]
        if place.is_claim:
            entries.sort(key=lambda entry: _LAST.get(str(entry[0].value), 0))
        below = [(key, node, place.keys.get(str(key.value), place.keys.get("*"))) for key, node in entries]
        renewed = [(key, node if each is None else self.renew(node, each)) for key, node, each in below]
        return table._replace(entries=tuple(renewed))
