"""Law 2 for specs of one's own: whichever line of a shape is missing, what had its place there is never lost silently.

Either the compiler refuses what is left of the spec, or the builder sends the value elsewhere, notes it or refuses it.
`make search` leaves out every line of six specs in turn, any other run one line in 32 of two.
"""

from __future__ import annotations

import pytest

from tests.laws.dropping import SECTIONS, builder_without, is_sent, lines, lost_without, probes
from tests.searching import TIMES, some_of

pytestmark = pytest.mark.slow

SPECS = (
    "anthropic_messages",
    "bedrock_converse",
    "gemini_generate",
    "mistral_chat",
    "openai_chat",
    "openai_responses",
)
SHARE = 32


@pytest.mark.search
@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("wire", SPECS if TIMES else SPECS[::4])
def test_what_a_missing_line_leaves_without_a_place_is_told(wire: str, section: str) -> None:
    lost: dict[str, list[str]] = {}
    for line in some_of(lines(wire, section), SPECS.index(wire), SHARE):
        if is_sent(wire, line):
            builder = builder_without(wire, line)
            found = [] if builder is None else list(lost_without(wire, line, builder))
            lost |= {str(line): found} if found else {}
    assert lost == {}


def test_nothing_is_lost_without_need() -> None:
    (line,) = [each for each in lines("openai_chat", "body") if each.path == ("body", "temperature?")]
    whole = builder_without("openai_chat", None)
    assert list(lost_without("openai_chat", line, whole)) == []
    named = [probe.change.values for probe in probes("openai_chat") if not line.keys.isdisjoint(probe.keys)]
    assert (("options.temperature", 73915573),) in named


def test_a_loss_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptwire_gen.emit.write.displays._carries_all", lambda _: True)
    (line,) = [each for each in lines("anthropic_messages", "unions") if each.path[-1] == "description?"]
    builder = builder_without("anthropic_messages", line)
    assert list(lost_without("anthropic_messages", line, builder)) == [
        "tool.Tool: tools[0].description = 'mk7391': neither sent nor named"
    ]
