"""Request files that were made to hurt: numbers without measure, in every spelling and place."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptwire_runtime import LoadError
from promptwire_runtime.loading import load_request

NUMBERS = ("9" * 5000, "-" + "9" * 5000, "0x" + "f" * 5000, "0o" + "7" * 9000, "1e999", ".inf", ".nan")
PLACES = (
    "options: {max_tokens: %s}",
    "options: {temperature: %s}",
    "metadata: {a: %s}",
    "vendor: {openai_chat: {x: [%s]}}",
    "stream: %s",
    "tools: [{name: f, parameters: {x: %s}}]",
)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:4])
def test_a_number_without_measure_is_told_with_its_place(tmp_path: Path, number: str, place: str) -> None:
    file = tmp_path / "request.yaml"
    file.write_text("model: m\nmessages: [{user: hi}]\n" + place % number, encoding="utf-8")
    with pytest.raises(LoadError, match=r"request.yaml:3:\d+: .*(a number of \d+ digits|an infinite number)"):
        load_request(file)
