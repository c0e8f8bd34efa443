"""How much of an answer was understood: the leaves that its neutral fields hold, and those that are only kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..build.wire import Wire
from ..model.parts import Opaque
from ..nodes.checks import CheckedRecord
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..read.form_memory import kept_leaves
from ..read.readers import Readers
from ..read.result import count_understood, nodes_of, without_memory
from ..reporting.derived_keys import unknown_paths
from ..wire_json.kinds import as_value, bag, count_leaves
from .answer import Answer, Candidate
from .answer_bodies import body_of_answer
from .answer_writer import write_answer
from .table import AnswerTable


@dataclass(frozen=True, eq=False, repr=False)
class Coverage(CheckedRecord):
    """Counts of JSON leaves.

    leaves      how many the body has
    understood  how many landed in neutral fields: the answer without any memory gives them again
    kept        how many no neutral field holds
    unknown     the dotted key paths of what is only kept
    """

    leaves: int
    understood: int
    kept: int
    unknown: tuple[str, ...]


def coverage(answer: Answer, wire: Wire, readers: Readers, table: AnswerTable) -> Coverage:
    """Measure an answer that was read from a wire."""
    check_class(answer, Answer, "answer")
    body = body_of_answer(answer.raw, wire, table)
    kept: Counter[tuple[type, Any]] = Counter()
    unknown: list[str] = []
    for node in _nodes(answer):
        if isinstance(node, Opaque):
            kept.update(bag(node.value, as_value))
            unknown.append(f"{node.place}[] (unknown element)")
        elif node.kept is not None:
            kept.update(as_value(leaf) for leaf in kept_leaves(node.kept))
            unknown += [f"{type(node).__name__}.{path}" for path in unknown_paths(node.kept.form)]
    bare = replace(answer, kept=None, candidates=tuple(map(_without_memory, answer.candidates)))
    fresh = write_answer(bare, wire, readers.writing, table, policies="verbatim", notes=None)
    understood = count_understood(
        body, fresh, kept, lambda leaf: table.words.explain(leaf) or readers.words.explain(leaf)
    )
    return Coverage(count_leaves(body), understood, kept.total(), tuple(unknown))


def _nodes(answer: Answer) -> Iterator[Any]:
    yield answer
    for candidate in answer.candidates:
        yield candidate
        if candidate.message is not None:
            yield from nodes_of(candidate.message)


def _without_memory(candidate: Candidate) -> Candidate:
    return replace(candidate, kept=None, message=without_memory(candidate.message))
