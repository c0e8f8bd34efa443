"""`make demo`: what a newcomer sees fits two screens, and every answer can be read."""

from __future__ import annotations

import pytest

from .demo import SENTENCES, main
from .tiny_model import RESULT_SENTENCE

SCREEN = 40


def test_the_demo_fits_two_screens_and_prints_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 2 * SCREEN and max(map(len, lines)) <= 120
    answers = [line for line in lines if line.startswith("  /v1/")]
    assert [line.split(maxsplit=1)[1] in SENTENCES for line in answers[:3]] == [True] * 3
    assert [line.endswith(f" -> 12 C in Oslo -> {RESULT_SENTENCE}") for line in answers[3:]] == [True] * 6
