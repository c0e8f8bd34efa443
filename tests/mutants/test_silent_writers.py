"""Generated tests find a generated writer that forgets one report of a value that is not sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from promptwire import PromptwireError
from tests.generated_tests import cases_of, first_failure
from tests.mutants.silent_writers import SilentWriter, installed, silent_writers

LOSSES = "losses"
# wire -> reports that no request reaches, because the chooser of the shape has tested the value already
UNREACHABLE = {
    "anthropic_messages": [
        "build.report.incomplete(thinking, 'budget')",
        "build.report.incomplete(thinking, 'redacted')",
        "build.report.incomplete(thinking, 'text')",
    ],
    "bedrock_converse": [
        "build.report.incomplete(thinking, 'budget')",
        "build.report.incomplete(thinking, 'redacted')",
        "build.report.incomplete(thinking, 'signature')",
        "build.report.incomplete(thinking, 'text')",
        "redacted",
        "signature",
    ],
    "gemini_generate": ["build.report.incomplete(thinking, 'signature')"],
    "openai_chat": [
        "build.report.incomplete(thinking, 'text')",
        "build.report.lost(part, '')",
        "build.report.lost(part, '')",
    ],
    "openai_responses": ["build.report.incomplete(part, 'encrypted')"],
}


@pytest.mark.slow
@pytest.mark.parametrize("wire", UNREACHABLE)
def test_a_forgotten_report_is_found(wire: str) -> None:
    cases = [case for _, case in cases_of(wire, LOSSES)]
    assert first_failure(wire, LOSSES) is None
    writers = [*silent_writers(wire)]
    unseen = [writer for writer in writers if not _is_found(writer, cases)]
    assert len(writers) > 150
    assert sorted([each.forgotten for each in unseen]) == UNREACHABLE[wire], "\n".join(map(str, unseen))


def test_what_is_forgotten() -> None:
    forgotten = {str(writer) for writer in silent_writers("openai_chat")}
    lines = {text.partition(": ")[2] for text in forgotten}
    assert {"~logprobs", "is_error?", "'expires_at'", "'include'", "build.report.lost(part, 'id')"} <= lines
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
