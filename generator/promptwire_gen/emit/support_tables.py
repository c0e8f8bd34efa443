"""Tables by topic of what wires support; every cell comes from `capabilities`, none is written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..model.answer_model import COUNTS
from ..model.neutral import OPTIONS, PARTS
from ..spec.nodes import write_bare_word

YES, NO, UNKNOWN = "yes", "-", "unknown"
LEGEND = (
    (YES, "it can be sent"),
    (NO, "it cannot, and a build that needs it raises an error or adds a note"),
    (UNKNOWN, "not documented"),
)
# words in `capabilities` for yes, no and unknown
_SUPPORT = {
    "true": YES, "native": YES, "false": NO, "none": NO, "": UNKNOWN, "None": UNKNOWN, "unknown": UNKNOWN,
    "by_rule": "some models",
}  # fmt: skip
_SAMPLING = 10  # options up to the penalties; the others stand in a table of their own
_MEDIA = tuple(name for name, kind in PARTS.items() if kind.sources)
# request fields with their own table, or common to all wires
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

    @property
    def shared_rows(self) -> dict[tuple[str, ...], list[str]]:
        """The rows of cells without the wire names, each distinct row once, with the wires that have it."""
        shared: dict[tuple[str, ...], list[str]] = {}
        for wire, *cells in self.rows:
            shared.setdefault(tuple(cells), []).append(wire)
        return shared


def make_topics(tables: Sequence[Row]) -> tuple[Topic, ...]:
    """Return the tables about wires; `tables` are their capabilities, each with the name of its wire."""
    return tuple(_make_topic(title, cells, tables) for title, cells in TOPICS.items())


def _make_topic(title: str, cells: Callable[[Row], Cells], tables: Sequence[Row]) -> Topic:
    dicts = [{"wire": str(table["wire"]), **cells(table)} for table in tables]
    columns = tuple(dicts[0]) if dicts else ("wire",)
    return Topic(title, columns, tuple(tuple(row[name] for name in columns) for row in dicts))


def write_support(value: object) -> str:
    """Write a claim as yes, - or unknown; an undocumented feature is unknown, not unsupported."""
    word = write_bare_word(value)
    return _SUPPORT.get(word, word.replace("_", " "))


def _join_words(words: Iterable[str]) -> str:
    return ", ".join(words) or NO


def _show_conversation(table: Row) -> Cells:
    instructions, continuation = table["instructions"], table["continuation"]
    native = write_support(instructions["native"])
    placement = write_support(instructions["placement"])
    if placement == NO and native == UNKNOWN:
        placement = UNKNOWN
    fields = ", ".join(continuation["fields"])
    return {
        "native": native,
        "placement": placement,
        "several layers": placement if placement in (NO, UNKNOWN) else write_support(instructions["several"]),
        "mid-conversation": write_support(instructions["mid_conversation"]),
        "continuation": write_support(continuation["mode"]) + (f" ({fields})" if fields else ""),
        "kept by the server": _join_words(continuation.get("keeps", ())),
        "sent again": _join_words(_list_sent_again(continuation)),
    }


def _list_sent_again(continuation: Row) -> Iterator[str]:
    """Yield the fields that a continuing request sends again, beside new messages."""
    words = {"resend": "", "if_changed": " (if changed)"}
    if "sent" not in continuation:
        return iter(("all",))
    return (f"{name}{words[word]}" for name, word in continuation["sent"].items() if word in words)


def _show_tools(table: Row) -> Cells:
    tools = table["tools"]
    dialect = f", schemas as {tools['dialect']}" if "dialect" in tools else ""
    return {
        "format": NO if tools["format"] is None else f"{tools['format']}{dialect}",
        "kinds": _join_words(tools["kinds"]),
        "choices": _join_words(tools["choice"]),
        "parallel": write_support(tools["parallel"]),
        "deferral": tools["deferral"]["search"]["type"] if "deferral" in tools else NO,
    }


def _show_parts(table: Row) -> Cells:
    parts = table["parts"]
    media = {kind: _join_words(parts[kind]) if kind in parts else NO for kind in _MEDIA}
    return {
        **media,
        "other parts": _join_words(kind for kind in PARTS if kind in parts and kind not in _MEDIA),
    }


def _show_sampling(table: Row) -> Cells:
    return {name: YES if name in table["options"] else NO for name in tuple(OPTIONS)[:_SAMPLING]}


def _show_other_options(table: Row) -> Cells:
    return {name: YES if name in table["options"] else NO for name in tuple(OPTIONS)[_SAMPLING:]}


def _show_output(table: Row) -> Cells:
    answers: Row = table.get("answers", {})
    stream = (answers["stream"],) if answers.get("stream") else ()
    return {
        "structured output": _join_words(table["response_formats"]),
        "reasoning": _join_words(table["reasoning"]),
        "request fields": _join_words(name for name in table["request"] if name not in _SHOWN_ELSEWHERE),
        "own": str(len(table["vendor"])),
        "answers": _join_words(("whole", *stream) if answers else ()),
    }


def _show_tokens(table: Row) -> Cells:
    tokens: Mapping[str, str] = table.get("tokens", {})
    return {name.replace("_", " "): tokens.get(name, NO) for name in COUNTS}


TOPICS: dict[str, Callable[[Row], Cells]] = {
    "Instructions and continuation": _show_conversation,
    "Tools": _show_tools,
    "Parts and their sources": _show_parts,
    "Sampling": _show_sampling,
    "Other parameters": _show_other_options,
    "Structured output, reasoning, request fields, answers": _show_output,
    "Token counts of answers": _show_tokens,
}
