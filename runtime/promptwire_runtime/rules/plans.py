"""What some rules refuse, by path: options, fields of the request, tools, marks, and what stands in messages."""

from __future__ import annotations

from ..model.options import OPTION_NAMES
from ..nodes.light_dataclasses import dataclass
from ..nodes.records import Record
from ..typed import TYPE_CHECKING, Iterable
from .field_values import is_deep
from .paths import TEXT_PATHS, values_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..model.request import Request
    from ..predicates.entries import Entry, FieldPath
    from .rule import Rule
    from .schemas import SchemaFacts


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(Record):
    """One `reject` or `allow` of a rule."""

    rule: Rule
    rejects: bool
    entry: Entry


class Verdicts:
    """What rules say about one path, in order: the last one that means a value decides."""

    __slots__ = ("path", "rejecting", "rows")

    def __init__(self, path: FieldPath, rows: list[Verdict]) -> None:
        self.path = path
        self.rows = rows
        self.rejecting = [verdict for verdict in rows if verdict.rejects]

    def values(self, request: Request, wire: str) -> list[Any]:
        """Find the values of the path; in all that a conversation says only where a rule is met that refuses it."""
        if self.path.text not in TEXT_PATHS:
            return values_of(self.path, request, wire)
        # to read all of a conversation is dear
        met = [verdict.entry for verdict in self.rejecting if verdict.rule.is_met(request, wire)]
        values = values_of(self.path, request, wire) if met else []
        return [value for value in values if any(entry.means(value) for entry in met)]


class Plan:
    """The verdicts of some rules by path: options, other fields of the request, tools, and what stands in messages."""

    __slots__ = (
        "changing", "deep", "fields", "fine_schemas", "kinds", "limits", "marks", "options", "schemas", "tools"
    )  # fmt: skip

    def __init__(self, rules: Sequence[Rule]) -> None:
        # rules that change something before the messages are written, and a field without which each is not met
        self.changing = tuple([(rule.first_given, rule) for rule in rules if rule.changes])
        self.options: dict[str, Verdicts] = {}
        # builders compare these numbers themselves, and ask only about what is beyond
        self.limits: dict[str, Verdicts] = {}
        self.fields: list[Verdicts] = []
        # builders ask about the kinds and the number of all tools, and about the others when one is worth a look
        self.kinds: list[Verdicts] = []
        self.tools: list[Verdicts] = []
        self.schemas: list[Verdicts] = []
        # what was found in schemas that no rule refuses together, by identity; None where a rule asks for more
        self.fine_schemas: dict[tuple[int, ...], list[SchemaFacts]] | None = {}
        self.marks: list[Verdicts] = []
        self.deep: list[Verdicts] = []
        for verdicts in _by_path(rules):
            if verdicts.rejecting:
                self._place(verdicts)

    def _place(self, verdicts: Verdicts) -> None:
        """Put the verdicts on one path where builders ask for them."""
        path = verdicts.path
        limited = path.head in OPTION_NAMES or path.text == "messages.count"
        if limited:
            self.limits[path.text] = verdicts
        # builders ask about every key and value of an option
        if limited and (
            path.tail in ("keys", "values") or all(verdict.entry.is_limit for verdict in verdicts.rejecting)
        ):
            return
        if path.text in OPTION_NAMES:
            self.options[path.text] = verdicts
            return
        if path.head == "strict_schemas" and any(verdict.rule.given for verdict in verdicts.rows):
            self.fine_schemas = None
        self._rows_of(path).append(verdicts)

    def _rows_of(self, path: FieldPath) -> list[Verdicts]:
        """Give the list of what is asked for together with a path."""
        if path.head == "strict_schemas":
            return self.schemas
        if path.text in ("tool", "tools.count"):
            return self.kinds
        if path.head == "tools" and path.text != "tools":
            return self.tools
        if path.head == "cache" and path.keys:
            return self.marks
        return self.deep if is_deep(path) else self.fields


def _by_path(rules: Iterable[Rule]) -> list[Verdicts]:
    paths: dict[str, FieldPath] = {}
    rows: dict[str, list[Verdict]] = {}
    for rule in rules:
        for rejects, entries in ((True, rule.reject), (False, rule.allow)):
            for entry in entries:
                paths.setdefault(entry.path.text, entry.path)
                rows.setdefault(entry.path.text, []).append(Verdict(rule, rejects, entry))
    return [Verdicts(paths[text], verdicts) for text, verdicts in rows.items()]
