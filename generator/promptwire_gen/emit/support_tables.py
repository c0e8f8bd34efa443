"""What wires can do as tables by topic: every cell comes from `capabilities`, none is written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..model.neutral import OPTIONS, PARTS

YES, NO, UNKNOWN = "yes", "-", "unknown"
LEGEND = (
    (YES, "there is a place for it"),
    (NO, "there is none, and a build that needs it says so"),
    (UNKNOWN, "nobody documents it"),
)
# the words of `capabilities` that say one of the three
_SUPPORT = {
    "true": YES, "native": YES, "false": NO, "none": NO, "": UNKNOWN, "None": UNKNOWN, "unknown": UNKNOWN,
    "by_rule": "some models",
}  # fmt: skip
_SAMPLING = 10  # options up to the penalties; the others stand in a table of their own
_MEDIA = tuple(name for name, kind in PARTS.items() if kind.sources)
# request fields that have a table of their own, or that every wire has
_SHOWN_ELSEWHERE = frozenset({
    "messages", "model", "instructions", "tools", "tool_choice", "response_format", "reasoning"
})  # fmt: skip

Row = Mapping[str, Any]
Cells = dict[str, str]


@dataclass(frozen=True, slots=True)
class Topic:
    """One table: a row of cells a wire, in the order of `columns`; the first column is the wire's name."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def topics(rows: Sequence[Row]) -> tuple[Topic, ...]:
    """The tables about wires; `rows` are their names with their capabilities."""
    return tuple(_topic(title, cells, rows) for title, cells in TOPICS.items())


def _topic(title: str, cells: Callable[[Row], Cells], rows: Sequence[Row]) -> Topic:
    made = [{"wire": str(row["wire"]), **cells(row)} for row in rows]
    columns = tuple(made[0]) if made else ("wire",)
    return Topic(title, columns, tuple(tuple(found[name] for name in columns) for found in made))


def support(value: object) -> str:
    """Write a claim as yes, - or unknown; what nobody said is unknown, never no."""
    word = str(value).lower() if isinstance(value, bool) else str(value)
    return _SUPPORT.get(word, word.replace("_", " "))


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words) or NO


def _marked(names: Iterable[str], has: Iterable[str]) -> Cells:
    there = frozenset(has)
    return {name: YES if name in there else NO for name in names}


def _conversation(row: Row) -> Cells:
    given, continuation = row["instructions"], row["continuation"]
    native = support(given["native"])
    placement = support(given["placement"])
    if placement == NO and native == UNKNOWN:
        placement = UNKNOWN
    held = ", ".join(continuation["fields"])
    return {
        "native": native,
        "placement": placement,
        "several layers": placement if placement in (NO, UNKNOWN) else support(given["several"]),
        "mid-conversation": support(given["mid_conversation"]),
        "continuation": support(continuation["mode"]) + (f" ({held})" if held else ""),
    }


def _tools(row: Row) -> Cells:
    tools = row["tools"]
    dialect = f", schemas as {tools['dialect']}" if "dialect" in tools else ""
    return {
        "format": NO if tools["format"] is None else f"{tools['format']}{dialect}",
        "kinds": _listed(tools["kinds"]),
        "choices": _listed(tools["choice"]),
        "parallel": support(tools["parallel"]),
    }


def _parts(row: Row) -> Cells:
    parts = row["parts"]
    media = {kind: _listed(parts[kind]) if kind in parts else NO for kind in _MEDIA}
    return {**media, "other parts": _listed(kind for kind in PARTS if kind in parts and kind not in _MEDIA)}


def _sampling(row: Row) -> Cells:
    return _marked(tuple(OPTIONS)[:_SAMPLING], row["options"])


def _other_options(row: Row) -> Cells:
    return _marked(tuple(OPTIONS)[_SAMPLING:], row["options"])


def _output(row: Row) -> Cells:
    return {
        "structured output": _listed(row["response_formats"]),
        "reasoning": _listed(row["reasoning"]),
        "request fields": _listed(name for name in row["request"] if name not in _SHOWN_ELSEWHERE),
        "own": str(len(row["vendor"])),
    }


TOPICS: dict[str, Callable[[Row], Cells]] = {
    "Instructions and continuation": _conversation,
    "Tools": _tools,
    "Parts and their sources": _parts,
    "Sampling": _sampling,
    "Other parameters": _other_options,
    "Structured output, reasoning, request fields": _output,
}
