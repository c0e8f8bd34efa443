"""Turn sources in text, and sources as a mapping of names, into data: who, what, says, where, when."""

from __future__ import annotations

import re
from typing import Any

from .citing import cited_text
from .nodes import Node, Scalar, Sequence, Table
from .old_words import scalar_of

_DATE = r"(?:to )?\d{4}(?:-\d\d)?(?: to \d{4}(?:-\d\d)?)?"
_DATED = re.compile(rf"(?P<rest>.*), (?P<date>{_DATE})", re.DOTALL)
_REPORT = re.compile(
    r"(?P<who>(?:reported|recorded)\b[^:;()]{0,60}|API error|the API's error): (?P<says>.+)", re.DOTALL
)
_PART = re.compile(r"(?P<who>[^,:;]+), (?P<what>(?:docs|types?|create params|methods|service model|lib)\b.*)")
_WHERE = re.compile(r"\b(?:issues?|PRs?|discussions?)\b|#\d")
_NEXT = re.compile("(?:reported|recorded) ")


def source_as_data(node: Node) -> Node:
    """Return a source as data; a text that is none of the known forms stays as it is."""
    if isinstance(node, Sequence):
        return node._replace(
            items=tuple([part for item in node.items for part in _parts(source_as_data(item))])
        )
    if isinstance(node, Table):
        return _of_names(node)
    if not isinstance(node.value, str) or " " not in node.value:
        return node
    pieces = [_piece(text) for text in _split(node.value)]
    data = pieces if pieces[1:] else pieces[0]
    if cited_text(data, {}) != node.value:
        return node
    new = [_node(piece, node) for piece in pieces]
    return Sequence(tuple(new), node.span) if new[1:] else new[0]


def _parts(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Sequence) else (node,)


def _of_names(table: Table) -> Node:
    """Return `{openai_sdk: docs of top_p}` as `{who: openai_sdk, what: docs of top_p}`."""
    if table.get("who") is not None:
        return table
    items: list[Node] = []
    for key, value in table.entries:
        who = (scalar_of("who", key.span), key)
        is_named = isinstance(value, Scalar) and value.value is None
        what = () if is_named else ((scalar_of("what", key.span), value),)
        items.append(key if is_named else Table((who, *what), key.span))
    return Sequence(tuple(items), table.span) if items[1:] else items[0]


def _split(text: str) -> list[str]:
    """Split a text at the semicolons between sources, not inside of what one says."""
    pieces = [""]
    for piece in re.split("(; )", text):
        before = pieces[-1]
        is_closed = before.count("(") == before.count(")")
        if piece == "; " or not before.endswith("; "):
            pieces[-1] += piece
        elif is_closed and (_NEXT.match(piece) or _DATED.fullmatch(before[:-2])):
            pieces[-1] = before[:-2]
            pieces.append(piece)
        else:
            pieces[-1] += piece
    return pieces


def _piece(text: str) -> Any:
    """Return one source as data, or its text."""
    dated = _DATED.fullmatch(text)
    rest, date = (dated["rest"], dated["date"]) if dated else (text, None)
    data: dict[str, Any] = {}
    where = _place_at_end(rest)
    if where:
        rest = rest[: -len(where) - 3]
    if (match := _REPORT.fullmatch(rest) or _PART.fullmatch(rest)) is not None:
        data |= match.groupdict()
    elif dated and "; " not in rest:
        data["who"] = rest
    else:
        return text
    return data | ({"where": where} if where else {}) | ({"date": date} if date else {})


def _place_at_end(text: str) -> str:
    """Return what the parentheses at the end of a text hold, if it says where something was reported."""
    if not text.endswith(")"):
        return ""
    depth = 0
    for index in range(len(text) - 1, 0, -1):
        depth += (text[index] == ")") - (text[index] == "(")
        if not depth:
            inside = text[index + 1 : -1]
            return inside if _WHERE.search(inside) and text[index - 1] == " " else ""
    return ""


def _node(data: Any, old: Scalar) -> Node:
    if isinstance(data, str):
        return scalar_of(data, old.span)
    entries = tuple([(scalar_of(word, old.span), scalar_of(said, old.span)) for word, said in data.items()])
    return Table(entries, old.span)
