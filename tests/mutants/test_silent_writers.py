"""Generated tests find a generated writer that forgets one report of a value that is not sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from promptwire import PromptwireError
from tests.generated_tests import cases_of, first_failure
from tests.mutants.silent_writers import SilentWriter, installed, silent_writers

WIRES = ("anthropic_messages", "bedrock_converse", "gemini_generate", "openai_chat", "openai_responses")
LOSSES = "losses"
# the share of these mistakes that must be found; the rest are mostly reports behind a test that excludes them
SHARE = 0.95


@pytest.mark.slow
@pytest.mark.parametrize("wire", WIRES)
def test_a_forgotten_report_is_found(wire: str) -> None:
    cases = [case for _, case in cases_of(wire, LOSSES)]
    assert first_failure(wire, LOSSES) is None
    writers = [*silent_writers(wire)]
    unseen = [str(writer) for writer in writers if not _is_found(writer, cases)]
    assert len(writers) > 150
    assert len(unseen) <= (1 - SHARE) * len(writers), "\n".join(unseen)


def test_what_is_forgotten() -> None:
    forgotten = {str(writer) for writer in silent_writers("openai_chat")}
    lines = {text.partition(": ")[2] for text in forgotten}
    assert {"~logprobs", "is_error?", "'expires_at'", "'include'", "build.lost(part, 'id')"} <= lines
    assert len(forgotten) > 150


def _is_found(writer: SilentWriter, cases: Sequence[Callable[[], None]]) -> bool:
    """Return whether a case fails with a writer."""
    with installed(writer):
        for case in cases:
            try:
                case()
            except (AssertionError, PromptwireError):
                return True
    return False
