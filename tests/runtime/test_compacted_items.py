"""A compaction forgets updates of the configuration: one that is not repeated behind it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import openai_responses

UPDATE = {"type": "configuration_update", "reasoning": {"effort": "high"}}
COMPACTION = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}
HI = {"role": "user", "content": "Hi"}


def problems(*items: dict[str, Any]) -> list[str]:
    found = openai_responses.check({"model": "gpt-6-astra", "input": [*items]})
    return [problem.path for problem in found if problem.what == "refused"]


@pytest.mark.parametrize(
    ("items", "refused"),
    [
        ([HI, UPDATE, COMPACTION, HI], ["input[1].type"]),
        ([HI, UPDATE, COMPACTION, UPDATE, {**COMPACTION, "id": "cmp_2"}, HI], ["input[3].type"]),
        ([HI, UPDATE, HI, UPDATE, COMPACTION, HI], ["input[3].type"]),
        ([HI, UPDATE, COMPACTION, UPDATE, HI], []),
        ([HI, UPDATE, COMPACTION, HI, UPDATE, HI], []),
        ([HI, COMPACTION, UPDATE, HI], []),
        ([HI, UPDATE, HI], []),
        ([HI, COMPACTION, HI], []),
    ],
)
def test_the_last_compaction_has_the_configuration_behind_it(items: list[Any], refused: list[str]) -> None:
    assert problems(*items) == refused
