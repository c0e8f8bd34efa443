"""Answers and streams that are written, read by the SDKs of the APIs that they are written for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.answers import Streamed, answers, module, read_stream, stream_bytes, streams
from tests.conformance.sdk_answers import streamed
from tests.sdk_differences import across, as_stream, between
from tests.written_streams import ACROSS

pytestmark = pytest.mark.slow

ACCUMULATED = ("openai_chat", "openai_responses", "anthropic_messages")
# hosts of Claude have a word for an end that the SDK's type lacks, and it passes from one to another as it is
HOSTS_WORD = "a safety filter ends it"


@pytest.mark.parametrize("wire", ACROSS)
@pytest.mark.parametrize("row", answers(), ids=lambda row: f"{row[0]}: {row[1]}")
def test_an_answer_of_any_api_is_what_an_sdk_sees_of_another(
    row: tuple[str, str, dict[str, Any]], wire: str
) -> None:
    if row[0] == wire or (row[1] == HOSTS_WORD and wire == "anthropic_messages"):
        return
    assert across(module(row[0]).read_answer(row[2]), wire) == []


@pytest.mark.parametrize("wire", ACROSS)
@pytest.mark.parametrize("example", streams(), ids=str)
def test_a_stream_of_any_api_is_what_an_sdk_sees_of_another(example: Streamed, wire: str) -> None:
    assert as_stream(read_stream(example.wire, [example.bytes()])[0], wire) == []


# OpenAI's SDK believes the last event, which says nothing of the output here
SILENT = "an end that is not said as a whole"
OWN = [each for each in streams() if each.wire in ACCUMULATED and SILENT not in each.name]


@pytest.mark.parametrize("example", OWN, ids=str)
def test_an_sdk_and_we_accumulate_the_same(example: Streamed) -> None:
    # what names an event stands beside its data as well
    events = [(data.get("type") if isinstance(data, dict) else None, data) for _, data in example.events]
    raw = stream_bytes("sse", events)
    assert between(read_stream(example.wire, [raw])[1], streamed(example.wire, raw), example.wire) == []
