"""Recorded token counts add up, or say where they do not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from promptwire import PromptwireError
from promptwire.results import Usage
from tests.answers import module
from tests.test_corpus_answers import rows

# of recorded answers, which are known not to add up
MOST_CONTRADICTIONS = 0.02


@pytest.fixture(scope="module")
def usages(recorded_answers: Path) -> list[tuple[str, Usage]]:
    found: list[tuple[str, Usage]] = []
    for row in rows(recorded_answers, streamed=False):
        try:
            usage = module(row.wire).read_answer(row.recorded["response"]).usage
        except PromptwireError:
            continue
        if usage is not None:
            found.append((row.wire, usage))
    return found


def test_recorded_counts_add_up_or_say_where_they_do_not(usages: list[tuple[str, Usage]]) -> None:
    contradicting = [usage for _, usage in usages if usage.contradictions]
    assert len(contradicting) <= MOST_CONTRADICTIONS * len(usages)
    for _, usage in usages:
        if usage.contradictions:
            continue
        if None not in (usage.input, usage.output, usage.total):
            assert usage.total == (usage.input or 0) + (usage.output or 0)
        assert usage.input is None or (usage.cache_read or 0) + (usage.cache_write or 0) <= usage.input
        assert usage.output is None or (usage.reasoning or 0) <= usage.output


def test_the_vendors_own_totals_add_up(usages: list[tuple[str, Usage]]) -> None:
    wrong = Counter(wire for wire, usage in usages if any("total" in why for why in usage.contradictions))
    assert wrong.keys() <= {"compatible_chat"}, wrong


def test_every_count_of_a_recording_is_read(usages: list[tuple[str, Usage]]) -> None:
    unread = Counter(
        wire for wire, usage in usages if usage.raw and usage.input is None and usage.output is None
    )
    assert sum(unread.values()) <= 0.01 * len(usages), unread


@pytest.mark.parametrize(
    ("usage", "contradictions"),
    [
        (Usage(input=3, output=4, total=7, cache_read=2, cache_write=1, reasoning=4), ()),
        (Usage(input=3, output=4), ()),
        (Usage(total=7), ()),
        (Usage(input=3, output=4, total=9), ("total is 9, but input and output are 3 and 4",)),
        (
            Usage(input=3, output=4, cache_read=2, cache_write=2),
            ("4 tokens were read from a cache or written to it, but input is 3",),
        ),
        (Usage(output=4, reasoning=5), ("reasoning is 5, but output is 4",)),
    ],
)
def test_what_does_not_add_up_is_named(usage: Usage, contradictions: tuple[str, ...]) -> None:
    assert usage.contradictions == contradictions
