"""What some rules refuse, by path: options, fields of the request, tools, marks, and what stands in messages."""

from __future__ import annotations

from ..model.options import OPTION_NAMES
from ..nodes.declared import dataclass
from ..nodes.records import Record
from ..reporting.spec_words import split_path
from ..typed import TYPE_CHECKING, Callable, Iterable
from .entries import Entry, parse_entry
from .field_values import SplitPath, is_deep
from .paths import TEXT_PATHS, accessor
from .tool_values import tool_reader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..model.request import Request
    from .rule import Rule
    from .schemas import SchemaFacts
    from .tool_values import ToolReader


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(Record):
    """One `reject` or `allow` of a rule."""

    rule: Rule
    rejects: bool
    entry: Entry


class Plan:
    """The verdicts of some rules by path: options, other fields of the request, tools, and what stands in messages."""

    __slots__ = (
        "changing", "deep", "fields", "fine_schemas", "kinds", "limits", "marks", "options", "schemas", "tools"
    )  # fmt: skip

    def __init__(self, rules: Sequence[Rule], wire: str) -> None:
        # rules that change something before the messages are written, and a field without which each is not met
        self.changing = tuple([(rule.first_given, rule) for rule in rules if rule.changes])
        self.options: dict[str, list[Verdict]] = {}
        # builders compare these numbers themselves, and ask only about what is beyond
        self.limits: dict[str, list[Verdict]] = {}
        self.fields: list[tuple[str, Callable[[Request], list[Any]], list[Verdict]]] = []
        # builders ask about the kinds and the number of all tools, and about the others when one is worth a look
        self.kinds: dict[str, tuple[ToolReader, list[Verdict]]] = {}
        self.tools: dict[str, tuple[ToolReader, list[Verdict]]] = {}
        self.schemas: dict[str, tuple[ToolReader, list[Verdict]]] = {}
        # what was found in schemas that no rule refuses together, by identity; None where a rule asks for more
        self.fine_schemas: dict[tuple[int, ...], list[SchemaFacts]] | None = {}
        self.marks: list[tuple[str, SplitPath, list[Verdict]]] = []
        self.deep: list[tuple[str, SplitPath, list[Verdict]]] = []
        for path, verdicts in _by_path(rules).items():
            if any(verdict.rejects for verdict in verdicts):
                self._place(path, verdicts, wire)

    def _place(self, path: str, verdicts: list[Verdict], wire: str) -> None:
        """Put the verdicts on one path where builders ask for them."""
        split = split_path(path)
        first = split[0]
        limited = first in OPTION_NAMES or path == "messages.count"
        if limited:
            self.limits[path] = verdicts
        # builders ask about every key and value of an option
        if limited and (
            split[2] in ("keys", "values")
            or all(verdict.entry.is_limit for verdict in verdicts if verdict.rejects)
        ):
            return
        if path in OPTION_NAMES:
            self.options[path] = verdicts
        elif first == "strict_schemas":
            self.schemas[path] = (tool_reader(path, wire), verdicts)
            if any(verdict.rule.given for verdict in verdicts):
                self.fine_schemas = None
        elif path in ("tool", "tools.count"):
            self.kinds[path] = (tool_reader(path, wire), verdicts)
        elif first == "tools" and path != "tools":
            self.tools[path] = (tool_reader(path, wire), verdicts)
        elif first == "cache" and split[2]:
            self.marks.append((path, split, verdicts))
        elif is_deep(path):
            self.deep.append((path, split, verdicts))
        else:
            values = accessor(path, wire)
            # to read all of a conversation is dear
            read = _where_met(values, verdicts, wire) if path in TEXT_PATHS else values
            self.fields.append((path, read, verdicts))


def _where_met(
    values: Callable[[Request], list[Any]], verdicts: list[Verdict], wire: str
) -> Callable[[Request], list[Any]]:
    """Find values only where a rule is met that refuses one of them."""
    rejects = [verdict for verdict in verdicts if verdict.rejects]

    def read(request: Request) -> list[Any]:
        met = [verdict.entry for verdict in rejects if verdict.rule.is_met(request, wire)]
        return [value for value in values(request) if any(entry.means(value) for entry in met)] if met else []

    return read


def _by_path(rules: Iterable[Rule]) -> dict[str, list[Verdict]]:
    verdicts: dict[str, list[Verdict]] = {}
    for rule in rules:
        for rejects, texts in ((True, rule.reject), (False, rule.allow)):
            for entry in map(parse_entry, texts):
                verdicts.setdefault(entry.path, []).append(Verdict(rule, rejects, entry))
    return verdicts
